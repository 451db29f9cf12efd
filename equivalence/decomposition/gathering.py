"""What a block reads, gathered into subqueries, so that two queries show what they share.

A block's tables and the conditions on them alone become a derived table: all of them together, or each by
itself. Pairs of queries that read the same then hold equal subqueries, which `abstraction` replaces by
unknown tables. Must not know provers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import harmless
from rewright.sql import algebra as a
from rewright.sql.facts import Facts
from rewright.sql.walk import (
    Fresh,
    as_product,
    conjoin,
    free_rels,
    map_parts,
    references_whole,
    renumber,
    substitute,
    walk,
)

Mentioned = dict[a.TableRef, set[int]]


def mentioned(*queries: a.Query) -> Mentioned:
    """The columns of each table that occur in any of the queries."""
    found: Mentioned = {}
    for query in queries:
        tables = {n.rel: n.table for n in walk(query) if isinstance(n, a.Scan)}
        for node in walk(query):
            if isinstance(node, a.Column) and node.rel in tables:
                found.setdefault(tables[node.rel], set()).add(node.pos)
    return found


def gathered(query: a.Query, columns: Mentioned, fresh: Fresh, facts: Facts, *, together: bool) -> a.Query:
    """``query`` with the tables of each block in derived tables: one for all of them, or one each."""
    moved: dict[tuple[int, int], a.Expr] = {}

    def visit(node: Any) -> Any:
        node = map_parts(node, visit)
        if isinstance(node, a.Select) and not references_any(query, node):
            return _block(node, columns, fresh, facts, moved, together=together)
        return node

    changed: a.Query = visit(query)
    result: a.Query = substitute(changed, moved)
    return result


def references_any(query: a.Query, block: a.Select) -> bool:
    """Whether whole rows of the block's tables are used."""
    items, _ = as_product(block)
    return any(isinstance(i, a.Scan) and references_whole(query, i.rel) for i in items)


def _block(
    block: a.Select,
    columns: Mentioned,
    fresh: Fresh,
    facts: Facts,
    moved: dict[tuple[int, int], a.Expr],
    *,
    together: bool,
) -> a.Select:
    items, preds = as_product(block)
    # x <> 0 AND 1/x > 2: what is asked behind a condition that may fail is not asked before it
    first = next((i for i, p in enumerate(preds) if facts.errors(p)), len(preds))
    preds, behind = preds[:first], preds[first:]
    scans = [i for i in items if isinstance(i, a.Scan)]
    groups = [scans] if together else [[s] for s in scans]
    made: list[a.FromItem] = [i for i in items if not isinstance(i, a.Scan)]
    for group in groups:
        rels = frozenset(s.rel for s in group)
        own = [p for p in preds if free_rels(p) and free_rels(p) <= rels and harmless(p, facts)]
        if len(group) < 2 and not own:
            made += group
            continue
        preds = [p for p in preds if p not in own]
        made.append(_derived(group, own, columns, fresh, moved))
    return replace(block, from_=tuple(made), where=conjoin((*preds, *behind)))


def _derived(
    group: Sequence[a.Scan],
    preds: Iterable[a.Expr],
    columns: Mentioned,
    fresh: Callable[[], int],
    moved: dict[tuple[int, int], a.Expr],
) -> a.Derived:
    """A derived table in an order of its own, so that equal ones are equal values."""
    group = sorted(group, key=lambda s: (s.table.schema, s.table.name, s.alias))
    numbers = {s.rel: -i for i, s in enumerate(group, 1)}
    where = conjoin(sorted(preds, key=lambda p: repr(renumber(p, numbers))))
    rel = fresh()
    inside = {s.rel: fresh() for s in group}
    targets: list[a.Target] = []
    for scan in group:
        for pos in sorted(columns.get(scan.table, ())):
            column = scan.columns[pos]
            name = f"c{len(targets) + 1}"
            moved[scan.rel, pos] = a.Column(rel, len(targets), column.type, name)
            targets.append(a.Target(name, a.Column(inside[scan.rel], pos, column.type, column.name)))
    body = a.Select(tuple(targets), tuple(group), where)
    return a.Derived(rel, renumber(body, inside), f"g{rel}", tuple(t.name for t in targets))
