"""Which rows of a partition a window's frame holds, as conditions on their sort keys.

    RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW   rows that come no later than the current one
    GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING  rows that come later
    RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING           rows with x - 5 <= y <= x + 5, of integers
    … EXCLUDE GROUP                                     without the rows that tie with the current one

Peers come and go together here: frames that count rows, and such as leave out the current row but not its
peers, are not read. NULLs lie at no distance from a value: beside one the frame ends as it does at the
current row (in_range() is not asked, nodeWindowAgg.c). Must not know schema facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from rewright.sql import algebra as a
from rewright.sql.types import BOOL

from .build import app, conj, disj, integer, is_null, is_true, negate, not_null, same
from .positions import Key, before, through
from .symbols import INTS, LE, arithmetic
from .terms import INTEGER, TRUE, Term

_Side = Literal["start", "end"]


def within(frame: a.Frame, keys: Sequence[Key]) -> tuple[Term, ...] | None:
    """That a row is in the frame; None for a frame that is not read. ``keys``: label, the row's value, that
    of the current row.
    """
    start = _bounded(frame, "start", tuple(keys))
    end = _bounded(frame, "end", tuple(keys))
    # EXCLUDE CURRENT ROW and TIES tell peers apart
    if start is None or end is None or frame.exclude not in {"", "group"}:
        return None
    apart = (negate(conj(same(x, y) for _, x, y in keys)),) if frame.exclude == "group" else ()
    return (start, end, *apart)


def _bounded(frame: a.Frame, side: _Side, keys: tuple[Key, ...]) -> Term | None:
    """That a row is on the inner side of one end of the frame."""
    kind = frame.start if side == "start" else frame.end
    offset = frame.start_offset if side == "start" else frame.end_offset
    if kind in {"unbounded_preceding", "unbounded_following"}:
        return TRUE
    # ROWS counts rows, which conditions on keys can't
    if frame.mode == "rows" or not keys:
        return None
    if kind == "current":
        return through(_towards(side, keys))
    distance = _distance(offset)
    if distance is None:
        return None
    # one group away is all that is before, or after; two groups would have to be counted
    if frame.mode == "groups":
        # the group next to the current one, and all beyond it
        outside = kind == ("following" if side == "start" else "preceding")
        return before(_towards(side, keys)) if outside and distance == 1 else None
    return _at_distance(keys, side, distance if kind == "following" else -distance)


def _towards(side: _Side, keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """The keys so that the row comes before the current one (``end``), or after it."""
    return keys if side == "end" else tuple((label, y, x) for label, x, y in keys)


def _distance(offset: a.Expr | None) -> int | None:
    """A whole number that is written out."""
    number = offset.arg if isinstance(offset, a.Cast) else offset
    plain = isinstance(number, a.Const) and number.type.is_builtin and number.type.name in INTS
    if not plain or not isinstance(number, a.Const) or not (number.value or "").isdigit():
        return None
    return int(number.value or "")


def _at_distance(keys: tuple[Key, ...], side: _Side, distance: int) -> Term | None:
    """Of integers: no further than so much from the current row's, forwards in the order."""
    beside = through(_towards(side, keys))
    ((label, y, x), *others) = keys
    plain = all(v.type.is_builtin and v.type.name in INTS for v in (x, y))
    # several keys have no distance, and other types than integers have one of their own
    if others or beside is None or not plain:
        return None
    rising = label.startswith("asc")
    # the server's comparison does not overflow where the sum would (in_range_int4_int4)
    plus = replace(arithmetic("+", "int8", "int8", "int8"), fails="")
    end = app(plus, (x, integer(distance if rising else -distance)), INTEGER)
    least = (side == "start") == rising
    near = is_true(app(LE, (end, y) if least else (y, end), BOOL))
    values = conj((not_null(x), not_null(y)))
    # a NULL on either side: within the frame as far as the current row's peers are
    return disj((conj((values, near)), conj((disj((is_null(x), is_null(y))), beside))))
