"""What forms of a pair are made of: the pairs to be shown the same instead, where they are bound, what the
form leaves open and rests on.

Must not know any form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.records import Assumption
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumption as Constraint
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import has_aggregate, keeps_keys_apart, walk

Queries = tuple[a.Query, a.Query]


@dataclass(frozen=True, slots=True)
class View:
    """``pairs``: those whose sameness makes the certificate's queries the same, bound in ``catalog``.
    ``modulo`` and ``facts``: what is left open by taking them for those, and what that rests on.
    """

    pairs: tuple[Queries, ...]
    catalog: Catalog
    modulo: frozenset[str] = frozenset()
    facts: frozenset[Assumption] = frozenset()


Law = Callable[[View], View]


class Changes:
    """What one form collects on its way through a query."""

    def __init__(self, catalog: Catalog, query: a.Query) -> None:
        self.catalog = catalog
        self.known = Facts(catalog, query)
        self.modulo: set[str] = set()
        self.facts: set[Assumption] = set()

    def rest_on(self, constraints: frozenset[Constraint]) -> None:
        """The constraints, in the words of certificates."""
        self.facts |= {stated(c, self.catalog) for c in constraints}

    def compute_again(self, query: a.Query) -> None:
        """The reservations of computing a query once more, on more rows, or not at all."""
        self.ask_of_others(query)
        self.leave_to_chance(query)

    def ask_of_others(self, query: a.Query) -> None:
        """The reservations of what a query computes of other rows, some of which may fail."""
        if self.known.errors(query) - OVERFLOW:
            self.modulo.add("errors")
        if self.known.may_overflow(query):
            self.modulo.add("overflow")

    def ask_behind_cuts(self, query: a.Query) -> None:
        """What rows that cuts had left uncomputed may raise; to sort by aggregates all are computed."""
        for node in walk(query):
            if not isinstance(node, a.Select | a.SetOp) or node.limit is None:
                continue
            if (
                not isinstance(node, a.Select)
                or not node.order_by
                or not has_aggregate(node.order_by[0].expr)
            ):
                self.ask_of_others(replace(node, limit=None, offset=None))

    def leave_to_chance(self, query: a.Query) -> None:
        """The reservations of what a query chooses among ties, and what keeps it from more."""
        modulo, basis = left_to_chance(query, self.catalog)
        self.modulo |= modulo
        self.rest_on(basis)


def of_each(form: Callable[[a.Query, Changes], a.Query]) -> Law:
    """The law that takes a form for each of both queries."""

    def law(view: View) -> View:
        modulo, facts = set(view.modulo), set(view.facts)

        def changed(query: a.Query) -> a.Query:
            changes = Changes(view.catalog, query)
            made = form(query, changes)
            # two grouping keys that become one expression are one key
            if not keeps_keys_apart(query, made):
                return query
            modulo.update(changes.modulo)
            facts.update(changes.facts)
            return made

        pairs = tuple((changed(first), changed(second)) for first, second in view.pairs)
        return replace(view, pairs=pairs, modulo=frozenset(modulo), facts=frozenset(facts))

    return law


def of_trees(form: Callable[[a.Query], a.Query]) -> Law:
    """As `of_each`, where the form asks for nothing but the tree."""
    return of_each(lambda query, _: form(query))


def stated(constraint: Constraint, catalog: Catalog) -> Assumption:
    """A constraint that `rewright.sql.facts` has used, as certificates state it."""
    table = catalog.table(constraint.ref)
    name = f"{constraint.schema}.{constraint.table}"
    if constraint.kind == "key":
        key = next(k for k in table.keys if (k.name, k.columns) == (constraint.name, constraint.columns))
        return Assumption("primary key" if key.primary else "unique", name, key.columns, key.name)
    if constraint.kind == "foreign_key":
        found = next(
            f for f in table.foreign_keys if (f.name, f.columns) == (constraint.name, constraint.columns)
        )
        target = f"{found.target.schema}.{found.target.name}"
        return Assumption("foreign key", name, (*found.columns, target, *found.target_columns), found.name)
    kind = "not null" if constraint.kind == "not_null" else "check"
    return Assumption(kind, name, constraint.columns, constraint.name)


def facts_of_schema(facts: Iterable[Assumption], catalog: Catalog) -> frozenset[Assumption]:
    """The facts about what the schema has: others are about relations that a form has made, whose own facts
    it states.
    """
    known = {f"{t.ref.schema}.{t.ref.name}" for t in catalog.relations}
    return frozenset(f for f in facts if f.table in known)
