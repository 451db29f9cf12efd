"""Matching a pattern's question against a query's term: one-sided unification, FROM items and conjuncts as
bags.

What a block of the query has beyond the pattern's is bound to the block's slot. Work is bounded: a matcher
that has looked at too many nodes gives up. Must not know units, servers or costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rewright.knowledge.patterns.terms import Term, Var, walk

Binding = Mapping[Any, Any]
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>", "+": "+", "*": "*"}
_NOT_EXPRESSIONS = {
    "Block",
    "SelectStmt",
    "Table",
    "Sub",
    "Target",
    "Left",
    "JoinExpr",
    "TypeName",
    "String",
    "List",
}
LIMIT = 20_000


@dataclass(slots=True)
class Matcher:
    """One pattern against one query. ``steps`` counts nodes looked at."""

    limit: int = LIMIT
    steps: int = 0

    def match(self, pattern: Any, term: Any, bound: Binding) -> Iterator[Binding]:
        """Every way ``pattern`` can be ``term``, on top of ``bound``."""
        self.steps += 1
        if self.steps > self.limit:
            return
        if isinstance(pattern, Var):
            yield from self._variable(pattern, term, bound)
        elif isinstance(pattern, tuple):
            if isinstance(term, tuple) and len(pattern) == len(term):
                yield from self._sequence(pattern, term, bound)
        elif not isinstance(pattern, Term):
            if pattern == term:
                yield bound
        elif isinstance(term, Term) and pattern.kind == term.kind:
            yield from self._term(pattern, term, bound)

    def _variable(self, var: Var, term: Any, bound: Binding) -> Iterator[Binding]:
        # met before: it must be the same here
        if var in bound:
            if bound[var] == term:
                yield bound
            return
        match var.sort:
            case "expr":
                fits = isinstance(term, Term) and term.kind not in _NOT_EXPRESSIONS
            case "const":
                fits = isinstance(term, Term) and term.kind == "Const"
            case "list":
                fits = isinstance(term, Term) and term.kind == "List"
            case "clause":
                fits = True
            case _:
                fits = isinstance(term, str)
        if fits:
            yield {**bound, var: term}

    def _term(self, pattern: Term, term: Term, bound: Binding) -> Iterator[Binding]:
        if pattern.kind == "Block":
            yield from self._block(pattern, term, bound)
        # AND and OR are bags; NOT has one argument (2)
        elif pattern.kind == "BoolExpr" and pattern.get("boolop") == term.get("boolop") != 2:
            yield from self._all(pattern.get("args"), term.get("args"), bound)
        elif pattern.kind == "A_Expr":
            # as it is written first, then turned round
            yield from self._fields(pattern, term, bound)
            if (flipped := _flip(term)) is not None:
                yield from self._fields(pattern, flipped, bound)
        else:
            yield from self._fields(pattern, term, bound)

    def _fields(self, pattern: Term, term: Term, bound: Binding) -> Iterator[Binding]:
        names = dict.fromkeys((*(n for n, _ in pattern.fields), *(n for n, _ in term.fields)))
        if pattern.kind == "Table" and term.get("schema") is not None:
            # a relation of another schema can't be named again by its name alone
            return
        yield from self._sequence(
            tuple(pattern.get(n) for n in names), tuple(term.get(n) for n in names), bound
        )

    def _sequence(
        self, patterns: tuple[Any, ...], terms: tuple[Any, ...], bound: Binding
    ) -> Iterator[Binding]:
        if not patterns:
            yield bound
            return
        for found in self.match(patterns[0], terms[0], bound):
            yield from self._sequence(patterns[1:], terms[1:], found)

    def _all(self, patterns: tuple[Any, ...], terms: tuple[Any, ...], bound: Binding) -> Iterator[Binding]:
        if len(patterns) == len(terms):
            for found, _ in self._some(patterns, tuple(enumerate(terms)), bound):
                yield found

    def _some(
        self, patterns: tuple[Any, ...], terms: tuple[tuple[int, Any], ...], bound: Binding
    ) -> Iterator[tuple[Binding, tuple[tuple[int, Any], ...]]]:
        """Each pattern with a term of its own, in any order; and the terms left over."""
        if not patterns:
            yield bound, terms
            return
        # backtracking: each pattern may take any of the terms that are left
        for place, (_, term) in enumerate(terms):
            others = (*terms[:place], *terms[place + 1 :])
            for found in self.match(patterns[0], term, bound):
                yield from self._some(patterns[1:], others, found)

    # ------------------------------------------------------------------ blocks

    def _block(self, pattern: Term, term: Term, bound: Binding) -> Iterator[Binding]:
        closed = not pattern.get("open")
        for name in ("items", "lefts", "preds"):
            # fewer than the pattern needs, or more than it lets a query have
            ours, theirs = len(pattern.get(name, ())), len(term.get(name, ()))
            if ours > theirs or (closed and ours != theirs):
                return
        # clauses first: they differ most often, and bags are what takes long
        for with_clauses in self._clauses(pattern, term, bound):
            for with_items, items in self._part(pattern, term, "items", with_clauses):
                for with_lefts, lefts in self._part(pattern, term, "lefts", with_items):
                    for found, preds in self._part(pattern, term, "preds", with_lefts):
                        number = pattern.get("number")
                        rest = {("rest", number): (items, lefts, preds), ("home", number): _own(term)}
                        yield from self._targets(pattern, term, {**found, **rest})

    def _part(
        self, pattern: Term, term: Term, name: str, bound: Binding
    ) -> Iterator[tuple[Binding, tuple[Any, ...]]]:
        terms = tuple(enumerate(term.get(name, ())))
        for found, left in self._some(pattern.get(name, ()), terms, bound):
            # in the order in which the query has them
            yield found, tuple(value for _, value in sorted(left, key=lambda pair: pair[0]))

    def _clauses(self, pattern: Term, term: Term, bound: Binding) -> Iterator[Binding]:
        ours = {"items", "lefts", "preds", "targets", "number", "open", "slots"}
        names = [n for n in dict.fromkeys((*dict(pattern.fields), *dict(term.fields))) if n not in ours]
        yield from self._sequence(
            tuple(pattern.get(n) for n in names), tuple(term.get(n) for n in names), bound
        )

    def _targets(self, pattern: Term, term: Term, bound: Binding) -> Iterator[Binding]:
        wanted, there = pattern.get("targets"), term.get("targets")
        if isinstance(wanted, Term):
            exprs = tuple((i, target.get("expr")) for i, target in enumerate(there))
            for found, left in self._some(wanted.get("those"), exprs, bound):
                kept = {i for i, _ in left}
                chosen = self._order(wanted.get("those"), there, kept, found)
                yield {**found, ("targets", wanted.get("of")): (there, chosen)}
        elif isinstance(wanted, tuple):
            if isinstance(there, tuple) and len(wanted) == len(there):
                yield from self._each_target(wanted, there, bound)
        else:
            yield from self.match(wanted, there, bound)

    def _each_target(
        self, wanted: tuple[Any, ...], there: tuple[Any, ...], bound: Binding
    ) -> Iterator[Binding]:
        if not wanted:
            yield bound
            return
        first, target = wanted[0], there[0]
        name = first.get("name")
        named = [bound] if name is None else list(self.match(name, target.get("name"), bound))
        for with_name in named:
            for found in self.match(first.get("expr"), target.get("expr"), with_name):
                yield from self._each_target(wanted[1:], there[1:], found)

    def _order(
        self, those: tuple[Any, ...], there: tuple[Any, ...], kept: set[int], found: Binding
    ) -> tuple[int, ...]:
        """Which place each of ``those`` took."""
        free = [i for i in range(len(there)) if i not in kept]
        order = []
        for wanted in those:
            place = next(
                (
                    i
                    for i in free
                    # a few hundred steps: the place was found once already
                    if any(True for _ in Matcher(500).match(wanted, there[i].get("expr"), found))
                ),
                free[0],
            )
            free.remove(place)
            order.append(place)
        return tuple(order)


def _own(block: Term) -> frozenset[Any]:
    """Range variables that a block's FROM defines."""
    inside = (*block.get("items", ()), *(left.get("item") for left in block.get("lefts", ())))
    return frozenset(t.get("alias") for item in inside for t in walk(item) if t.kind in {"Table", "Sub"})


def _flip(term: Term) -> Term | None:
    """``a < b`` as ``b > a``."""
    names = term.get("name")
    # only plain operators (kind 0) can be turned
    if term.get("kind") != 0 or term.get("lexpr") is None or not names or not isinstance(names[-1], Term):
        return None
    flipped = _FLIPPED.get(names[-1].get("sval"))
    if flipped is None:
        return None
    operator = names[-1].put(sval=flipped)
    return term.put(name=(*names[:-1], operator), lexpr=term.get("rexpr"), rexpr=term.get("lexpr"))
