"""Likeness of two names by their spelling: shared words, abbreviations, words run together, initials.

Owns the comparison of word lists. Must not know columns, meaning (vectors) or the lake.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from rewright.lake import names

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
ACRONYM = 0.8
"""Likeness of a name and its initials."""
_TAIL = 5
"""Letters from which on the end of a long word is a word run together with others: `lawenforcementagency`."""
_STEM = 4
_ENDINGS = frozenset(
    ["", "e", "ed", "er", "ing", "ion", "or", "ure", "al", "ment", "ation", "ance", "ence", "ant", "ent"]
)
_COMPOUND = 6
"""Letters from which on a word may be several run together."""


def lexical(a: Sequence[str], b: Sequence[str]) -> float:
    """Shared words of two names (Dice, near-equal words count nearly; words run together are taken apart)."""
    if not a or not b:
        return 0.0
    if _acronym(a, b) or _acronym(b, a):
        return ACRONYM
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
    out: list[str] = []
    for word in told:
        if (run := _run_of(word, by)) is not None:
            out.extend(run)
            continue
        parts = (
            names.pieces(word, by) or names.pieces(word, (*by, *_QUALIFIERS), needed=by)
            if len(word) >= _COMPOUND and word not in by
            else ()
        )
        out.extend(parts or (word,))
    return out


def _run_of(word: str, by: Sequence[str]) -> Sequence[str] | None:
    """`ws` beside `won world series`: the words one after the other that it is the initials of."""
    size = len(word)
    if word in by or not 2 <= size <= 4:
        return None
    runs = (by[i : i + size] for i in range(len(by) - size + 1))
    return next((run for run in runs if word == "".join(w[0] for w in run)), None)


def _word(a: str, b: str) -> float:
    if a == b:
        return 1.0
    if min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a)):
        return 0.8
    if min(len(a), len(b)) >= 5 and fuzz.ratio(a, b) >= 85:
        return 0.85
    short, long = sorted((a, b), key=len)
    if len(short) >= _TAIL and len(long) >= 2 * _TAIL and long.endswith(short):
        return 0.75
    return 0.7 if names.skeleton_of(short, long) or _one_stem(a, b) else 0.0


def _one_stem(a: str, b: str) -> bool:
    """`serving` and `server`, `departures` and `departed`: one verb in two forms."""
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return shared >= _STEM and all(word[shared:] in _ENDINGS for word in (a, b))


def initials(asked: str, held: str) -> bool:
    """`HR` of `home_runs`, whatever else the letters are short for."""
    short = names.normal(held).split()
    return len(short) == 1 and _acronym(short, names.normal(asked).split())
