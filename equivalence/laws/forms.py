"""A query seen in another form, with what that leaves open and what it rests on.

Owns what the laws that bring queries into forms have in common: one walk, innermost blocks first, that
collects reservations and constraints. Must not know which forms there are, nor rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumption, Facts, is_volatile
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    SUBQUERIES,
    Fresh,
    copy_fresh,
    has_subquery,
    map_parts,
    walk,
)

_KINDS = {"key": "unique", "not_null": "not null", "foreign_key": "foreign key", "check": "check"}


@dataclass(frozen=True, slots=True)
class Form:
    """``modulo``: the reservations of taking the form for the query; ``assumptions``: constraints that it
    rests on, in the checker's words.
    """

    query: a.Query
    modulo: frozenset[str] = frozenset()
    assumptions: tuple[str, ...] = ()


class Walk:
    """One law, applied to every block of a query that holds no CTEs. A law overrides `block`, or `changed`
    for other nodes.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.facts = Facts(catalog)
        self._modulo: set[str] = set()
        self._assumptions: set[Assumption] = set()

    def form(self, query: a.Query) -> Form:
        self.facts.learn(query)
        return Form(self._visit(query), frozenset(self._modulo), said(self._assumptions))

    def _visit(self, node: Any) -> Any:
        # innermost first: what a law finds further out may rest on what it did further in
        return self.changed(map_parts(node, self._visit))

    def changed(self, node: a.Node) -> a.Node:
        """What stands for a node whose parts are in this form already."""
        return self.block(node) if isinstance(node, a.Select) else node

    def block(self, block: a.Select) -> a.Select:
        return block

    # ---------------------------------------------------------------- what it leaves open and rests on

    def reserve(self, modulo: Iterable[str]) -> None:
        self._modulo |= set(modulo)

    def rest_on(self, basis: Iterable[Assumption]) -> None:
        self._assumptions |= set(basis)

    def reserve_failures(self, *exprs: a.Expr) -> None:
        """Expressions are computed for other rows: whatever they may raise is a reservation."""
        if any(self.facts.errors(e) for e in exprs):
            self.reserve({"errors"})

    def reserve_other_rows(self, *parts: a.Query | a.Expr) -> None:
        """Queries and conditions are computed for other rows. That a sum of other rows overflows is left out,
        as everywhere in the checker; what else they may raise is a reservation.
        """
        errors = any(self.facts.errors(p) - OVERFLOW for p in parts)
        # whether a condition may overflow is known of the query that evaluates it
        overflow = any(self.facts.may_overflow(_as_query(p)) for p in parts)
        self.reserve({*(["errors"] if errors else []), *(["overflow"] if overflow else [])})

    def reserve_uncut(self, cut: a.Select) -> None:
        """A block's rows are looked for beyond where its cut had ended: what finding them may raise."""
        self.reserve_other_rows(replace(cut, targets=(), limit=None, offset=None, order_by=()))

    def reserve_ties(self, query: a.Select) -> None:
        """The first rows in the order of a block are chosen elsewhere: a choice among ties, unless the order
        leaves none, or none that is seen.
        """
        keys = [k.expr for k in query.order_by]
        # what ties shows the same values: no choice is seen
        if all(t.expr in keys and equality_is_identity(t.expr.type) for t in query.targets):
            return
        # DISTINCT ON has its own choice of rows before the sort
        basis = self.facts.exprs_determine(query, keys) if query.distinct is None else None
        if basis is None:
            self.reserve({"tie-order"})
        self.rest_on(basis or ())


def harmless(pred: a.Expr, facts: Facts) -> bool:
    """Whether a condition raises nothing on any row. Parts without columns are the
    same wherever they stand.
    """
    return not has_subquery(pred) and not is_volatile(pred) and facts.cannot_fail(_varying(pred))


def _varying(node: Any) -> Any:
    """The expression with what depends on no row replaced by a constant."""
    # now() - interval '1 day' raises what it raises on every row or on none
    if isinstance(node, a.Op | a.Call | a.Cast) and not any(
        isinstance(n, (*REFERENCES, a.Param)) for n in walk(node)
    ):
        return a.Const("", node.type)
    return map_parts(node, _varying)


def _as_query(part: a.Query | a.Expr) -> a.Query:
    """A condition as a query that evaluates it."""
    return part if isinstance(part, QUERIES) else a.Select((), where=part)


def fresh_subqueries(expr: a.Expr, fresh: Fresh) -> a.Expr:
    """A copy of an expression in which each subquery has numbers of its own."""

    def visit(n: Any) -> Any:
        return copy_fresh(n, fresh)[0] if isinstance(n, SUBQUERIES) else map_parts(n, visit)

    made: a.Expr = visit(expr)
    return made


def said(assumptions: Iterable[Assumption]) -> tuple[str, ...]:
    """Constraints in the words of the checker's own assumptions: one line for each,
    in order of their names.
    """
    return tuple(
        f"{_KINDS[x.kind]} {x.schema}.{x.table}({', '.join(x.columns)}){f' ({x.name})' if x.name else ''}"
        for x in sorted(set(assumptions))
    )
