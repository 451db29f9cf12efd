"""Every law by the name that certificates give it.

Owns the table only.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rewright.equivalence.recheck.laws.added import own_value, zeros
from rewright.equivalence.recheck.laws.aggregates import (
    flatten_aggregate,
    linear_sum,
    lone_row,
    multiply,
    simplify_case,
    split_scalar,
)
from rewright.equivalence.recheck.laws.apart import flag_apart, union_apart
from rewright.equivalence.recheck.laws.conditions import (
    alternative,
    arm,
    contradiction,
    covered_block,
    merge_blocks,
    met_outside,
    other_than_asked,
    plain_equality,
    redundant,
)
from rewright.equivalence.recheck.laws.counts import (
    bounded_count,
    counted_sum,
    extreme_as_exists,
    one_value,
    other_rows,
    own_row,
    several,
    some_first,
)
from rewright.equivalence.recheck.laws.distinct import (
    bind_column,
    determined_column,
    distinct_to_exists,
    drop_column,
    multi_to_set,
    open_distinct,
)
from rewright.equivalence.recheck.laws.lookups import asked_within, looked_up_again, lookup_apart
from rewright.equivalence.recheck.laws.multis import (
    multi_apart,
    multi_arms,
    multi_condition,
    multi_filter,
    multi_within,
)
from rewright.equivalence.recheck.laws.order import (
    asked_of_groups,
    first_row,
    lone_extreme,
    one_of_each,
    prune_limited,
    rank,
)
from rewright.equivalence.recheck.laws.padded import with_or_without
from rewright.equivalence.recheck.laws.parents import child_to_parent, distinct_to_parent
from rewright.equivalence.recheck.laws.positions import dense_rank, first_of_array, first_rows, nearest_row
from rewright.equivalence.recheck.laws.ranked import nth_extreme
from rewright.equivalence.recheck.laws.rows import merge_copies, referred_column, semijoin, tied_outside
from rewright.equivalence.recheck.laws.stating import Law
from rewright.equivalence.recheck.laws.wholes import least_of_each, part_counted

LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "bind-column": bind_column,
        "tied-outside": tied_outside,
        "some-first": some_first,
        "own-row": own_row,
        "alternative": alternative,
        "arm": arm,
        "part-counted": part_counted,
        "least-of-each": least_of_each,
        "other-rows": other_rows,
        "one-of-each": one_of_each,
        "one-value": one_value,
        "own-value": own_value,
        "zeros": zeros,
        "nearest-row": nearest_row,
        "first-rows": first_rows,
        "first-of-array": first_of_array,
        "extreme-as-exists": extreme_as_exists,
        "distinct-to-parent": distinct_to_parent,
        "determined-column": determined_column,
        "dense-rank": dense_rank,
        "counted-sum": counted_sum,
        "bounded-count": bounded_count,
        "child-to-parent": child_to_parent,
        "contradiction": contradiction,
        "covered": covered_block,
        "distinct-to-exists": distinct_to_exists,
        "drop-column": drop_column,
        "first-row": first_row,
        "flatten-aggregate": flatten_aggregate,
        "linear-sum": linear_sum,
        "lone-extreme": lone_extreme,
        "lone-row": lone_row,
        "keyed-row": lone_row,
        "merge-blocks": merge_blocks,
        "with-or-without": with_or_without,
        "merge-copies": merge_copies,
        "met-outside": met_outside,
        "union-apart": union_apart,
        "flag-apart": flag_apart,
        "lookup-apart": lookup_apart,
        "looked-up-again": looked_up_again,
        "asked-of-groups": asked_of_groups,
        "asked-within": asked_within,
        "nth-extreme": nth_extreme,
        "other-than-asked": other_than_asked,
        "multi-to-set": multi_to_set,
        "multi-arms": multi_arms,
        "multi-within": multi_within,
        "multi-filter": multi_filter,
        "multi-condition": multi_condition,
        "multi-apart": multi_apart,
        "open-distinct": open_distinct,
        "plain-equality": plain_equality,
        "product": multiply,
        "prune-limited": prune_limited,
        "rank": rank,
        "redundant": redundant,
        "referred-column": referred_column,
        "semijoin": semijoin,
        "several": several,
        "simplify-case": simplify_case,
        "split-scalar": split_scalar,
    }
)
