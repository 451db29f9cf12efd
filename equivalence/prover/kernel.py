"""The kernel: rules that turn a bag into an equal one where their side conditions hold.

A rule gets the context, the bag, its mode (``set``: multiplicities do not count) and its parameters, checks
its conditions itself, and returns the new bag or None. Everything a proof's steps do goes through here; the
search that chooses rules and parameters is not trusted. Must not know the search.
"""

from __future__ import annotations

from .rules.apart import flag_apart, union_apart
from .rules.base import At, Place, Rule
from .rules.columns import determined_column, referred_column, tied_outside
from .rules.counted import drop_zeros, lone_values, own_value_counted, without_zeros
from .rules.distinct import (
    asked_of_groups,
    bind_column,
    distinct_to_exists,
    drop_column,
    impossible_arm,
    open_distinct,
    prune_limited,
)
from .rules.joins import merge_copies, to_semijoin
from .rules.least import asked_for_least, least_of_each
from .rules.linear import is_exact_sum, linear_sum
from .rules.lookups import asked_within, looked_up_again, lookup_apart
from .rules.multis import multi_apart, multi_arms, multi_condition, multi_filter, multi_within
from .rules.nearest import first_of_array, nearest_row, subscripts
from .rules.order import first_row, lone_extreme, one_of_each, rank_as_count
from .rules.padded import rows_denied, tests_of_rows, with_or_without
from .rules.parents import child_to_parent, distinct_to_parent
from .rules.predicates import (
    drop_contradiction,
    drop_redundant,
    equal_outside,
    impossible_alternative,
    met_outside,
    other_than_asked,
    plain_equality,
    row_denied,
)
from .rules.ranked import nth_extreme, ranked
from .rules.several import both_extremes, one_value, several_rows
from .rules.sums import flatten_aggregate, multiply, product_terms
from .rules.tops import (
    asked_of_count,
    bounded_count,
    bounded_extreme,
    counted_sum,
    dense_rank_as_count,
    equated_extreme,
    extreme_as_exists,
    first_rows,
    lone_negation,
    other_rows_counted,
    own_row_counted,
    rules_out,
    some_first,
    sums_with_counts,
    without_certain_rows,
)
from .rules.unions import align, merge_blocks, multi_to_set, union_of_sets
from .rules.values import case_terms, lone_row, simplify_case, split_scalar
from .rules.wholes import compared_counts, part_counted, ways_told_apart

RULES: dict[str, Rule] = {
    "contradiction": drop_contradiction,
    "redundant": drop_redundant,
    "alternative": impossible_alternative,
    "arm": impossible_arm,
    "plain-equality": plain_equality,
    "merge-copies": merge_copies,
    "semijoin": to_semijoin,
    "distinct-to-exists": distinct_to_exists,
    "open-distinct": open_distinct,
    "distinct-to-parent": distinct_to_parent,
    "child-to-parent": child_to_parent,
    "union-apart": union_apart,
    "flag-apart": flag_apart,
    "lookup-apart": lookup_apart,
    "looked-up-again": looked_up_again,
    "asked-within": asked_within,
    "nth-extreme": nth_extreme,
    "met-outside": met_outside,
    "other-than-asked": other_than_asked,
    "several": several_rows,
    "one-value": one_value,
    "drop-column": drop_column,
    "bind-column": bind_column,
    "prune-limited": prune_limited,
    "asked-of-groups": asked_of_groups,
    "merge-blocks": merge_blocks,
    "with-or-without": with_or_without,
    "covered": union_of_sets,
    "multi-to-set": multi_to_set,
    "multi-arms": multi_arms,
    "multi-within": multi_within,
    "multi-filter": multi_filter,
    "multi-condition": multi_condition,
    "multi-apart": multi_apart,
    "split-scalar": split_scalar,
    "flatten-aggregate": flatten_aggregate,
    "linear-sum": linear_sum,
    "simplify-case": simplify_case,
    "first-row": first_row,
    "lone-extreme": lone_extreme,
    "rank": rank_as_count,
    "one-of-each": one_of_each,
    "least-of-each": least_of_each,
    "product": multiply,
    "lone-row": lone_row,
    "keyed-row": lone_row,
    "nearest-row": nearest_row,
    "first-of-array": first_of_array,
    "first-rows": first_rows,
    "dense-rank": dense_rank_as_count,
    "bounded-count": bounded_count,
    "part-counted": part_counted,
    "counted-sum": counted_sum,
    "extreme-as-exists": extreme_as_exists,
    "some-first": some_first,
    "own-row": own_row_counted,
    "other-rows": other_rows_counted,
    "own-value": own_value_counted,
    "zeros": drop_zeros,
    "determined-column": determined_column,
    "referred-column": referred_column,
    "tied-outside": tied_outside,
}

__all__ = [
    "RULES",
    "At",
    "Place",
    "Rule",
    "align",
    "asked_for_least",
    "asked_of_count",
    "both_extremes",
    "bounded_extreme",
    "case_terms",
    "compared_counts",
    "equal_outside",
    "equated_extreme",
    "is_exact_sum",
    "lone_negation",
    "lone_values",
    "product_terms",
    "ranked",
    "row_denied",
    "rows_denied",
    "rules_out",
    "subscripts",
    "sums_with_counts",
    "tests_of_rows",
    "ways_told_apart",
    "without_certain_rows",
    "without_zeros",
]
