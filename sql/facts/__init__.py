"""What can be known about a query from its text and schema: keys, dependencies, NULLs, effects, errors.

Every answer that rests on constraints carries them; no answer rests on data or statistics (F10). Answers err
on the side of not knowing. The checker and the rules both ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from rewright.sql.algebra import (
    Column,
    Const,
    Cte,
    Expr,
    FromItem,
    Join,
    Node,
    Query,
    Select,
    SetOp,
    Values,
    Volatility,
    WindowCall,
    output_columns,
)
from rewright.sql.catalog import Catalog
from rewright.sql.facts.aggregates import (
    NOT_NULL_ON_EMPTY,
    null_on_empty,
    numbers_rows,
    order_sensitive,
    ordered_by_value,
    simple_aggregates,
)
from rewright.sql.facts.assumptions import (
    NOTHING,
    Assumption,
    Assumptions,
    covers_all_rows,
    labels,
    not_null,
    stored_table,
    usable_checks,
    usable_foreign_keys,
    usable_keys,
)
from rewright.sql.facts.dependencies import (
    ROW,
    Closure,
    Dependencies,
    Dependency,
    closure,
    equal_columns,
    fixed_column,
    given_rows,
    is_equality,
    is_fixed,
    of_conditions,
)
from rewright.sql.facts.effects import (
    Errors,
    cannot_fail,
    divides,
    errors_of_expr,
    errors_of_query,
    is_volatile,
    may_differ,
    may_vary,
    volatility_of_expr,
    volatility_of_query,
    worst,
)
from rewright.sql.facts.looks import Look, Looks
from rewright.sql.facts.magnitudes import Magnitudes
from rewright.sql.facts.nulls import NonNull, Nullability
from rewright.sql.facts.read_columns import ReadColumns
from rewright.sql.facts.strictness import (
    Col,
    is_strict_in,
    rejected_columns,
    rejects_null_of,
    strict_columns,
)
from rewright.sql.walk import rels_of, returns_set, walk

__all__ = [
    "NOTHING",
    "NOT_NULL_ON_EMPTY",
    "ROW",
    "Assumption",
    "Assumptions",
    "Closure",
    "Col",
    "Dependency",
    "Errors",
    "Facts",
    "cannot_fail",
    "closure",
    "covers_all_rows",
    "divides",
    "equal_columns",
    "fixed_column",
    "is_equality",
    "is_fixed",
    "is_strict_in",
    "is_volatile",
    "labels",
    "may_differ",
    "may_vary",
    "not_null",
    "null_on_empty",
    "of_conditions",
    "order_sensitive",
    "ordered_by_value",
    "reads_only",
    "rejected_columns",
    "rejects_null_of",
    "simple_aggregates",
    "stored_table",
    "strict_columns",
    "usable_checks",
    "usable_foreign_keys",
    "usable_keys",
    "worst",
]

KeySet = tuple[frozenset[int], Assumptions]
_MAX_KEY_COLUMNS = 24


class Facts:
    """Facts about statements over one catalog. Give the whole statements as ``roots``, so that references to
    CTEs are understood.
    """

    def __init__(self, catalog: Catalog, *roots: Query) -> None:
        self.catalog = catalog
        self._ctes: dict[int, Cte] = {}
        self._read = ReadColumns(catalog, self._cte_query, self._has_at_most_one_row)
        for root in roots:
            self.learn(root)
        self.nulls = Nullability(catalog, self._cte_query)
        self._looks = Looks(self._cte_query)
        self._magnitudes = Magnitudes.of(self._cte_query)
        self._dependencies = Dependencies(catalog, self.nulls, self._cte_query, self.keys)
        self._keys: dict[int, tuple[Query, list[KeySet]]] = {}

    def learn(self, root: Query) -> None:
        """Register the CTEs, and what FROM reads, of another statement."""
        self._ctes.update((node.cte, node) for node in walk(root) if isinstance(node, Cte))
        self._read.learn(root)

    def _cte_query(self, cte: int) -> Query | None:
        found = self._ctes.get(cte)
        return None if found is None or found.recursive else found.query

    # ------------------------------------------------------------------ NULLs

    def nonnull_columns(self, block: Select) -> dict[Col, Assumptions]:
        """Columns never NULL in the rows that pass the block's WHERE, before grouping."""
        return self.nulls.of_block(block)

    def nonnull_in_from(self, item: FromItem) -> dict[Col, Assumptions]:
        """Columns never NULL in the rows of a FROM tree."""
        return self.nulls.of_from(item)

    def never_null(self, expr: Expr, nonnull: NonNull, block: Select | None = None) -> Assumptions | None:
        """What shows that an expression is never NULL where ``nonnull`` holds; None if it may be."""
        return self.nulls.never_null(expr, nonnull, block)

    def filled(self, expr: Expr, items: Iterable[FromItem]) -> Assumptions | None:
        """What shows that an expression is never NULL over the rows of FROM items; None if it may be."""
        known: dict[Col, Assumptions] = {}
        for item in items:
            known |= self.nulls.of_from(item)
        return self.nulls.never_null(expr, known)

    def nonnull_outputs(self, query: Query) -> tuple[Assumptions | None, ...]:
        return self.nulls.outputs(query)

    # ------------------------------------------------------------------ what can be told apart

    def looks(self, query: Query) -> tuple[Look | None, ...]:
        """For each output column what equal values of it have in common; None where equal ones may look
        different.
        """
        return self._looks.outputs(query)

    # ------------------------------------------------------------------ dependencies and keys

    def dependencies(self, block: Select) -> list[Dependency]:
        """Functional dependencies in the rows that pass the block's WHERE, before grouping."""
        rels = frozenset(r for item in block.from_ for r in rels_of(item))
        nonnull = self.nulls.of_block(block)
        found: list[Dependency] = []
        for item in block.from_:
            found += self._dependencies.of(item, nonnull)
        return found + of_conditions(block.where, rels) + given_rows(block)

    def keys_of_item(self, item: FromItem) -> list[KeySet]:
        """Sets of columns of a range variable on which no two of its rows agree, with their basis; none of a
        join.
        """
        if isinstance(item, Join):
            return []
        row = frozenset({(item.rel, ROW)})
        own = [d for d in self._dependencies.of(item, {}) if d.right == row]
        own = [d for d in own if all(rel == item.rel and pos != ROW for rel, pos in d.left)]
        return [(frozenset(pos for _, pos in d.left), d.assumptions) for d in own]

    def closure(self, block: Select, start: Iterable[Col]) -> Closure:
        """Attributes determined by ``start`` in the block's rows before grouping."""
        return closure(start, self.dependencies(block))

    def determines_rows(self, block: Select, start: Iterable[Col]) -> Assumptions | None:
        """What shows that the columns ``start`` are a key of the block's rows before grouping."""
        rows = [(r, ROW) for item in block.from_ for r in rels_of(item)]
        return self.closure(block, start).has(rows)

    def keys(self, query: Query) -> list[KeySet]:
        """Sets of output positions on which no two rows agree (NULLs agree with NULLs), with their basis.

        The empty set: at most one row. Not all keys are found; those given are minimal among them.
        """
        known = self._keys.get(id(query))
        if known is None:
            known = self._keys[id(query)] = query, _minimal(self._find_keys(query))
        return known[1]

    def at_most_one_row(self, query: Query) -> Assumptions | None:
        """What shows that a query returns no more than one row."""
        return next((basis for positions, basis in self.keys(query) if not positions), None)

    def is_unique(self, query: Query, positions: Iterable[int] | None = None) -> Assumptions | None:
        """What shows that no two result rows agree on ``positions`` (default: on all columns)."""
        wanted = frozenset(range(len(output_columns(query))) if positions is None else positions)
        found = [basis for key, basis in self.keys(query) if key <= wanted]
        if found:
            return min(found, key=lambda basis: (len(basis), sorted(basis)))
        if isinstance(query, Select):
            return self._is_key(query, wanted)
        return None

    def _find_keys(self, query: Query) -> list[KeySet]:
        found: list[KeySet] = []
        limit = query.limit
        ties = not isinstance(query, Values) and query.with_ties
        if isinstance(limit, Const) and limit.value in {"0", "1"} and not ties:
            found.append((frozenset(), NOTHING))
        match query:
            case Select():
                found += self._keys_of_select(query)
            case SetOp():
                everything = frozenset(range(len(query.columns)))
                if not query.all:
                    found.append((everything, NOTHING))
                if query.op in {"except", "intersect"}:
                    found += self.keys(query.left)
                if query.op == "intersect":
                    found += self.keys(query.right)
            case Values():
                if len(query.rows) == 1:
                    found.append((frozenset(), NOTHING))
        return found

    def _keys_of_select(self, query: Select) -> list[KeySet]:
        width = len(query.targets)
        found: list[KeySet] = []
        if query.distinct == ():
            found.append((frozenset(range(width)), NOTHING))
        elif query.distinct:
            at = _positions_of(query, query.distinct)
            if at is not None:
                found.append((at, NOTHING))
        useful = self._useful_positions(query)
        if len(useful) > _MAX_KEY_COLUMNS:
            useful = useful[:_MAX_KEY_COLUMNS]
        # beside the numbers of rows other keys may become too long to be found
        numbers = [i for i, t in enumerate(query.targets) if numbers_rows(t.expr)]
        for number in numbers:
            numbered = self._shrunk(query, [*useful, number])
            basis = self._is_key(query, numbered)
            if basis is not None:
                found.append((numbered, basis))
        shrunk = self._shrunk(query, useful)
        basis = self._is_key(query, shrunk)
        if basis is None:
            return found
        found.append((shrunk, basis))
        for size in (0, 1, 2):
            for chosen in combinations(useful, size):
                if any(key <= frozenset(chosen) for key, _ in found):
                    continue
                small = self._is_key(query, frozenset(chosen))
                if small is not None:
                    found.append((frozenset(chosen), small))
        return found

    def _useful_positions(self, query: Select) -> list[int]:
        """Outputs that can be part of a key: columns and grouping expressions."""
        grouped = query.group_by[0] if query.group_by and len(query.group_by) == 1 else ()
        return [i for i, t in enumerate(query.targets) if isinstance(t.expr, Column) or t.expr in grouped]

    def _shrunk(self, query: Select, positions: list[int]) -> frozenset[int]:
        kept = list(positions)
        for p in positions:
            fewer = [k for k in kept if k != p]
            if self._is_key(query, frozenset(fewer)) is not None:
                kept = fewer
        return frozenset(kept)

    def _is_key(self, query: Select, positions: frozenset[int]) -> Assumptions | None:
        """Whether outputs determine the block's result row (DISTINCT and LIMIT only remove rows)."""
        return self.exprs_determine(query, [query.targets[i].expr for i in positions])

    def exprs_determine(self, query: Select, exprs: Sequence[Expr]) -> Assumptions | None:
        """What shows that rows of the block, after grouping and before DISTINCT, which agree on ``exprs`` are
        one row; None if nothing does.
        """
        # a target that returns sets gives several result rows of one row of FROM
        if query.group_by is None and any(returns_set(t.expr) for t in query.targets):
            return None
        found = self._columns_determine(query, exprs)
        numbers = [e for e in exprs if numbers_rows(e)]
        return found if found is not None or not numbers else self._numbers_determine(query, numbers, exprs)

    def _numbers_determine(
        self, query: Select, numbers: Iterable[WindowCall], exprs: Sequence[Expr]
    ) -> Assumptions | None:
        """As `exprs_determine`, by the number of a row in an order that leaves no ties: what partitions is
        among ``exprs`` or determined by them. (Where it leaves ties, rows have their numbers by chance.)
        """
        for call in numbers:
            within = call.window.partition_by
            basis = self._determined(query, within, exprs)
            total = self._columns_determine(query, (*within, *(k.expr for k in call.window.order_by)))
            if basis is not None and total is not None:
                return basis | total
        return None

    def _determined(self, query: Select, wanted: Iterable[Expr], exprs: Sequence[Expr]) -> Assumptions | None:
        """What shows that rows which agree on ``exprs`` agree on each of ``wanted``."""
        reached: Closure | None = None
        basis: Assumptions = NOTHING
        for e in wanted:
            if e in exprs:
                continue
            # in one of several grouping sets a column may be NULL
            if query.group_by is not None and len(query.group_by) != 1:
                return None
            if reached is None:
                reached = self.closure(query, ((x.rel, x.pos) for x in exprs if isinstance(x, Column)))
            got = reached.has([(e.rel, e.pos)]) if isinstance(e, Column) else None
            if got is None:
                return None
            basis |= got
        return basis

    def _columns_determine(self, query: Select, exprs: Sequence[Expr]) -> Assumptions | None:
        """As `exprs_determine`, by columns and grouping expressions."""
        if query.group_by is None:
            return self.determines_rows(query, [(e.rel, e.pos) for e in exprs if isinstance(e, Column)])
        return self._determined(query, query.group_by[0], exprs) if len(query.group_by) == 1 else None

    # ------------------------------------------------------------------ effects

    def volatility(self, node: Query | Expr) -> Volatility:
        """The worst volatility of anything in a query or expression."""
        if isinstance(node, Select | SetOp | Values):
            return volatility_of_query(self.catalog, node)
        return volatility_of_expr(self.catalog, node)

    def errors(self, node: Query | Expr) -> Errors:
        """Classes of run-time errors that evaluation may raise; ``any`` where nothing is known."""
        if isinstance(node, Select | SetOp | Values):
            self.learn(node)
            return errors_of_query(node, self._has_at_most_one_row, self._read.errors)
        return errors_of_expr(node, self._has_at_most_one_row, self._read.errors)

    def cannot_fail(self, node: Node) -> bool:
        """Whether evaluating any part of a tree raises no error on any values, sums
        that are too large aside.
        """
        return cannot_fail(node, self._read.errors)

    def may_overflow(self, query: Query) -> bool:
        """Whether an expression of a query may leave its type's range."""
        self.learn(query)
        return self._magnitudes.may_overflow(query)

    def _has_at_most_one_row(self, query: Query) -> bool:
        return self.at_most_one_row(query) is not None


def reads_only(expr: Expr, facts: Facts) -> bool:
    """Whether an expression is a column whose value is stored: nothing is computed where it is read."""
    return isinstance(expr, Column) and not facts.errors(expr)


def _positions_of(query: Select, exprs: Iterable[Expr]) -> frozenset[int] | None:
    found = set()
    for e in exprs:
        at = next((i for i, t in enumerate(query.targets) if t.expr == e), None)
        if at is None:
            return None
        found.add(at)
    return frozenset(found)


def _minimal(keys: list[KeySet]) -> list[KeySet]:
    """Without keys that contain another, or repeat one with more assumptions."""
    kept: list[KeySet] = []
    for key, basis in sorted(keys, key=lambda k: (len(k[0]), len(k[1]), sorted(k[0]))):
        if not any(k <= key and b <= basis for k, b in kept):
            kept.append((key, basis))
    return kept
