"""Marks in a query's text, by which the nodes of two parsers' trees are known to be the same.

The resolver works on sqlglot's tree, whose nodes are its author's reading of a dialect: printed again,
`x::numeric` is a DECIMAL(18,3) and `timestamptz(0)` has lost its digits. So columns, literals that are
compared and SELECTs are marked in the text before sqlglot reads it; what the resolver put in the place of a
mark is put into PostgreSQL's tree of the same text (`own_tree`).

Owns the marks. Must not know what is put.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import parse_sql_json, scan
from sqlglot import exp

from rewright.lake.resolve.words_kept import LEAF, SELECT
from rewright.sql.parsing import TooDeep, parse

_COMPARED = frozenset({"=", "<>", "<", ">", "<=", ">=", "~~", "!~~", "~~*", "!~~*", "BETWEEN", "NOT BETWEEN"})


def is_select(query: str) -> bool:
    """Is it one SELECT by PostgreSQL's grammar?"""
    try:
        statements = parse(query)
    except (PglastError, TooDeep, RecursionError):
        return False
    return len(statements) == 1 and isinstance(statements[0].stmt, ast.SelectStmt)


def marked(query: str) -> str | None:
    """The query with its marks. None: PostgreSQL's grammar does not know it, or there is nothing to mark."""
    # A query with our marks in it, by chance or on purpose, could not be told from a marked one.
    # names that nobody writes; a query with one is left alone rather than misread
    if LEAF in query or SELECT in query:
        return None
    try:
        # the length and depth of the query are limited there
        parse(query)
        tree = json.loads(parse_sql_json(query))
        tokens: list[Any] = list(scan(query))
    except (PglastError, TooDeep, RecursionError):
        return None
    if len(tree.get("stmts", ())) != 1:
        return None
    selects, leaves, subscripted = _places(tree, query.encode(), tokens)
    # nothing to mark: no SELECT with a list
    if not selects:
        return None
    # at one place, the mark of the SELECT comes first, and what ends there before what begins
    inserted = [(place, 1, f"{SELECT}{i}(), ") for i, place in enumerate(selects)]
    for i, (start, end) in enumerate(leaves):
        # `f(x)[1]` is no expression, `(f(x))[1]` is one
        before, behind = ("(", "))") if start in subscripted else ("", ")")
        inserted += [(start, 2, f"{before}{LEAF}{i}("), (end, 0, behind)]
    parts, at = [], 0
    for place, _, told in sorted(inserted):
        parts += [query[at:place], told]
        at = place
    return "".join([*parts, query[at:]])


def _places(tree: Any, text: bytes, tokens: list[Any]) -> tuple[list[int], list[tuple[int, int]], set[int]]:
    """Where the items of select lists begin, where columns and compared literals are, and where those columns
    begin that have subscripts, in characters.
    """
    starts = [token.start for token in tokens]
    selects: list[int] = []
    leaves: list[tuple[int, int]] = []
    subscripted: set[int] = set()
    stack: list[Any] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += item
        # without recursion, as a condition may be as deep as it is long
        if not isinstance(item, dict):
            continue
        stack += item.values()
        targets = item.get("targetList")
        # a SELECT of its own: lists of UPDATE have no `op`, and set operations no list
        if targets and "op" in item:
            selects.append(_characters(text, targets[0]["ResTarget"].get("location", 0)))
        # a star names no column, and is expanded by nobody here
        if (column := item.get("ColumnRef")) is not None and "A_Star" not in column["fields"][-1]:
            first = bisect_left(starts, _characters(text, column.get("location", 0)))
            # `a.b.c` is five tokens with its points
            leaves.append((starts[first], tokens[first + 2 * len(column["fields"]) - 2].end + 1))
        if (indirection := item.get("A_Indirection")) is not None and (
            of := indirection["arg"].get("ColumnRef")
        ) is not None:
            subscripted.add(_characters(text, of.get("location", 0)))
        if (compared := item.get("A_Expr")) is not None:
            leaves += [_literal(text, place, starts, tokens) for place in _literals(compared)]
    return selects, leaves, subscripted


# PostgreSQL counts bytes, Python characters
def _characters(text: bytes, place: int) -> int:
    return len(text[:place].decode())


def _literal(text: bytes, place: int, starts: list[int], tokens: list[Any]) -> tuple[int, int]:
    first = bisect_left(starts, _characters(text, place))
    # `-3` is one literal of two tokens
    last = first + (tokens[first].name in {"ASCII_45", "ASCII_43"})
    return starts[first], tokens[last].end + 1


def _literals(compared: Any) -> Iterator[int]:
    """The places of literals that a comparison compares with."""
    # only comparisons have literals that may be corrected
    if compared["name"][-1]["String"]["sval"] not in _COMPARED:
        return
    sides = [compared.get("lexpr"), compared.get("rexpr")]
    for side in sides:
        listed = side.get("List", {}).get("items", ()) if side else ()
        for one in [side, *listed]:
            if one is None:
                continue
            cast = one.get("TypeCast")
            literal = (cast["arg"] if cast is not None else one).get("A_Const")
            # NULL compares with nothing that could be spelt otherwise
            if literal is None or literal.get("isnull"):
                continue
            place = literal.get("location", 0)
            # `date '2024-01-01'`: no expression stands behind the type's name
            if cast is None or place < cast["typeName"].get("location", 0):
                yield place


def unmarked(tree: exp.Expression) -> bool:
    """Take the marks off the tree of a marked text, and note them at its nodes. False: one was lost."""
    for node in list(tree.find_all(exp.Anonymous)):
        name = node.name.lower()
        if name.startswith(LEAF) and len(node.expressions) == 1:
            leaf = node.expressions[0]
            leaf.meta["leaf"] = int(name.removeprefix(LEAF))
            # the parentheses that a subscript needed go with the mark
            (node.parent if _is_subscripted(node) else node).replace(leaf)
        elif name.startswith(SELECT):
            select = node.parent
            if not isinstance(select, exp.Select) or select.expressions[0] is not node:
                # another parser's reading of the list: the marks do not fit
                return False
            select.meta["select"] = int(name.removeprefix(SELECT))
            node.pop()
    return True


def _is_subscripted(node: exp.Expression) -> bool:
    """Does a subscript stand behind a mark, which therefore has parentheses of its own?"""
    outer = node.parent
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    return isinstance(node.parent, exp.Paren) and isinstance(outer, exp.Bracket)


# --- what the resolver puts ---------------------------------------------------------------------------


def put(old: exp.Expression, new: exp.Expression) -> None:
    """Replace a node of the client's query: the new one has its mark."""
    carry(old, new)
    old.replace(new)


def carry(old: exp.Expression, new: exp.Expression) -> None:
    """Note that the new node will stand where the old one stands."""
    made(new)
    if "leaf" in old.meta:
        new.meta["leaf"] = old.meta["leaf"]
    elif isinstance(old.unnest(), exp.EQ) and (pair := pair_of(old)) is not None:
        new.meta["pair"] = pair
    elif isinstance(old, exp.Like) and "leaf" in old.expression.meta:
        new.meta["like"] = old.expression.meta["leaf"]


def made(node: exp.Expression) -> exp.Expression:
    """Note that the resolver made the node."""
    node.meta["made"] = True
    return node


def pair_of(node: exp.Expression) -> tuple[int, int] | None:
    """The marks of the two columns that an equality compares."""
    # an equality that is exchanged as a whole is found by its two sides
    inner = node.unnest()
    sides = [side.unnest().meta.get("leaf") for side in (inner.this, inner.args.get("expression")) if side]
    return (sides[0], sides[1]) if len(sides) == 2 and None not in sides else None
