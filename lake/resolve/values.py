"""Looks up whether a value that the user wrote occurs in a column, and if not, which value was meant.

Owns matching of one literal against a column's values. Must not know queries or mappings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz import fuzz, process

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex, code_like
from rewright.lake.noise.months import month_of
from rewright.lake.noise.values import fold, truth
from rewright.lake.resolve.vocabulary import same_thing

# so many values are all compared by vectors; of more only those that letters bring near
_EMBED_ALL = 32
_PARTIAL = frozenset({"part of it", "shortened"})
# how near a rival has to be, and what is left to a match with one: not enough to be taken
_NEAR, _UNSURE = 0.08, 0.5
_EMBED_CLOSEST = 12
_SPELT_MOST, _SPELT_LEAST = 200, 4
"""Values of a column, and letters of a literal, up to and from which spelling is compared in any column."""
# a list of more short words is not a list of codes
_CODES_TOLD = 40
_EACH_ONCE = 0.9
"""Uniqueness of what stands beside each code, and of the codes of one list."""
_LIST_COLUMNS, _OF_WHAT = 4, 0.5
"""Columns that a list of codes has at most; uniqueness of the one that says of what each code is."""
# words that a bare number may stand for: the `1st` of classes, not the 747 of aeroplanes
_COUNTED = frozenset(
    {
        "class",
        "grade",
        "quarter",
        "q",
        "floor",
        "level",
        "degree",
        "division",
        "round",
        "place",
        "stage",
        "tier",
        "cylinder",
        "cylinders",
        "door",
        "doors",
    }
)
SURE = 0.55
"""From this score on a value is taken for what was meant."""
_CARDINALS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_MONTHS = {short: str(i + 1) for i in range(12) for short in (f"{i + 1:02d}", str(i + 1))}


@dataclass(frozen=True, slots=True)
class Match:
    """A value of the column, how well it fits (1 = as written), and why."""

    value: str
    score: float
    how: str


class ValueMatcher:
    """Matches literals to column values, remembering answers."""

    def __init__(self, index: LakeIndex, *, semantic: bool = True) -> None:
        self._index = index
        self._semantic = semantic
        self.beside: Callable[[str, str, str, str], list[str]] | None = None
        self._places: dict[str, list[tuple[str, str]]] = {}
        self._texts: dict[tuple[str, str], frozenset[str]] = {}
        self._seen: dict[tuple[tuple[str, str], str], Match | None] = {}
        self._plain: dict[tuple[str, str], frozenset[str]] = {}

    def best(self, column: Column, literal: str) -> Match | None:
        """The value meant by `literal`, or None."""
        key = (column.key, literal)
        if key not in self._seen:
            self._seen[key] = self._search(column, literal)
        return self._seen[key]

    def translated(self, column: Column, literal: str) -> Match | None:
        """The value that a table holds beside the literal: the text `3` of `overdue`."""
        return self._through(column, literal, {value for value, _ in self._index.cleaned(column)})

    def spelt(self, column: Column, literal: str) -> bool:
        """Does a column of few values hold the literal, apart from case, blanks and punctuation? Cheap."""
        told = _plain(literal)
        # few letters of a long literal are found in any text
        if column.distinct > _SPELT_MOST or len(told) < _SPELT_LEAST:
            return False
        if column.key not in self._plain:
            self._plain[column.key] = frozenset(_plain(value) for value, _ in self._index.cleaned(column))
        return told in self._plain[column.key]

    def ranked(self, column: Column, literal: str, top: int = 3) -> list[Match]:
        """The closest values, best first, however far."""
        values = [value for value, _ in self._index.cleaned(column)]
        scored = sorted((self._score(value, literal) for value in values), key=lambda m: (-m.score, m.value))[
            : max(top, _EMBED_CLOSEST)
        ]
        # more of them than are wanted get vectors, which may change the order
        return sorted(self._embedded(scored, literal), key=lambda m: (-m.score, m.value))[:top]

    def _search(self, column: Column, literal: str) -> Match | None:
        counts = self._index.cleaned(column)
        values = [value for value, _ in counts]
        if literal in set(values):
            return Match(literal, 1.0, "as written")
        # `2` where all values are `Phase 1`, `Phase 2`, ..
        if (alike := _numbered_alike(values).get(literal)) is not None:
            return Match(alike, 0.9, "number behind one word")
        scored = [self._score(value, literal) for value in values]
        best = max(scored, key=lambda m: m.score, default=None)
        # Good enough by its letters: the vectors, which cost far more, are not asked.
        # 0.8 is what rules give that do not guess
        if best is not None and best.score >= 0.8:
            return best
        if best is not None and best.how in _PARTIAL and _rivalled(best, scored):
            # `P` may be Penguin or Pearson
            scored = [replace(m, score=min(m.score, _UNSURE)) if m.how in _PARTIAL else m for m in scored]
            best = max(scored, key=lambda m: m.score)
            values = [m.value for m in scored if m.how not in _PARTIAL]
        # a table that holds both spellings knows better than letters
        if (found := self._through(column, literal, {value for value, _ in counts})) is not None:
            return found
        if (coded := _coded(values, literal)) is not None:
            return Match(coded, 0.6, "code")
        if self._semantic and values:
            near = self._shortlist(values, literal)
            told = [m for m in (best,) if m is not None]
            near_ones = self._embedded([self._score(v, literal) for v in near], literal)
            best = max((*told, *near_ones), key=lambda m: m.score)
        # under this a match says nothing, not even in the order of suggestions
        return best if best is not None and best.score >= 0.3 else None

    def decoded(self, column: Column, literal: str) -> Match | None:
        """The code that a list of codes has beside the literal, for a column of nothing but such codes, whose
        name need not speak for it. Cheap.
        """
        if column.distinct > _CODES_TOLD or not code_like(column):
            return None
        held = {value for value, _ in self._index.cleaned(column)}
        return self._through(column, literal, held, lists_only=True)

    def _through(
        self, column: Column, literal: str, held: set[str], *, lists_only: bool = False
    ) -> Match | None:
        """Translate by a table that holds the literal beside a value of the column (`Brazil` → `BRA`)."""
        if self.beside is None or column.family not in {Family.TEXT, Family.INTEGER} or not held:
            return None
        for table, name in self._explained(literal):
            if table == column.table or (lists_only and not self._is_list(table, held)):
                continue
            for other in self._index.tables[table].columns:
                if other.name == name or not self._may_be_code(other, column):
                    continue
                shared = len(held & self._texts_of(other))
                # most of the column's values stand there: they are its codes
                if shared >= max(3, 0.5 * len(held)) and (not lists_only or shared == len(held)):
                    found = [told for told in self.beside(table, name, other.name, literal) if told in held]
                    # of several lists in one it is not known which is meant
                    if len(found) == 1:
                        return Match(found[0], 0.85, f"through {table}")
        return None

    def _explained(self, literal: str) -> list[tuple[str, str]]:
        """Columns (table, name) that hold the literal and hardly any value twice, as what codes stand for."""
        if literal not in self._places:
            found = []
            # places of a value beyond those are a value that stands everywhere
            for table, name, _ in self._index.where(literal)[:40]:
                entry = self._index.tables[table].column(name)
                # A union only repeats what its parts hold; who translates has one row for each value.
                if table not in self._index.unions and entry is not None and entry.uniqueness >= _EACH_ONCE:
                    found.append((table, name))
            self._places[literal] = found
        return self._places[literal]

    def _may_be_code(self, other: Column, column: Column) -> bool:
        """Could a column beside the literal hold a column's codes? Where all codes of a lake are in one list,
        with a column that says of what they are, some of them stand there twice.
        """
        if other.family is not Family.TEXT and other.family is not column.family:
            return False
        beside = self._index.tables[other.table].columns
        return other.uniqueness >= _EACH_ONCE or (
            len(beside) <= _LIST_COLUMNS
            and (code_like(other) or other.numeral)
            and any(c is not other and c.family is Family.TEXT and c.uniqueness <= _OF_WHAT for c in beside)
        )

    def _is_list(self, table: str, held: set[str]) -> bool:
        told = self._index.tables[table]
        return len(told.columns) <= _LIST_COLUMNS and len(held) > 1

    def _texts_of(self, column: Column) -> frozenset[str]:
        if column.key not in self._texts:
            self._texts[column.key] = frozenset(value for value, _ in self._index.values(column).counts)
        return self._texts[column.key]

    def _shortlist(self, values: list[str], literal: str) -> list[str]:
        if len(values) <= _EMBED_ALL:
            return values
        close = process.extract(literal, values, scorer=fuzz.WRatio, limit=_EMBED_CLOSEST)
        return [value for value, _, _ in close]

    def _embedded(self, matches: list[Match], literal: str) -> list[Match]:
        """Raise scores by meaning."""
        if not self._semantic or not matches:
            return matches
        embedder = self._index.embedder
        # 48 letters of a value tell what it is, and long texts cost time
        vectors = embedder.embed([names.normal(m.value)[:48] for m in matches])
        # of the literal more: it is one, and the longer it is the more it says
        sims = vectors @ embedder.one(names.normal(literal)[:120])
        out = []
        for match, sim in zip(matches, sims, strict=True):
            # Vectors of any two words are a quarter alike; from there the scale of the other scores is met.
            score = (float(sim) - 0.25) * 1.1
            out.append(Match(match.value, score, "meaning") if score > match.score else match)
        return out

    @staticmethod
    def _score(value: str, literal: str) -> Match:
        a, b = _read(value), _read(literal)
        if a.folded == b.folded:
            return Match(value, 0.97, "case, blanks or diacritics")
        if a.plain and a.plain == b.plain:
            return Match(value, 0.94, "punctuation")
        if a.truth is not None and a.truth == b.truth:
            return Match(value, 0.9, "truth value")
        if a.sign is not None and a.sign == b.sign:
            return Match(value, 0.9, "sign")
        if a.ordinal is not None and a.ordinal == b.ordinal:
            return Match(value, 0.9, "number word")
        if a.month == b.month:
            return Match(value, 0.9, "month")
        if same_thing(a.folded, b.folded):
            return Match(value, 0.88, "another word for it")
        if _initials(a, b) or _initials(b, a):
            return Match(value, 0.82, "initials")
        if _partly_initials(a.words, b.words) or _partly_initials(b.words, a.words):
            return Match(value, 0.8, "initials")
        if _numbered(a.numbered, b.numbered):
            return Match(value, 0.8, "number word")
        if a.singulars == b.singulars:
            return Match(value, 0.9, "singular and plural")
        # no rule says that they are one: the letters are counted
        ratio = fuzz.ratio(a.folded, b.folded) / 100.0
        score, how = (
            (0.55 + (ratio - 0.8) * 2.0, "spelling")
            # short texts differ by one letter and mean something else
            if ratio > 0.8 and min(len(a.folded), len(b.folded)) >= 4
            else (ratio * 0.4, "spelling")
        )
        shorter, longer = sorted((a, b), key=lambda text: len(text.folded))
        if len(shorter.folded) >= 3 and _within(shorter.folded, longer.folded):
            part = 0.6 + 0.2 * len(shorter.folded) / len(longer.folded)
            score, how = max((score, how), (part, "part of it"))
        elif _shortened(shorter, longer):
            score, how = max((score, how), (0.62 if len(shorter.folded) > 1 else 0.6, "shortened"))
        # never above texts that differ in punctuation alone
        return Match(value, min(score, 0.93), how)


def _numbered_alike(values: Sequence[str]) -> dict[str, str]:
    """`Phase 1`, `Phase 2` by their numbers, where all of a column's values are one word and a number.

    >>> _numbered_alike(["Phase 1", "Phase 2"])
    {'1': 'Phase 1', '2': 'Phase 2'}
    """
    # zeros in front do not count, so that `1` finds `Phase 01`
    told = [re.fullmatch(r"([^\W\d_]+)[\s.-]*0*(\d+)", value.strip()) for value in values]
    found = {m[2]: m[0] for m in told if m is not None}
    words = {m[1].lower() for m in told if m is not None}
    # all values must be so, of one word, and differ in their numbers
    return found if len(found) == len(values) > 1 and len(words) == 1 else {}


def _rivalled(best: Match, scored: list[Match]) -> bool:
    """Does another value contain, or begin with, what was asked for about as well?"""
    # one of them is the best itself
    return sum(m.how in _PARTIAL and m.score >= best.score - _NEAR for m in scored) > 1


_SIGNS = {"+": "+", "positive": "+", "pos": "+", "-": "-", "−": "-", "negative": "-", "neg": "-"}
"""What findings are told by."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a text is compared by, made once: folded; without punctuation; as truth value, sign, number,
    month; its words.
    """

    folded: str
    plain: str
    truth: bool | None
    sign: str | None
    ordinal: int | None
    month: str
    words: tuple[str, ...]
    singulars: tuple[str, ...]
    numbered: tuple[int, list[str]] | None


# a value is compared with each literal, and a literal with each value
@lru_cache(maxsize=1 << 16)
def _read(text: str) -> _Read:
    folded = fold(text)
    return _Read(
        folded,
        _plain(text),
        truth(text),
        _SIGNS.get(text.strip().lower()),
        _ordinal(folded),
        str(month) if (month := month_of(folded)) is not None else _MONTHS.get(folded, folded),
        tuple(w for w in re.split(r"[\W_]+", folded) if w),
        tuple(names.singular(w) for w in folded.split()),
        _number_and_words(folded),
    )


def _within(short: str, long: str) -> bool:
    """Does the shorter text stand in the longer as whole words?"""
    return short in long and re.search(rf"\b{re.escape(short)}\b", long) is not None


def _ordinal(text: str) -> int | None:
    """`four`, `4`, `4th`, `fourth` → 4; Roman numerals are left alone."""
    if (match := re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th|\.)?", text)) is not None:
        return int(match[1])
    for words in (_CARDINALS, _ORDINALS):
        if text in words:
            return words.index(text)
    return None


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(text))


def _partly_initials(short: Sequence[str], long: Sequence[str]) -> bool:
    """`lg glioma` of `low grade glioma`: of two words or more one is the initials of several, the others are
    the same.
    """
    # the words must be fewer than the others, so that one stands for several
    if not 2 <= len(short) < len(long) or not set(short) & set(long):
        return False
    # just one word is initials; two of them could be parted in several ways
    runs = [i for i, word in enumerate(short) if word not in long]
    if len(runs) != 1 or len(short[runs[0]]) < 2:
        return False
    at, letters = runs[0], short[runs[0]]
    spoken = long[at : at + len(letters)]
    whole = [*short[:at], *spoken, *short[at + 1 :]]
    return whole == list(long) and letters == "".join(word[0] for word in spoken)


def _initials(short: _Read, long: _Read) -> bool:
    if len(long.words) < 2 or not 2 <= len(short.folded) <= 12:
        return False
    told = re.sub(r"[.&/ ]", "", short.folded)
    # a single letter fits too much, and nobody has seven initials
    if not 2 <= len(told) <= 6:
        return False
    full = "".join(w[0] for w in long.words)
    main = "".join(w[0] for w in long.words if w not in {"of", "the", "and", "de", "for"})
    # `us` of `united states of america`, `jfk` of `john f kennedy international`
    # the beginning is enough where the rest is at most as long again
    return told in {full, main} or (len(told) < len(main) <= 2 * len(told) and main.startswith(told))


def _coded(values: list[str], literal: str) -> str | None:
    """`GK` of `goalkeeper` among GK, DF, MF, FW: the one code whose letters stand in the word in order, from
    its first on; of several words each gives its first letter at least.
    """
    codes = [v for v in values if 2 <= len(v) <= 4 and v.isalpha() and v.isupper()]
    # few codes of capitals, nearly nothing else, and a literal that is no code itself
    if not 2 <= len(codes) <= _CODES_TOLD or len(codes) < 0.8 * len(values) or len(literal) < 5:
        return None
    words = _read(literal).words
    found = [code for code in codes if words and _of_words(code.lower(), words)]
    return found[0] if len(found) == 1 else None


def _of_words(code: str, words: Sequence[str]) -> bool:
    """Can the code be parted so that each word gives its first letter and, in order, the rest of a part?
    `nc` and not `ne` is of `north central`.
    """
    if not words:
        return not code
    # at least one letter is left for each further word
    sizes = range(1, len(code) - len(words) + 2)
    return code[:1] == words[0][:1] and any(
        _in_order(code[:n], words[0]) and _of_words(code[n:], words[1:]) for n in sizes
    )


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _shortened(short: _Read, long: _Read) -> bool:
    """`carni` of `carnivore`, `blk` of `black`, `rom-com` of `romantic comedy`: each word a beginning or a
    skeleton.
    """
    if len(short.words) != len(long.words) or not short.words:
        return False
    a, b = short.folded, long.folded
    # of a long word all but perhaps the last letter must be the other's beginning
    # the last letter may be an inflection: `carnivora` of `carnivore`
    if len(short.words) == 1 and len(a) > 4 and not b.startswith(a[: max(4, len(a) - 1)]):
        return False
    # a short form of a long word has half its letters, or five
    return all(
        x == y
        or y.startswith(x)
        or (len(x) >= 4 and y.startswith(x[:-1]) and len(y) <= len(x) + 4)
        or (len(x) >= 3 and names.skeleton_of(x, y))
        for x, y in zip(short.words, long.words, strict=True)
    ) and (len(a) <= 4 or 2 * len(a) >= len(b) or len(a) >= 5)


def _numbered(one: tuple[int, list[str]] | None, two: tuple[int, list[str]] | None) -> bool:
    """`first quarter` and `q1`, `grade 10` and `10th grade`: one number, and nothing else that differs."""
    if one is None or two is None or one[0] != two[0]:
        return False
    left, right = one[1], two[1]
    if not left or not right:
        # `first class` and `1st`; not `boeing 747` and `747`
        return all(w in _COUNTED for w in (*left, *right))
    return len(left) == len(right) and all(
        # words in their order, each the other's beginning: `q` and `quarter`
        x.startswith(y) or y.startswith(x)
        for x, y in zip(left, right, strict=True)
    )


def _number_and_words(text: str) -> tuple[int, list[str]] | None:
    found: list[int] = []
    rest: list[str] = []
    for word in re.findall(r"\d+(?:st|nd|rd|th)?\b|\d+|[^\W\d_]+", text):
        number = _ordinal(word)
        if number is not None:
            found.append(number)
        else:
            rest.append(word)
    # of several numbers none is the one that tells
    return (found[0], rest) if len(found) == 1 else None
