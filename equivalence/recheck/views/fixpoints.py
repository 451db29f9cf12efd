"""Recursive queries as what reads a table nobody knows anything of, where first terms and steps are the same.

A round of WITH RECURSIVE is the step over the rows of the round before. Where two recursions have first terms
that give the same rows, and steps that do over whatever rows, they have the same rounds; UNION drops what is
there already, so that sets are enough for it. What reads them may then read one unknown table. A recursion
that goes on for ever is ended by its reader. One is known to end where its rows are made of stored values and
come once, where it counts its rounds up to a bound, or goes down a table's trees; of another one that is read
in another way one query may give an answer where the other goes on until an error ends it. Restricted without
a reservation is only one that ends, and of which no round fails. Must not know the other forms but how CTEs
are put in their places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.recheck.views.plain import inlined
from rewright.equivalence.recheck.views.repeated import repeated
from rewright.equivalence.recheck.views.slim import in_order_of, slim
from rewright.equivalence.recheck.views.stating import Changes, Queries, View
from rewright.equivalence.recheck.views.trees import as_bag, told_apart
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog, Key, Table, TableColumn
from rewright.sql.facts import Facts, is_volatile
from rewright.sql.types import EXACT_INTEGERS, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    as_product,
    bottom_up,
    canonical,
    conjoin,
    conjuncts,
    free_rels,
    has_subquery,
    highest_number,
    is_plain,
    substitute,
    walk,
)

_SCHEMA = "rewright_rounds"


def fixpoints(view: View) -> View:
    """The pair that reads tables, and the pairs of first terms and steps by which these are the same."""
    (before, after), *others = view.pairs
    if any(t.ref.schema == _SCHEMA for t in view.catalog.relations):
        return view
    if not any(isinstance(n, a.Cte) and n.recursive for q in (before, after) for n in walk(q)):
        return view
    changes = [Changes(view.catalog, q) for q in (before, after)]
    prepared = [_alone(q, c) for q, c in zip((before, after), changes, strict=True)]
    found = [p for p in prepared if p is not None]
    if len(found) < 2 or others or len(found[0].ctes) != len(found[1].ctes):
        return view
    first, second = _of_one_kind(found[0], found[1], changes)
    found = [first, second]
    tables: list[Table] = []
    same: list[Queries] = []
    finite = all(_ends(c, view.catalog) for q in found for c in q.ctes)
    for mine, other in zip(first.ctes, second.ctes, strict=True):
        if not _alike(mine, other):
            return view
        tables.append(_with_values(mine, _unknown(mine, len(tables), changes[0]), changes[0]))
        same += zip(_terms(mine, tables[-1]), _terms(other, tables[-1]), strict=True)
    readers = tuple(_reader(q, tables) for q in found)
    fails = not finite or any(_may_fail(t, c) for q, c in zip(found, changes, strict=True) for t in q.ctes)
    # one reader may stop before the round that fails, and so where there is no last one
    if fails and not _one_tree((readers[0], readers[1])):
        changes[0].modulo.add("errors")
    apart = tuple(p for p in same if not _one_tree(p))
    return replace(
        view,
        pairs=((readers[0], readers[1]), *apart),
        catalog=view.catalog.with_relations(*tables),
        modulo=view.modulo.union(*(c.modulo for c in changes)),
        facts=view.facts.union(*(c.facts for c in changes)),
    )


def _may_fail(cte: a.Cte, changes: Changes) -> bool:
    return bool(changes.known.errors(cte.query)) or not changes.known.cannot_fail(cte.query)


def _one_tree(pair: Queries) -> bool:
    first, second = (canonical(q, keep_names=False) for q in pair)
    return first == second


# --------------------------------------------------------------------------- one query


def _alone(query: a.Query, changes: Changes) -> a.Query | None:
    """The query with recursive CTEs at its top alone, that are read and read nothing of one another."""
    made = _without_unread(inlined(query, changes))
    own = {c.cte for c in made.ctes}
    if {n.cte for n in walk(made) if isinstance(n, a.Cte)} != own or not all(c.recursive for c in made.ctes):
        return None
    for c in made.ctes:
        body = c.query
        if not isinstance(body, a.SetOp) or body.op != "union" or body.ctes or body.order_by:
            return None
        if body.limit is not None or body.offset is not None or not c.columns:
            return None
        if any(isinstance(n, a.CteScan) for n in walk(body.left)):
            return None
        if any(isinstance(n, a.CteScan) and n.cte != c.cte for n in walk(body.right)):
            return None
    for c in made.ctes:
        made = _restricted(made, c, changes)
    return made


def _of_one_kind(first: a.Query, second: a.Query, changes: list[Changes]) -> Queries:
    """Both with the columns alone on which rows depend, in the first's order; with UNION ALL where none of
    two recursions at one place makes a row twice.
    """
    for mine, other in zip(first.ctes, second.ctes, strict=True):
        if all(told_apart(c, x.catalog) is not None for c, x in zip((mine, other), changes, strict=True)):
            first, second = as_bag(first, mine), as_bag(second, other)
    for number in range(len(first.ctes)):
        first = slim(first, first.ctes[number], changes[0])
        second = slim(second, second.ctes[number], changes[1])
        second = in_order_of(first.ctes[number], second, second.ctes[number])
    return first, second


def _without_unread(query: a.Query) -> a.Query:
    """Without recursive CTEs that nobody but themselves reads: the server does not compute them."""
    while True:
        idle = {c.cte for n in walk(query) if isinstance(n, QUERIES) for c in n.ctes if not _read(query, c)}
        if not idle:
            return query
        query = _without(query, idle)


def _without(query: a.Query, idle: set[int]) -> a.Query:
    def visit(node: a.Node) -> a.Node:
        if not isinstance(node, QUERIES) or not node.ctes:
            return node
        return replace(node, ctes=tuple(c for c in node.ctes if c.cte not in idle))

    return bottom_up(query, visit)


def _read(query: a.Query, cte: a.Cte) -> bool:
    def scans(node: a.Node) -> int:
        return sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(node))

    return scans(query) > scans(cte.query)


def _alike(mine: a.Cte, other: a.Cte) -> bool:
    """Columns of the same types, whose equal values are the very same, and duplicates treated alike."""
    types = [c.type for c in mine.columns]
    same = types == [c.type for c in other.columns] and all(map(equality_is_identity, types))
    bodies = [c.query for c in (mine, other)]
    return same and len({b.all for b in bodies if isinstance(b, a.SetOp)}) == 1


def _unknown(cte: a.Cte, number: int, changes: Changes) -> Table:
    columns = tuple(TableColumn(f"c{i}", c.type) for i, c in enumerate(cte.columns, 1))
    known = told_apart(cte, changes.catalog)
    keys: tuple[Key, ...] = ()
    if known is not None:
        at, why = known
        keys = (Key("once", (columns[at].name,), primary=True),)
        changes.rest_on(why)
    return Table(a.TableRef(_SCHEMA, f"r{number + 1}"), columns, keys=keys)


def _with_values(cte: a.Cte, table: Table, changes: Changes) -> Table:
    """The table that says which columns have no NULL: those of rows of the first term, and of the step over
    such rows.
    """
    never = [True] * len(table.columns)
    for _ in (*never, True):
        columns = (replace(c, not_null=n) for c, n in zip(table.columns, never, strict=True))
        table = replace(table, columns=tuple(columns))
        known = Facts(changes.catalog.with_relations(table))
        outputs = [known.nonnull_outputs(t) for t in _terms(cte, table)]
        found = [n and all(o[i] is not None for o in outputs) for i, n in enumerate(never)]
        if found == never:
            break
        never = found
    for i, n in enumerate(never):
        for why in (o[i] for o in outputs if n):
            changes.rest_on(frozenset(x for x in why or () if x.schema != _SCHEMA))
    return table


def _terms(cte: a.Cte, table: Table) -> tuple[a.Query, a.Query]:
    """The first term, and the step over the table's rows."""
    body = cte.query
    assert isinstance(body, a.SetOp)
    terms = (body.left, _over(body.right, cte.cte, table))
    return terms if body.all else (_as_set(terms[0]), _as_set(terms[1]))


def _as_set(query: a.Query) -> a.Query:
    rel = highest_number(query) + 1
    shown = [a.Column(rel, i, c.type, f"c{i + 1}") for i, c in enumerate(a.output_columns(query))]
    item = a.Derived(rel, query, "r", tuple(c.name for c in shown))
    return a.Select(tuple(a.Target(c.name, c) for c in shown), (item,), distinct=())


def _reader(query: a.Query, tables: list[Table]) -> a.Query:
    made: a.Query = replace(query, ctes=())
    for cte, table in zip(query.ctes, tables, strict=True):
        made = _over(made, cte.cte, table)
    return made


def _over(query: a.Query, cte: int, table: Table) -> a.Query:
    def visit(node: a.Node) -> a.Node:
        if not isinstance(node, a.CteScan) or node.cte != cte:
            return node
        shown = [a.OutputColumn(c.name, t.type) for c, t in zip(node.columns, table.columns, strict=True)]
        return a.Scan(node.rel, table.ref, node.alias, tuple(shown))

    return bottom_up(query, visit)


def _ends(cte: a.Cte, catalog: Catalog) -> bool:
    """Whether the recursion ends whatever is stored: it counts its rounds, goes down trees, or its rows are
    of stored values, and none comes twice.
    """
    if _counted(cte) is not None or told_apart(cte, catalog) is not None:
        return True
    body = cte.query
    if not isinstance(body, a.SetOp) or body.all or not isinstance(body.right, a.Select):
        return False
    step = body.right
    if step.group_by is not None or not step.targets:
        return False
    items, _ = as_product(step)
    stored = all(isinstance(i, a.Scan | a.CteScan) for i in items)
    return stored and all(isinstance(t.expr, a.Column | a.Const) for t in step.targets)


def _counted(cte: a.Cte) -> int | None:
    """The column of integers that is one more in each round, of rows that have less than a bound there: what
    is one more than something less than a number of its type is of that type.
    """
    body = cte.query
    step = body.right if isinstance(body, a.SetOp) else body
    if not isinstance(step, a.Select) or not is_plain(step):
        return None
    items, preds = as_product(step)
    own = [i.rel for i in items if isinstance(i, a.CteScan) and i.cte == cte.cte]
    if len(own) != 1:
        return None
    for at, target in enumerate(step.targets):
        before = a.Column(own[0], at, cte.columns[at].type)
        one = a.Const("1", before.type)
        raised = _operation(target.expr, "+") in ((before, one), (one, before))
        asked = [_operation(p, "<") for p in preds]
        below = any(
            len(x) == 2
            and x[0] == before
            and isinstance(x[1], a.Const | a.Param)
            and x[1].type == before.type
            for x in asked
        )
        if before.type.name in EXACT_INTEGERS and target.expr.type == before.type and raised and below:
            return at
    return None


def _operation(expr: a.Expr, name: str) -> tuple[a.Expr, ...]:
    plain = isinstance(expr, a.Op) and expr.op.is_builtin and expr.op.name == name
    return expr.args if plain and isinstance(expr, a.Op) else ()


# --------------------------------------------------------------------------- conditions on what is handed on


def _restricted(query: a.Query, cte: a.Cte, changes: Changes) -> a.Query:
    """The query with its reader's conditions on columns that the step hands on made of the first term. Each
    row comes from one of the first term's with the same values there, by rows that all have them.
    """
    body = cte.query
    assert isinstance(body, a.SetOp)
    first, step = body.left, body.right
    rest: a.Query = replace(query, ctes=())
    readers = [n for n in walk(rest) if isinstance(n, a.CteScan) and n.cte == cte.cte]
    blocks = [n for n in walk(rest) if isinstance(n, a.Select) and _reads(n, readers)]
    handed = set(_handed_on(step, cte.cte))
    one = len(readers) == len(blocks) == 1 and all(equality_is_identity(c.type) for c in cte.columns)
    if not one or not isinstance(first, a.Select) or not is_plain(first):
        return query
    preds, rel = conjuncts(blocks[0].where), readers[0].rel
    moved = [p for p in preds if _only_of(p, rel, handed, changes)]
    idle = repeated(blocks[0], rel, first, handed)
    if not moved and not idle:
        return query
    counted = _counted(cte)
    if isinstance(step, a.Select) and counted is not None:
        step = replace(step, targets=tuple(t for i, t in enumerate(step.targets) if i != counted))
    if not _ends(cte, changes.catalog) or changes.known.errors(step) or changes.known.errors(first):
        changes.modulo.add("errors")
    values = {(rel, i): t.expr for i, t in enumerate(first.targets)}
    asked = [p for p in conjuncts(first.where) if p not in idle]
    where = conjoin((*asked, *(substitute(p, values) for p in moved)))
    changed = replace(cte, query=replace(body, left=replace(first, where=where)))
    kept = conjoin(p for p in preds if p not in moved)

    def freed(node: a.Node) -> a.Node:
        return replace(node, where=kept) if isinstance(node, a.Select) and _reads(node, readers) else node

    made: a.Query = bottom_up(rest, freed)
    return replace(made, ctes=tuple(changed if c.cte == cte.cte else c for c in query.ctes))


def _reads(block: a.Select, readers: list[a.CteScan]) -> bool:
    return any(i in readers for i in as_product(block)[0])


def _only_of(pred: a.Expr, rel: int, columns: set[int], changes: Changes) -> bool:
    """Whether a condition asks for these columns alone, by themselves or in the rows of a query of its own,
    and can't fail.
    """
    if changes.known.errors(pred) or is_volatile(pred):
        return False
    if isinstance(pred, a.Quantified):
        alone = not free_rels(pred.query) and not any(isinstance(n, a.CteScan) for n in walk(pred.query))
        return alone and all(_only_of(e, rel, columns, changes) for e in pred.left)
    used = [n for n in walk(pred) if isinstance(n, a.Column | a.SystemColumn | a.WholeRow)]
    known = all(isinstance(n, a.Column) and n.rel == rel and n.pos in columns for n in used)
    return bool(used) and known and not has_subquery(pred) and changes.known.cannot_fail(pred)


def _handed_on(step: a.Query, cte: int) -> Iterator[int]:
    """The columns that a row of the step has from the one row of the recursion that it is made of."""
    if not isinstance(step, a.Select) or not is_plain(step):
        return
    own = [i for i in as_product(step)[0] if isinstance(i, a.CteScan) and i.cte == cte]
    if sum(isinstance(n, a.CteScan) and n.cte == cte for n in walk(step)) != 1 or len(own) != 1:
        return
    for i, target in enumerate(step.targets):
        e = target.expr
        if isinstance(e, a.Column) and (e.rel, e.pos) == (own[0].rel, i):
            yield i
