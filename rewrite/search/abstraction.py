"""A pair of queries with what they share taken out: common subqueries become tables nobody knows anything of.

If two queries agree whatever a table holds, they agree when it holds what a subquery gives. What blocks read is
gathered into subqueries first, so that there is something to share. Proofs of small steps in big queries become
small. Must not know provers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rewrite.rules.canonical import canonical, is_closed
from rewrite.rules.inline_cte import inlined
from rewrite.rules.shape import is_volatile
from rewrite.rules.tree import Fresh, blocks, highest_number, map_children, replace_at, walk
from rewrite.search.gathering import gathered, mentioned
from sql import algebra as a
from sql.catalog import Catalog, Table, TableColumn
from sql.facts import Facts
from sql.facts.effects import OVERFLOW

SCHEMA = "rewright_unknown"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two queries over a catalog with made-up relations; ``taken`` subqueries were replaced. ``modulo``: what these may
    raise, which a proof without them does not look at.
    """

    before: a.Query
    after: a.Query
    catalog: Catalog
    taken: int
    modulo: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Unknowns:
    """Made-up tables by the canonical form of the subquery they stand for."""

    forms: frozenset[a.Query]
    tables: dict[a.Query, Table] = field(default_factory=dict)

    def table(self, form: a.Query) -> Table:
        if form not in self.tables:
            ref = a.TableRef(SCHEMA, f"t{len(self.tables) + 1}")
            columns = tuple(TableColumn(f"c{i + 1}", c.type) for i, c in enumerate(a.output_columns(form)))
            self.tables[form] = Table(ref, columns)
        return self.tables[form]

    def replace(self, node: Any) -> Any:
        """Outermost common subqueries first."""
        if isinstance(node, a.Derived) and (form := _form(node)) in self.forms and form is not None:
            table = self.table(form)
            shown = tuple(a.OutputColumn(n, c.type) for n, c in zip(node.names, table.columns, strict=True))
            return a.Scan(node.rel, table.ref, node.alias, shown)
        return map_children(node, self.replace)


def pairs(before: a.Query, after: a.Query, catalog: Catalog) -> Iterator[Pair]:
    """Ways to look at a pair without CTEs, the smallest first, the pair as it is last. A proof of any of them is one of
    the pair.
    """
    seen: list[tuple[a.Query, a.Query]] = []
    columns = mentioned(before, after)
    highest = max(highest_number(before), highest_number(after))
    for together in (True, False, None):
        first, second = before, after
        if together is not None:
            first, second = (gathered(q, columns, Fresh(highest), together=together) for q in (before, after))
        taken = without_common(first, second, catalog)
        pair = taken or Pair(before, after, catalog, 0)
        if (pair.before, pair.after) not in seen:
            seen.append((pair.before, pair.after))
            yield pair
    if (before, after) not in seen:
        yield Pair(before, after, catalog, 0)


def without_common(before: a.Query, after: a.Query, catalog: Catalog) -> Pair | None:
    """The pair without the subqueries that both hold; None where there are none."""
    common = frozenset(_forms(before)) & frozenset(_forms(after))
    if not common or any(t.ref.schema == SCHEMA for t in catalog.relations):
        return None
    unknowns = _Unknowns(common)
    first, second = unknowns.replace(before), unknowns.replace(after)
    modulo = frozenset(m for form in unknowns.tables for m in failures(form, catalog))
    known = catalog.with_relations(*unknowns.tables.values())
    return Pair(first, second, known, len(unknowns.tables), modulo)


def failures(query: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of a subquery that is looked at apart from where it stands: on other rows it may raise an
    error. Overflow aside, which is the same where the same values are computed.
    """
    return frozenset({"errors"}) if Facts(catalog).errors(query) - OVERFLOW else frozenset()


def shared_failures(query: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of putting a query's CTEs where they are referred to: one that is computed by itself is
    computed on rows that its readers may not ask for.
    """
    uses = Counter(n.cte for n in walk(query) if isinstance(n, a.CteScan))
    apart = [n for n in walk(query) if isinstance(n, a.Cte) and (n.materialized or uses[n.cte] > 1)]
    return frozenset(m for cte in apart for m in failures(cte.query, catalog))


def without_ctes(query: a.Query) -> a.Query | None:
    """The query with its CTEs where they are referred to; None where one is recursive or volatile."""
    if any(isinstance(n, a.Cte) and (n.recursive or is_volatile(n.query)) for n in walk(query)):
        return None
    for _ in range(100):
        place = next(((path, block) for path, block in blocks(query) if block.ctes), None)
        if place is None:
            return query
        path, block = place
        query = replace_at(query, path, inlined(block, block.ctes[0], Fresh(highest_number(query))))
    return None


def _forms(query: a.Query) -> Iterator[a.Query]:
    for node in walk(query):
        if isinstance(node, a.Derived) and (form := _form(node)) is not None:
            yield form


def _form(node: a.Derived) -> a.Query | None:
    if node.lateral or node.security_barrier or not is_closed(node.query) or is_volatile(node.query):
        return None
    return canonical(node.query)
