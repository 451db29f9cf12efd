"""The blocks (SELECTs) of a pair of terms: their numbers, what they own, and which of the answer's belong to
which of the question's.

Owns reading and rebuilding of terms by block. Must not know patterns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rewright.knowledge.patterns.terms import Term, Var, mapped, renamed, walk

# what has an alias of its own in FROM
OWN = {"Table", "Sub"}


def numbered_blocks(root: Term, first: int) -> Term:
    """Each block with a number of its own, the outermost ``first``."""
    # by identity: two equal blocks are two
    order = {id(t): n for n, t in enumerate(t for t in walk(root) if t.kind == "Block")}

    def visit(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(visit(part) for part in node)
        if not isinstance(node, Term):
            return node
        made = Term(node.kind, tuple((name, visit(value)) for name, value in node.fields))
        return made.put(number=first + order[id(node)]) if node.kind == "Block" else made

    numbered: Term = visit(root)
    return numbered


def blocks_of(root: Term) -> dict[int, Term]:
    return {t.get("number"): t for t in walk(root) if t.kind == "Block"}


def root_blocks(root: Term) -> list[int]:
    """The block at the top, or those of a set operation there."""
    if root.kind == "Block":
        return [root.get("number")]
    # a set operation's arms are both at the top
    return [
        n
        for side in ("larg", "rarg")
        if isinstance(root.get(side), Term)
        for n in root_blocks(root.get(side))
    ]


def other_roots(root: Term) -> Iterator[Term]:
    if root.kind != "Block":
        yield root


def rebuilt(root: Term, blocks: Mapping[int, Term]) -> Term:
    """The tree with each block's own fields as in ``blocks``, from the inside out."""

    def visit(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(visit(part) for part in node)
        if not isinstance(node, Term):
            return node
        if node.kind == "Block":
            node = blocks[node.get("number")]
        return Term(node.kind, tuple((name, visit(value)) for name, value in node.fields))

    made: Term = visit(root)
    return made


def own_aliases(block: Term) -> set[str]:
    found = set()
    for item in (*block.get("items", ()), *(left.get("item") for left in block.get("lefts", ()))):
        found |= {t.get("alias") for t in _shallow(item) if t.kind in OWN}
    return found


def _shallow(item: Term) -> Iterator[Term]:
    """A FROM item and those below its joins, not what is inside derived tables."""
    yield item
    if item.kind == "JoinExpr":
        for name in ("larg", "rarg"):
            yield from _shallow(item.get(name))


def partners_of(
    before: Mapping[int, Term], after: Mapping[int, Term], copies: Mapping[str, str]
) -> dict[int, list[int]]:
    """For each block of the question the blocks of the answer that read a range variable of it."""
    own = {n: {copies.get(a, a) for a in own_aliases(block)} for n, block in after.items()}
    return {n: [m for m in after if own[m] & own_aliases(block)] for n, block in before.items()}


def apart(before: Term, after: Term) -> Term:
    """The answer with range variables called otherwise whose names mean something else in the question."""
    old = {t.get("alias"): t.get("name") for t in walk(before) if t.kind in OWN}
    new = {t.get("alias"): t.get("name") for t in walk(after) if t.kind in OWN}
    changes = {alias: f"{alias}new" for alias, name in new.items() if old.get(alias, name) != name}
    apart: Term = renamed(after, changes)
    return apart


def aligned(before: Term, after: Term) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """How the answer's range variables are called in the question; further copies; those it does not have."""
    old = {t.get("alias"): t.get("name") for t in walk(before) if t.kind in OWN}
    new = {t.get("alias"): t.get("name") for t in walk(after) if t.kind in OWN}
    tables = Counter(old.values())
    primary: dict[str, str] = {}
    copies: dict[str, str] = {}
    fresh: list[str] = []
    # names that both have first, so that a copy called otherwise is the further one
    for alias, table in sorted(new.items(), key=lambda pair: (pair[0] not in old, pair[0])):
        base = re.sub(r"_\d+$", "", alias)
        same = [o for o in old if old[o] == table]
        if alias in same:
            of = alias
        elif base in same:
            # a number at the end was put there by the printer
            of = base
        # the only one of its table in the question
        elif table is not None and tables[table] == 1:
            of = same[0]
        else:
            fresh.append(alias)
            continue
        if of in primary.values():
            # a second range variable for one that has its partner already
            copies[alias] = of
        else:
            primary[alias] = of
    return {a: o for a, o in primary.items() if a != o}, copies, [*fresh, *copies]


def table_names(root: Term) -> Iterator[str]:
    return (t.get("name") for t in walk(root) if t.kind == "Table")


def without(root: Term, aliases: set[str]) -> Term:
    def change(term: Term) -> Term:
        if term.kind != "Block":
            return term
        return term.put(items=tuple(i for i in term.get("items") if i.get("alias") not in aliases))

    made: Term = mapped(root, change)
    return made


def owners_of(root: Term) -> dict[int, Any]:
    """For each block that is the body of a derived table or CTE (or an arm of it)
    who owns its column names.
    """
    found: dict[int, Any] = {}
    for term in walk(root):
        body = None
        owner: Any = None
        if term.kind == "Sub":
            body, owner = term.get("query"), ("sub", term.get("alias"))
        elif term.kind == "CommonTableExpr":
            body, owner = term.get("ctequery"), term.get("ctename")
        # the left arm names a set operation's columns
        while isinstance(body, Term) and body.kind == "SelectStmt" and body.get("larg") is not None:
            body = body.get("larg")
        if isinstance(body, Term) and body.kind == "Block":
            found[body.get("number")] = owner
    return found


def constants_in(root: Term) -> set[str]:
    return {t.get("sql") for t in walk(root) if t.kind == "Const"}


def variables_in(root: Any) -> set[Var]:
    found: set[Var] = set()
    for term in walk(root):
        stack = [value for _, value in term.fields]
        while stack:
            value = stack.pop()
            if isinstance(value, Var):
                found.add(value)
            elif isinstance(value, tuple):
                stack.extend(value)
    return found
