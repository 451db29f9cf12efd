"""What conjuncts with constants leave of a column's values.

Owns bounds, lists and NULL tests of single columns, their meeting, and when nothing is left. Must not know
rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from rewright.rewrite.rules.conditions import compares, turned
from rewright.sql import algebra as a
from rewright.sql.constants import INTEGERS, NUMBERS, Value, constant, value
from rewright.sql.walk import Place

Bound = tuple[Value, bool]  # value, whether it is left out
# types whose constants Python compares as the server does; texts for being equal only
KINDS = NUMBERS | {"date", "timestamp", "text", "varchar", "bool"}


@dataclass(slots=True)
class Allowed:
    """Values a column may have where all conjuncts are TRUE. ``among`` None: any."""

    whole: bool = False
    low: Bound | None = None
    high: Bound | None = None
    among: frozenset[Value] | None = None
    other_than: set[Value] = field(default_factory=set)
    null: bool = False
    filled: bool = False

    def restrict(self, operator: str, found: Value) -> None:
        self.filled = True
        match operator:
            case "=":
                self.only({found})
            case "<>":
                self.other_than.add(found)
            case ">" | ">=":
                self.low = _tighter(self.low, (found, operator == ">"), "<")
            case "<" | "<=":
                self.high = _tighter(self.high, (found, operator == "<"), ">")

    def only(self, values: Iterable[Value]) -> None:
        self.filled = True
        self.among = frozenset(values) if self.among is None else self.among & frozenset(values)

    def met(self, other: Allowed) -> Allowed:
        """Values both allow."""
        made = Allowed(self.whole and other.whole, self.low, self.high, self.among)
        made.other_than = self.other_than | other.other_than
        made.null, made.filled = self.null or other.null, self.filled or other.filled
        if other.low is not None:
            made.low = _tighter(made.low, other.low, "<")
        if other.high is not None:
            made.high = _tighter(made.high, other.high, ">")
        if other.among is not None:
            made.only(other.among)
        return made

    @property
    def nothing(self) -> bool:
        """Whether no value is left, nor NULL."""
        # `x IS NULL AND x > 5`: nothing; neither a comparison nor IS NOT NULL: NULL may be there
        if self.null or not self.filled:
            return self.null and self.filled
        if self.among is not None:
            return not any(self._admits(v) for v in self.among)
        return self.low is not None and self.high is not None and self._crossed(self.low, self.high)

    def _admits(self, found: Value) -> bool:
        if found in self.other_than or (
            self.whole and isinstance(found, Decimal) and found != found.to_integral_value()
        ):
            return False
        # None: of texts the order is the collation's, which is not known here
        low = self.low is None or compares(">" if self.low[1] else ">=", found, self.low[0]) is not False
        high = self.high is None or compares("<" if self.high[1] else "<=", found, self.high[0]) is not False
        return low and high

    def _crossed(self, low: Bound, high: Bound) -> bool:
        if self.whole and isinstance(low[0], Decimal) and isinstance(high[0], Decimal):
            # between 3 and 4, both left out, there is no integer
            least = low[0].to_integral_value(ROUND_CEILING)
            most = high[0].to_integral_value(ROUND_FLOOR)
            return least + (low[1] and least == low[0]) > most - (high[1] and most == high[0])
        return compares(">=" if low[1] or high[1] else ">", low[0], high[0]) is True


def _tighter(old: Bound | None, new: Bound, looser: str) -> Bound:
    if old is None or compares(looser, old[0], new[0]):
        return new
    # the same bound: left out if either leaves it out
    return (old[0], old[1] or new[1]) if compares("=", old[0], new[0]) else old


def allowed(preds: Iterable[a.Expr]) -> dict[Place, Allowed]:
    """By column, what the conjuncts that compare it with constants leave."""
    found: dict[Place, Allowed] = {}
    for pred in preds:
        _read(pred, found)
    return found


def _read(pred: a.Expr, found: dict[Place, Allowed]) -> None:
    match pred:
        case a.IsNull(arg=a.Column() as column, negated=negated, row_form=False):
            here = _of(column, found)
            here.filled, here.null = here.filled or negated, here.null or not negated
        case a.InList(left=left, op=op, all=False) if op.is_builtin and op.name == "=":
            values = [value(c) if (c := constant(i)) is not None else None for i in pred.items]
            one = column_of(left)
            # one item of unknown value, or NULL, allows what is not seen here
            if one is not None and None not in values and _alike(one, values):
                _of(one, found).only(v for v in values if v is not None)
        case a.Op():
            compared = turned(pred)
            one = column_of(compared[1]) if compared is not None else None
            bound = value(compared[2]) if compared is not None else None
            if compared is not None and one is not None and bound is not None and _alike(one, [bound]):
                ordered = isinstance(bound, Decimal | datetime)
                # texts compare by collation: only whether they are equal is known
                if ordered or compared[0] in {"=", "<>"}:
                    _of(one, found).restrict(compared[0], bound)
        case _:
            pass


def column_of(expr: a.Expr) -> a.Column | None:
    """The column, also below a conversion that keeps its value and order."""
    # a typmod may round or cut the value
    if isinstance(expr, a.Cast) and isinstance(expr.arg, a.Column) and expr.type.typmod < 0:
        source, target = expr.arg.type, expr.type
        widened = source.name in INTEGERS and target.name in NUMBERS
        same = expr.method == "binary" and {source.name, target.name} <= {"text", "varchar"}
        expr = expr.arg if (widened or same) and source.is_builtin and target.is_builtin else expr
    plain = isinstance(expr, a.Column) and expr.type.is_builtin and expr.type.name in KINDS
    return expr if plain and isinstance(expr, a.Column) else None


# a text constant beside an int column has not been understood
def _alike(column: a.Column, values: list[Value | None]) -> bool:
    name = column.type.name
    kind: type = str
    if name in NUMBERS:
        kind = Decimal
    elif name in {"date", "timestamp"}:
        kind = datetime
    elif name == "bool":
        kind = bool
    return all(isinstance(v, kind) for v in values)


def _of(column: a.Column, found: dict[Place, Allowed]) -> Allowed:
    return found.setdefault((column.rel, column.pos), Allowed(column.type.name in INTEGERS))
