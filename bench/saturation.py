"""Equality saturation beside best-first search: the same local rules, the same seconds, costs from EXPLAIN.

python -m bench.saturation --keep DIR [--scale 0.1] [--seconds 5] [--queries 20] [--rules all] [--out report.json]

Owns a small e-graph over queries (after egg, Willsey et al. 2021): an e-class holds the forms of one closed
block, in which closed blocks of FROM stand for their classes; equal nodes are one by their canonical form, and
classes that come to hold the same node are merged. Saturation asks no server; extraction prices each class's
forms by EXPLAIN, from the innermost outwards, with the cheapest form of each class within. Only estimates are
compared: nothing is proved or run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg

from bench.bars import bar, say
from bench.unseen_data import SETS, databases, unseen_queries
from rewright.engines.clock import now
from rewright.engines.postgres.catalog import snapshot
from rewright.rewrite.rules import RULES, Rule
from rewright.rewrite.rules.apply import applications
from rewright.rewrite.search.explore import propose
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
from rewright.sql.walk import (
    Fresh,
    canonical,
    copy_fresh,
    from_tree,
    highest_number,
    is_closed,
    replace_item,
    walk,
)

LOCAL = frozenset({
    "unnest", "exists_extreme", "count_to_exists", "not_in", "nested_in", "anti_join", "distinct_semijoin",
    "drop_distinct", "drop_inner_order", "join_as_product", "inner_join", "having_column", "reduce_grouped",
    "eager_group", "or_union",
})  # fmt: skip
_NODES = 400
"""Nodes after which a graph counts as saturated."""
_FORMS = 3
"""Forms of a class within that a rule is shown, and of each class that are priced further out."""
_PRICED = 40
"""Forms of one class that are priced."""

Cost = Callable[[str], float]


@dataclass(slots=True)
class Graph:
    """``classes``: nodes by canonical form; ``of``: the class of each node. A node's FROM holds, in place of a
    closed block, that block's class number as the alias of an empty one.
    """

    catalog: Catalog
    deadline: float
    rules: Sequence[Rule]
    parent: list[int] = field(default_factory=list)
    classes: dict[int, dict[a.Query, a.Query]] = field(default_factory=dict)
    of: dict[a.Query, int] = field(default_factory=dict)
    done: set[a.Query] = field(default_factory=set)

    def find(self, number: int) -> int:
        while self.parent[number] != number:
            number = self.parent[number]
        return number

    def add(self, query: a.Query, into: int | None = None) -> int:
        """The class of a query, its closed blocks first; merged with ``into``."""
        node = self._with_classes(query)
        form = canonical(node, keep_names=True)
        known = self.of.get(form)
        if known is None:
            known = len(self.parent) if into is None else self.find(into)
            if into is None:
                self.parent.append(known)
                self.classes[known] = {}
            self.of[form] = known
            self.classes[known][form] = node
        return self.merge(known, known if into is None else into)

    def merge(self, one: int, other: int) -> int:
        one, other = self.find(one), self.find(other)
        if one != other:
            self.parent[other] = one
            self.classes[one] |= self.classes.pop(other)
        return one

    def _with_classes(self, query: a.Query) -> a.Query:
        if not isinstance(query, a.Select):
            return query
        for item in (leaf for one in query.from_ for leaf in from_tree(one)):
            if isinstance(item, a.Derived) and _apart(item):
                hole = replace(item, query=_hole(item.query, self.add(item.query)))
                query = replace(query, from_=tuple(replace_item(i, item, hole) for i in query.from_))
        return query

    def forms(self, number: int, depth: int = 0) -> Iterator[a.Query]:
        """Whole queries of a class, with the first forms of the classes within."""
        for node in list(self.classes[self.find(number)].values())[: None if depth == 0 else _FORMS]:
            yield from self._filled(node, depth)

    def _filled(self, node: a.Query, depth: int) -> Iterator[a.Query]:
        holes = list(_holes(node))
        if depth > 3:
            return
        choices = [list(itertools.islice(self.forms(n, depth + 1), _FORMS)) for _, n in holes]
        for chosen in itertools.islice(itertools.product(*choices), _FORMS * 3):
            yield fill(node, [item for item, _ in holes], chosen)

    def saturate(self) -> bool:
        """Apply the rules to all forms until nothing is new; False: it was stopped."""
        while True:
            before = len(self.of)
            for number in list(self.classes):
                for query in list(self.forms(number)) if number in self.classes else ():
                    form = canonical(query, keep_names=True)
                    if form in self.done:
                        continue
                    self.done.add(form)
                    for made in applications(query, self.catalog, self.rules):
                        self.add(made.query, number)
                        if now() > self.deadline or len(self.of) > _NODES:
                            return False
            if len(self.of) == before:
                return True

    def best(
        self, number: int, cost: Callable[[a.Query], float], known: dict[int, list[a.Query]]
    ) -> list[a.Query]:
        """The cheapest forms of a class, those within being the cheapest of theirs."""
        number = self.find(number)
        if number in known:
            return known[number]
        known[number] = []  # a class within itself offers nothing
        found: list[tuple[float, int, a.Query]] = []
        for node in list(self.classes[number].values())[:_PRICED]:
            holes = list(_holes(node))
            choices = [self.best(n, cost, known) for _, n in holes]
            for chosen in itertools.islice(itertools.product(*choices), _FORMS):
                query = fill(node, [item for item, _ in holes], chosen)
                found.append((cost(query), len(found), query))
        known[number] = [query for _, _, query in sorted(found)[:_FORMS]]
        return known[number]


def _apart(item: a.Derived) -> bool:
    plain = not item.lateral and not item.security_barrier and item.view is None
    reads_ctes = any(isinstance(n, a.CteScan) for n in walk(item.query))
    return (
        plain
        and is_closed(item.query)
        and not reads_ctes
        and not item.query.ctes
        and not _is_hole(item.query)
    )


def _hole(query: a.Query, number: int) -> a.Select:
    targets = tuple(a.Target(c.name, a.Const(None, c.type)) for c in a.output_columns(query))
    return a.Select(targets, (), limit=a.Const(f"class {number}", a.COUNT_TYPE))


def _is_hole(query: a.Query) -> bool:
    return isinstance(query.limit, a.Const) and str(query.limit.value).startswith("class ")


def _holes(node: a.Query) -> Iterator[tuple[a.Derived, int]]:
    leaves = (x for one in (node.from_ if isinstance(node, a.Select) else ()) for x in from_tree(one))
    for leaf in leaves:
        if isinstance(leaf, a.Derived) and _is_hole(leaf.query):
            assert isinstance(leaf.query.limit, a.Const)
            yield leaf, int(str(leaf.query.limit.value).split()[1])


def fill(node: a.Query, holes: Sequence[a.Derived], chosen: Sequence[a.Query]) -> a.Query:
    """The node with queries in place of its classes, under numbers of their own."""
    fresh = Fresh(max(highest_number(q) for q in (node, *chosen)))
    for hole, query in zip(holes, chosen, strict=True):
        assert isinstance(node, a.Select)
        made = replace(hole, query=copy_fresh(query, fresh)[0])
        node = replace(node, from_=tuple(replace_item(i, hole, made) for i in node.from_))
    return node


@dataclass(slots=True)
class Priced:
    """EXPLAIN's costs and how often it was asked."""

    connection: psycopg.Connection[Any]
    asked: int = 0
    known: dict[str, float] = field(default_factory=dict)

    def __call__(self, text: str) -> float:
        if text not in self.known:
            self.asked += 1
            row = self.connection.execute(f"explain (format json) {text}".encode()).fetchone()
            assert row is not None
            self.known[text] = float(row[0][0]["Plan"]["Total Cost"])
        return self.known[text]


def by_search(
    query: a.Query, catalog: Catalog, priced: Priced, seconds: float, rules: Sequence[Rule]
) -> dict[str, Any]:
    began = now()
    found = list(propose(query, catalog, cost=priced, deadline=began + seconds, limit=1000, rules=rules))
    costs = [c.cost for c in found]
    return {
        "cost": min(costs, default=None),
        "asked": priced.asked,
        "seconds": now() - began,
        "forms": len(found),
    }


def by_graph(
    query: a.Query, catalog: Catalog, priced: Priced, seconds: float, rules: Sequence[Rule]
) -> dict[str, Any]:
    began = now()
    graph = Graph(catalog, began + seconds / 2, rules)
    top = graph.add(query)
    whole = graph.saturate()
    middle = now()

    def cost(form: a.Query) -> float:
        if now() > began + seconds:
            return float("inf")
        try:
            return priced(to_sql(form, catalog=catalog))
        except psycopg.Error:
            return float("inf")

    best = graph.best(top, cost, {})
    least = min((cost(q) for q in best), default=None)
    return {
        "cost": None if least == float("inf") else least,
        "asked": priced.asked,
        "seconds": now() - began,
        "saturating": middle - began,
        "saturated": whole,
        "forms": len(graph.of),
        "classes": len(graph.classes),
    }


def compared(
    dsn: str, texts: Sequence[tuple[str, str]], seconds: float, rules: Sequence[Rule]
) -> Iterator[dict[str, Any]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        catalog = snapshot(connection)
        for name, text in texts:
            try:
                query = bind(text, catalog)
                original = Priced(connection)(to_sql(query, catalog=catalog))
            except (BindError, Unsupported):
                continue
            yield {
                "id": name,
                "original": original,
                "search": by_search(query, catalog, Priced(connection), seconds, rules),
                "graph": by_graph(query, catalog, Priced(connection), seconds, rules),
            }


def totals(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How often either found the lower estimate (by more than 1 %), and medians of what it took."""
    least = [(_least(r, "search"), _least(r, "graph")) for r in rows]
    return {
        "queries": len(rows),
        "search_lower": sum(s < g * 0.99 for s, g in least),
        "graph_lower": sum(g < s * 0.99 for s, g in least),
        "geometric_search": statistics.geometric_mean(
            [s / r["original"] for (s, _), r in zip(least, rows, strict=True)]
        ),
        "geometric_graph": statistics.geometric_mean(
            [g / r["original"] for (_, g), r in zip(least, rows, strict=True)]
        ),
        "saturated": sum(r["graph"]["saturated"] for r in rows),
        **{
            f"{way}_{what}": statistics.median(r[way][what] for r in rows)
            for way in ("search", "graph")
            for what in ("asked", "seconds", "forms")
        },
    }


def _least(row: dict[str, Any], way: str) -> float:
    return float(min(row[way]["cost"] or row["original"], row["original"]))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.saturation")
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each query and way")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--rules", choices=("local", "all"), default="local", help="blind rules aside")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    asked = SETS["fifth"]
    queries = [q for q in unseen_queries(asked.file) if q.part == "open" and q.hand is not None]
    picked = queries[:: max(1, len(queries) // chosen.queries)][: chosen.queries]
    rules = [r for r in RULES if not r.blind and (chosen.rules == "all" or r.name in LOCAL)]
    rows: list[dict[str, Any]] = []
    started = time.monotonic()
    with databases(chosen.scale, chosen.keep, asked.schemas) as dsns:
        for schema in asked.schemas:
            texts = [(q.id, q.query) for q in picked if q.schema == schema]
            for row in bar(compared(dsns[schema], texts, chosen.seconds, rules), schema, total=len(texts)):
                rows.append(row)
                say(json.dumps(row))
    report = {"seconds": time.monotonic() - started, "totals": totals(rows), "queries": rows}
    print(json.dumps(report["totals"], indent=1))
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
