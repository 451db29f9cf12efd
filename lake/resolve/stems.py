"""Whether two words are two forms of one, by their letters alone. Must not know names or columns."""

from __future__ import annotations

_STEM = 4
"""Letters that both forms begin with, at least."""
_ENDINGS = frozenset(
    ["", "e", "ed", "er", "ing", "ion", "or", "ure", "al", "ment", "ation", "ance", "ence", "ant", "ent"]
)


def one_stem(a: str, b: str) -> bool:
    """`serving` and `server`, `departures` and `departed`: one verb in two forms."""
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return shared >= _STEM and all(word[shared:] in _ENDINGS for word in (a, b))
