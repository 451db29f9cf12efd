"""What is known of aggregates by their names: their value over no rows, and whether
the order of rows counts.
"""

from __future__ import annotations

from typing import TypeGuard

from rewright.sql import algebra as a
from rewright.sql.facts.effects import is_volatile
from rewright.sql.facts.strictness import is_strict_in
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import all_exprs, subqueries, walk_block

# built-in aggregates whose value over no rows is not NULL: counts, and where a value would stand among no
# rows
NOT_NULL_ON_EMPTY = frozenset({"count", "regr_count", "rank", "dense_rank", "percent_rank", "cume_dist"})
# built-in aggregates whose value is one of those that they read, however often each is there
EXTREMES = frozenset({"min", "max", "bool_and", "bool_or", "every"})
# built-in aggregates and window functions of one argument whose value is that of one of the rows, or NULL
ONE_OF_ROWS = frozenset({"min", "max", "first_value", "last_value", "lag", "lead"})
# built-in aggregates whose value the bag of their rows decides: none collects, none takes the value that it
# meets first (any_value), none the last of one name (jsonb_object_agg). How floats add up is told elsewhere
_OF_BAGS = frozenset(
    {
        *(
            "count",
            "sum",
            "avg",
            "min",
            "max",
            "bool_and",
            "bool_or",
            "every",
            "bit_and",
            "bit_or",
            "bit_xor",
        ),
        *("stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp"),
        *("corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept"),
        *("regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy"),
    }
)
# and of ranges of what looks alike where it is equal
_OF_RANGES = frozenset({"range_agg", "range_intersect_agg"})


# which give one of the values that they sort, or what lies between two
WITHIN_GROUP = frozenset({"percentile_cont", "percentile_disc", "mode"})
_WITHOUT_NEGATIVE_ZERO = frozenset({"int2", "int4", "int8", "numeric"})
_NUMBERS = frozenset({"row_number", "rank", "dense_rank"})


def numbers_rows(expr: a.Expr) -> TypeGuard[a.WindowCall]:
    """Whether rows of a partition that do not tie in its order all get other values."""
    return (
        isinstance(expr, a.WindowCall)
        and expr.func.is_builtin
        and expr.func.name in _NUMBERS
        and not any(is_volatile(e) for e in expr.window.partition_by)
    )


def null_on_empty(expr: a.Expr) -> bool:
    """Whether an expression over aggregates of no rows is NULL (hazards 1c)."""
    return any(
        isinstance(n, a.Aggregate)
        and n.func.is_builtin
        and n.func.name not in NOT_NULL_ON_EMPTY
        and is_strict_in(expr, n)
        for n in walk_block(expr)
    )


def order_sensitive(call: a.Aggregate) -> bool:
    """Whether the order in which rows come may move an aggregate's value."""
    if call.order_by or call.direct or not call.func.is_builtin:
        return True
    alike = call.func.name in _OF_RANGES and all(equality_is_identity(x.type) for x in call.args)
    return not alike and call.func.name not in _OF_BAGS


def ordered_by_value(call: a.Aggregate) -> bool:
    """Whether an aggregate's own ORDER BY leaves no two rows that its value could tell apart: all arguments
    are among the sort keys, or constants. WITHIN GROUP shows what it sorts.
    """
    keys = {key.expr for key in call.order_by}
    within = call.func.name in WITHIN_GROUP
    # mode() of 1.0 and 1.00 is either; rank(5) and the like tell no two rows apart, and are not read
    if not call.func.is_builtin or not keys or (call.direct and not within):
        return False
    shown = keys if within else call.args
    return all((isinstance(x, a.Const) and not within) or (x in keys and _looks_one_way(x)) for x in shown)


def _looks_one_way(x: a.Expr) -> bool:
    """Whether equal values of the expression are the very same: also floats made of other numbers, of which
    none is -0.
    """
    exact = (
        isinstance(x, a.Cast)
        and x.type.is_builtin
        and x.type.name == "float8"
        and x.arg.type.is_builtin
        and x.arg.type.name in _WITHOUT_NEGATIVE_ZERO
    )
    return exact or equality_is_identity(x.type)


def simple_aggregates(node: a.Node) -> bool:
    """Whether all aggregates of a block's part are built in and do not depend on the order of their input."""
    return not any(isinstance(n, a.Aggregate) and order_sensitive(n) for n in walk_block(node))


def waits(query: a.Select, having: a.Expr) -> bool:
    """Whether the server asks a conjunct of HAVING of groups that have been computed, or may. One that looks
    at keys alone is asked of the rows, before these are grouped (subquery_planner); of several grouping sets
    not in all versions; one with a subquery where this is computed once.
    """
    several = len(query.group_by or ()) > 1
    return several or asks_groups(having) or any(subqueries(e) for e in all_exprs(having))


def asks_groups(having: a.Expr) -> bool:
    """Whether a conjunct of HAVING needs groups that have been computed."""
    return any(isinstance(e, a.Aggregate | a.Grouping) for e in all_exprs(having))
