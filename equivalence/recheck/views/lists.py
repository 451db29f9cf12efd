"""Lists of constants: arrays after ANY and ALL as IN lists, unnest and generate_series of constants as rows.

`x op ANY (array)` compares x with each element, and so does IN; over no elements ANY is FALSE and ALL is
TRUE, whatever x is. The elements of an array are computed before any is compared, those of a list perhaps
not: they must not fail. Must not know the other forms.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog, type_key
from rewright.sql.types import BOOL, DETERMINISTIC_COLLATIONS, SqlType
from rewright.sql.walk import bottom_up

_MOST = 40
# few digits, no exponent, and one spelling of each value and scale
_FEW_DIGITS = re.compile(r"(?!-[0.]+$)-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")
_WIDTHS = {"int2": 2, "int4": 4, "int8": 8}
_TEXTS = frozenset({"text", "varchar"})
_VARCHARS = SqlType("_varchar")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BLANKS = " \t\n\r\v\f"
# what may stand in an array's text without quotes and means itself
_BARE = re.compile(r"[A-Za-z0-9_.:/@+-]+(?: +[A-Za-z0-9_.:/@+-]+)*")
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


class _NotPlain(Exception):
    """A text that is not read here."""


def lists(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.ArrayOp):
            return _as_list(node, changes)
        if isinstance(node, a.FunctionScan) and isinstance(node.call, a.Call) and not node.ordinality:
            return _as_rows(node, node.call)
        return node

    return bottom_up(query, change)


def _as_list(test: a.ArrayOp, changes: Changes) -> a.Expr:
    items = elements(test.array, changes.catalog)
    if items is None or len({(x.type.schema, x.type.name) for x in items}) > 1:
        return test
    if not all(changes.known.cannot_fail(x) for x in items):
        return test
    # an element under "C" has the others compared under "C" too; only what is equal does not depend on it
    under = {x.type.collation for x in items if x.type.collation}
    plain = test.op.name in {"=", "<>"} and under <= DETERMINISTIC_COLLATIONS
    if len(under) > 1 and not plain:
        return test
    if items:
        return a.InList(test.op, test.left, items, test.all)
    # the left side is computed all the same
    return a.Const("t" if test.all else "f", BOOL) if changes.known.cannot_fail(test.left) else test


def _as_rows(item: a.FunctionScan, call: a.Call) -> a.FromItem:
    values: tuple[a.Expr, ...] | None = None
    if not call.func.is_builtin or len(item.columns) != 1:
        return item
    if call.func.name == "unnest" and len(call.args) == 1:
        values = elements(call.args[0])
    if call.func.name == "generate_series":
        values = _series(call)
    shown = item.columns[0].type
    if values is None or len(values) > _MOST:
        return item
    if not all(isinstance(x, a.Const) and x.type.same_base(shown) for x in values):
        return item
    return a.ValuesScan(item.rel, tuple((x,) for x in values), item.alias, item.columns)


def _series(call: a.Call) -> tuple[a.Expr, ...] | None:
    """Whole numbers from a first to a last, each a step from the one before."""
    if call.type not in {SqlType("int4"), SqlType("int8")} or len(call.args) not in {2, 3}:
        return None
    numbers: list[int] = []
    for x in call.args:
        if not isinstance(x, a.Const) or x.value is None or x.type != call.type:
            return None
        numbers.append(int(x.value))
    first, last, step = numbers if len(numbers) == 3 else (*numbers, 1)
    if step == 0:
        return None
    found: list[a.Expr] = []
    at = first
    while (at <= last if step > 0 else at >= last) and len(found) <= _MOST:
        found.append(a.Const(str(at), call.type))
        at += step
    return tuple(found)


# --------------------------------------------------------------------------- what an array holds


def elements(array: a.Expr, catalog: Catalog | None = None) -> tuple[a.Expr, ...] | None:
    """The elements in their order, where the array is written out in one dimension; ``catalog``: whose enums
    have the labels.
    """
    if isinstance(array, a.ArrayExpr):
        return None if any(x.type.is_array for x in array.args) else array.args
    text: a.Expr = array
    type_ = array.type
    if isinstance(array, a.Cast) and array.method == "binary" and _plain(array.arg.type) == _VARCHARS:
        as_text = SqlType("text", collation=type_.collation)
        inner = elements(array.arg, catalog) if type_ == replace(array.arg.type, name="_text") else None
        return inner and tuple(a.Cast(x, as_text, implicit=True, method="binary") for x in inner)
    if isinstance(array, a.Cast) and array.method == "io" and array.arg.type.name == "unknown":
        text = array.arg
    if not isinstance(text, a.Const) or text.value is None or not type_.is_array or type_.typmod != -1:
        return None
    labels = None if type_.is_builtin or catalog is None else _labels(type_, catalog)
    element = SqlType(type_.name[1:], type_.schema, collation=type_.collation, enum=labels is not None)
    if labels is None and (
        not type_.is_builtin or element.name not in {*_WIDTHS, *_TEXTS, "date", "numeric"}
    ):
        return None
    try:
        return tuple(a.Const(_value(x, element.name, labels), element) for x in _parts(text.value))
    except _NotPlain:
        return None


def _plain(type_: SqlType) -> SqlType:
    return replace(type_, collation="")


def _labels(array: SqlType, catalog: Catalog) -> tuple[str, ...] | None:
    """Those of the enum that the elements are of; None for other elements."""
    try:
        element = catalog.type(catalog.type(type_key(array.schema, array.name)).element)
    except KeyError:
        return None
    return element.labels if element.kind == "e" and f"_{element.name}" == array.name else None


def _parts(text: str) -> list[tuple[bool, str]]:
    """What stands between the commas, and whether it was quoted. Raises _NotPlain."""
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        raise _NotPlain
    body = text[1:-1]
    found: list[tuple[bool, str]] = []
    at = 0
    if not body.strip(_BLANKS):
        return found
    while True:
        part, at = _part(body, at)
        found.append(part)
        if at == len(body):
            return found
        at += 1  # the comma


def _part(body: str, at: int) -> tuple[tuple[bool, str], int]:
    """One element that begins at a place, and the place of the comma or end behind it."""
    while body[at : at + 1] and body[at] in _BLANKS:
        at += 1
    if body[at : at + 1] != '"':
        end = body.find(",", at)
        end = len(body) if end < 0 else end
        bare = body[at:end].rstrip(_BLANKS)
        if not _BARE.fullmatch(bare):
            raise _NotPlain
        return (False, bare), end
    said: list[str] = []
    at += 1
    while body[at : at + 1] != '"':
        at += body[at : at + 1] == "\\"
        if at >= len(body):
            raise _NotPlain
        said.append(body[at])
        at += 1
    at += 1
    while body[at : at + 1] and body[at] in _BLANKS:
        at += 1
    if body[at : at + 1] not in {"", ","}:
        raise _NotPlain
    return (True, "".join(said)), at


def _value(part: tuple[bool, str], type_: str, labels: tuple[str, ...] | None) -> str | None:
    quoted, text = part
    if not quoted and text.upper() == "NULL":
        return None
    if labels is not None:
        if text not in labels:
            raise _NotPlain
        return text
    if type_ in _TEXTS:
        return text
    if type_ == "date":
        return _day(text)
    if type_ == "numeric":
        if not _FEW_DIGITS.fullmatch(text):
            raise _NotPlain
        return text
    if not _WHOLE.fullmatch(text):
        raise _NotPlain
    number, top = int(text), 1 << (8 * _WIDTHS[type_] - 1)
    if not -top <= number < top:
        raise _NotPlain
    return str(number)


def _day(text: str) -> str:
    """A day that is written year, month, day, which no session reads otherwise. Raises _NotPlain."""
    if not _ISO.fullmatch(text):
        raise _NotPlain
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise _NotPlain from None
