"""Words of a name run together and shortened: `feduc` of `father education`, `exppp` of `expenditures per
pupil`.

Owns finding the words that such a run is made of. Must not know columns. The search is that of acronyms' long
forms (Schwartz and Hearst 2003), from left to right with words left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rewright.lake.shortened import known

_LEAST, _MOST = 4, 14
"""Letters of a run."""
_LONGEST = 3
"""Letters that the longest piece has at least: runs of first letters alone are acronyms."""
_SINGLES = 2
_COVERED = 0.6


def contracted(run: str, by: Sequence[str]) -> tuple[str, ...]:
    """The words of `by`, in order, that a run is made of: each gives its first letter and some of those after
    it; else empty.
    """
    # a word of its own, or one that is asked for as it stands, is nothing cut
    if not _LEAST <= len(run) <= _MOST or not run.isalpha() or run in by or len(by) < 2 or known(run):
        return ()
    return _contracted(run, tuple(by))


@lru_cache(maxsize=1 << 16)
def _contracted(run: str, by: tuple[str, ...]) -> tuple[str, ...]:
    found = _search(run, by)
    # with too few of the words the run would fit many names
    if found is None or len(found) < max(2.0, _COVERED * len(by)):
        return ()
    sizes = [size for _, size in found]
    if any(size == len(word) - 1 >= _LONGEST for word, size in found):
        # nobody leaves out one letter: `hunter` rhymes with `untern`
        return ()
    singles = sizes.count(1)
    if max(sizes) < _LONGEST or singles > _SINGLES or singles == len(sizes):
        return ()
    return tuple(word for word, _ in found)


@lru_cache(maxsize=1 << 16)
def _search(run: str, by: tuple[str, ...]) -> tuple[tuple[str, int], ...] | None:
    """(word, letters it gives) of the reading with the most words, of these the one
    with the longest piece.
    """
    if not run:
        return ()
    best: tuple[tuple[str, int], ...] | None = None
    for i, word in enumerate(by):
        # the longest piece of each word first; words may be left out, never taken out of order
        for size in range(_shared(run, word), 0, -1):
            rest = _search(run[size:], by[i + 1 :])
            if rest is not None:
                best = max(
                    (found for found in (best, ((word, size), *rest)) if found is not None), key=_worth
                )
    return best


def _worth(found: tuple[tuple[str, int], ...]) -> tuple[int, int]:
    return len(found), max((size for _, size in found), default=0)


def _shared(run: str, word: str) -> int:
    """How many letters at the front of a run may stand for a word: its first, then others in their order."""
    if run[0] != word[0]:
        return 0
    # letters may be left out, never taken out of order
    rest = iter(word[1:])
    return 1 + next((i for i, letter in enumerate(run[1:]) if letter not in rest), len(run) - 1)
