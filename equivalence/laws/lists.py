"""Lists of constants in one form, whether they are arrays, unnest or generate_series.

    x = ANY (ARRAY[1, 2])   x = ANY ('{1,2}')   -->   x IN (1, 2)
    FROM unnest(ARRAY[1, 2]) u(x)   FROM generate_series(1, 2) u(x)   -->   FROM (VALUES (1), (2)) u(x)

PostgreSQL makes an array of IN itself (transformAExprIn), and ANY and ALL are evaluated element by element
under three-valued logic; over an array without elements they are FALSE and TRUE also for NULL
(ExecEvalScalarArrayOp). Arrays written as text are read where their elements are plain: nothing is taken for
read that the server would refuse. Must not know rules or provers.
"""

from __future__ import annotations

import datetime as dt
import re

from rewright.sql import algebra as a
from rewright.sql.build import FALSE, TRUE
from rewright.sql.catalog import Catalog, type_key
from rewright.sql.comparisons import alike_one_by_one
from rewright.sql.facts import Facts
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up

# a list with more alternatives is no easier to prove than the function
_MOST_ROWS = 40
_INTEGERS = {"int2": 15, "int4": 31, "int8": 63}
_TEXTS = frozenset({"text", "varchar"})
_NUMBER = re.compile(r"[+-]?\d{1,19}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DECIMAL = re.compile(r"(?!-0*\.?0*\Z)-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
# an element, quoted or of letters, digits and a few signs that mean nothing in an array's text
_ELEMENT = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|([\w.:/@-]+(?: +[\w.:/@-]+)*))\s*(,|\Z)', re.ASCII | re.DOTALL
)


def listed(query: a.Query, facts: Facts) -> a.Query:
    """A query with its lists of constants as IN and VALUES."""

    def changed(node: a.Node) -> a.Node:
        match node:
            case a.ArrayOp():
                return _membership(node, facts)
            # a single set-returning function; ROWS FROM several of them pads the shorter ones
            case a.FunctionScan(rel, call, alias, columns, ordinality=False) if isinstance(call, a.Call):
                rows = _rows(call)
                return node if rows is None else a.ValuesScan(rel, rows, alias, columns)
            case _:
                return node

    return bottom_up(query, changed)


def _membership(test: a.ArrayOp, facts: Facts) -> a.Expr:
    items = elements(test.array, facts.catalog)
    # the elements are all computed before any is compared
    # an element that fails does so in an array, and in a list only when it is reached
    if items is None or not all(facts.cannot_fail(e) for e in items):
        return test
    # 'b' > ANY (ARRAY[s, c]) with c under "C" compares s under "C" as well, and 'b' > s does not
    if not alike_one_by_one(test.op.name, (e.type.collation for e in items)):
        return test
    if items:
        return a.InList(test.op, test.left, items, test.all)
    # the left side is evaluated all the same
    # NULL = ANY('{}') is FALSE and not NULL
    return test if facts.errors(test.left) else (TRUE if test.all else FALSE)


def _rows(call: a.Call) -> tuple[tuple[a.Expr, ...], ...] | None:
    """The rows of a function of constants."""
    func = call.func
    if not func.is_builtin:
        return None
    found: tuple[a.Expr, ...] | None = None
    if func.name == "unnest" and len(call.args) == 1:
        found = elements(call.args[0])
        # unnest(ARRAY[t.x, 1]) reads a row; the rows of VALUES are constants here
        if found is not None and not all(isinstance(e, a.Const) for e in found):
            return None
    elif func.name == "generate_series":
        found = _series(call)
    return None if found is None or len(found) > _MOST_ROWS else tuple((e,) for e in found)


def _series(call: a.Call) -> tuple[a.Expr, ...] | None:
    """Whole numbers from one constant to another; a step of 0 is an error."""
    # generate_series of numeric steps by fractions, of timestamps by months
    if call.type.name not in {"int4", "int8"} or not all(_is_whole(x) for x in call.args):
        return None
    first, last, step = (*(int(str(x.value)) for x in call.args if isinstance(x, a.Const)), 1)[:3]
    # more rows than this are left to the function
    if step == 0 or abs(last - first) // abs(step) >= _MOST_ROWS:
        return None
    numbers = range(first, last + (1 if step > 0 else -1), step)
    return tuple(a.Const(str(n), call.type) for n in numbers)


def _is_whole(x: a.Expr) -> bool:
    return isinstance(x, a.Const) and x.value is not None and x.type.name in {"int4", "int8"}


def elements(array: a.Expr, catalog: Catalog | None = None) -> tuple[a.Expr, ...] | None:
    """The elements of an array that is written out, by ARRAY[…] or as text; None for any other. ``catalog``:
    whose enums have the labels that a text may hold.
    """
    match array:
        # ARRAY[ARRAY[1, 2], …] is compared element by element too, but its elements are arrays here
        case a.ArrayExpr(args) if not any(x.type.is_array for x in args):
            return args
        case a.Cast(a.Const(str(text), source), target, method="io") if source.name == "unknown":
            return _read(text, target, catalog)
        case a.Cast(arg, target, method="binary") if _is_text_of_varchar(arg.type, target):
            inner = elements(arg, catalog)
            # as IN has it: each of them is read as text
            type_ = target.element
            # None stays None, and no elements no elements
            return inner and tuple(a.Cast(x, type_, implicit=True, method="binary") for x in inner)
        case a.Const(str(text), type_):
            return _read(text, type_, catalog)
        case _:
            return None


def _is_text_of_varchar(source: SqlType, target: SqlType) -> bool:
    builtin = source.is_builtin and target.is_builtin
    plain = source.typmod == target.typmod == -1 and source.collation == target.collation
    return builtin and plain and (source.name, target.name) == ("_varchar", "_text")


def _read(text: str, array: SqlType, catalog: Catalog | None) -> tuple[a.Expr, ...] | None:
    """An array of numbers, texts, dates or labels of an enum in its text form, one dimension, without
    surprises.
    """
    # varchar(3)[] cuts its elements; '[2:3]={1,2}' states bounds
    if not array.is_array or array.typmod != -1 or not (text.startswith("{") and text.endswith("}")):
        return None
    name = array.name.removeprefix("_")
    labels = _labels(array, catalog)
    if labels is None and not (array.is_builtin and name in {*_INTEGERS, *_TEXTS, "date", "numeric"}):
        return None
    element = SqlType(name, array.schema, collation=array.collation, enum=labels is not None)
    body = text[1:-1]
    found: list[a.Expr] = []
    position, ended = 0, not body.strip()
    while not ended:
        match = _ELEMENT.match(body, position)
        value = None if match is None else _value(match, name, labels)
        if match is None or value is None:
            # what the pattern does not read (a nested brace, a stray sign) leaves the whole array unread
            return None
        found.append(value.of(element))
        position, ended = match.end(), match[3] == ""
    return tuple(found)


class _Value:
    """An element's text; None is NULL."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def of(self, type_: SqlType) -> a.Const:
        return a.Const(self.text, type_)


def _labels(array: SqlType, catalog: Catalog | None) -> frozenset[str] | None:
    """The labels of the enum that an array is of; None for other types."""
    if array.is_builtin or catalog is None:
        # a catalog may have no such type, as when a schema was given in part
        return None
    try:
        info = catalog.type(type_key(array.schema, array.name.removeprefix("_")))
    except KeyError:
        return None
    # a name of its own that only looks like an array's
    own = info.array == type_key(array.schema, array.name)
    return frozenset(info.labels) if info.kind == "e" and own else None


def _value(match: re.Match[str], type_: str, labels: frozenset[str] | None) -> _Value | None:
    quoted, bare = match[1], match[2]
    # NULL without quotes, in whatever case; "NULL" is a text
    if bare is not None and bare.upper() == "NULL":
        return _Value(None)
    text = re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL) if quoted is not None else bare
    if labels is not None:
        return _Value(text) if text in labels else None
    if type_ in _TEXTS:
        return _Value(text)
    if type_ == "date":
        return _Value(text) if _is_day(text) else None
    if type_ == "numeric":
        return _Value(text) if _DECIMAL.fullmatch(text) else None
    limit = 1 << _INTEGERS[type_]
    # '2.5' or a number out of range is an error when the array is read
    if not _NUMBER.fullmatch(text) or not -limit <= int(text) < limit:
        return None
    return _Value(str(int(text)))


def _is_day(text: str) -> bool:
    """Whether a text is a date in the form that every session reads alike."""
    if not _DAY.fullmatch(text):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True
