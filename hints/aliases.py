"""Makes the aliases of one statement unique, so that a hint can name each relation.

pg_hint_plan knows no query blocks: an alias that stands in two levels takes a hint twice, or is ambiguous.
Owns the edits of the text: a table's alias is renamed (or given) where it repeats, and with it each reference
that resolves to it. The texts are to be held against each other by the caller (`same_query`): nothing here is
believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pglast
from pglast import ast
from pglast.parser import Token, scan

from rewright.equivalence.prover.prepare import same_tree
from rewright.hints.names import check_name
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import TooDeep, parse

# PostgreSQL cuts longer identifiers off (NAMEDATALEN - 1 bytes)
_LONGEST = 63


@dataclass(eq=False, slots=True)
class _Relation:
    """One range variable; ``node`` None for what is not renamed (derived tables, functions)."""

    name: str
    node: ast.RangeVar | None
    uses: list[int] = field(default_factory=list)  # where the references by this name begin


class _NotUnderstood(Exception):
    """A construct whose names are not followed."""


_Frames = tuple[dict[str, _Relation], ...]


def unique_aliases(text: str) -> str | None:
    """``text`` with every table's alias unique; None when it can't be told how. The text itself if nothing
    repeats.
    """
    try:
        (statement,) = parse(text)
        tokens = scan(text)
        found: list[_Relation] = []
        _Walk(found).select(statement.stmt, ())
    except (pglast.Error, TooDeep, ValueError, RecursionError, _NotUnderstood):
        return None
    edits: list[tuple[int, int, str]] = []
    # taken: every word of the text, so that a new alias hides no column or function either
    taken = {text[t.start : t.end + 1].strip('"').lower() for t in tokens}
    for relation in _to_rename(found):
        name = _fresh(relation.name, taken)
        try:
            edits += _edits(text, tokens, relation, name)
        except _NotUnderstood:
            return None
    # From behind, so that places before an edit stay what they are.
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def same_query(one: str, other: str, catalog: Catalog, search_path: Sequence[str]) -> bool:
    """Whether both texts bind to one tree: they differ in names that nobody outside can see."""
    try:
        first, second = (bind(text, catalog, search_path=search_path) for text in (one, other))
        # bound trees do not hold aliases: renamed, both are one
        return same_tree(first, second)
    except (BindError, Unsupported, RecursionError):
        return False


class _Walk:
    """Names resolved level by level, as PostgreSQL does: the innermost FROM that has the alias."""

    def __init__(self, found: list[_Relation]) -> None:
        self.found = found

    def select(self, node: Any, outer: _Frames) -> None:
        # FOR UPDATE OF names relations by aliases that are not followed here.
        if not isinstance(node, ast.SelectStmt) or node.lockingClause or node.intoClause:
            raise _NotUnderstood
        # a CTE sees the levels around it, not the FROM of its own statement
        for cte in (node.withClause.ctes or ()) if node.withClause else ():
            self.select(cte.ctequery, outer)
        if node.larg is not None:
            self.select(node.larg, outer)
            self.select(node.rarg, outer)
            return
        frame: dict[str, _Relation] = {}
        inner = (*outer, frame)
        # FROM is read whole before any expression: an alias may be used before it is given
        later: list[tuple[Any, _Frames]] = []
        for item in node.fromClause or ():
            self._from_item(item, frame, outer, inner, later)
        for part, frames in later:
            self.visit(part, frames)
        for name in node:
            if name not in {"withClause", "fromClause", "larg", "rarg"}:
                self.visit(getattr(node, name), inner)

    def _from_item(
        self, item: Any, frame: dict[str, _Relation], outer: _Frames, inner: _Frames, later: list[Any]
    ) -> None:
        match item:
            case ast.RangeVar():
                self._add(frame, item.alias.aliasname if item.alias else item.relname, item)
            case ast.JoinExpr(alias=None, join_using_alias=None):
                self._from_item(item.larg, frame, outer, inner, later)
                self._from_item(item.rarg, frame, outer, inner, later)
                later.append((item.quals, inner))
            case ast.RangeSubselect() if item.alias:
                self._add(frame, item.alias.aliasname, None)
                # a derived table sees the items beside it only if it is LATERAL
                later.append((item.subquery, inner if item.lateral else outer))
            case ast.RangeFunction() if item.alias:
                self._add(frame, item.alias.aliasname, None)
                later.append((item.functions, inner))
            case ast.RangeTableSample():
                self._from_item(item.relation, frame, outer, inner, later)
                later.append((item.args, inner))
            case _:
                # an aliased join hides its relations' names behind its own
                raise _NotUnderstood

    def _add(self, frame: dict[str, _Relation], name: Any, node: ast.RangeVar | None) -> None:
        relation = _Relation(str(name), node)
        if relation.name in frame:
            raise _NotUnderstood  # the server refuses it, or schemas tell the two apart
        frame[relation.name] = relation
        self.found.append(relation)

    def visit(self, node: Any, frames: _Frames) -> None:
        if isinstance(node, tuple | list):
            for one in node:
                self.visit(one, frames)
        elif isinstance(node, ast.SelectStmt):
            self.select(node, frames)
        elif isinstance(node, ast.ColumnRef):
            self._reference(node, frames)
        elif isinstance(node, ast.Node):
            for name in node:
                self.visit(getattr(node, name), frames)

    def _reference(self, node: Any, frames: _Frames) -> None:
        # An unqualified column has no alias to change.
        if len(node.fields) < 2:
            return
        name = str(node.fields[0].sval)
        relation = next((frame[name] for frame in reversed(frames) if name in frame), None)
        if relation is not None:
            relation.uses.append(node.location)


def _to_rename(found: Sequence[_Relation]) -> Iterator[_Relation]:
    """Of each repeated name all but one; a derived table or function keeps it, its alias has no place to
    edit.
    """
    times = Counter(relation.name for relation in found)
    fixed = {relation.name for relation in found if relation.node is None}
    kept = set(fixed)
    for relation in found:
        if times[relation.name] > 1 and relation.node is not None:
            if relation.name in kept:
                yield relation
            kept.add(relation.name)


def _fresh(name: str, taken: set[str]) -> str:
    number = 2
    while True:
        ending = f"_{number}"
        # cut by bytes, and never within a character
        stem = name.encode()[: _LONGEST - len(ending)].decode(errors="ignore")
        if (stem + ending).lower() not in taken:
            taken.add((stem + ending).lower())
            return stem + ending
        number += 1


def _edits(
    text: str, tokens: Sequence[Token], relation: _Relation, name: str
) -> Iterator[tuple[int, int, str]]:
    """(start, end, new text) for the alias and each reference."""
    check_name(name)
    written = name if name.isascii() and name.isidentifier() and name.islower() else _quoted(name)
    places = {token.start: at for at, token in enumerate(tokens)}

    def token_at(place: int) -> int:
        at = places.get(place)
        if at is None:
            raise _NotUnderstood
        return at

    table: Any = relation.node
    for use in relation.uses:
        token = tokens[token_at(use)]
        yield token.start, token.end + 1, written
    last = token_at(table.location)

    def word(at: int) -> str:
        return text[tokens[at].start : tokens[at].end + 1] if at < len(tokens) else ""

    # schema.table: the last part is the table's
    while word(last + 1) == ".":
        last += 2
    # `table *`: its children, too
    if word(last + 1) == "*":
        last += 1
    if table.alias is None:
        yield tokens[last].end + 1, tokens[last].end + 1, f" AS {written}"
        return
    alias = last + (2 if word(last + 1).lower() == "as" else 1)
    if alias >= len(tokens):
        raise _NotUnderstood
    yield tokens[alias].start, tokens[alias].end + 1, written


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
