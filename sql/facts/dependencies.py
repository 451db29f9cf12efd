"""Functional dependencies of FROM trees, and closures under them.

An attribute is a column (rel, pos), or (rel, -1): the identity of the row that the range variable shows. Two
rows *agree* on an attribute when their values are not distinct under the type's default equality; a
dependency says that rows which agree on its left side agree on its right. Agreement is not identity (M4):
1.0 and 1.00 agree. Must not know what is asked of a closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeGuard

from rewright.sql.algebra import (
    Cast,
    Column,
    Const,
    CteScan,
    Derived,
    Expr,
    FromItem,
    FunctionScan,
    Join,
    Op,
    Param,
    Query,
    Scan,
    ValueFunction,
    ValuesScan,
    Volatility,
)
from rewright.sql.catalog import Catalog
from rewright.sql.facts.assumptions import NOTHING, Assumptions, usable_keys
from rewright.sql.facts.looks import DETERMINISTIC
from rewright.sql.facts.nulls import NonNull, Nullability, effective_kind
from rewright.sql.facts.strictness import Col
from rewright.sql.types import SqlType, equality_is_identity
from rewright.sql.walk import (
    REFERENCES,
    conjuncts,
    deep_exprs,
    free_rels,
    has_subquery,
    rels_of,
    walk,
)

ROW = -1


@dataclass(frozen=True, slots=True)
class Dependency:
    """``left`` determines ``right``. ``strict``: some column of ``left`` is never NULL in real rows, so that
    padding by an outer join keeps the dependency.
    """

    left: frozenset[Col]
    right: frozenset[Col]
    assumptions: Assumptions = NOTHING
    strict: bool = True


@dataclass(slots=True)
class Closure:
    """Attributes determined by a start set, and the constraints used for each."""

    reached: dict[Col, Assumptions] = field(default_factory=dict)

    def has(self, wanted: Iterable[Col]) -> Assumptions | None:
        """What the determination of all of ``wanted`` rests on; None if some are not determined."""
        found: Assumptions = NOTHING
        for col in wanted:
            if col not in self.reached:
                return None
            found |= self.reached[col]
        return found


def closure(start: Iterable[Col], dependencies: Iterable[Dependency]) -> Closure:
    found = Closure(dict.fromkeys(start, NOTHING))
    pending = list(dependencies)
    changed = True
    while changed:
        changed = False
        waiting = []
        for d in pending:
            basis = found.has(d.left)
            if basis is None:
                # its left side may be reached by what is added in this round
                waiting.append(d)
                continue
            for col in d.right - found.reached.keys():
                found.reached[col] = basis | d.assumptions
                changed = True
        pending = waiting
    return found


# --------------------------------------------------------------------------- equalities


def is_equality(condition: Expr) -> bool:
    """Whether a condition is ``a = b`` under a built-in type's default equality. That of a local time or a
    day and a moment is none: where clocks are put forward two local times are one moment, so that equals of
    one moment need not be equal (all others of btree's families are IMMUTABLE).
    """
    return _compares_equal(condition) and condition.op.function.volatility is Volatility.IMMUTABLE


def _compares_equal(condition: Expr) -> TypeGuard[Op]:
    return (
        isinstance(condition, Op)
        and len(condition.args) == 2
        and condition.op.btree == "="
        and condition.op.is_builtin
    )


def equal_columns(condition: Expr) -> tuple[Col, Col] | None:
    """The two columns that a condition ``a = b`` equates under default equality, else None."""
    if not isinstance(condition, Op) or not is_equality(condition):
        return None
    a, b = _bare(condition.args[0]), _bare(condition.args[1])
    # what one collation takes for equal another may tell apart
    if isinstance(a, Column) and isinstance(b, Column) and a.type.collation == b.type.collation:
        return (a.rel, a.pos), (b.rel, b.pos)
    return None


_SHIFTS = frozenset({"+", "-"})


def tied_columns(condition: Expr) -> tuple[Col, Col] | None:
    """The two columns that a condition equates, or says to be a constant apart, else None."""
    same = equal_columns(condition)
    if same is not None or not isinstance(condition, Op) or not is_equality(condition):
        return same
    a, b = (_shifted(x) for x in condition.args)
    return ((a.rel, a.pos), (b.rel, b.pos)) if a is not None and b is not None else None


def _shifted(expr: Expr) -> Column | None:
    """The column of whole numbers to which constants are added, or that is taken from one."""
    expr = _bare(expr)
    if isinstance(expr, Column):
        return expr if expr.type.is_builtin and expr.type.name in _WIDTH else None
    if not isinstance(expr, Op) or not expr.op.is_builtin or expr.op.name not in _SHIFTS:
        return None
    if not expr.type.is_builtin or expr.type.name not in _WIDTH or len(expr.args) != 2:
        return None
    moved = [x for x in expr.args if not isinstance(x, Const)]
    return _shifted(moved[0]) if len(moved) == 1 else None


def fixed_column(condition: Expr, rels: frozenset[int]) -> Col | None:
    """The column of ``rels`` that ``column = expression`` fixes, the expression being the same for all rows
    (constants, parameters, outer columns, stable functions of them), else None.
    """
    if not _compares_equal(condition):
        return None
    for side, other in (condition.args, condition.args[::-1]):
        column = _bare(side)
        if (
            isinstance(column, Column)
            and column.rel in rels
            and is_fixed(other, rels)
            and _one_equality(column.type.collation, other.type.collation)
            # a local time or a day is one moment, though not the other way round
            and (is_equality(condition) or (column.type.is_builtin and column.type.name == "timestamptz"))
        ):
            return column.rel, column.pos
    return None


def _one_equality(own: str, other: str) -> bool:
    """Whether values of a column that equal an expression agree: they may not where it brings a collation
    with it that is not deterministic.
    """
    return own == other or other in DETERMINISTIC


def is_fixed(expr: Expr, rels: frozenset[int]) -> bool:
    """Whether an expression has one value for all rows of ``rels`` in one evaluation of the block."""
    if free_rels(expr) & rels:
        return False
    for e in deep_exprs(expr):
        match e:
            case Const() | Param() | Column() | ValueFunction():
                continue
            case Op():
                if e.op.function.volatility is Volatility.VOLATILE:
                    return False
            case Cast():
                if e.func is not None and e.func.volatility is Volatility.VOLATILE:
                    return False
            # subqueries and aggregates may have another value for each row
            case _:
                return False
    return True


def _bare(expr: Expr) -> Expr:
    """The column under casts that keep equality: relabelling of text types, wider integers."""
    while isinstance(expr, Cast) and _keeps_equality(expr.arg.type, expr.type, expr.method):
        expr = expr.arg
    return expr


_WIDTH = {"int2": 0, "int4": 1, "int8": 2}


def _keeps_equality(source: SqlType, target: SqlType, method: str) -> bool:
    if not (source.is_builtin and target.is_builtin):
        return False
    if method == "binary":
        return {source.name, target.name} <= {"text", "varchar"} and source.collation == target.collation
    if source.name in _WIDTH and target.name in _WIDTH:
        return _WIDTH[source.name] <= _WIDTH[target.name]
    return source.name in _WIDTH and target.name == "numeric"


# --------------------------------------------------------------------------- FROM trees


class Dependencies:
    """Dependencies of the rows of FROM trees, for one statement.

    ``query_keys`` gives the keys of a derived table as sets of output positions with their basis;
    ``output_dependencies`` its single-column dependencies.
    """

    def __init__(
        self,
        catalog: Catalog,
        nulls: Nullability,
        cte_query: Callable[[int], Query | None],
        query_keys: Callable[[Query], list[tuple[frozenset[int], Assumptions]]],
    ) -> None:
        self._catalog = catalog
        self._nulls = nulls
        self._cte_query = cte_query
        self._query_keys = query_keys

    def of(self, item: FromItem, nonnull: NonNull) -> list[Dependency]:
        """Dependencies in the rows of an item. ``nonnull`` are columns known non-null in the rows that are
        looked at (WHERE included), which makes UNIQUE keys over nullable columns count.
        """
        match item:
            case Join():
                return self._of_join(item, nonnull)
            case Scan():
                return self._of_scan(item, nonnull)
            case Derived():
                return self._of_query(item.rel, item.query)
            case CteScan():
                query = self._cte_query(item.cte)
                return [_columns_of(item)] if query is None else self._of_query(item.rel, query)
            case ValuesScan():
                found = [_columns_of(item)]
                # one row at most, once the rows that it refers to are given
                if len(item.rows) <= 1:
                    row = frozenset({(item.rel, ROW)})
                    found.append(Dependency(_rows(free_rels(item)), row, strict=False))
                return found
            case FunctionScan():
                return self._of_function(item)

    def _of_scan(self, item: Scan, nonnull: NonNull) -> list[Dependency]:
        found = [_columns_of(item)]
        table = self._catalog.table(item.table)
        base = self._nulls.of_from(item)
        for key, assumption in usable_keys(self._catalog, item):
            columns = [(item.rel, table.position(c)) for c in key.columns]
            basis = frozenset({assumption})
            strict = any(c in base for c in columns)
            for c in columns:
                known = base.get(c, nonnull.get(c))
                # UNIQUE lets any number of rows have NULL in a column of the key
                if known is None and key.nulls_distinct:
                    break
                basis |= known or NOTHING
            else:
                found.append(Dependency(frozenset(columns), frozenset({(item.rel, ROW)}), basis, strict))
        return found

    def _of_query(self, rel: int, query: Query) -> list[Dependency]:
        outputs = self._nulls.outputs(query)
        width = len(outputs)
        found = [Dependency(frozenset({(rel, ROW)}), frozenset((rel, i) for i in range(width)))]
        given = _rows(free_rels(query))
        for positions, basis in self._query_keys(query):
            # a key of a LATERAL query's rows holds within one row of what it refers to
            left = frozenset((rel, i) for i in positions) | given
            sure = [outputs[i] for i in positions if outputs[i] is not None]
            strict = bool(sure)
            extra = sure[0] if sure and sure[0] else NOTHING
            found.append(Dependency(left, frozenset({(rel, ROW)}), basis | extra, strict))
        return found

    def _of_function(self, item: FunctionScan) -> list[Dependency]:
        from rewright.sql.algebra import Call

        found = [_columns_of(item)]
        given = _rows(free_rels(item))
        if item.ordinality:
            # WITH ORDINALITY numbers the rows of each call, in the last column
            last = (item.rel, len(item.columns) - 1)
            found.append(Dependency(frozenset({last}) | given, frozenset({(item.rel, ROW)})))
        if isinstance(item.call, Call) and not item.call.func.returns_set:
            found.append(Dependency(given, frozenset({(item.rel, ROW)}), strict=False))
        return found

    def _of_join(self, item: Join, nonnull: NonNull) -> list[Dependency]:
        left_rels, right_rels = rels_of(item.left), rels_of(item.right)
        match effective_kind(item, nonnull):
            case "inner":
                # what ON and WHERE reject NULLs of is not NULL in any row that is left
                inner = {**self._nulls.of_from(item, frozenset(nonnull)), **nonnull}
                left, right = self.of(item.left, inner), self.of(item.right, inner)
                return [*left, *right, *of_conditions(item.on, frozenset((*left_rels, *right_rels)))]
            case "left":
                right = self._padded(item.right)
                found = [*self.of(item.left, nonnull), *right]
                return found + self._at_most_one(item.on, item.right, left_rels, right_rels)
            case "right":
                left = self._padded(item.left)
                found = [*left, *self.of(item.right, nonnull)]
                return found + self._at_most_one(item.on, item.left, right_rels, left_rels)
            # the one row of NULLs with which a side is padded goes with many rows of the other
            case "full":
                return [*self._padded(item.left), *self._padded(item.right)]

    def _padded(self, item: FromItem) -> list[Dependency]:
        """What survives null-extension. Columns that WHERE above rejects NULLs of do not count below."""
        return [d for d in self.of(item, {}) if d.strict and d.left]

    def _at_most_one(
        self, on: Expr | None, padded: FromItem, kept: tuple[int, ...], padded_rels: tuple[int, ...]
    ) -> list[Dependency]:
        """If ON equates a key of the padded side, a kept row determines its partner (5c)."""
        rejected = dict.fromkeys(_rejected(on), NOTHING)
        inside = self.of(padded, rejected)
        rels = frozenset(padded_rels)
        inside += of_conditions(on, rels, outside=frozenset(kept))
        inside.append(Dependency(frozenset(), _rows(frozenset(kept)), strict=False))
        inside += given_rows(padded)
        reached = closure((), inside)
        rows = [(r, ROW) for r in padded_rels]
        basis = reached.has(rows)
        if basis is None:
            return []
        found = [Dependency(frozenset((r, ROW) for r in kept), frozenset(rows), basis)]
        asked = _asked_of(on, padded, frozenset(kept))
        if asked is not None:
            # rows that agree on all that ON asks of them have the same partner, or none; where they are
            # padded themselves they have none, whatever a row of NULLs would have
            found.append(Dependency(asked, frozenset(rows), basis, strict=False))
        return found


def _asked_of(on: Expr | None, padded: FromItem, kept: frozenset[int]) -> frozenset[Col] | None:
    """The columns of the kept rows that decide on their partner; None where more than these does: rows may
    agree on values that look different, and what asks for looks tells them apart.
    """
    from rewright.sql.facts.effects import is_volatile

    if on is None or is_volatile(on) or has_subquery(on) or free_rels(padded) & kept:
        return None
    read = [n for n in walk(on) if isinstance(n, REFERENCES) and n.rel in kept]
    if not all(isinstance(n, Column) and equality_is_identity(n.type) for n in read):
        return None
    return frozenset((n.rel, n.pos) for n in read if isinstance(n, Column))


def _rows(rels: frozenset[int]) -> frozenset[Col]:
    """The row identities that a LATERAL item's rows depend on."""
    return frozenset((r, ROW) for r in rels)


def given_rows(node: FromItem | Query) -> list[Dependency]:
    """Rows of enclosing queries are the same throughout one evaluation."""
    return [Dependency(frozenset(), _rows(free_rels(node)), strict=False)]


def _rejected(on: Expr | None) -> frozenset[Col]:
    from rewright.sql.facts.strictness import rejected_columns

    return rejected_columns(on)


def _columns_of(item: Scan | CteScan | ValuesScan | FunctionScan) -> Dependency:
    """A row determines its columns."""
    return Dependency(
        frozenset({(item.rel, ROW)}), frozenset((item.rel, i) for i in range(len(item.columns)))
    )


def of_conditions(
    condition: Expr | None, rels: frozenset[int], outside: frozenset[int] = frozenset()
) -> list[Dependency]:
    """Dependencies that a condition which is TRUE on every row adds: equal columns, fixed columns.

    ``outside`` are range variables whose row is given: their columns count as constants.
    """
    found: list[Dependency] = []
    for c in conjuncts(condition):
        fixed = fixed_column(c, rels)
        if fixed is not None:
            found.append(Dependency(frozenset(), frozenset({fixed}), strict=False))
        pair = tied_columns(c)
        if pair is None:
            continue
        a, b = pair
        if a[0] in rels and b[0] in rels:
            found.append(Dependency(frozenset({a}), frozenset({b})))
            found.append(Dependency(frozenset({b}), frozenset({a})))
        # equal to a column of a row that is given: the same value in all rows
        elif (a[0] in rels and b[0] in outside) or (b[0] in rels and a[0] in outside):
            inner = a if a[0] in rels else b
            found.append(Dependency(frozenset(), frozenset({inner}), strict=False))
    return found
