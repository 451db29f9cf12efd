"""Rows of a context for an EXISTS over many of one relation, none of them twice."""

from __future__ import annotations

from itertools import islice, permutations

from rewright.equivalence.prover.entail import _unlike


def test_each_way_to_choose_unlike_rows_is_given_once() -> None:
    assert list(_unlike([[1, 2, 3], [1, 2, 3]])) == list(permutations([1, 2, 3], 2))
    assert list(_unlike([[1, 2], [7], [1, 2]])) == [(1, 7, 2), (2, 7, 1)]


def test_there_is_none_where_rows_are_too_few() -> None:
    """By trying all, a query that joins one table thirty times would never be given up."""
    assert list(_unlike([[1, 2, 3]] * 30)) == []


def test_the_first_ways_are_found_at_once_among_many() -> None:
    rows = list(range(25))
    assert all(len({*found}) == 25 for found in islice(_unlike([rows] * 25), 4))
