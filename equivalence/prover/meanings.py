"""Built-in functions and operators by what they are made of, so that every spelling of one test is one form.

    num_nonnulls(a, b)               CASE WHEN a IS NOT NULL THEN 1 ELSE 0 END + CASE WHEN b IS NOT NULL …
    concat(a, '-', b)                coalesce(a, '') || '-' || coalesce(b, '')
    substring(s FROM 1 FOR 3)        left(s, 3)
    extract(isodow FROM d) >= 6      extract(dow FROM d) IN (6, 0)
    n & 1 = 1                        NOT (n % 2 = 0)
    j ->> 'k' IS NULL                j -> 'k' IS NULL OR jsonb_typeof(j -> 'k') = 'null'
    current_date                     now()::date
    days @> date '2024-01-31'        NOT isempty(days) AND (lower_inf(days) OR lower(days) <= …) AND …
    tags && '{a,b}'                  tags && ARRAY['a', 'b']
    j ?& '{a,b}'                     j ? 'a' AND j ? 'b'
    j @> '{"a": 1, "b": {"c": 2}}'   j -> 'a' = '1' AND j -> 'b' -> 'c' = '2', each IS TRUE; NULL for no j

Where a meaning holds for some values only, these are said with it (`where_known`): ``j ? 'k'`` of objects,
OVERLAPS of periods without NULL. Must not know terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.build import compare, function, operator
from rewright.sql.types import BOOL, INT4, TEXT, TIMESTAMPTZ, SqlType, equality_is_identity

from .json_texts import NotPlain, read, written
from .range_values import as_written, meets_point

JSONB = SqlType("jsonb")
_DEFAULT = SqlType("text", collation="default")
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "=": int.__eq__,
    "<>": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}
# Sunday is 0 to one field and 7 to the other
_DAYS = {"dow": {n: n for n in range(7)}, "isodow": {n: n % 7 for n in range(1, 8)}}
_FIRST = {("substring", ("text", "int4", "int4")), ("substr", ("text", "int4", "int4"))}


def meaning(e: a.Expr) -> a.Expr | None:
    """What the expression is made of; None where nothing is known of it."""
    match e:
        case a.Cast():
            return as_written(e)
        case a.Call(func) if func.is_builtin:
            return as_written(e) or _of_call(e)
        case a.ValueFunction(name, type_) if type_.typmod == -1:
            return _moment(name, type_)
        case a.Op(op, (left, right)) if op.is_builtin:
            return (
                _weekday(op.name, left, right)
                or _low_bits(op.name, left, right)
                or _contained(e)
                or _in_range(op, left, right)
                or _element_by_element(e)
                or _keys_one_by_one(e)
                or meets_point(e)
                or _without_elements(e)
            )
        # a list of constants on the left, 6 IN (extract(…), …), is no test of one day
        case a.InList(op, left) if op.is_builtin and op.name in {"=", "<>"} and not _is_const(left):
            return _weekdays(e)
        case a.Subscript(a.Aggregate() as all_, (), (a.Const("1"),), False):
            return _first_of_sorted(all_)
        case a.Aggregate(func) if func.is_builtin and func.name == "percentile_disc":
            return _end_of_sorted(e)
        # x ->> 'k' IS NULL is about the field as a JSON value
        case a.IsNull(arg, negated, False):
            made = _without_text(arg)
            return made if made is None or not negated else a.Not(made)
        case _:
            return None


def where_known(e: a.Expr) -> tuple[tuple[a.Expr, a.Expr], ...]:
    """Conditions and what the expression is where they are met, the first that is."""
    match e:
        # of an array or a text `?` asks for an element
        case a.Op(op, (left, right)) if op.is_builtin and (op.name, op.left) == ("?", "jsonb"):
            typed, there = _typed(left, "object"), _field(left, right)
            return () if typed is None or there is None else ((typed, a.IsNull(there, True)),)
        case a.Call(func, args) if func.is_builtin and func.name == "overlaps":
            return _overlap(args)
        case _:
            return ()


def _is_const(x: a.Expr) -> bool:
    return isinstance(x, a.Const)


def _of_call(e: a.Call) -> a.Expr | None:
    name, args = e.func.name, e.args
    if name in {"num_nulls", "num_nonnulls"} and len(args) > 1:
        counted = [_one_where(a.IsNull(x, name == "num_nonnulls")) for x in args]
        return _folded("+", counted, INT4)
    # concat(1, 'a') writes its arguments by output functions, which || does not
    if name == "concat" and len(args) > 1 and all(x.type.same_base(TEXT) for x in args):
        # NULL counts as the empty text
        texts = [x if _is_text(x) else a.Coalesce((x, a.Const("", x.type)), x.type) for x in args]
        return _folded("||", texts, e.type)
    # substring from any other place, or to a length below 0, is not the text's beginning
    if (name, e.func.arg_types) in _FIRST and _number(args[1]) == 1 and _is_natural(args[2]):
        # left() drops characters from the end for a number below 0, where substring() fails
        left = function("left", "text", "int4")
        return None if left is None else a.Call(left, (args[0], args[2]), e.type)
    return None


def _is_natural(x: a.Expr) -> bool:
    number = _number(x)
    return number is not None and number >= 0


def _is_text(x: a.Expr) -> bool:
    return isinstance(x, a.Const) and x.value is not None


def _one_where(test: a.Expr) -> a.Expr:
    return a.Case(((test, a.Const("1", INT4)),), a.Const("0", INT4), INT4)


def _folded(name: str, parts: list[a.Expr], type_: SqlType) -> a.Expr | None:
    made = parts[0]
    for part in parts[1:]:
        # the sum of counted arguments is int4, as the function's result is
        op = operator(name, *(2 * (type_.without_typmod(),))) if type_ == INT4 else operator(name, TEXT, TEXT)
        if op is None:
            return None
        made = a.Op(op, (made, part), type_)
    return made


# ---------------------------------------------------------------- days of the week


def _number(x: a.Expr) -> int | None:
    """A whole number that is written out, under casts between numbers."""
    while isinstance(x, a.Cast) and x.type.is_builtin and x.type.name in {"numeric", "int8", "int4"}:
        # a cast to numeric(3, 1) may change the number
        if x.type.typmod != -1:
            return None
        x = x.arg
    if (
        not isinstance(x, a.Const)
        or x.value is None
        or x.type.name not in {"int2", "int4", "int8", "numeric"}
    ):
        return None
    # nineteen digits might not fit int8
    return int(x.value) if x.value.lstrip("-").isdecimal() and len(x.value) < 19 else None


def _field_of_day(x: a.Expr) -> tuple[str, a.Call] | None:
    """A day of the week: by which numbers, and what takes it out of the date; also as an integer."""
    # extract(…)::int is the numeric itself, which is whole
    if isinstance(x, a.Cast) and x.type.name in {"int2", "int4", "int8"} and x.arg.type.name == "numeric":
        x = x.arg
    match x:
        case a.Call(func, (a.Const(str(unit)), _)) if func.is_builtin and func.name == "extract":
            return (unit.lower(), x) if unit.lower() in _DAYS else None
        case _:
            return None


def _weekday(name: str, left: a.Expr, right: a.Expr) -> a.Expr | None:
    """A day of the week compared with a number, as one of the days."""
    flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    found, number = _field_of_day(left), _number(right)
    # 6 <= extract(…) is extract(…) >= 6
    if found is None and (number := _number(left)) is not None:
        found, name = _field_of_day(right), flipped.get(name, name)
    if found is None or number is None or name not in _COMPARED:
        return None
    unit, call = found
    return _among(call, {d for n, d in _DAYS[unit].items() if _COMPARED[name](n, number)}, (unit, name))


def _weekdays(e: a.InList) -> a.Expr | None:
    found, numbers = _field_of_day(e.left), [_number(x) for x in e.items]
    if found is None or None in numbers:
        return None
    unit, call = found
    days = {d for n, d in _DAYS[unit].items() if (n in numbers) != e.all}
    # IN is `= ANY`, NOT IN is `<> ALL`; `<> ANY` and `= ALL` are no lists
    return _among(call, days, (unit, "in")) if (e.op.name == "=") != e.all else None


def _among(call: a.Call, days: set[int], said: tuple[str, str]) -> a.Expr | None:
    """Whether the day is one of the ``days``, in the numbers that begin with Sunday; None where this is what
    was ``said`` already, or where it is any day or none.
    """
    first = a.Call(call.func, (_as_unit(call.args[0], "dow"), call.args[1]), call.type)
    tests = [compare("=", first, a.Const(str(d), call.type)) for d in sorted(days)]
    known = [t for t in tests if t is not None]
    # no day, or any of the seven: TRUE or FALSE where the date is there, NULL where not, which is not written
    # so
    if not 0 < len(days) < 7 or len(known) < len(tests) or said == ("dow", "="):
        return None
    return known[0] if len(known) == 1 else a.Or(tuple(known))


def _as_unit(unit: a.Expr, name: str) -> a.Expr:
    return a.Const(name, unit.type)


# ---------------------------------------------------------------- the moment of a transaction


def _moment(name: str, type_: SqlType) -> a.Expr | None:
    """CURRENT_TIMESTAMP, LOCALTIMESTAMP and CURRENT_DATE: now(), as the session's zone has it."""
    now = function("now")
    if now is None or name not in {"current_timestamp", "localtimestamp", "current_date"}:
        return None
    moment = a.Call(now, (), TIMESTAMPTZ)
    if name == "current_timestamp":
        return moment
    # current_date is a date of the session's zone, as now()::date is
    cast = function(type_.name, "timestamptz")
    return None if cast is None else a.Cast(moment, type_, method="func", func=cast)


# ---------------------------------------------------------------- the least and the greatest


def _first_of_sorted(e: a.Aggregate) -> a.Expr | None:
    """``(array_agg(x ORDER BY x))[1]``: the least x, and the greatest in descending order. NULLs come last,
    and are the first where there is nothing else.
    """
    if not e.func.is_builtin or e.func.name != "array_agg" or len(e.order_by) != 1 or len(e.args) != 1:
        return None
    (key,), (x,) = e.order_by, e.args
    # NULLS FIRST shows NULL though there are values
    if key.expr != x or key.nulls_first:
        return None
    return _extreme(e, key, greatest=key.descending)


def _end_of_sorted(e: a.Aggregate) -> a.Expr | None:
    """``percentile_disc(0)`` and ``(1)``: the first and last of the values that are not NULL."""
    fraction = e.direct[0] if len(e.direct) == 1 and len(e.order_by) == 1 else None
    while isinstance(fraction, a.Cast):
        fraction = fraction.arg
    # the median and other fractions are of the middle
    if not isinstance(fraction, a.Const) or fraction.value not in {"0", "1", "0.0", "1.0"}:
        return None
    (key,) = e.order_by
    return _extreme(e, key, greatest=(fraction.value in {"1", "1.0"}) != key.descending)


def _extreme(e: a.Aggregate, key: a.SortKey, *, greatest: bool) -> a.Expr | None:
    """The aggregate's least or greatest value in the order of the type's own; of equal ones it may show any,
    so that these must be the same. A column alone, which raises nothing: sorted groups come one after the
    other, and LIMIT may stop before those that hashing would have made first.
    """
    x = key.expr
    if not isinstance(x, a.Column) or e.filter is not None:
        return None
    own = key.op.is_builtin and key.op.btree == (">" if key.descending else "<")
    name = "text" if x.type.name == "varchar" else x.type.name
    found = function("max" if greatest else "min", name)
    # percentile_disc of char(3) has no modifier, a column of it does
    if not own or found is None or not equality_is_identity(x.type) or e.type.typmod != -1:
        return None
    # min(varchar) is computed as text, and then is of another type than x
    return a.Aggregate(found, (x,), x.type) if x.type.name == name else None


# ---------------------------------------------------------------- bits


def _low_bits(name: str, left: a.Expr, right: a.Expr) -> a.Expr | None:
    """Whether the lowest bits are all 0, and whether the lowest is 1, as remainders: in two's complement also
    of negative numbers.
    """
    if name not in {"=", "<>"} or not isinstance(left, a.Op) or left.op.name != "&" or not left.op.is_builtin:
        return None
    (x, mask), wanted = left.args, _number(right)
    bits = _number(mask)
    if bits is None:
        x, bits = mask, _number(x)
    # only masks of the lowest bits, 2^k - 1: n & 5 = 0 asks for two bits apart
    if (
        bits is None
        or not 0 < bits < 1 << 14
        or bits & (bits + 1)
        or wanted not in ((0, 1) if bits == 1 else (0,))
    ):
        return None
    remainder = operator("%", x.type, x.type)
    if remainder is None:
        return None
    rest = a.Op(remainder, (x, a.Const(str(bits + 1), x.type)), x.type)
    none = compare("=", rest, a.Const("0", x.type))
    # n & 1 = 1 and n & 1 <> 0 are both the negation of n % 2 = 0
    return none if none is None or (name == "=") == (wanted == 0) else a.Not(none)


# ---------------------------------------------------------------- JSON


def _field(x: a.Expr, key: a.Expr) -> a.Expr | None:
    op = operator("->", JSONB, TEXT)
    return None if op is None or not x.type.same_base(JSONB) else a.Op(op, (x, key), JSONB)


def _typed(x: a.Expr, name: str) -> a.Expr | None:
    func = function("jsonb_typeof", "jsonb")
    return None if func is None else compare("=", a.Call(func, (x,), _DEFAULT), a.Const(name, _DEFAULT))


def _without_text(x: a.Expr) -> a.Expr | None:
    """``x ->> key IS NULL``: there is no such field, or it is JSON's null."""
    if (
        not isinstance(x, a.Op)
        or not x.op.is_builtin
        or (x.op.name, x.op.left, x.op.right) != ("->>", "jsonb", "text")
    ):
        return None
    field = _field(*x.args)
    typed = None if field is None else _typed(field, "null")
    return None if field is None or typed is None else a.Or((a.IsNull(field), typed))


def _contained(e: a.Op) -> a.Expr | None:
    """``x @> '{…}'``: each field is there, whatever stands beside it. Arrays and empty objects are left to
    the operator; a number, a text, true, false and null in an object contain what they are equal to.
    """
    x, wanted = e.args
    if (e.op.name, e.op.left, e.op.right) != ("@>", "jsonb", "jsonb"):
        return None
    # a document of a list, a number or nothing at all is contained by other rules
    document = _document(wanted)
    if not isinstance(document, dict) or not document:
        return None
    parts = list(_parts(x, document, e.op))
    known = [a.IsBool(p, "true") for p in parts if p is not None]
    if len(known) < len(parts):
        return None
    met = known[0] if len(known) == 1 else a.And(tuple(known))
    # NULL @> … is NULL, though each of the parts IS TRUE is FALSE then
    return a.Case(((a.IsNull(x), a.Const(None, BOOL)),), met, BOOL)


def _parts(x: a.Expr, document: dict[str, Any], op: a.OperatorRef) -> Iterator[a.Expr | None]:
    for key, value in sorted(document.items()):
        field = _field(x, a.Const(key, _DEFAULT))
        if field is None:
            yield None
        elif isinstance(value, dict) and value:
            yield from _parts(field, value, op)
        elif isinstance(value, list | dict):
            # an empty object is contained in any object, and a list goes by its elements
            yield a.Op(op, (field, _json(value)), BOOL)
        else:
            yield compare("=", field, _json(value))


def _document(x: a.Expr) -> object:
    """A constant of JSON; None where it is none, or has what may be read otherwise."""
    if isinstance(x, a.Cast) and x.type.same_base(JSONB) and x.method == "io":
        x = x.arg
    if not isinstance(x, a.Const) or x.value is None:
        return None
    try:
        return read(x.value)
    except NotPlain:
        return None


def _json(value: object) -> a.Expr:
    return a.Cast(a.Const(written(value), SqlType("unknown")), JSONB, implicit=True, method="io")


def _keys_one_by_one(e: a.Op) -> a.Expr | None:
    """``x ?& …`` and ``x ?| …`` of written keys: each of them is there, or one is."""
    x, keys = e.args
    if e.op.name not in {"?&", "?|"} or (e.op.left, e.op.right) != ("jsonb", "_text"):
        return None
    written = keys if isinstance(keys, a.ArrayExpr) else _written_out(keys)
    there = operator("?", JSONB, TEXT)
    # an element that is computed may be NULL, which the operator leaves out
    if there is None or not isinstance(written, a.ArrayExpr) or not all(map(_is_text, written.args)):
        return None
    tests = tuple(a.Op(there, (x, key), BOOL) for key in written.args)
    # ?& of no keys is TRUE of any document
    if len(tests) < 2:
        return tests[0] if tests else None
    return a.And(tests) if e.op.name == "?&" else a.Or(tests)


# ---------------------------------------------------------------- arrays


# elements that every server reads as they stand: nothing quoted, no blanks
_WORDS = {
    "text": re.compile(r"\w+", re.ASCII),
    "int4": re.compile(r"-?\d{1,9}"),
    "int8": re.compile(r"-?\d{1,18}"),
}


def _element_by_element(e: a.Op) -> a.Expr | None:
    """`@>`, `<@` and `&&` with an array that is written as one text, as with one of its elements."""
    if e.op.name not in {"@>", "<@", "&&"} or (e.op.left, e.op.right) != ("anyarray", "anyarray"):
        return None
    args = tuple(_written_out(x) or x for x in e.args)
    return None if args == e.args else replace(e, args=args)


def _without_elements(e: a.Op) -> a.Expr | None:
    """``cardinality(x) = 0``: x is the one array that has no elements."""
    call, number = e.args if isinstance(e.args[0], a.Call) else e.args[::-1]
    counted = isinstance(call, a.Call) and call.func.is_builtin and call.func.name == "cardinality"
    # cardinality(x) = 2 is no single array
    if e.op.name not in {"=", "<>"} or not counted or not isinstance(call, a.Call) or _number(number) != 0:
        return None
    (x,) = call.args
    same = operator(e.op.name, SqlType("anyarray"), SqlType("anyarray"))
    element = x.type.element if x.type.is_array else None
    # comparing arrays of what has no equality raises an error
    if same is None or element is None or element.name not in _WORDS or not element.is_builtin:
        return None
    none = a.Cast(a.Const("{}", SqlType("unknown")), x.type, implicit=True, method="io")
    return a.Op(same, (x, none), BOOL)


def _written_out(x: a.Expr) -> a.Expr | None:
    match x:
        case a.Cast(a.Const(str(text), of), type_, method="io") if of.name == "unknown" and type_.is_builtin:
            element = type_.element if type_.is_array else None
        case _:
            return None
    word = _WORDS.get(element.name) if element is not None and element.typmod == -1 else None
    # '{}', nested braces and quotes have readings of their own
    if word is None or element is None or not re.fullmatch(r"\{[^{}]+\}", text):
        return None
    items = text[1:-1].split(",")
    # NULL in an array's text is no word
    if not all(word.fullmatch(i) and i.lower() != "null" for i in items):
        return None
    return a.ArrayExpr(tuple(a.Const(i, element) for i in items), type_)


# ---------------------------------------------------------------- ranges


# ranges and what they are of; those of integers and dates have their lower bound in and their upper one out
_STEPPED = {"int4range": "int4", "int8range": "int8", "daterange": "date"}
_DENSE = {"tsrange": "timestamp", "numrange": "numeric"}
_FINITE = {
    "int4": re.compile(r"-?\d{1,9}"),
    "int8": re.compile(r"-?\d{1,18}"),
    "numeric": re.compile(r"-?\d{1,18}(\.\d{1,18})?"),
    "date": re.compile(r"[1-9]\d{3}-\d\d-\d\d"),
    "timestamp": re.compile(r"[1-9]\d{3}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?"),
}


def _in_range(op: a.OperatorRef, left: a.Expr, right: a.Expr) -> a.Expr | None:
    """A constant in a range: neither bound leaves it out, and there is something in the range at all. Bounds
    that are infinite dates need not be put in the form of the others, which a finite date does not see.
    """
    if (op.name, op.left, op.right) == ("@>", "anyrange", "anyelement"):
        ranged, point = left, right
    elif (op.name, op.left, op.right) == ("<@", "anyelement", "anyrange"):
        ranged, point = right, left
    else:
        return None
    name = ranged.type.name if ranged.type.is_builtin else ""
    of = _STEPPED.get(name) or _DENSE.get(name)
    # a point of another type is cast first, which may round or fail
    if of is None or point.type != SqlType(of) or not _is_finite(point):
        return None
    sides = [_beyond(ranged, point, side, stepped=name in _STEPPED) for side in ("lower", "upper")]
    empty = function("isempty", "anyrange")
    known = [s for s in sides if s is not None]
    # an infinite lower bound is -infinity and no NULL where it was written so: `lower_inf` and the value both
    # count
    if empty is None or len(known) < len(sides):
        return None
    return a.And((a.Not(a.Call(empty, (ranged,), BOOL)), *known))


def _is_finite(x: a.Expr) -> bool:
    while isinstance(x, a.Cast) and x.type.typmod == -1 and isinstance(x.arg, a.Const):
        x = x.arg
    return (
        isinstance(x, a.Const) and x.value is not None and any(f.fullmatch(x.value) for f in _FINITE.values())
    )


def _beyond(ranged: a.Expr, point: a.Expr, side: str, *, stepped: bool) -> a.Expr | None:
    """That a range does not begin after the point, or end before it."""
    bound, open_, closed = (function(f"{side}{more}", "anyrange") for more in ("", "_inf", "_inc"))
    if bound is None or open_ is None or closed is None:
        return None
    value = a.Call(bound, (ranged,), point.type)
    pair = (value, point) if side == "lower" else (point, value)
    # of whole numbers and days the lower bound is in: of dense ranges it may be out
    kind = "<=" if stepped and side == "lower" else "<"
    inside, at = compare(kind, *pair), compare("=", value, point)
    if inside is None or at is None:
        return None
    tests: tuple[a.Expr, ...] = (a.Call(open_, (ranged,), BOOL), inside)
    if not stepped:
        # a dense range has its bounds in or out as it says itself
        tests = (*tests, a.And((a.Call(closed, (ranged,), BOOL), at)))
    return a.Or(tests)


# ---------------------------------------------------------------- periods


def _overlap(args: tuple[a.Expr, ...]) -> tuple[tuple[a.Expr, a.Expr], ...]:
    """Periods that share a moment, or begin together; their ends may stand in either order."""
    type_ = args[0].type
    # timestamptz compares by moments, times of day wrap around; only timestamps are taken apart
    if len(args) != 4 or type_.name != "timestamp" or any(not x.type.same_base(type_) for x in args):
        return ()
    (start, end), (from_, to) = (
        [a.MinMax(greatest, args[i : i + 2], type_) for greatest in (False, True)] for i in (0, 2)
    )
    tests = compare("=", start, from_), compare("<", start, to), compare("<", from_, end)
    known = [t for t in tests if t is not None]
    if len(known) < len(tests):
        return ()
    # with a NULL among the four the operator has rules of its own
    there = a.And(tuple(a.IsNull(x, True) for x in args))
    return ((there, a.Or((known[0], a.And((known[1], known[2]))))),)
