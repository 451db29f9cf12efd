"""Words beside the name of a number that say no more than it: the `level` of LDH is LDH, the `shortest`
length the minimum.

Owns leaving them out, or writing them plainly. Must not know the grammar.
"""

from __future__ import annotations

import re

from rewright.ask.reading.vocabulary import Vocabulary

_SAID = r"(?:levels?|readings?|concentrations?)"
_OF = re.compile(rf"\b(?:the )?{_SAID} of (?:the )?(\w+)", re.IGNORECASE)
_BEHIND = re.compile(rf"\b(\w+) {_SAID}\b", re.IGNORECASE)
_OWN = frozenset(("level", "levels", "reading", "readings", "concentration", "concentrations"))

_BOTH_ENDS = re.compile(
    r"(?<!between )(?<!between the )\b(?:the )?"
    r"(?:(?:shortest|smallest|lightest)(?P<low>) and (?:the )?(?:longest|largest|heaviest)"
    r"|(?:longest|largest|heaviest) and (?:the )?(?:shortest|smallest|lightest)) "
    r"(?P<of>(?:\w+ )??(?P<last>\w+))\b",
    re.IGNORECASE,
)


def both_ends(question: str, vocabulary: Vocabulary) -> str:
    """`the shortest and the longest playing time`, of a number called so: its minimum and maximum."""

    def plain(match: re.Match[str]) -> str:
        ends = "minimum and maximum" if match["low"] is not None else "maximum and minimum"
        return f"{ends} {match['of']}" if match["last"].lower() in vocabulary.measured else match[0]

    return _BOTH_ENDS.sub(plain, question)


def without_carriers(question: str, vocabulary: Vocabulary) -> str:
    """`the highest level of LDH`, `albumin levels`, where only numbers are called LDH or albumin."""
    # a column of that name is what is meant
    if _OWN & vocabulary.known or not any(
        word in question.lower() for word in ("level", "reading", "concentr")
    ):
        return question

    def bare(match: re.Match[str]) -> str:
        return match[1] if match[1].lower() in vocabulary.measured else match[0]

    return _BEHIND.sub(bare, _OF.sub(bare, question))
