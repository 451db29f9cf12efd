"""Templates: a query's verbatim text with its literals taken out, and put back.

Identity is the text itself, not a fingerprint: libpg_query's groups queries that differ. Kinds of literals
are part of it (5, 5000000000, 5.0 and '5' are different kinds), and whatever decides meaning without being a
value stays in the text: positions in ORDER BY and GROUP BY, type modifiers, NULL and booleans. Must not know
catalogs; `bind_template` is the only way to the binder.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from pglast.parser import ParseError, scan

from rewright.sql.algebra import Query
from rewright.sql.binder.constants import number_literal
from rewright.sql.catalog import Catalog
from rewright.sql.placeholders import HOLE, KINDS, hole, index_of, sentinel
from rewright.sql.types import SqlType

__all__ = [
    "COMMENTS",
    "Literal",
    "Template",
    "bind_template",
    "fill",
    "literal_spans",
    "split",
    "template_of",
]

Kind = OneOf["i", "l", "n", "s"]
_NUMBER_KINDS: dict[str, Kind] = {"int4": "i", "int8": "l", "numeric": "n"}
_NUMBERS = {"ICONST", "FCONST"}
COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})
# an integer in parentheses behind one of these is a modifier
_TYPE_WORDS = {
    *("NUMERIC", "DECIMAL_P", "DEC", "VARCHAR", "CHAR_P", "CHARACTER", "VARYING", "NCHAR", "BIT"),
    *("TIME", "TIMESTAMP", "INTERVAL", "FLOAT_P", "SECOND_P", "CURRENT_TIME", "CURRENT_TIMESTAMP"),
    *("LOCALTIME", "LOCALTIMESTAMP"),
}
# what ends a list behind BY, at the same depth of parentheses
_AFTER_BY = {
    *("HAVING", "LIMIT", "OFFSET", "FETCH", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "FOR", "ROWS"),
    *("RANGE", "GROUPS", "ASCII_59"),
}
# longer texts are bulk loads rather than queries that come again
MAX_LITERALS = 2000
MAX_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal as written. ``start`` and ``end`` are byte offsets into the UTF-8 text; ``kind``: i, l, n for
    a number the server reads as integer, bigint, numeric; s for a string.
    """

    kind: Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    """``text`` has a hole ``⟦n:kind⟧`` (n from 1), or several, for each of ``literals``; others stand in it
    as they are.
    """

    text: str
    literals: tuple[Literal, ...]

    def fill(self, literals: Sequence[str] | None = None) -> str:
        """The text with literals put in; its own by default."""
        own = [x.text for x in self.literals] if literals is None else literals
        filled = fill(self.text, own)
        assert filled is not None
        return filled


def template_of(text: str, fixed: Collection[int] = (), *, tied: bool = False) -> Template | None:
    """The template of a text; None where none is made: not lexable, too long, or
    holding a hole's brackets. ``fixed``: numbers (from 1) of literals that stay in it. ``tied``: literals
    that are written alike have one number.
    """
    if len(text) > MAX_TEXT or "⟦" in text or "⟧" in text or "\x00" in text:
        return None
    try:
        spans = literal_spans(text, [t for t in scan(text) if t.name not in COMMENTS])
    except ParseError:
        return None
    if spans is None or len(spans) > MAX_LITERALS:
        return None
    parts: list[str] = []
    found: list[Literal] = []
    numbers: dict[tuple[Kind, str], int] = {}
    at = offset = 0
    for number, (start, end, kind) in enumerate(spans, 1):
        if number in fixed:
            continue
        literal = text[start:end]
        offset += len(text[at:start].encode())
        size = len(literal.encode())
        known = numbers.get((kind, literal)) if tied else None
        if known is None:
            found.append(Literal(kind, literal, offset, offset + size))
            known = numbers[kind, literal] = len(found)
        parts += [text[at:start], hole(known, kind)]
        offset += size
        at = end
    return Template("".join([*parts, text[at:]]), tuple(found))


def split(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Template text and literals as written; None when the text has no template."""
    template = template_of(text)
    return None if template is None else (template.text, tuple(x.text for x in template.literals))


def fill(template: str, literals: Sequence[str]) -> str | None:
    """A text with literals in its holes; None when a hole has no literal of its kind.

    Each literal must be one token of its hole's kind: nothing else can get into the text this way.
    """
    kinds = [_kind_of(x) for x in literals]
    parts: list[str] = []
    at = 0
    for found in HOLE.finditer(template):
        n, kind = int(found[1]), found[2]
        if not 1 <= n <= len(literals) or kinds[n - 1] != kind:
            return None
        parts += [template[at : found.start()], _apart(template, found, literals[n - 1])]
        at = found.end()
    return "".join([*parts, template[at:]])


def _apart(template: str, found: re.Match[str], literal: str) -> str:
    """The literal, kept from growing together with its neighbours."""
    before = template[found.start() - 1 : found.start()]
    after = template[found.end() : found.end() + 1]
    # two strings side by side would be one; a quote, a dollar or a letter in front would change the token
    left = " " if before and (before.isalnum() or before in "_$\"'&") else ""
    right = " " if after and (after.isalnum() or after in "_$'.⟦") else ""
    return f"{left}{literal}{right}"


def _kind_of(literal: str) -> Kind | None:
    """The kind of a text that is exactly one literal token, else None."""
    try:
        tokens = scan(literal)
    except ParseError:
        return None
    # nothing before or behind it: blanks and comments would be put into the text as well
    if len(tokens) != 1 or tokens[0].start != 0 or tokens[0].end != len(literal) - 1:
        return None
    return _token_kind(tokens[0].name, literal)


def _token_kind(name: str, literal: str) -> Kind | None:
    if name in _NUMBERS:
        return _NUMBER_KINDS[number_literal(literal)[0]]
    return "s" if name == "SCONST" else None


def literal_spans(text: str, tokens: Sequence[Any]) -> list[tuple[int, int, Kind]] | None:
    """Spans (in characters) of the literals that are values, in order; None where one can't be told by its
    token.

    ``tokens``: pglast's, without comments.
    """
    found: list[tuple[int, int, Kind]] = []
    kept = _Kept()
    for i, token in enumerate(tokens):
        keep = kept.see(token.name)
        literal = text[token.start : token.end + 1]
        kind = _token_kind(token.name, literal)
        if kind is None or (token.name in _NUMBERS and keep):
            continue
        if (
            kind == "l"
            and i
            and tokens[i - 1].name == "ASCII_45"
            and int(number_literal(literal)[1]) == 1 << 31
        ):
            return None  # -2147483648 is an integer though its digits are a bigint
        found.append((token.start, token.end + 1, kind))
    return found


class _Kept:
    """Tells where numbers are positions or modifiers and stay in the text."""

    def __init__(self) -> None:
        self.depth = 0
        self.lists: list[int] = []  # depths at which a BY list or DISTINCT ON is open
        self.modifiers: list[int] = []  # depths of parentheses that hold modifiers
        self.last = ["", "", ""]

    def see(self, name: str) -> bool:
        """Whether a number at this token stays."""
        if name == "ASCII_40":
            self.depth += 1
            if self._opens_modifier():
                self.modifiers.append(self.depth)
            if self.last[-1] == "ON" and self.last[-2] == "DISTINCT":
                self.lists.append(self.depth)
        elif name == "ASCII_41":
            self.depth -= 1
            self.modifiers = [d for d in self.modifiers if d <= self.depth]
            self.lists = [d for d in self.lists if d <= self.depth]
        elif name == "BY":
            self.lists.append(self.depth)
        elif name in _AFTER_BY:
            self.lists = [d for d in self.lists if d < self.depth]
        self.last = [*self.last[1:], name]
        return bool(self.lists or self.modifiers)

    def _opens_modifier(self) -> bool:
        before = self.last[-1]
        return before in _TYPE_WORDS or (before == "IDENT" and self.last[-2] in {"TYPECAST", "AS"})


def bind_template(
    text: str,
    catalog: Catalog,
    *,
    search_path: Sequence[str] = ("public",),
    param_types: Sequence[SqlType | None] = (),
    fixed: Collection[int] = (),
    tied: bool = False,
) -> tuple[Query, Template] | None:
    """The tree of a template: each literal is a Param that prints as its hole again. ``fixed``, ``tied``: see
    `template_of`.

    What is proved about this tree holds for all literals of the kinds. None where the text has no template.
    Raises what `rewright.sql.binder.bind` raises; a text may bind with its literals and not as a template
    (``GROUP BY a + 1`` beside ``a + 1``).
    """
    from rewright.sql.binder import bind

    template = template_of(text, fixed, tied=tied)
    if template is None:
        return None
    # each literal is replaced by a value that occurs nowhere else, which the binder makes a parameter
    marks = {sentinel(n, x.kind): index_of(n, x.kind) for n, x in enumerate(template.literals, 1)}
    if any(mark in text for mark in marks):
        return None
    quoted = [f"'{m}'" if x.kind == "s" else m for m, x in zip(marks, template.literals, strict=True)]
    query = bind(
        template.fill(quoted),
        catalog,
        search_path=search_path,
        param_types=param_types,
        placeholders=marks,
    )
    return query, template


assert set(KINDS) == {"i", "l", "n", "s"}
