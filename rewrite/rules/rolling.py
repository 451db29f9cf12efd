"""Conditions by which a row looks at those within a distance along one order: frames by RANGE.

    b.day BETWEEN a.day - 6 AND a.day            the frame RANGE BETWEEN '6 days' PRECEDING AND CURRENT ROW
    b.n >= a.n AND b.n < a.n + 10                RANGE BETWEEN CURRENT ROW AND 9 FOLLOWING

Whole numbers, days, and moments with a distance that they include. Must not know what is computed of the
rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewright.sql import algebra as a
from rewright.sql.types import EXACT_INTEGERS, SqlType
from rewright.sql.walk import renumber, used_rels

_DISTANCE = re.compile(r"\d+ (second|minute|hour|day|week|month|year)s?")
_DAYS = re.compile(r"(\d+) days?")
_INTERVAL = SqlType("interval")


def within(pred: a.Expr, image: a.Expr, twins: Mapping[int, int], *, after: bool) -> a.Frame | None:
    """The frame of the rows that one more condition leaves of those on one side of the current row, itself
    included. ``image``: what rows are compared by, in the outer row's terms; ``twins``: their range
    variables.
    """
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    kind, (left, right) = pred.op.btree, pred.args
    if not used_rels(left) <= twins.keys():
        # written either way round: the inner row is taken as the left
        left, right, kind = right, left, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(kind, "")
    # on the other side of the current row there are other conditions
    if kind not in ({"<", "<="} if after else {">", ">="}) or renumber(left, dict(twins)) != image:
        return None
    # the distance is added to or taken from the very value that rows are sorted by
    if not isinstance(right, a.Op) or not right.op.is_builtin or right.op.name != ("+" if after else "-"):
        return None
    if len(right.args) != 2 or right.args[0] != image:
        return None
    offset = _offset(right.args[1], image.type, strict=kind in {"<", ">"})
    if offset is None:
        return None
    if after:
        return a.Frame("range", "current", "following", end_offset=offset)
    return a.Frame("range", "preceding", "current", start_offset=offset)


def _offset(step: a.Expr, type_: SqlType, *, strict: bool) -> a.Expr | None:
    """The distance as a frame's offset; a strict one of whole numbers or days is one less."""
    text = _text(step)
    if text is None:
        return None
    if step.type.name in EXACT_INTEGERS:
        # `< n + 10` of whole numbers is `<= n + 9`
        number = int(text) - strict
        # a negative distance leaves the current row out; one in days of a moment is no whole number
        if number < 0 or type_.name not in {*EXACT_INTEGERS, "date"}:
            return None
        return _interval(f"{number} days") if type_.name == "date" else a.Const(str(number), step.type)
    if step.type != _INTERVAL or _DISTANCE.fullmatch(text) is None:
        return None
    days = _DAYS.fullmatch(text)
    # `> day - interval '1 month'` of dates excludes a day that no whole distance names
    if type_.name == "date" and strict:
        return _interval(f"{int(days[1]) - 1} days") if days and int(days[1]) > 0 else None
    # strict, a frame of moments would need the next smaller distance
    return None if strict or type_.name not in {"date", "timestamp", "timestamptz"} else _interval(text)


def _text(step: a.Expr) -> str | None:
    # an implicit cast of the literal
    while isinstance(step, a.Cast):
        step = step.arg
    known = isinstance(step, a.Const) and step.value is not None
    if not known or not isinstance(step, a.Const):
        return None
    # '-5' and '1e3' are no plain distance
    whole = step.type.name not in EXACT_INTEGERS or re.fullmatch(r"\d+", step.value or "")
    return step.value if whole else None


def _interval(text: str) -> a.Expr:
    return a.Cast(a.Const(text, SqlType("unknown")), _INTERVAL, method="io")
