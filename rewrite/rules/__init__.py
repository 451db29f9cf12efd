"""Rewrite rules over the bound tree: one module a rule, listed here once.

A rule proposes; it is written to be sound on its own, and is checked all the same.
"""

from __future__ import annotations

from rewrite.rules import (
    all_to_extreme,
    bare_column,
    contradiction,
    count_to_exists,
    date_range,
    decorrelate_grouped,
    decorrelate_lateral,
    decorrelate_target,
    decorrelate_window,
    drop_distinct,
    drop_inner_order,
    drop_parent,
    eager_count,
    eager_group,
    exists_inequality,
    filter_cte,
    inline_cte,
    join_as_product,
    key_range,
    late_filters,
    merge_aggregates,
    not_in,
    or_exists,
    or_join_union,
    reduce_grouped,
    redundant_keys,
    set_to_join,
    share_subqueries,
    sum_of_counts,
    total_as_window,
    union_aggregate,
    union_to_all,
)
from rewrite.rules.base import Context, Rewrite, Rule

__all__ = ["RULES", "Context", "Rewrite", "Rule"]

RULES: tuple[Rule, ...] = (
    decorrelate_window.RULE,
    decorrelate_grouped.RULE,
    decorrelate_lateral.RULE,
    eager_count.RULE,
    exists_inequality.RULE,
    filter_cte.RULE,
    inline_cte.RULE,
    join_as_product.RULE,
    key_range.RULE,
    late_filters.RULE,
    merge_aggregates.RULE,
    or_exists.RULE,
    reduce_grouped.RULE,
    share_subqueries.RULE,
    decorrelate_target.RULE,
    not_in.RULE,
    count_to_exists.RULE,
    or_join_union.RULE,
    all_to_extreme.RULE,
    redundant_keys.RULE,
    sum_of_counts.RULE,
    total_as_window.RULE,
    date_range.RULE,
    bare_column.RULE,
    contradiction.RULE,
    drop_parent.RULE,
    drop_distinct.RULE,
    union_to_all.RULE,
    set_to_join.RULE,
    drop_inner_order.RULE,
    eager_group.RULE,
    union_aggregate.RULE,
)
