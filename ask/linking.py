"""The words of a question linked to what they may mean: tables, columns, values, numbers, and the words of the grammar.

Owns the vocabulary of question words and the linking, longest phrase first. What a phrase means when several columns fit
is the interpreter's to decide. Must not know SQL.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.lake import names

_TOKEN = re.compile(
    r"\"([^\"]+)\"|(?<![\w])'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|(\d[\d,]*(?:\.\d+)?)(?![\w])|(\w+(?:['’]\w+)?)|([,;:?])"
)
_LONGEST = 6

GRAMMAR: dict[str, str] = {
    **dict.fromkeys(["how many", "number of", "count of", "total number of", "total count of", "count"], "count"),
    **dict.fromkeys(["average", "mean", "avg"], "avg"),
    **dict.fromkeys(["total", "sum of", "sum", "combined"], "sum"),
    **dict.fromkeys(["maximum", "max"], "max"),
    **dict.fromkeys(["minimum", "min"], "min"),
    **dict.fromkeys(["highest", "largest", "biggest", "greatest", "most", "best", "longest", "latest", "newest", "oldest age"], "top"),
    **dict.fromkeys(["lowest", "smallest", "least", "fewest", "worst", "shortest", "earliest"], "bottom"),
    "top": "first",
    "bottom": "last",
    **dict.fromkeys(["for each", "per", "each", "by each", "for every", "every", "grouped by", "group by", "by"], "each"),
    **dict.fromkeys(["more than", "greater than", "higher than", "larger than", "above", "over", "exceeding", "longer than"], ">"),
    **dict.fromkeys(["less than", "fewer than", "lower than", "smaller than", "below", "under", "shorter than"], "<"),
    **dict.fromkeys(["at least", "no less than", "no fewer than"], ">="),
    **dict.fromkeys(["at most", "no more than"], "<="),
    **dict.fromkeys(["after", "since"], "after"),
    "before": "before",
    "between": "between",
    **dict.fromkeys(["ordered by", "sorted by", "order by", "sort by", "order the results by", "sort the results by"], "order"),
    **dict.fromkeys(["in descending order", "descending", "from highest to lowest", "from most to least", "from longest to shortest", "from largest to smallest"], "desc"),
    **dict.fromkeys(["in ascending order", "ascending", "from lowest to highest", "from least to most", "from shortest to longest", "alphabetically", "in alphabetical order"], "asc"),
    **dict.fromkeys(["do not have any", "does not have any", "don't have any", "have no", "has no", "have not", "have never", "without", "without any", "never", "with no", "do not have", "not made any", "have not made any", "not in any", "have not issued any", "not been used in any", "have not been used in any"], "without"),
    **dict.fromkeys(["distinct", "unique", "different"], "distinct"),
    **dict.fromkeys(["above average", "above the average", "higher than average", "higher than the average", "more than the average", "greater than average", "greater than the average"], "above average"),
    **dict.fromkeys(["below average", "below the average", "lower than average", "lower than the average", "less than the average"], "below average"),
    "or": "or",
    **dict.fromkeys(["ratio", "ratio of"], "ratio"),
    **dict.fromkeys(["not", "no", "non", "except", "excluding", "other than", "neither", "nor", "either"], "not"),
}  # fmt: skip
"""Phrases with a meaning of their own, and the mark that stands for it."""

FILLERS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "with",
        "and",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "that",
        "which",
        "what",
        "who",
        "whose",
        "whom",
        "there",
        "their",
        "its",
        "it",
        "this",
        "these",
        "those",
        "all",
        "any",
        "me",
        "us",
        "i",
        "show",
        "list",
        "give",
        "return",
        "find",
        "tell",
        "get",
        "display",
        "please",
        "provide",
        "name",
        "names",
        "database",
        "table",
        "tables",
        "data",
        "record",
        "records",
        "results",
        "result",
        "respective",
        "respectively",
        "corresponding",
        "as",
        "well",
        "also",
        "their",
        "where",
        "when",
        "what's",
        "whats",
        "who's",
        "both",
        "give",
        "calculate",
        "compute",
        "determine",
        "ordered",
        "sorted",
        "starting",
        "order",
        "so",
        "can",
        "could",
        "you",
        "please",
        "i'd",
        "like",
        "want",
        "know",
        "see",
        "he",
        "she",
        "they",
    ]
) - {"name", "names"}

RELATING = frozenset(
    [
        "written",
        "wrote",
        "write",
        "writes",
        "published",
        "publish",
        "received",
        "receive",
        "receives",
        "made",
        "make",
        "makes",
        "offer",
        "offers",
        "offered",
        "offering",
        "serve",
        "serves",
        "served",
        "serving",
        "associated",
        "belong",
        "belongs",
        "belonging",
        "located",
        "presented",
        "posted",
        "issued",
        "occurred",
        "occur",
        "flow",
        "flows",
        "through",
        "taken",
        "take",
        "given",
        "held",
        "hold",
        "used",
        "involved",
        "involving",
        "involve",
        "related",
        "available",
        "exist",
        "exists",
        "registered",
        "placed",
        "recorded",
        "assigned",
        "contain",
        "contains",
        "include",
        "includes",
        "own",
        "owns",
        "owned",
        "reported",
        "found",
        "contained",
        "listed",
        "done",
        "got",
        "gotten",
    ]
)
"""Verbs that only say that two tables belong together; the joins say how."""


@dataclass(slots=True)
class Link:
    """A phrase and what it may mean; ``used`` once the interpreter has given it a place in the query."""

    text: str
    mark: str
    """table, column, value, number, quoted, unknown, comma, or a mark of GRAMMAR"""
    tables: tuple[TableContext, ...] = ()
    columns: tuple[ColumnContext, ...] = ()
    values: tuple[tuple[ColumnContext, str], ...] = ()
    number: str = ""
    used: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    word: str
    kind: str


@dataclass
class Linker:
    """Phrases of one database, indexed."""

    context: Context
    _tables: dict[tuple[str, ...], list[TableContext]] = field(default_factory=lambda: defaultdict(list))
    _columns: dict[tuple[str, ...], list[ColumnContext]] = field(default_factory=lambda: defaultdict(list))
    _values: dict[str, list[tuple[ColumnContext, str]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for table in self.context.tables:
            self._tables[_key(table.words)].append(table)
            for column in table.columns:
                for phrase in _phrases(table, column):
                    if column not in self._columns[phrase]:
                        self._columns[phrase].append(column)
                for value in column.values:
                    self._values[value.lower()].append((column, value))

    def link(self, question: str) -> list[Link]:
        """Every word of the question, in order, fillers left out."""
        tokens = _tokens(question)
        links: list[Link] = []
        if tokens and tokens[0].word in _OTHER_QUESTIONS and (len(tokens) < 2 or tokens[1].word != "you"):
            links.append(Link(tokens[0].text, "unknown"))
        at = 0
        while at < len(tokens):
            link, taken = self._at(tokens, at)
            if link is not None:
                links.append(link)
            at += taken
        return links

    def _at(self, tokens: Sequence[_Token], at: int) -> tuple[Link | None, int]:
        token = tokens[at]
        if token.kind == "comma":
            return Link(token.text, "comma"), 1
        if token.kind == "number":
            return Link(token.text, "number", number=token.word), 1
        if token.kind == "quoted":
            return self._quoted(token), 1
        for length in range(min(_LONGEST, len(tokens) - at), 0, -1):
            run = tokens[at : at + length]
            if all(t.kind == "word" for t in run) and (link := self._phrase(run)) is not None:
                return link, length
        if token.word in FILLERS:
            return None, 1
        if token.word in _UNITS and at > 0 and tokens[at - 1].word == "in":
            return None, 1
        if token.word in RELATING:
            return Link(token.text, "relation"), 1
        return Link(token.text, "unknown"), 1

    def _quoted(self, token: _Token) -> Link:
        return Link(token.text, "quoted", values=tuple(self._values.get(token.text.lower(), ())))

    def _phrase(self, run: Sequence[_Token]) -> Link | None:
        text = " ".join(t.text for t in run)
        lowered = " ".join(t.word for t in run)
        if len(run) == 1 and lowered in FILLERS:
            return None
        values = self._values.get(lowered, ())
        # a common word counts as a value only as it is written in the data, or when it is nothing else
        if values and (len(run) > 1 or any(v == text for _, v in values) or not self._names(run)):
            return Link(text, "value", values=tuple(values))
        if found := self._names(run):
            return found
        mark = GRAMMAR.get(lowered)
        return Link(text, mark) if mark else None

    def _names(self, run: Sequence[_Token]) -> Link | None:
        words = [w for t in run if t.word not in _INNER for w in t.word.split("_") if w]
        if (
            not words
            or run[0].word in FILLERS
            or run[-1].word in FILLERS
            or any(t.word in FILLERS - _INNER for t in run)
        ):
            return None
        key = _key(words)
        tables, columns = self._tables.get(key, ()), self._columns.get(key, ())
        if not tables and not columns:
            return None
        mark = "table" if tables else "column"
        return Link(" ".join(t.text for t in run), mark, tuple(tables), tuple(columns))


_COUNTING = frozenset({"number", "count", "total", "num", "quantity"})
_UNITS = frozenset(
    {
        "meters",
        "metres",
        "kilometers",
        "miles",
        "feet",
        "dollars",
        "euros",
        "cm",
        "kg",
        "km",
        "kilograms",
        "pounds",
    }
)
_OTHER_QUESTIONS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "when",
        "where",
        "why",
        "should",
        "will",
    ]
)
"""First words of questions for a yes or no, a time, a place or a reason: the rows that the rest would list do not answer them."""
_INNER = frozenset({"of", "the", "a", "an"})


def stem(word: str) -> str:
    """One form for a word and its plural: `courses` and `course`, `cities` and `city`, `ids` and `id`."""
    if word == "ids":
        return "id"
    single = names.singular(word)
    return single[:-1] if len(single) > 4 and single.endswith("e") else single


def _key(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(map(stem, words)))


def _phrases(table: TableContext, column: ColumnContext) -> set[tuple[str, ...]]:
    """The column's own words; with the table's; without a prefix that repeats the table's name; `name` of a table's name."""
    own = [w for w in column.words if w]
    spelled = names.normal(column.name).split()
    found = set()
    first = next((c for c in table.columns if c.key or (c.unique and c.name.lower().endswith("id"))), None)
    if first is column:
        found.add(_key([*table.words, "id"]))
    bare = names.bare(column.name).split()
    counted = [w for w in own if w not in _COUNTING] if column.kind == "number" else []
    for words in (own, spelled, bare, counted):
        if not words:
            continue
        found.add(_key(words))
        found.add(_key([*words, *(w for w in table.words if w not in words)]))
        rest = [w for w in words if w not in table.words]
        if rest and len(rest) < len(words):
            found.add(_key(rest))
    return found


def _tokens(question: str) -> list[_Token]:
    made = []
    for match in _TOKEN.finditer(question):
        *quoted, number, word, comma = match.groups()
        text = next((q for q in quoted if q), None)
        if text is not None:
            made.append(_Token(text, text.lower(), "quoted"))
        elif number:
            made.append(_Token(number, number.replace(",", ""), "number"))
        elif comma:
            made.append(_Token(comma, comma, "comma"))
        else:
            made.append(_Token(word, word.lower().replace("’", "'"), "word"))
    return made
