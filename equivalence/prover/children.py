"""A table as what it and its children hold each, where the two queries of a pair read them at other places.

    FROM event   -->   FROM (SELECT … FROM event_jan UNION ALL SELECT … FROM event_feb) event

A scan of a partitioned table gives the rows of its partitions, one of a parent its own and those of its
children. Which these are is a fact, and known of a schema given as DDL alone: on a server one more may be
attached between the look at it and the query. Must not know bags or rules.
"""

from __future__ import annotations

from collections import Counter

from rewright.equivalence.records import Assumption
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.catalog import Table as Relation
from rewright.sql.walk import Fresh, bottom_up, highest_number, walk

from .schema import Schema

Pair = tuple[a.Query, a.Query]


def with_children_apart(schema: Schema, pair: Pair) -> Pair:
    """The pair with such parents taken apart."""
    catalog = schema.catalog
    if not catalog.fixed or catalog.opaque_relations or not any(_parents(t) for t in catalog.relations):
        return pair
    read = [Counter((n.table, n.only) for n in walk(q) if isinstance(n, a.Scan)) for q in pair]
    if read[0] == read[1] or any(isinstance(n, a.SystemColumn | a.WholeRow) for q in pair for n in walk(q)):
        return pair
    tops = {_top(catalog, ref) for ref, _ in (read[0] - read[1]) + (read[1] - read[0])}
    apart = {ref: found for ref in tops if (found := _family(catalog, ref)) and _differ(read, ref, found)}
    for ref, found in apart.items():
        fact = Assumption(
            "check", f"{ref.schema}.{ref.name}", tuple(sorted(c.ref.name for c in found)), "children"
        )
        if schema.stated(fact) is None:
            return pair
        schema.use(fact)
    parents = {r for ref, found in apart.items() for r in (ref, *(c.ref for c in found))}
    first, second = (_apart(catalog, q, parents) for q in pair)
    return first, second


def _parents(table: Relation) -> tuple[a.TableRef, ...]:
    return (*table.parents, *((table.partition_of,) if table.partition_of else ()))


def _children(catalog: Catalog, ref: a.TableRef) -> list[Relation]:
    return sorted(
        (t for t in catalog.relations if ref in _parents(t)), key=lambda t: (t.ref.schema, t.ref.name)
    )


def _top(catalog: Catalog, ref: a.TableRef) -> a.TableRef:
    while catalog.has_table(ref) and (above := _parents(catalog.table(ref))):
        ref = above[0]
    return ref


def _family(catalog: Catalog, top: a.TableRef) -> list[Relation]:
    """All that is below a parent; empty where one of them is not seen whole: foreign, under policies or
    rules, below two parents, with columns of another type, or computing a virtual column otherwise.
    """
    if not catalog.has_table(top):
        return []
    root, found = catalog.table(top), list[Relation]()
    left = [root]
    while left:
        table = left.pop()
        below = _children(catalog, table.ref)
        found += below
        left += below
    for one in (root, *found):
        types = {c.name: c.type for c in one.columns}
        plain = one.kind in {"table", "partitioned"} and len(_parents(one)) <= 1
        alike = all(types.get(c.name) == c.type for c in root.columns)
        if not plain or not alike or one.foreign_children or one.row_security or one.has_rules:
            return []
        if not _computes_as_above(catalog, one):
            return []
    return found


def _computes_as_above(catalog: Catalog, table: Relation) -> bool:
    """Whether a table's virtual columns are computed as where it is read as a part of what it is below: there
    they are computed by the expressions of what is read.
    """
    own = {c.name: c.default for c in table.columns}
    above = (c for ref in _parents(table) if catalog.has_table(ref) for c in catalog.table(ref).columns)
    return all(own.get(c.name) == c.default for c in above if c.generated == "virtual")


def _differ(read: list[Counter[tuple[a.TableRef, bool]]], top: a.TableRef, found: list[Relation]) -> bool:
    """Whether one of the family is read whole and another, or itself alone, in another place."""
    own = {top, *(c.ref for c in found)}
    met = {key for counts in read for key in counts if key[0] in own}
    return len(met) > 1 and any(not only for _, only in met)


def _apart(catalog: Catalog, query: a.Query, parents: set[a.TableRef]) -> a.Query:
    fresh = Fresh(highest_number(query))

    def change(node: a.Node) -> a.Node:
        if not isinstance(node, a.Scan) or node.only or node.table not in parents:
            return node
        arms = _arms(catalog, node.table)
        if not arms or arms == [(node.table, False)]:
            return node
        made = [_read(catalog, ref, node.columns, fresh(), only=only) for ref, only in arms]
        query: a.Query = made[0]
        for arm in made[1:]:
            query = a.SetOp("union", all=True, left=query, right=arm, columns=node.columns)
        return a.Derived(node.rel, query, node.alias, tuple(c.name for c in node.columns))

    return bottom_up(query, change)


def _arms(catalog: Catalog, ref: a.TableRef) -> list[tuple[a.TableRef, bool]]:
    """What is read by itself where the relation is: of partitioned tables nothing but their partitions."""
    below = _children(catalog, ref)
    own = [] if catalog.table(ref).kind == "partitioned" else [(ref, bool(below))]
    return [*own, *(arm for child in below for arm in _arms(catalog, child.ref))]


def _read(
    catalog: Catalog, ref: a.TableRef, wanted: tuple[a.OutputColumn, ...], rel: int, *, only: bool
) -> a.Select:
    """The parent's columns of one of them."""
    table = catalog.table(ref)
    columns = tuple(a.OutputColumn(c.name, c.type) for c in table.columns)
    scan = a.Scan(rel, ref, ref.name, columns, only)
    targets = tuple(a.Target(c.name, a.Column(rel, table.position(c.name), c.type, c.name)) for c in wanted)
    return a.Select(targets, (scan,))
