"""Values that hold more than letters, digits and blanks, found in a question as a whole: `Brand#23`, `24/7`,
`O'Brien & Sons`, `4.2.1`, `ann@mail.example`.

Owns finding them, and what looks like such a value though the data holds none: both are put in quotes, before
anything takes them apart. Must not know what a value means, nor a column.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from rewright.ask.context import Context
from rewright.ask.reading.words import tokens

_ATOM = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']+'(?!\w)|`[^`]+`|“[^”]+”|‘[^’]+’")
_NUMBER_OR_TIME = re.compile(
    r"[-+$€£]?\d[\d,]*(?:\.\d+)?\s*[%€$£]?|\d{1,2}:\d\d(?::\d\d)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d|(?:19|20)\d\d[-/]\d\d(?:\d\d)?(?:[-/]\d\d)?"
)
"""What the grammar reads by itself: numbers, shares, times of day, dates, months and seasons."""
LOOKS_LIKE_A_CODE = re.compile(
    r"(?<![\w.@])(?:"
    r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|\+\d[\d ()-]{6,}\d"
    r"|(?!\d{1,2}\.\d{1,2}\.\d{2,4}(?!\w))v?\d+(?:\.\d+){2,}(?:-\w+)?"
    r"|(?![QHqh][1-4]/)(?=[\w#/+-]{0,64}\d)[A-Za-z][\w-]{0,64}(?:[#/+][\w-]+)+"
    r")(?![\w@])"
)
"""Addresses, telephone numbers, versions, and codes of letters and digits around a mark.

What may begin behind any hyphen looks ahead no further than 64 characters, which is what an address may have
before its `@` (RFC 5321): else a question of hyphens takes time with the square of its length.
"""
_LONGEST = 10
_CODE, _WORDS, _TELEPHONE = 3, 5, 9
"""Letters and digits that another spelling of a code, of words and of digits alone has to share."""
_JOINING = "#/+@&._-"
# `C#` and `C++` differ from `C` by the end alone, so these marks must be written
_AT_ITS_END = frozenset("#+")
"""Marks that tell a value from the same without: `C` and `C#`."""
_PARTED = re.compile(r"[?!;:,()]|\.\s")
_AND = re.compile(r"\band\b", re.IGNORECASE)
_TOGETHER = re.compile(r"&|\+|\band\b", re.IGNORECASE)


class MarkedValues:
    """The values of a context with marks in them, by their letters and digits alone."""

    def __init__(self, context: Context) -> None:
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for value in _values(context):
            atoms = _ATOM.findall(value.lower())
            # a value without them would be found in every text
            if 0 < len(atoms) <= _LONGEST and _is_taken_apart(value):
                found[_joined(atoms)][value] = None
        self._by_letters = {letters: tuple(values) for letters, values in found.items()}
        # all beginnings of values: a place where none fits is left at the first letter
        self._starts = frozenset(letters[:i] for letters in found for i in range(1, len(letters) + 1))

    def quoted(self, question: str) -> str:
        """The question with each such value in quotes, as the data spells it; what is quoted already stays.

        Linear in the question's length times the longest value.
        """
        # quotes first, then values of the data, then what only looks like a code; the later give way
        places = [(m.start(), m.end(), m[0]) for m in _QUOTED.finditer(question)]
        places += [p for p in self._known(question) if not _overlaps(p, places)]
        looks = ((m.start(), m.end(), _in_quotes(m[0])) for m in LOOKS_LIKE_A_CODE.finditer(question))
        places += [p for p in looks if not _overlaps(p, places)]
        made, done = list[str](), 0
        for start, end, text in sorted(places):
            made += [question[done:start], text]
            # behind quotes an apostrophe would open others
            done = end + (2 if question[end : end + 2] in {"'s", "’s"} else 0)
        return "".join((*made, question[done:]))

    def _known(self, question: str) -> Iterator[tuple[int, int, str]]:
        """The values of the data, the longest at each place, left to right."""
        atoms = list(_ATOM.finditer(question))
        at = 0
        while at < len(atoms) and self._by_letters:
            # two more than the longest, as `and` counts for nothing in the joined letters
            found = max(self._at(question, atoms[at : at + _LONGEST + 2]), default=None)
            if found is None:
                at += 1
                continue
            _, start, end, value = found
            yield start, end, _in_quotes(value)
            # what the value took is not looked at again: values do not overlap
            while at < len(atoms) and atoms[at].start() < end:
                at += 1

    def _at(self, question: str, atoms: list[re.Match[str]]) -> Iterator[tuple[int, int, int, str]]:
        """What begins at the first of these, with how many of them it takes."""
        said = list[str]()
        for taken, atom in enumerate(atoms, 1):
            said.append(atom[0].lower())
            letters = _joined(said)
            # no value begins so: longer runs cannot either
            if letters not in self._starts:
                return
            # a value said as `R and` would end in the middle of `R and D`
            values = self._by_letters.get(letters, ()) if said[-1] != "and" else ()
            start, end = atoms[0].start(), atom.end()
            exact = [(len(v), *span, v) for v in values if (span := _as_written(question, start, end, v))]
            # spelled as the data has it, marks and all; the longest of several
            if exact:
                _, first, last, value = max(exact)
                yield taken, first, last, value
            elif len(values) == 1 and _otherwise_spelled(question[start:end], letters, values[0]):
                # two values with the same letters (`A-B`, `A/B`): which one is meant only marks could tell
                first, last = _with_marks(question, start, end, values[0])
                if _alone(question, first, last):
                    yield taken, first, last, values[0]


def _values(context: Context) -> Iterable[str]:
    return (value for table in context.tables for column in table.columns for value in column.values)


def _is_taken_apart(value: str) -> bool:
    """Whether tokens lose some of it, or take some for something else than words."""
    # numbers and times are read by the grammar; a value with quotes in it cannot be put in quotes
    if _NUMBER_OR_TIME.fullmatch(value) or '"' in value or "”" in value:
        return False
    read = tokens(value)
    # words that tokens keep whole need no quotes: the linker finds them anyway
    kept = "".join(t.text for t in read) == "".join(value.split())
    return not (kept and all(t.kind == "word" for t in read)) and any(not c.isalnum() for c in value)


def _joined(atoms: list[str]) -> str:
    """`R&D` as `R and D`."""
    # an `and` at the very beginning belongs to no value's inside
    return "".join(a for i, a in enumerate(atoms) if a != "and" or i == 0)


def _otherwise_spelled(said: str, letters: str, value: str) -> bool:
    """Whether the letters and digits say enough without the value's marks: `BR 77` of `BR/77`. `A and B` is
    no `A/B`, and what the end of a clause parts is no value.
    """
    atoms = _ATOM.findall(value)
    # `B, 52` of a list is no `B52`
    if _PARTED.search(said) and not _PARTED.search(value):
        return False
    if (_AND.search(said) and not _TOGETHER.search(value)) or value[-1:] in _AT_ITS_END or len(atoms) == 1:
        return False
    # short numbers stand in any question; nine digits hardly do by chance
    if letters.isdigit():
        return len(letters) >= _TELEPHONE
    # a code of three letters and digits is rarer than a word of as many letters
    coded = any(c.isdigit() for c in letters)
    return len(letters) >= (_CODE if coded else _WORDS)


def _as_written(question: str, start: int, end: int, value: str) -> tuple[int, int] | None:
    """Where the value stands around these places with its own marks, in any case; a full stop at its end may
    be missing.
    """
    atoms = list(_ATOM.finditer(value))
    before, behind = value[: atoms[0].start()], value[atoms[-1].end() :]
    first = start - len(before)
    # `+49 30` must have its plus before it, `C#` its hash behind
    if first < 0 or question[first:start] != before:
        return None
    if _spaced(question[start:end]) != _spaced(value[atoms[0].start() : atoms[-1].end()]):
        return None
    if not question.startswith(behind, end):
        # a value may end in a full stop (`Inc.`) that people leave out
        behind = behind.removesuffix(".")
        if not question.startswith(behind, end):
            return None
    last = end + len(behind)
    if behind.endswith(".") and question[last : last + 2].strip()[:1].isupper():
        last -= 1  # the full stop ends the sentence as well
    return (first, last) if _alone(question, first, last) else None


def _with_marks(question: str, start: int, end: int, value: str) -> tuple[int, int]:
    """The place with those marks around it that the value has there, too."""
    atoms = list(_ATOM.finditer(value))
    before, behind = value[: atoms[0].start()], value[atoms[-1].end() :].rstrip(".")
    while start and question[start - 1] in before:
        start -= 1
    # marks that the value has there, in any number: `(AB` of `(AB)`
    while end < len(question) and question[end] in behind:
        end += 1
    return start, end


def _spaced(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _alone(question: str, start: int, end: int) -> bool:
    """Whether it is no part of something longer: `BR/77` of `BR/77#2`."""
    before, behind = question[max(0, start - 2) : start], question[end : end + 2]
    glued_before = before[-1:].isalnum() or (before[-1:] and before[-1:] in _JOINING and before[:1].isalnum())
    glued_behind = behind[:1].isalnum() or (behind[:1] and behind[:1] in _JOINING and behind[1:].isalnum())
    return not (glued_before or glued_behind)


def _overlaps(place: tuple[int, int, str], places: Iterable[tuple[int, int, str]]) -> bool:
    return any(place[0] < end and start < place[1] for start, end, _ in places)


def _in_quotes(value: str) -> str:
    return f'"{value}"'
