"""Finds values of the database in a question: where they stand in it, and of which column they are.

Owns the index of the context's values and the finding, longest first. Must not know prompts.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field

from rewright.ask.context import ColumnContext, Context

_WORD = re.compile(r"\w+(?:[-'’.&/]\w+)*")
QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|“([^”]+)”|‘([^’]+)’")
_LONGEST = 8
_OWNERS = 4
# words that are a question's own even where a cell holds them
_PLAIN = frozenset(
    """a about above after all am an and any are as at average be before below between both bottom but by can
    count data date day did
    different do does each every few fewest first for from get give greater had has have highest how i if in
    is it its last latest
    least less list longest lowest many max maximum me mean min minimum month more most much my name names new
    no none not null number
    of old on or order other our out over per please rank same show since some sum table than that the their
    them there these they
    this those to today top total type under unique until up us value was we were what when where which who
    whose why will with
    without year yes you""".split()  # noqa: SIM905 - a list of this length is read more easily as text
)


_RECENT: deque[Mentions] = deque(maxlen=4)


def mentions_of(context: Context) -> Mentions:
    """The values of a context. Those of the contexts asked last are kept: an index of many takes a while."""
    for known in tuple(_RECENT):
        if known.context is context:
            return known
    made = Mentions(context)
    _RECENT.append(made)
    return made


@dataclass(frozen=True, slots=True)
class Mention:
    """``text`` stands at ``start`` of the question; ``value`` is how the data spells it, or the text itself
    where the data is not known to hold it (it is quoted in the question); ``columns`` are those that hold
    it.
    """

    start: int
    end: int
    text: str
    value: str
    columns: tuple[ColumnContext, ...] = ()


@dataclass(slots=True)
class Mentions:
    """The values of one context, by their words in lower case."""

    context: Context
    _index: dict[str, list[tuple[ColumnContext, str]]] = field(default_factory=dict)
    _schema: set[str] = field(default_factory=set)
    _more: dict[str, list[tuple[ColumnContext, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        index: dict[str, list[tuple[ColumnContext, str]]] = defaultdict(list)
        for table in self.context.tables:
            self._schema |= _with_plural(table.words)
            for column in table.columns:
                self._schema |= _with_plural(column.words)
                for value in column.values:
                    index[_key(value)].append((column, value))
        # values of signs alone (`-`, `?`) have no words by which to find them
        index.pop("", None)
        self._index = dict(index)

    def with_values(self, values: Iterable[tuple[ColumnContext, str]]) -> Mentions:
        """These and some more; the index is shared."""
        other = copy(self)
        other._more = defaultdict(list)
        for column, value in values:
            other._more[_key(value)].append((column, value))
        return other

    def _owners(self, text: str) -> list[tuple[ColumnContext, str]]:
        key = _key(text)
        return [*self._index.get(key, ()), *self._more.get(key, ())] if key else []

    def find(self, question: str) -> tuple[Mention, ...]:
        """From left to right, none inside another."""
        found = [self._quoted(match) for match in QUOTED.finditer(question)]
        taken = [(m.start, m.end) for m in found]
        words = list(_WORD.finditer(question))
        # the longest first: `New York City` is not the value `New York` and a word
        for length in range(min(_LONGEST, len(words)), 0, -1):
            for i in range(len(words) - length + 1):
                start, end = words[i].start(), words[i + length - 1].end()
                # no words of a value that was taken already, so none stands inside another
                if any(start < b and a < end for a, b in taken):
                    continue
                owners = self._owners(question[start:end])
                if owners and not self.is_plain(question[start:end]):
                    taken.append((start, end))
                    found.append(self._mention(start, end, question[start:end], owners))
        return tuple(sorted(found, key=lambda m: m.start))

    def _quoted(self, match: re.Match[str]) -> Mention:
        text = next(part for part in match.groups() if part is not None)
        owners = self._owners(text)
        return self._mention(match.start(), match.end(), text, owners)

    @staticmethod
    def _mention(start: int, end: int, text: str, owners: list[tuple[ColumnContext, str]]) -> Mention:
        # spelled as it is asked, before those in another case
        exact = [owner for owner in owners if owner[1] == text] or owners
        value = exact[0][1] if exact else text
        columns = tuple(column for column, spelled in owners if spelled == value)[:_OWNERS]
        return Mention(start, end, text, value, columns)

    def is_plain(self, text: str) -> bool:
        """Whether these are words of questions, or of the schema, alone."""
        words = [word.lower() for word in _WORD.findall(text)]
        # numbers are found by what compares with them, not as names
        return text.isdigit() or all(word in _PLAIN or word in self._schema for word in words)


def _key(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _with_plural(words: tuple[str, ...]) -> set[str]:
    return {form for word in words for form in (word, word + "s", word.removesuffix("s"))}
