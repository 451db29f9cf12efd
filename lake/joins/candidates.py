"""Which column pairs are worth scoring: found through shared values and shared words instead of all pairs.

Owns the inverted indexes and their limits. Must not know the graph's stored form. docs/decisions/0082 and
0180.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.joins.scores import comparable, joinable, own_key, year_like

_KEY = 0.9
"""A column this unique may be what others refer to."""
_KEY_POSTINGS = 256
_POSTINGS = 48
"""A value in more columns than this tells little about which of them belong together; keys are always looked
up.
"""
# hashes of a column's sketch that are looked up: all 1024 of them would take eight times as long
_PROBES = 128
# a column of numbers shares values with most others: the best are kept, of enumerations a few
_PER_COLUMN = 40
_PER_ENUMERATION = 6
_ENUMERATION = 12
"""A column of fewer distinct values lists kinds, not things: it is found in every table, and joins few of
them.
"""
_SMALL_INTEGERS = 5000
_WORD_BUDGET = 1500
"""Postings of words looked at for one key, rare words first."""


def candidate_pairs(index: LakeIndex, touched: set[str]) -> Iterator[tuple[Column, Column]]:
    """Column pairs worth scoring, at least one of each pair in a touched table.

    Values are hashed; each column posts its hashes, and looks its own up. Small integers overlap everywhere,
    so integer columns with only those are paired by the words of their names instead.
    """
    # a union has the values of its parts, which are paired themselves
    columns = [c for c in index.columns if joinable(c) and c.table not in index.unions]
    telling = [c for c in columns if not _small(c)]
    yield from _by_values(index, telling, touched)
    yield from _by_words(index, [c for c in columns if c.family is Family.INTEGER], touched)


def _by_values(index: LakeIndex, columns: list[Column], touched: set[str]) -> Iterator[tuple[Column, Column]]:
    sketches = [index.sketch(c) for c in columns]
    keys: dict[int, list[int]] = defaultdict(list)
    others: dict[int, list[int]] = defaultdict(list)
    for i, column in enumerate(columns):
        # keys are posted apart and at greater length: a value of a key is what references look for
        postings, most = (keys, _KEY_POSTINGS) if column.uniqueness >= _KEY else (others, _POSTINGS)
        for value in sketches[i].tolist():
            posted = postings[value]
            # one more than is used says that there are too many
            if len(posted) <= most:
                posted.append(i)
    seen: set[tuple[int, int]] = set()
    for i, column in enumerate(columns):
        # columns of untouched tables are found all the same, as neighbours of touched ones
        if column.table not in touched:
            continue
        # of bottom-k sketches the smallest hashes are those that both sides keep
        probe = sketches[i][:_PROBES].tolist()
        for j in _neighbours(i, columns, probe, keys, others):
            pair = (min(i, j), max(i, j))
            if pair not in seen:
                seen.add(pair)
                yield columns[pair[0]], columns[pair[1]]


def _neighbours(
    i: int, columns: list[Column], probe: list[int], keys: Any, others: dict[int, list[int]]
) -> list[int]:
    """The columns that share most values, keys first."""
    column = columns[i]
    shared: Counter[int] = Counter()
    for value in probe:
        shared.update(keys.get(value, ()))
        posted = others.get(value, ())
        if len(posted) <= _POSTINGS:
            shared.update(posted)
    if not shared:
        # only values held everywhere: the columns first seen with them stand for the rest
        for value in probe[:8]:
            shared.update(others.get(value, ()))
    few = _PER_ENUMERATION if _enumeration(column) or year_like(column) else _PER_COLUMN
    # sharing counts for a fifth even where the other side tells nothing apart, so that no pair falls out
    # entirely
    ranked = heapq.nlargest(8 * few, shared, key=lambda j: (shared[j] * (0.2 + columns[j].uniqueness), -j))
    found = [j for j in ranked if columns[j].table != column.table and comparable(column, columns[j])]
    if few == _PER_ENUMERATION:
        # worth an edge only where the other side is a key, or by what little is left of the allowance
        found = [*(j for j in found if columns[j].unique), *(j for j in found if not columns[j].unique)]
    return found[:few]


def _enumeration(column: Column) -> bool:
    """A few values repeated over the rows."""
    return column.distinct < _ENUMERATION and not column.unique


def _small(column: Column) -> bool:
    bounds = column.bounds() if column.family is Family.INTEGER else None
    return bounds is not None and bounds[0] >= -1 and bounds[1] <= _SMALL_INTEGERS


def _by_words(index: LakeIndex, columns: list[Column], touched: set[str]) -> Iterator[tuple[Column, Column]]:
    """Integer keys and the columns whose names share a word with the key's name or table."""
    told = [_words(c) for c in columns]
    around = [words | set(names.words(c.table)) for words, c in zip(told, columns, strict=True)]
    postings: dict[str, list[int]] = defaultdict(list)
    for i, words in enumerate(around):
        for word in words:
            postings[word].append(i)
    weight = {word: math.log(1 + len(columns) / len(posted)) for word, posted in postings.items()}
    seen: set[tuple[int, int]] = set()
    for i, key in enumerate(columns):
        # a key of its table, or what is nearly unique and called like one
        if not (own_key(key, index.tables[key.table]) or (key.uniqueness >= _KEY and _keyed(key))):
            continue
        shared: Counter[int] = Counter()
        budget = _WORD_BUDGET
        for word in sorted(around[i], key=lambda w: (-weight[w], w)):
            posted = postings[word]
            if budget <= 0:
                break
            for j in posted[:budget]:
                shared[j] += weight[word]  # type: ignore[assignment] # a Counter may hold weights, which typeshed types as int
            budget -= len(posted)
        own = told[i] | set(names.words(key.table))
        found = [
            j
            for j in shared
            if columns[j].table != key.table
            # said by a word of the key's, or a bare `id`, which may be anything's
            and (told[j] & own or (not told[j] and _keyed(columns[j])))
            and (key.table in touched or columns[j].table in touched)
        ]
        serial = {j for j in found if columns[j].unique and columns[j].position == 0}
        # two serial numbers mostly count different things
        for group, most in ((set(found) - serial, _PER_COLUMN), (serial, _PER_ENUMERATION)):
            for j in heapq.nlargest(most, group, key=lambda j: (shared[j], -j)):
                pair = (min(i, j), max(i, j))
                if pair not in seen:
                    seen.add(pair)
                    yield columns[pair[0]], columns[pair[1]]


def _words(column: Column) -> set[str]:
    return set(names.words(column.name)) - names.KEY_WORDS


def _keyed(column: Column) -> bool:
    return bool(set(names.words(column.name)) & names.KEY_WORDS)
