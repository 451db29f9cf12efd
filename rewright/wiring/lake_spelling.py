"""Names written without quotes, as the lake's tables and columns spell them.

PostgreSQL reads ``Sales`` as ``sales``; a file ``Sales.csv`` is meant by both. Owns finding such names in a
text and quoting them. Must not know what the text asks for.
docs/decisions/0572-capital-letters-of-names.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.index import LakeIndex

_NO_NAMES = frozenset({"RESERVED_KEYWORD", "TYPE_FUNC_NAME_KEYWORD", "COL_NAME_KEYWORD"})


def as_spelled(text: str, index: LakeIndex) -> str:
    """The text with names of the lake's as they are written there, where they have capital letters; a column
    is one of a table that the text names.
    """
    try:
        tokens: list[Any] = list(scan(text))
    except PglastError:
        return text
    words = dict(_words(text, tokens))
    in_quotes = (text[token.start + 1 : token.end] for token in tokens if text[token.start] == '"')
    spelled = _spellings([*words.values(), *in_quotes], index)
    parts, behind = [], 0
    for i, word in words.items():
        real = spelled.get(word.lower())
        if real is None:
            continue
        parts += [text[behind : tokens[i].start], quoted(real)]
        behind = tokens[i].end + 1
    return "".join([*parts, text[behind:]])


def _words(text: str, tokens: list[Any]) -> Iterator[tuple[int, str]]:
    """Unquoted words that are no function, no type and no key word of the grammar, by their place."""
    for i, token in enumerate(tokens):
        word = text[token.start : token.end + 1]
        if token.kind in _NO_NAMES or not (word[:1].isalpha() or word[:1] == "_"):
            continue
        before = tokens[i - 1].name if i else ""
        after = tokens[i + 1].name if i + 1 < len(tokens) else ""
        # f(...) is a call, date '...' a literal, x::date a cast
        if after not in {"ASCII_40", "SCONST"} and before != "TYPECAST":
            yield i, word


def _spellings(words: Iterable[str], index: LakeIndex) -> dict[str, str]:
    """Name in lower case -> as it is written; none where two are written differently."""
    tables = {table.name: table for word in words if (table := index.table(word)) is not None}
    names = {*tables, *(column.name for table in tables.values() for column in table.columns)}
    found: dict[str, set[str]] = {}
    for name in names:
        found.setdefault(name.lower(), set()).add(name)
    return {lower: next(iter(told)) for lower, told in found.items() if len(told) == 1 and told != {lower}}
