"""Names cut to two to four letters: `rd` of `read speed`, `btx` of `beer tax`, `exp` of `expenditure`.

Owns how likely a name was cut to the given letters, and which tables have such names. Must not know meanings:
a list of abbreviations gives each one reading, and `exp` is an experience here, an expenditure there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from rewright.lake import names
from rewright.lake.catalog.model import Table

_SHORTEST, _LONGEST = 2, 4
_CUT = 3
"""Letters up to which a column's name counts as cut where a table's are judged."""
_WHOLE = frozenset(
    {"age", "sex", "day", "id", "key", "tax", "car", "sum", "no", "job", "fee", "war", "row", "gas"}
)
"""Words that short are words."""
_ALL_WORDS, _INITIALS, _BEGINNING, _LETTERS, _TWO, _LOOSE = 0.85, 0.7, 0.8, 0.72, 0.7, 0.6
_QUALIFIER = 0.92
"""What is left where not the head but what qualifies it was kept."""
_ALONE = 0.85
"""What is left where a word was kept that many names end with, and not what it is of."""
_OF_ANYTHING = frozenset({"date", "day", "time", "year", "month", "type", "kind", "code", "price", "unit"})
_LITTLE = frozenset({"of", "the", "a", "an", "in", "on", "at", "for", "by", "and", "with", "to"})
_UNTELLING = frozenset({"name", "total", "number", "count", "value", "amount", "average", "mean"})


@lru_cache(maxsize=1 << 16)
def cut_to(short: str, name: str) -> float:
    """How surely a column's name is what `name` was cut to, 0 to 1."""
    if not (_SHORTEST <= len(short) <= _LONGEST and short.isascii() and short.isalpha()):
        return 0.0
    spelt = {
        tuple(w for w in told.split() if w not in _LITTLE)
        for told in (names.normal(name), names.expanded(name))
    }
    return max((_cut_to(short, words) for words in spelt if words), default=0.0)


def _cut_to(short: str, words: tuple[str, ...]) -> float:
    if short in words:
        return 0.0  # it is a word of its own here
    if len(words) > 1 and _over_all(short, words):
        return _ALL_WORDS if len(short) > len(words) else _INITIALS
    telling = [w for w in words if w not in _UNTELLING] or list(words)
    return max(_of_word(short, w) * _kept(w, telling) for w in telling)


def _kept(word: str, telling: Sequence[str]) -> float:
    if len(telling) > 1 and word in _OF_ANYTHING:
        return _ALONE
    return 1.0 if word == telling[-1] else _QUALIFIER


def _of_word(short: str, word: str) -> float:
    if len(word) <= len(short) or short[0] != word[0]:
        return 0.0
    if word.startswith(short):
        return _BEGINNING if len(short) > _SHORTEST else _TWO
    # who cuts letters out keeps consonants
    if set(short[1:]) & set("aeiou") or not _in_order(short, word):
        return 0.0
    if len(short) > _SHORTEST:
        return _LETTERS
    # two letters: the first, and the next consonant or the last one
    kept = [ch for ch in word[1:] if ch not in "aeiou"]
    return _TWO if short[1] in {kept[0], kept[-1]} else _LOOSE


def _over_all(short: str, words: Sequence[str]) -> bool:
    """Does each word give its first letter, and perhaps some of its others after it, in order?"""
    if not words:
        return not short
    first, rest = words[0], words[1:]
    return any(
        short[0] == first[0] and _in_order(short[:n], first) and _over_all(short[n:], rest)
        for n in range(1, len(short) - len(rest) + 1)
    )


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def cut_names(table: Table) -> dict[str, str]:
    """Column → its letters, in a table of which at least half the columns are named by three letters or
    fewer; empty for others.
    """
    told = {c.name: names.normal(c.name) for c in table.columns}
    cut = [t for t in told.values() if len(t) <= _CUT and t not in _WHOLE]
    # one short name among long ones is a word
    if len(cut) < 2 or 2 * len(cut) < len(told):
        return {}
    return {name: t for name, t in told.items() if len(t) <= _LONGEST and t not in _WHOLE and t.isalpha()}


def letters_of(tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """(letters, table) of all columns of tables that are named by letters."""
    for table in tables:
        for letters in dict.fromkeys(cut_names(table).values()):
            yield letters, table.name
