"""Rewrite rules over the bound tree, listed here once: one module a rule or a family of rules.

A rule proposes; it is written to be sound on its own, and is checked all the same.
"""

from __future__ import annotations

from rewright.rewrite.rules.all_to_extreme import all_to_extreme
from rewright.rewrite.rules.anti_join import anti_join
from rewright.rewrite.rules.as_of_join import as_of_join
from rewright.rewrite.rules.bare_column import bare_column
from rewright.rewrite.rules.base import Context, Rewrite, Rule
from rewright.rewrite.rules.branches import eager_count, fan_out
from rewright.rewrite.rules.calendar_key import calendar_key
from rewright.rewrite.rules.chosen_keys import chosen_keys
from rewright.rewrite.rules.contradiction import contradiction
from rewright.rewrite.rules.count_to_exists import count_to_exists
from rewright.rewrite.rules.counted_keys import counted_keys
from rewright.rewrite.rules.date_range import date_range
from rewright.rewrite.rules.decorrelate_window import decorrelate_window
from rewright.rewrite.rules.disjunction import or_join_union, or_union
from rewright.rewrite.rules.distinct_semijoin import distinct_semijoin
from rewright.rewrite.rules.drop_distinct import drop_distinct
from rewright.rewrite.rules.drop_inner_order import drop_inner_order
from rewright.rewrite.rules.drop_parent import drop_parent
from rewright.rewrite.rules.drop_sort_keys import drop_sort_keys
from rewright.rewrite.rules.eager_aggregation import distinct_aggregate, eager_group, union_aggregate
from rewright.rewrite.rules.early_limit import early_limit
from rewright.rewrite.rules.either_key import either_key
from rewright.rewrite.rules.exists_extreme import exists_extreme
from rewright.rewrite.rules.exists_group import exists_group
from rewright.rewrite.rules.exists_inequality import exists_inequality, several_values
from rewright.rewrite.rules.fan_in_arms import fan_in_arms
from rewright.rewrite.rules.fence_filters import fence_filters
from rewright.rewrite.rules.filter_cte import filter_cte
from rewright.rewrite.rules.first_to_exists import first_to_exists
from rewright.rewrite.rules.fold_readers import fold_readers
from rewright.rewrite.rules.full_join_keys import full_join_keys
from rewright.rewrite.rules.group_before_sets import group_before_sets
from rewright.rewrite.rules.grouped_running import grouped_running
from rewright.rewrite.rules.grouped_to_window import grouped_to_window
from rewright.rewrite.rules.grouping_sets import grouping_sets
from rewright.rewrite.rules.having_column import having_column
from rewright.rewrite.rules.in_to_join import in_to_join
from rewright.rewrite.rules.in_values import in_values
from rewright.rewrite.rules.inline_cte import inline_cte
from rewright.rewrite.rules.inner_join import inner_join
from rewright.rewrite.rules.join_as_product import join_as_product
from rewright.rewrite.rules.kept_sets import kept_sets
from rewright.rewrite.rules.key_range import key_range
from rewright.rewrite.rules.late_filters import late_filters
from rewright.rewrite.rules.lateral_to_scalar import lateral_to_scalar
from rewright.rewrite.rules.loose_scan import loose_scan
from rewright.rewrite.rules.merge_aggregates import merge_aggregates
from rewright.rewrite.rules.merge_grouped import merge_grouped
from rewright.rewrite.rules.merged_running import merged_running
from rewright.rewrite.rules.nested_in import nested_in
from rewright.rewrite.rules.not_in import not_in
from rewright.rewrite.rules.numbered_lateral import numbered_lateral
from rewright.rewrite.rules.once_a_binding import once_a_binding
from rewright.rewrite.rules.open_count import open_count
from rewright.rewrite.rules.or_exists import or_exists
from rewright.rewrite.rules.or_outer_join import or_outer_join
from rewright.rewrite.rules.page_of_groups import page_of_groups
from rewright.rewrite.rules.per_parent import per_parent
from rewright.rewrite.rules.prune_union import prune_union
from rewright.rewrite.rules.pull_up import pull_up
from rewright.rewrite.rules.reduce_grouped import reduce_grouped
from rewright.rewrite.rules.redundant_keys import redundant_keys
from rewright.rewrite.rules.running_join import running_join
from rewright.rewrite.rules.running_window import running_window
from rewright.rewrite.rules.seal_division import seal_division
from rewright.rewrite.rules.self_join import self_join
from rewright.rewrite.rules.set_to_join import set_to_join
from rewright.rewrite.rules.share_groupings import share_groupings
from rewright.rewrite.rules.share_scans import share_scans
from rewright.rewrite.rules.share_subqueries import share_subqueries
from rewright.rewrite.rules.split_exists import split_exists
from rewright.rewrite.rules.subquery_duplicates import subquery_duplicates
from rewright.rewrite.rules.sum_of_counts import sum_of_counts
from rewright.rewrite.rules.top_per_group import top_per_group
from rewright.rewrite.rules.total_as_window import total_as_window
from rewright.rewrite.rules.transitive import transitive
from rewright.rewrite.rules.union_of_one import union_of_one
from rewright.rewrite.rules.union_to_all import union_to_all
from rewright.rewrite.rules.unnest import as_lateral, unnest
from rewright.rewrite.rules.unnest_exists import unnest_exists
from rewright.rewrite.rules.zone_range import zone_range

__all__ = ["RULES", "Context", "Rewrite", "Rule"]

RULES: tuple[Rule, ...] = (
    decorrelate_window,
    unnest,
    unnest_exists,
    as_lateral,
    once_a_binding,
    as_of_join,
    eager_count,
    exists_inequality,
    several_values,
    exists_extreme,
    exists_group,
    anti_join,
    split_exists,
    fence_filters,
    filter_cte,
    fold_readers,
    full_join_keys,
    fan_out,
    fan_in_arms,
    counted_keys,
    inline_cte,
    join_as_product,
    key_range,
    late_filters,
    lateral_to_scalar,
    merge_aggregates,
    merge_grouped,
    or_exists,
    prune_union,
    reduce_grouped,
    chosen_keys,
    share_groupings,
    share_subqueries,
    running_window,
    running_join,
    merged_running,
    open_count,
    calendar_key,
    nested_in,
    in_to_join,
    not_in,
    count_to_exists,
    first_to_exists,
    or_join_union,
    or_outer_join,
    either_key,
    all_to_extreme,
    redundant_keys,
    sum_of_counts,
    total_as_window,
    date_range,
    bare_column,
    contradiction,
    drop_parent,
    pull_up,
    drop_distinct,
    union_to_all,
    union_of_one,
    set_to_join,
    drop_inner_order,
    eager_group,
    group_before_sets,
    kept_sets,
    union_aggregate,
    distinct_aggregate,
    distinct_semijoin,
    subquery_duplicates,
    share_scans,
    self_join,
    transitive,
    inner_join,
    having_column,
    drop_sort_keys,
    early_limit,
    page_of_groups,
    or_union,
    in_values,
    top_per_group,
    numbered_lateral,
    per_parent,
    loose_scan,
    grouping_sets,
    grouped_to_window,
    grouped_running,
    zone_range,
    seal_division,
)
