"""Likeness of two names by their spelling: shared words, abbreviations, words run together, initials.

Owns the comparison of word lists. Must not know columns, meaning (vectors) or the lake.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from lake import names

_QUALIFIERS = (
    "total",
    "count",
    "number",
    "name",
    "code",
    "value",
    "rate",
    "percent",
    "average",
    "mean",
    "date",
    "year",
    "type",
)
_ACRONYM = 0.8
_COMPOUND = 6
"""Letters from which on a word may be several run together."""


def lexical(a: Sequence[str], b: Sequence[str]) -> float:
    """Shared words of two names (Dice, near-equal words count nearly; words run together are taken apart)."""
    if not a or not b:
        return 0.0
    if _acronym(a, b) or _acronym(b, a):
        return _ACRONYM
    a, b = _apart(a, b), _apart(b, a)
    total = 0.0
    for word in set(a):
        best = max((_word(word, other) for other in set(b)), default=0.0)
        total += best
    return 2 * total / (len(set(a)) + len(set(b)))


def _acronym(short: Sequence[str], long: Sequence[str]) -> bool:
    """`hg` of `home goals`: the first letters of all its words."""
    return (
        len(short) == 1 and 2 <= len(long) == len(short[0]) <= 4 and short[0] == "".join(w[0] for w in long)
    )


def _apart(told: Sequence[str], by: Sequence[str]) -> Sequence[str]:
    """`poptotal` beside `total population`: the words it runs together, if it is made of those."""
    if all(len(word) < _COMPOUND for word in told):
        return told
    out: list[str] = []
    for word in told:
        parts = (
            names.pieces(word, by) or names.pieces(word, (*by, *_QUALIFIERS), needed=by)
            if len(word) >= _COMPOUND and word not in by
            else ()
        )
        out.extend(parts or (word,))
    return out


def _word(a: str, b: str) -> float:
    if a == b:
        return 1.0
    if min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a)):
        return 0.8
    if min(len(a), len(b)) >= 5 and fuzz.ratio(a, b) >= 85:
        return 0.85
    short, long = sorted((a, b), key=len)
    return 0.7 if names.skeleton_of(short, long) else 0.0
