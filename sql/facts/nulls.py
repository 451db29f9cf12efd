"""Nullability: which columns and expressions can't be NULL at a point of a query (hazards 3c, F9, M3).

Respects padding by outer joins, grouping sets and empty groups. Each answer carries the NOT NULL
constraints it rests on. None means "may be NULL".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rewright.sql.algebra import (
    Aggregate,
    And,
    ArrayExpr,
    Case,
    Cast,
    Coalesce,
    Collate,
    Column,
    Const,
    CteScan,
    Derived,
    Exists,
    Expr,
    FromItem,
    Grouping,
    InList,
    IsBool,
    IsDistinct,
    IsNull,
    Join,
    JoinKind,
    MinMax,
    Not,
    Op,
    Or,
    Param,
    Query,
    RowExpr,
    ScalarSubquery,
    Scan,
    Select,
    SetOp,
    ValueFunction,
    Values,
    ValuesScan,
    WindowCall,
)
from rewright.sql.catalog import Catalog
from rewright.sql.facts.assumptions import NOTHING, Assumptions, not_null
from rewright.sql.facts.strictness import NONE, Col, rejected_columns
from rewright.sql.placeholders import is_placeholder
from rewright.sql.walk import rels_of

NonNull = Mapping[Col, Assumptions]
# types whose operators below were looked at: json, arrays, ranges and network types have operators that give
# NULL
_SCALARS = {
    *("bool", "int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar", "name"),
    *("date", "time", "timetz", "timestamp", "timestamptz", "interval", "uuid", "oid"),
}
# strict is not enough: a strict operator may still give NULL for arguments that are not, as -> of jsonb
_TOTAL_OPERATORS = {
    *("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||"),
    *("~~", "!~~", "~~*", "!~~*"),
}
# over no rows, too: a window always has its current row's partition
_COUNTING_WINDOWS = {"count", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist"}
# aggregates that ignore NULLs (or keep them, array_agg), so that one value suffices to make one
_OVER_ROWS = {"min", "max", "sum", "avg", "bool_and", "bool_or", "every", "array_agg", "string_agg"}
_VALUE_FUNCTIONS = {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}


class Nullability:
    """Answers for one statement; ``cte_query`` finds the query of a CTE by number."""

    def __init__(self, catalog: Catalog, cte_query: Callable[[int], Query | None]) -> None:
        self._catalog = catalog
        self._cte_query = cte_query
        # by identity: hashing a tree costs as much as walking it; the query is kept alive beside its answer
        self._outputs: dict[int, tuple[Query, tuple[Assumptions | None, ...]]] = {}

    # ------------------------------------------------------------------ columns

    def of_from(self, item: FromItem, rejected: frozenset[Col] = NONE) -> dict[Col, Assumptions]:
        """Columns that are never NULL in the rows of a FROM tree, or in those in which no column of
        ``rejected`` is NULL.
        """
        match item:
            case Scan():
                found: dict[Col, Assumptions] = {}
                for pos in range(len(item.columns)):
                    # NOT NULL counts for each column by itself: a constraint may be NOT VALID, inherited, or
                    # of a partition
                    fact = not_null(self._catalog, item, pos)
                    if fact is not None:
                        found[item.rel, pos] = frozenset({fact})
                return found
            case Derived():
                return self._of_outputs(item.rel, item.query)
            case CteScan():
                query = self._cte_query(item.cte)
                # a CTE that is not known here is recursive: its rows come from a fixpoint
                return {} if query is None else self._of_outputs(item.rel, query)
            case ValuesScan():
                return self._of_values(item)
            case Join():
                return self._of_join(item, rejected)
            case _:
                return {}

    def _of_outputs(self, rel: int, query: Query) -> dict[Col, Assumptions]:
        return {(rel, i): a for i, a in enumerate(self.outputs(query)) if a is not None}

    def _of_values(self, item: ValuesScan) -> dict[Col, Assumptions]:
        columns = range(len(item.columns))
        return {
            (item.rel, i): NOTHING
            for i in columns
            if all(self.never_null(row[i], {}) is not None for row in item.rows)
        }

    def _of_join(self, item: Join, rejected: frozenset[Col]) -> dict[Col, Assumptions]:
        kind = effective_kind(item, rejected)
        # ON of an inner join is a condition like WHERE's; that of an outer join removes nothing from the kept
        # side
        if kind == "inner":
            rejected |= rejected_columns(item.on)
        # the padded side may be NULL, unless rejecting a NULL above removes the padded rows
        left = self.of_from(item.left, rejected) if kind in {"inner", "left"} else {}
        right = self.of_from(item.right, rejected) if kind in {"inner", "right"} else {}
        found = {**left, **right}
        if kind == "inner":
            for col in rejected_columns(item.on):
                found[col] = NOTHING
        return found

    def of_block(self, query: Select) -> dict[Col, Assumptions]:
        """Columns of the block's FROM that are never NULL in rows that pass WHERE, before grouping.

        Columns of outer queries that WHERE rejects NULLs of are included.
        """
        # outer columns too: WHERE is not TRUE where it rejects one, whoever the column belongs to
        found: dict[Col, Assumptions] = {}
        rejected = rejected_columns(query.where)
        for item in query.from_:
            found.update(self.of_from(item, rejected))
        for col in rejected:
            found[col] = NOTHING
        return found

    def after_grouping(self, query: Select) -> dict[Col, Assumptions]:
        """As `of_block`, for the targets, HAVING and ORDER BY of the block."""
        found = self.of_block(query)
        if query.group_by is None:
            return found
        # several grouping sets: a key that some set leaves out is NULL in the rows of that set
        if len(query.group_by) > 1:
            own = {r for item in query.from_ for r in rels_of(item)}
            kept = {e for e in query.group_by[0] if all(e in s for s in query.group_by)}
            everywhere = {(e.rel, e.pos) for e in kept if isinstance(e, Column)}
            # columns of outer queries keep what is known of them
            return {c: a for c, a in found.items() if c[0] not in own or c in everywhere}
        return found

    def outputs(self, query: Query) -> tuple[Assumptions | None, ...]:
        """For each output column: what its never being NULL rests on, or None."""
        known = self._outputs.get(id(query))
        if known is None:
            known = self._outputs[id(query)] = query, self._compute_outputs(query)
        return known[1]

    def _compute_outputs(self, query: Query) -> tuple[Assumptions | None, ...]:
        match query:
            case Select():
                nonnull = self.after_grouping(query)
                return tuple(self.never_null(t.expr, nonnull, query) for t in query.targets)
            case SetOp():
                left = self.outputs(query.left)
                # EXCEPT only removes rows of the left side
                if query.op == "except":
                    return left
                right = self.outputs(query.right)
                # a row of INTERSECT is in both sides: either of them rules NULL out
                if query.op == "intersect":
                    return tuple(a if a is not None else b for a, b in zip(left, right, strict=True))
                return tuple(_both(a, b) for a, b in zip(left, right, strict=True))
            case Values():
                return tuple(
                    _all_of([self.never_null(row[i], {}) for row in query.rows])
                    for i in range(len(query.columns))
                )

    # ------------------------------------------------------------------ expressions

    def never_null(self, expr: Expr, nonnull: NonNull, block: Select | None = None) -> Assumptions | None:
        """What rules NULL out, given the columns known non-null where the expression stands.

        ``block`` is the block whose targets or HAVING the expression belongs to (for aggregates).
        """

        def ask(e: Expr) -> Assumptions | None:
            return self.never_null(e, nonnull, block)

        # asked before the kind of expression: a constant may be a grouping key, and be rolled up
        if block is not None and _may_be_rolled_up(expr, block):
            return None
        match expr:
            case Const():
                return None if expr.value is None else NOTHING
            case Param():
                # a placeholder is a literal's, and NULL is not opened to one
                return NOTHING if is_placeholder(expr.index) else None
            case Column():
                return nonnull.get((expr.rel, expr.pos))
            # each of them gives TRUE or FALSE, a row or an array, whatever NULLs are inside
            case IsNull() | IsBool() | IsDistinct() | Exists() | RowExpr() | ArrayExpr() | Grouping():
                return NOTHING
            # FALSE AND NULL is FALSE, but that case is not needed to be sure
            case And() | Or():
                return _all_of([ask(a) for a in expr.args])
            case Not() | Collate():
                return ask(expr.arg)
            # strict: of arguments that are not NULL
            case Op():
                return _all_of([ask(a) for a in expr.args]) if _is_total(expr) else None
            case Cast():
                return ask(expr.arg) if _keeps_nonnull(expr) else None
            case Case():
                # without ELSE the default is a NULL constant
                return _all_of([ask(expr.default), *(ask(r) for _, r in expr.whens)])
            # GREATEST and LEAST ignore NULLs, as COALESCE does: one argument that is not NULL is enough
            case Coalesce() | MinMax():
                return next((a for a in map(ask, expr.args) if a is not None), None)
            case InList():
                # IN and NOT IN are NULL where nothing matches and something is NULL
                strict = expr.op.is_builtin and expr.op.btree in {"=", "<", "<=", ">", ">="}
                if not (strict or (expr.op.is_builtin and expr.op.name == "<>")):
                    return None
                return _all_of([ask(expr.left), *map(ask, expr.items)])
            case ValueFunction():
                # the others name users, catalogs and schemas: current_schema may be NULL
                return NOTHING if expr.name in _VALUE_FUNCTIONS else None
            case Aggregate():
                return self._aggregate(expr, block)
            case WindowCall():
                counting = expr.func.is_builtin and expr.func.name in _COUNTING_WINDOWS
                # lag, lead and nth_value are NULL outside of the partition
                return NOTHING if counting else None
            case ScalarSubquery():
                return self._scalar(expr.query)
            case _:
                return None

    def _aggregate(self, expr: Aggregate, block: Select | None) -> Assumptions | None:
        if not expr.func.is_builtin:
            return None
        # count() over no rows is 0
        if expr.func.name == "count":
            return NOTHING
        # with FILTER, or over an empty group, the aggregate may see no row at all
        if expr.func.name not in _OVER_ROWS or expr.filter is not None or block is None:
            return None
        # GROUP BY () has one group even of no rows
        if not block.group_by or any(not s for s in block.group_by):
            return None  # the group may be empty
        return self.never_null(expr.args[0], self.of_block(block))

    def _scalar(self, query: Query) -> Assumptions | None:
        """An aggregate without GROUP BY always gives its row."""
        # with HAVING the row may be missing, and the subquery NULL
        if not isinstance(query, Select) or query.group_by != ((),) or query.having is not None:
            return None
        # OFFSET 1 or LIMIT 0 removes the row
        if query.limit is not None or query.offset is not None:
            return None
        return self.outputs(query)[0]


def effective_kind(item: Join, nonnull: Iterable[Col]) -> JoinKind:
    """The join's kind for the rows in which the columns ``nonnull`` are not NULL: a side with such a column
    is not null-extended there (hazards 4a, 4b).
    """
    # a column of the side that is not NULL was not padded
    present = {rel for rel, _ in nonnull}
    left = not present.isdisjoint(rels_of(item.left)) or item.kind in {"inner", "left"}
    right = not present.isdisjoint(rels_of(item.right)) or item.kind in {"inner", "right"}
    if left and right:
        return "inner"
    return "left" if left else "right" if right else "full"


def _may_be_rolled_up(expr: Expr, block: Select) -> bool:
    """Whether some grouping sets list the expression and others do not: it is NULL in those."""
    if block.group_by is None or len(block.group_by) < 2:
        return False
    listed = [expr in s for s in block.group_by]
    return any(listed) and not all(listed)


def _both(a: Assumptions | None, b: Assumptions | None) -> Assumptions | None:
    return None if a is None or b is None else a | b


def _all_of(answers: list[Assumptions | None]) -> Assumptions | None:
    found: Assumptions = NOTHING
    for a in answers:
        if a is None:
            return None
        found |= a
    return found


def _is_total(expr: Op) -> bool:
    """Operators that give a value (or an error) for all values of scalar types."""
    if not expr.op.is_builtin or not expr.op.function.strict or expr.op.name not in _TOTAL_OPERATORS:
        return False
    return all(a.type.name in _SCALARS for a in expr.args)


def _keeps_nonnull(expr: Cast) -> bool:
    source, target = expr.arg.type, expr.type
    # CREATE DOMAIN may hold a function that gives NULL; casts of users' types are functions
    if expr.method == "domain" or not (source.is_builtin and target.is_builtin):
        return False
    # an infinite moment has no time of day
    timeless = source.name in {"timestamp", "timestamptz"} and target.name in {"time", "timetz"}
    return source.name in _SCALARS | {"unknown"} and target.name in _SCALARS and not timeless
