"""A pair of queries with what they share taken out: common subqueries become tables of which nothing is known
but keys and columns without NULL.

If two queries agree whatever such a table holds, they agree when it holds what a subquery gives. What blocks
read is gathered into subqueries first, so that there is something to share. Proofs of small steps in big
queries become small. Must not know how anything is proved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rewright.equivalence.decomposition.gathering import gathered, mentioned
from rewright.equivalence.decomposition.placing import alike, elsewhere, form_of, forms_of
from rewright.equivalence.laws.chance import left_open
from rewright.equivalence.laws.forms import said
from rewright.equivalence.laws.inlining import doubles_too_often, inlined
from rewright.equivalence.prover.held_back import asks_before_rows
from rewright.equivalence.prover.pulling import computed_ctes
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog, Key, Table, TableColumn
from rewright.sql.facts import Assumptions, Facts, may_vary
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import (
    Fresh,
    blocks,
    canonical,
    highest_number,
    leaves,
    map_parts,
    replace_at,
    walk,
)

SCHEMA = "rewright_unknown"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two queries over a catalog with made-up relations; ``taken`` subqueries were replaced. ``modulo``: what
    these may raise, which a proof without them does not look at; ``facts``: what keeps them from more;
    ``known``: by made-up relation what its keys and columns without NULL rest on.
    """

    before: a.Query
    after: a.Query
    catalog: Catalog
    taken: int
    modulo: frozenset[str] = frozenset()
    facts: tuple[str, ...] = ()
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def resting_on(self, facts: Iterable[str]) -> tuple[str, ...]:
        """The facts, with those of made-up relations replaced by what these rest on."""
        return tuple(x for fact in facts for x in _rests(fact, self.known))


@dataclass(slots=True)
class _Unknowns:
    """Made-up tables by the canonical form of the subquery they stand for."""

    forms: frozenset[a.Query]
    catalog: Catalog
    # of which range variables; None: of any
    rels: frozenset[int] | None = None
    # tables that were made up before
    known: int = 0
    tables: dict[a.Query, Table] = field(default_factory=dict)
    bases: dict[str, Assumptions] = field(default_factory=dict)

    def table(self, form: a.Query) -> Table:
        if form not in self.tables:
            # one table for one form, on whichever side it is met
            name = f"t{self.known + len(self.tables) + 1}"
            made, basis = _described(a.TableRef(SCHEMA, name), form, self.catalog)
            self.tables[form], self.bases[name] = made, basis
        return self.tables[form]

    def replace(self, node: Any) -> Any:
        """Outermost common subqueries first."""
        wanted = isinstance(node, a.Derived) and (self.rels is None or node.rel in self.rels)
        if wanted and (form := form_of(node)) in self.forms and form is not None:
            table = self.table(form)
            shown = tuple(a.OutputColumn(n, c.type) for n, c in zip(node.names, table.columns, strict=True))
            return a.Scan(node.rel, table.ref, node.alias, shown)
        return map_parts(node, self.replace)


def pairs(before: a.Query, after: a.Query, catalog: Catalog) -> Iterator[Pair]:
    """Ways to look at a pair without CTEs, the smallest first, the pair as it is last, or first where nothing
    differs: nothing is left open then. A proof of any of them is one of the pair.
    """
    # somebody's own schema of that name: its tables are not unknown
    if any(t.ref.schema == SCHEMA for t in catalog.relations):
        yield Pair(before, after, catalog, 0)
        return
    seen: list[tuple[a.Query, a.Query]] = []
    whole = Pair(before, after, catalog, 0)
    # of one tree nothing has to be left open
    if canonical(before, keep_names=False) == canonical(after, keep_names=False):
        seen.append((before, after))
        yield whole
    start, everywhere = _without_alike(whole), without_common(whole)
    columns = mentioned(start.before, start.after)
    highest = max(highest_number(before), highest_number(after))
    facts = Facts(catalog, start.before, start.after)
    for together in (True, False, None):
        first, second = start.before, start.after
        if together is not None:
            first, second = (
                gathered(q, columns, Fresh(highest), facts, together=together) for q in (first, second)
            )
        pair = without_common(replace(start, before=first, after=second))
        if pair.taken == start.taken:
            pair = start  # nothing was found by gathering
        if (pair.before, pair.after) not in seen:
            seen.append((pair.before, pair.after))
            yield pair
        # where one of the two reads what is alike once more, one table stands for all copies
        if together and everywhere.taken and (everywhere.before, everywhere.after) not in seen:
            seen.append((everywhere.before, everywhere.after))
            yield everywhere
    if (before, after) not in seen:
        yield whole


def without_common(pair: Pair) -> Pair:
    """The pair without the subqueries that both hold."""
    return _taken(pair, frozenset(forms_of(pair.before)) & frozenset(forms_of(pair.after)))


def _without_alike(pair: Pair) -> Pair:
    """The pair without the subqueries that are the same at the same place. Copies of one of them may differ
    elsewhere: these stay on both sides.
    """
    ours, theirs = alike(pair.before, pair.after)
    forms = frozenset(f for q, rels in ((pair.before, ours), (pair.after, theirs)) for f in forms_of(q, rels))
    return _taken(pair, forms, frozenset(ours), frozenset(theirs))


def _taken(
    pair: Pair,
    forms: frozenset[a.Query],
    ours: frozenset[int] | None = None,
    theirs: frozenset[int] | None = None,
) -> Pair:
    if not forms:
        return pair
    first = _Unknowns(forms, pair.catalog, ours, pair.taken)
    before = first.replace(pair.before)
    second = _Unknowns(forms, pair.catalog, theirs, pair.taken, first.tables, first.bases)
    after = second.replace(pair.after)
    tables = second.tables
    moved = elsewhere(pair.before, pair.after)
    found = [failures(form, pair.catalog, moved=form in moved) for form in tables]
    modulo = pair.modulo.union(*(reserved for reserved, _ in found))
    facts = (*pair.facts, *(x for _, basis in found for x in pair.resting_on(said(basis))))
    known = {**pair.known, **{t: pair.resting_on(said(basis)) for t, basis in second.bases.items()}}
    catalog = pair.catalog.with_relations(*tables.values())
    return Pair(before, after, catalog, pair.taken + len(tables), modulo, facts, known)


def _described(ref: a.TableRef, form: a.Query, catalog: Catalog) -> tuple[Table, Assumptions]:
    """A table that may hold whatever the query may give; what its keys and columns without NULL rest on."""
    shown = a.output_columns(form)
    rel = highest_number(form) + 1
    derived = a.Derived(rel, form, "t", tuple(f"c{i + 1}" for i in range(len(shown))))
    # of this form alone: range variables of others have the same numbers
    facts = Facts(catalog, form)
    never_null = facts.nulls.of_from(derived)
    columns = tuple(
        TableColumn(f"c{i + 1}", c.type, not_null=(rel, i) in never_null) for i, c in enumerate(shown)
    )
    # a key of no columns (one row at most) is none that a table can have
    # a UNIQUE of a made-up table is NULLS NOT DISTINCT: DISTINCT puts NULLs together
    unique = [(sorted(positions), basis) for positions, basis in facts.keys(form) if positions]
    keys = tuple(
        Key(f"k{number}", tuple(columns[p].name for p in positions), nulls_distinct=False)
        for number, (positions, _) in enumerate(unique, 1)
    )
    basis = frozenset[Any]().union(*never_null.values(), *(basis for _, basis in unique))
    return Table(ref, columns, keys=keys), basis


def _rests(fact: str, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    named = re.search(rf"\b{SCHEMA}\.(t\d+)\(", fact)
    return (fact,) if named is None else known[named[1]]


def failures(query: a.Query, catalog: Catalog, *, moved: bool) -> tuple[frozenset[str], Assumptions]:
    """The reservations of a subquery that is looked at apart from where it stands: on other rows it may raise
    an error, where it was ``moved`` to (a place at which no row may ask for it) it may overflow, and computed
    again it may choose other rows among ties. Beside them the constraints by which its orders leave none.
    """
    loose, basis = left_open(query, catalog)
    errors = Facts(catalog).errors(query)
    told = frozenset({"errors"} if errors - OVERFLOW else ()) | (errors & OVERFLOW if moved else frozenset())
    return told | loose, basis


def shared_failures(
    before: a.Query, after: a.Query, catalog: Catalog
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The reservations of putting both queries' CTEs where they are referred to: one that is computed by
    itself is computed on rows, and with columns, that its readers may not ask for. What overflows in one
    that both queries compute whatever rows there are, overflows in both. Beside them the constraints by which
    their orders leave no ties.
    """
    first, second = _computed(before), _computed(after)
    chances = [left_open(q, catalog) for q in (*_put_twice(before), *_put_twice(after), *first, *second)]
    found = {x for loose, _ in chances for x in loose}
    sure = [{canonical(q, keep_names=False) for q in _read_at_once(x)} for x in (before, after)]
    for whole, queries in ((before, first), (after, second)):
        facts = Facts(catalog, whole)
        for query in queries:
            errors = facts.errors(query)
            # an error of a CTE that is computed once may be one of a reader, or of none
            if errors - OVERFLOW:
                found.add("errors")
            # computed by both, it overflows in both
            if errors & OVERFLOW and canonical(query, keep_names=False) not in sure[0] & sure[1]:
                found.add("overflow")
    return frozenset(found), said(frozenset(x for _, basis in chances for x in basis))


def _computed(query: a.Query) -> list[a.Query]:
    """The queries of the CTEs that are computed by themselves."""
    by_themselves = computed_ctes(query)
    return [n.query for n in walk(query) if isinstance(n, a.Cte) and n.cte in by_themselves]


def _read_at_once(query: a.Query) -> list[a.Query]:
    """Those of them that no row has to ask for: they are read in FROM, and not in subqueries of expressions
    alone, nor behind conditions that may keep the server from reading anything.
    """
    bodies = {c.cte: c.query for n in walk(query) if isinstance(n, a.Select | a.SetOp) for c in n.ctes}
    read, left = dict[int, a.Query](), [query]
    while left:
        here = left.pop()
        if isinstance(here, a.SetOp):
            left += [here.left, here.right]
        if not isinstance(here, a.Select) or asks_before_rows(here):
            continue
        for item in leaves(here.from_):
            if isinstance(item, a.Derived) and not item.lateral:
                left.append(item.query)
            elif isinstance(item, a.CteScan) and item.cte in bodies.keys() - read.keys():
                read[item.cte] = bodies[item.cte]
                left.append(read[item.cte])
    return [body for cte, body in read.items() if cte in computed_ctes(query)]


def _put_twice(query: a.Query) -> list[a.Query]:
    """The queries of the CTEs that are read more than once: each copy may choose otherwise."""
    uses = Counter(n.cte for n in walk(query) if isinstance(n, a.CteScan))
    return [n.query for n in walk(query) if isinstance(n, a.Cte) and uses[n.cte] > 1]


def without_ctes(query: a.Query) -> a.Query | None:
    """The query with its CTEs where they are referred to; None where one is recursive or volatile, or where
    that would be very large.
    """
    # a recursive CTE has no query to put in its place
    if any(isinstance(n, a.Cte) and (n.recursive or may_vary(n.query)) for n in walk(query)):
        return None
    # more CTEs than that are no query of a person
    for _ in range(100):
        place = next(((path, block) for path, block in blocks(query) if block.ctes), None)
        if place is None:
            return query
        path, block = place
        if doubles_too_often(block, block.ctes[0]):
            return None
        query = replace_at(query, path, inlined(block, block.ctes[0], Fresh(highest_number(query))))
    return None
