"""Joins with a table of codes that only a few values speak for: `A`, `B` and `C` are the grades of one table
and the states of another.

Owns this doubt. Must not choose or run.
"""

from __future__ import annotations

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.joins.keys import JoinKey
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.kinds import CODES, NAMED
from rewright.lake.resolve.likeness import lexical

_CALLED = 0.75
"""Likeness from which on two words are one thing: a region (0.72) is no state."""
_MANY = 12
"""Different codes from which on it is no chance that another table has them all."""
_LISTED, _USED = 4, 0.8
"""Different codes, and their share of all that the table has, from which on it is none."""
_UNTELLING = NAMED | names.GENERIC | names.KEY_WORDS | CODES


def coded_by_chance(candidate: Candidate, evidence: Evidence) -> bool:
    """Is a table of codes joined that only few values speak for: no name, and not that all of it is used?"""
    return any(
        _by_chance(key, told, evidence)
        for key in candidate.joins
        if (told := evidence.codes.between(key.a, key.b) or evidence.codes.between(key.b, key.a)) is not None
        and set(key.pairs) & {told.pairs[0], told.pairs[0][::-1]}
    )


def _by_chance(key: JoinKey, told: JoinKey, evidence: Evidence) -> bool:
    coded, code = told.pairs[0]
    found = evidence.codes.of(told.b)
    if found is None or key.quality < told.quality:
        return False
    label: Column = found[1]
    asked = _telling(coded.name)
    # the codes' own name, what they stand for, or their table is called like the column
    if any(lexical(asked, _telling(name)) >= _CALLED for name in (code.name, label.name, told.b)):
        return False
    if coded.distinct >= _MANY:
        return False
    return coded.distinct < _LISTED or coded.distinct < _USED * code.distinct


def _telling(name: str) -> tuple[str, ...]:
    words = names.words(name)
    return tuple(word for word in words if word not in _UNTELLING) or words
