"""British and American spellings: `labor hours` of a column `labour_hours`.

Owns writing a word as the data spells it, where the data has only the other. Must not know a schema beyond
the words in it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

_WORD = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']+'(?!\w)|[A-Za-z]{5,}")
_SPELLINGS = """
our:or ise:ize isa:iza isi:izi yse:yze tre:ter ence:ense ogue:og lled:led lling:ling ller:ler
grey:gray cheque:check tyre:tire mme:m
"""
_PAIRS = tuple((british, american) for british, _, american in (p.partition(":") for p in _SPELLINGS.split()))


def as_spelled(question: str, known: Container[str]) -> str:
    """The question with words as the data spells them. Quotes stay.

    >>> as_spelled("total labor hours", {"labour", "hours"})
    'total labour hours'
    >>> as_spelled("honor the color", {"color", "colour"})
    'honor the color'
    """

    def written(match: re.Match[str]) -> str:
        word = match[0].lower()
        if match[0][0] in "\"'" or word in known:
            return match[0]
        return next((other for other in _others(word) if other in known), match[0])

    return _WORD.sub(written, question)


def _others(word: str) -> Iterator[str]:
    for pair in _PAIRS:
        for own, other in (pair, pair[::-1]):
            at = word.rfind(own)
            if at > 0:
                yield word[:at] + other + word[at + len(own) :]
