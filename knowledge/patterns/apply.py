"""Applying a pattern: its question is looked for in every place of a query, its answer built of what was
bound.

What comes out is only a proposal. Must not know units, servers or checkers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rewright.knowledge.patterns.constants import derived
from rewright.knowledge.patterns.match import Binding, Matcher
from rewright.knowledge.patterns.pattern import Pattern
from rewright.knowledge.patterns.terms import Term, Var, make, places, renamed, replaced, walk

_ROOTS = {"Block", "SelectStmt"}
# ways to match one pattern in one place that are looked at
_WAYS = 3


class _NotBuilt(Exception):
    """The answer needs what the query does not say."""


def applications(pattern: Pattern, query: Term, keys: Mapping[str, str]) -> Iterator[tuple[Term, Binding]]:
    """Queries in which the pattern was applied once, and what it bound; ``keys``: key columns by table."""
    inner = _expression(pattern)
    for path, here in places(query):
        if here.kind in _ROOTS:
            yield from _at(pattern, query, path, here, keys)
    if inner is not None:
        yield from _everywhere(pattern, inner, query, keys)


def _at(
    pattern: Pattern, query: Term, path: tuple[Any, ...], here: Term, keys: Mapping[str, str]
) -> Iterator[tuple[Term, Binding]]:
    for number, bound in enumerate(Matcher().match(pattern.before, here, {})):
        # a pattern that fits in many ways would make many queries: bounded
        if number >= _WAYS:
            return
        made = _built(pattern, pattern.after, bound, query, keys)
        # nothing changed: no candidate
        if made is not None and (named := _with_names(made, _names(here))) is not None and named != here:
            yield replaced(query, path, named), bound


def _expression(pattern: Pattern) -> tuple[Any, Any] | None:
    """The two expressions of a pattern that changes one expression of a list of columns, and nothing else."""
    before, after = pattern.before, pattern.after
    # a pattern that reads tables has to fit as a block
    if before.kind != "Block" or after.kind != "Block" or before.get("items") or after.get("items"):
        return None
    if before.get("lefts") or after.get("lefts"):
        return None
    old, new = before.get("targets"), after.get("targets")
    if isinstance(old, Term) and isinstance(new, Term) and not before.get("preds") and not after.get("preds"):
        pair = (old.get("those"), new.get("those"))
    elif isinstance(old, Var):
        pair = (before.get("preds"), after.get("preds"))
    else:
        return None
    return (
        (pair[0][0], pair[1][0])
        # one expression for one, and not a variable, which would match anything
        if len(pair[0]) == len(pair[1]) == 1 and isinstance(pair[0][0], Term)
        else None
    )


def _everywhere(
    pattern: Pattern, inner: tuple[Any, Any], query: Term, keys: Mapping[str, str]
) -> Iterator[tuple[Term, Binding]]:
    """The expression replaced in all places where it is found."""
    made, last = query, None
    # the deepest first, so that paths above stay valid
    for path, here in sorted(places(query), key=lambda place: -len(place[0])):
        if here.kind != inner[0].kind:
            continue
        bound = next(Matcher().match(inner[0], here, {}), None)
        new = None if bound is None else _built(pattern, inner[1], bound, query, keys)
        if new is not None and new != here:
            # inner places first: an outer one that holds a changed one stays as it is
            made, last = (replaced(made, path, new), bound) if _at_path(made, path) == here else (made, last)
    if last is not None:
        yield made, last


def _at_path(node: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        node = node[step] if isinstance(node, tuple) else node.get(step)
    return node


# --------------------------------------------------------------------------- building


def _built(pattern: Pattern, answer: Any, bound: Binding, query: Term, keys: Mapping[str, str]) -> Any:
    # aliases of the query that the answer's new ones must not be
    taken = {t.get("alias") for t in walk(query) if t.kind in {"Table", "Sub"}}
    names: dict[str, str] = {}
    for alias in pattern.fresh:
        number = 1
        # a name that the query has not
        while (name := f"{_plain(alias)}{number}") in taken:
            number += 1
        taken.add(name)
        names[alias] = name
    builder = _Builder(pattern, bound, names, keys)
    try:
        made = builder.build(answer, {})
    except _NotBuilt:
        return None
    # a condition of the query without place in the answer would be lost
    return None if builder.untold() else made


def _plain(alias: str) -> str:
    return "".join(c for c in alias if c.isalpha()) or "q"


@dataclass(frozen=True, slots=True)
class _Builder:
    """``names``: what the answer's own range variables are called; ``told``:
    conditions that found a place.
    """

    pattern: Pattern
    bound: Binding
    names: Mapping[str, str]
    keys: Mapping[str, str]
    told: set[tuple[int, int]] = field(default_factory=set)

    def build(self, node: Any, copies: Mapping[str, str], outer: frozenset[Any] = frozenset()) -> Any:
        """``copies``: range variables of the query that have another name where we are; ``outer``: those of
        the blocks around.
        """
        match node:
            case Var():
                return self._value(node, copies)
            case tuple():
                # what a pattern's own range variable is called by, without digits
                return tuple(self.build(part, copies, outer) for part in node)
            case Term(kind="Block"):
                return self._block(node, copies, outer)
            case Term(kind="Derived"):
                return self._derived(node)
            case Term():
                return Term(node.kind, tuple((n, self.build(v, copies, outer)) for n, v in node.fields)).put()
            case _:
                return node

    def _value(self, var: Var, copies: Mapping[str, str]) -> Any:
        if var.sort == "alias":
            if var.key in self.names:
                return self.names[var.key]
        # a key column is the schema's, not the query's
        elif var in self.pattern.keys and var not in self.bound:
            return self._key(var)
        if var not in self.bound:
            raise _NotBuilt
        value = self.bound[var]
        return renamed(value, copies) if isinstance(value, Term | tuple) else value

    def _key(self, var: Var) -> str:
        table = self.bound.get(Var("table", var.key[0]))
        if not isinstance(table, str) or table not in self.keys:
            raise _NotBuilt
        return self.keys[table]

    def _derived(self, node: Term) -> Term:
        known = self.bound.get(node.get("of"))
        # a constant computed from one of the query's: the next month, for instance
        made = derived(known.get("sql"), node.get("how")) if isinstance(known, Term) else None
        if made is None:
            raise _NotBuilt
        return make("Const", sql=made)

    def _block(self, node: Term, copies: Mapping[str, str], outer: frozenset[Any]) -> Term:
        own = self._copied(node)
        copies = {**copies, **own}
        items, lefts = (self.build(node.get(n, ()), copies, outer) for n in ("items", "lefts"))
        # what the pattern left open: further tables and conditions of the block
        for number in node.get("slots", ()):
            more = self.bound.get(("rest", number), ((), (), ()))
            rest = tuple(renamed(part, copies) for part in more)
            items, lefts = (*items, *rest[0]), (*rest[1], *lefts)
        # conditions may only name what is readable where they are put
        readable = frozenset(item.get("alias") for item in items) | {
            t.get("alias") for left in lefts for t in walk(left) if t.kind in {"Table", "Sub"}
        }
        around = outer | readable
        preds = self.build(node.get("preds", ()), copies, around)
        for number in node.get("slots", ()):
            preds = (*preds, *self._conditions(number, readable, readable, copies))
        # conditions of an outer block may also stand inside, where they name something of it
        for number in node.get("inner", ()):
            preds = (*preds, *self._conditions(number, readable, readable | outer, copies))
        fields = {
            name: self.build(value, copies, around)
            for name, value in node.fields
            if name not in {"items", "lefts", "preds", "targets", "number", "slots", "inner", "open"}
        }
        return make(
            "Block",
            items=items,
            lefts=lefts,
            # the same condition may come twice, from pattern and query
            preds=tuple(dict.fromkeys(preds)),
            targets=self._targets(node, copies, around),
            **fields,
        )

    def _conditions(
        self, number: int, own: frozenset[Any], readable: frozenset[Any], copies: Mapping[str, str]
    ) -> Iterator[Any]:
        """Further conditions of a block of the query that can be told where
        ``readable`` range variables are.
        """
        home = self.bound.get(("home", number), frozenset())
        for place, pred in enumerate(self.bound.get(("rest", number), ((), (), ()))[2]):
            used = {t.get("alias") for t in walk(pred) if t.kind == "Col"} & home
            here = {copies.get(alias, alias) for alias in used}
            # all that it names is there, and something of it is this block's own
            if here <= readable and (own == readable or here & own):
                self.told.add((number, place))
                yield renamed(pred, copies)

    def untold(self) -> bool:
        """Whether a condition of the query found no place in the answer."""
        return any(
            key[0] == "rest" and (key[1], place) not in self.told
            for key, rest in self.bound.items()
            if isinstance(key, tuple) and key[0] == "rest"
            for place in range(len(rest[2]))
        )

    def _copied(self, node: Term) -> dict[str, str]:
        """Range variables of the query that this block reads under a name of its own."""
        found = {}
        for item in node.get("items", ()):
            alias = item.get("alias")
            if isinstance(alias, Var) and (original := self.pattern.copies.get(alias.key)) is not None:
                name = self.bound.get(Var("alias", original))
                if name is not None:
                    found[name] = self.names[alias.key]
        return found

    def _targets(self, node: Term, copies: Mapping[str, str], around: frozenset[Any]) -> Any:
        targets = node.get("targets")
        if not (isinstance(targets, Term) and targets.kind == "Targets"):
            return self.build(targets, copies, around)
        there, order = self.bound[("targets", targets.get("of"))]
        made = [renamed(target, copies) for target in there]
        for place, expr in zip(order, targets.get("those"), strict=True):
            made[place] = made[place].put(expr=self.build(expr, copies, around))
        return tuple(made)


def _names(query: Term) -> list[str | None] | None:
    while query.kind == "SelectStmt" and query.get("larg") is not None:
        query = query.get("larg")
    targets = query.get("targets")
    return [t.get("name") for t in targets] if isinstance(targets, tuple) else None


def _with_names(made: Any, names: list[str | None] | None) -> Any:
    """The answer with the question's column names; None where their numbers differ."""
    if names is None or not isinstance(made, Term):
        return None
    # a set operation is named by its left arm
    if made.kind == "SelectStmt" and made.get("larg") is not None:
        left = _with_names(made.get("larg"), names)
        return None if left is None else made.put(larg=left)
    targets = made.get("targets")
    if not isinstance(targets, tuple) or len(targets) != len(names):
        return None
    return made.put(targets=tuple(t.put(name=n) for t, n in zip(targets, names, strict=True)))
