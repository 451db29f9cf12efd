"""Recursive queries taken apart: a first term, a step, and what reads the fixpoint.

    WITH RECURSIVE r AS (A UNION S(r)) Q(r)      and      WITH RECURSIVE r AS (A' UNION S'(r)) Q'(r)

Each round of a recursion is the step over the rows of the round before. Where A and A' give the same rows,
and S and S' do whatever rows they are given, both have the same rounds, as many of them, and so the same
fixpoint; where Q and Q' agree whatever it holds, the two are the same. UNION drops duplicates of each round,
so that there sets are enough. The fixpoint is read as a table nobody knows anything of.

A condition outside on a column that the step hands on unchanged is one on the first term: each row of a round
comes from one row of the round before, with the same value. What nobody reads is not computed.

A recursion that may go on for ever ends where its reader stops: only one that ends on all data is read
otherwise, or restricted, without a reservation: its rows are made of stored values without duplicates, or it
counts its rounds up to a bound, or follows a table's own tree (`forests.py`), in which UNION drops nothing.
Of others one query may give an answer where the other goes on until an error
stops it (`errors`); where both give one, both have read a part of the same rounds, and give the same of the
longer part. A restricted one ends wherever the other does, and earlier where an error stops that one. Must
not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.laws.alike_columns import aligned
from rewright.equivalence.laws.asked_twice import without_asked_twice
from rewright.equivalence.laws.forests import Forest, forest
from rewright.equivalence.laws.forms import harmless, said
from rewright.equivalence.laws.idle_columns import without_idle_columns
from rewright.equivalence.laws.inlining import doubles_too_often, inlined
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog, Key, Table, TableColumn
from rewright.sql.facts import Assumption, Facts, is_volatile
from rewright.sql.types import EXACT_INTEGERS, equality_is_identity
from rewright.sql.walk import (
    Fresh,
    as_product,
    blocks,
    canonical,
    conjoin,
    conjuncts,
    free_rels,
    highest_number,
    is_plain,
    kept_product,
    map_parts,
    replace_at,
    substitute,
    walk,
)

SCHEMA = "rewright_fixpoint"


@dataclass(frozen=True, slots=True)
class Fixpoints:
    """Two queries that read the same unknown tables, in a catalog that has them. ``same``: pairs of queries
    whose sameness makes the tables the same. ``modulo``: what is computed of other rows may raise; ``facts``:
    the constraints by which recursions are known to end, and what ``tables`` say of their rows.
    """

    before: a.Query
    after: a.Query
    catalog: Catalog
    same: tuple[tuple[a.Query, a.Query], ...]
    modulo: frozenset[str]
    facts: tuple[str, ...]
    tables: tuple[Table, ...]


def is_recursive(*queries: a.Query) -> bool:
    return any(isinstance(n, a.Cte) and n.recursive for q in queries for n in walk(q))


def as_fixpoints(before: a.Query, after: a.Query, catalog: Catalog) -> Fixpoints | None:
    """The pair with its recursive CTEs as tables, in the order in which they stand; None where they do not
    pair off.
    """
    if any(t.ref.schema == SCHEMA for t in catalog.relations):
        return None  # somebody's own, of which something is known
    modulo: set[str] = set()
    found: list[a.Query] = []
    for query in (before, after):
        plain = _with_recursion_alone(query)
        # CTEs within recursive ones, or ones that read one another: rounds are no longer of one table alone
        if plain is None:
            return None
        found.append(_restricted_first(plain, catalog, modulo))
    first, second = _as_bags(found, catalog)
    # afterwards: a condition that has moved asks for its column no more
    first, second = (without_idle_columns(q, Facts(catalog, q)) for q in (first, second))
    if len(first.ctes) != len(second.ctes):
        return None
    second = aligned(first, second)
    ours, theirs = first.ctes, second.ctes
    same: list[tuple[a.Query, a.Query]] = []
    tables: list[Table] = []
    trees: list[Forest] = []
    basis: frozenset[Assumption] = frozenset()
    for mine, other in zip(ours, theirs, strict=True):
        if not _comparable(mine, other):
            return None
        tree = forest(mine, catalog)
        trees += [] if tree is None else [tree]
        table, why = _filled(mine, _table(mine, len(tables) + 1, tree), catalog)
        basis |= why if tree is None else {*why, *tree.basis}
        tables.append(table)
        pairs = [(_terms(mine, table)), (_terms(other, table))]
        same += [(x, y) for x, y in zip(*pairs, strict=True)]
        first, second = _reading(first, mine, table), _reading(second, other, table)
    finite = len(trees) == len(tables) or all(_ends(c, catalog) for c in (*ours, *theirs))
    if canonical(first, keep_names=False) != canonical(second, keep_names=False):
        # one reader may stop before the round that fails, or where there is no last one
        rounds = ((q, c) for q, ctes in ((before, ours), (after, theirs)) for c in ctes)
        # a reader that stops early (EXISTS, LIMIT) may not reach the round that fails
        if not finite or any(Facts(catalog, q).errors(_uncounted_rounds(c)) for q, c in rounds):
            modulo.add("errors")
    known = catalog.with_relations(*tables)
    apart = tuple(p for p in same if canonical(p[0], keep_names=False) != canonical(p[1], keep_names=False))
    return Fixpoints(first, second, known, apart, frozenset(modulo), said(basis), tuple(tables))


def _as_bags(queries: list[a.Query], catalog: Catalog) -> tuple[a.Query, a.Query]:
    """Both with UNION ALL in recursions that have no row twice, where each has such at the same place."""
    first, second = queries
    for mine, other in zip(first.ctes, second.ctes, strict=False):
        if forest(mine, catalog) is not None and forest(other, catalog) is not None:
            first, second = _keeping_duplicates(first, mine), _keeping_duplicates(second, other)
    return first, second


def _keeping_duplicates(query: a.Query, cte: a.Cte) -> a.Query:
    body = cte.query
    assert isinstance(body, a.SetOp)
    kept = replace(cte, query=replace(body, all=True))
    return replace(query, ctes=tuple(kept if c.cte == cte.cte else c for c in query.ctes))


# --------------------------------------------------------------------------- one query


def _with_recursion_alone(query: a.Query) -> a.Query | None:
    """The query with no CTEs but recursive ones that somebody reads, which stand at its top and read nothing
    of one another.
    """
    # a volatile CTE gives other rows each time it is copied
    if any(isinstance(n, a.Cte) and is_volatile(n.query) for n in walk(query)):
        return None
    # each round takes one CTE away; no query that is proved has as many
    for _ in range(100):
        place = next(
            (
                (path, b, c)
                for path, b in blocks(query)
                for c in b.ctes
                if not c.recursive or not _read(query, c)
            ),
            None,
        )
        if place is None:
            break
        path, block, cte = place
        # recursive and read by nobody: never computed
        if cte.recursive:
            kept = replace(block, ctes=tuple(c for c in block.ctes if c != cte))
            query = replace_at(query, path, kept)
        elif doubles_too_often(block, cte):
            return None
        else:
            query = replace_at(query, path, inlined(block, cte, Fresh(highest_number(query))))
    inner = [b for path, b in blocks(query) if path and b.ctes]
    crossed = any(isinstance(n, a.CteScan) and n.cte != c.cte for c in query.ctes for n in walk(c.query))
    return None if inner or crossed or any(not c.recursive for c in query.ctes) else query


def _read(query: a.Query, cte: a.Cte) -> bool:
    # a recursion reads itself in its step, which makes no reader of it
    own = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(cte.query))
    return sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(query)) > own


def _comparable(mine: a.Cte, other: a.Cte) -> bool:
    """Whether two recursions have columns of the same types, whose equal values are the same, and treat
    duplicates alike.
    """
    types = [[c.type for c in x.columns] for x in (mine, other)]
    # citext 'a' and 'A' are one row to UNION and two values to the reader
    if types[0] != types[1] or not all(equality_is_identity(t) for t in types[0]):
        return False
    bodies = [x.query for x in (mine, other)]
    # INTERSECT and EXCEPT are no recursion; CTEs within the body would be read by both terms
    return (
        all(isinstance(b, a.SetOp) and b.op == "union" and not b.ctes for b in bodies)
        and len({b.all for b in bodies if isinstance(b, a.SetOp)}) == 1
    )


def _table(cte: a.Cte, number: int, tree: Forest | None) -> Table:
    key = None if tree is None else tree.key
    columns = tuple(TableColumn(f"c{i + 1}", c.type, i == key) for i, c in enumerate(cte.columns))
    keys = () if key is None else (Key(SCHEMA, (columns[key].name,), primary=True),)
    return Table(a.TableRef(SCHEMA, f"r{number}"), columns, keys=keys)


def _filled(cte: a.Cte, table: Table, catalog: Catalog) -> tuple[Table, frozenset[Assumption]]:
    """The table with NOT NULL on the columns that have none in the first term, nor in the step over rows that
    have none there.
    """
    terms = _terms(cte, table)
    filled, basis = set(range(len(table.columns))), frozenset[Assumption]()
    while True:
        columns = tuple(replace(c, not_null=i in filled) for i, c in enumerate(table.columns))
        made = replace(table, columns=columns)
        outputs = [Facts(catalog.with_relations(made), t).nonnull_outputs(t) for t in terms]
        lacking = {i for i in filled if any(known[i] is None for known in outputs)}
        if not lacking:
            break
        filled -= lacking
    for known in outputs:
        basis = basis.union(*(why for i in filled if (why := known[i]) is not None))
    return made, frozenset(x for x in basis if x.schema != SCHEMA)


def _terms(cte: a.Cte, table: Table) -> tuple[a.Query, a.Query]:
    """The first term, and the step over the table; as sets, where duplicates are dropped."""
    body = cte.query
    assert isinstance(body, a.SetOp)
    arms = (body.left, _scanned(body.right, cte, table))
    # UNION looks at sets: how often an arm gives a row is nothing to it
    return (arms[0], arms[1]) if body.all else (_distinct(arms[0], cte), _distinct(arms[1], cte))


def _distinct(query: a.Query, cte: a.Cte) -> a.Query:
    rel = highest_number(query) + 1
    names = tuple(f"c{i + 1}" for i in range(len(cte.columns)))
    shown = zip(names, a.output_columns(query), strict=True)
    targets = tuple(a.Target(n, a.Column(rel, i, c.type, n)) for i, (n, c) in enumerate(shown))
    return a.Select(targets, (a.Derived(rel, query, "r", names),), distinct=())


def _reading(query: a.Query, cte: a.Cte, table: Table) -> a.Query:
    rest: a.Query = replace(query, ctes=tuple(c for c in query.ctes if c.cte != cte.cte))
    return _scanned(rest, cte, table)


def _scanned(query: a.Query, cte: a.Cte, table: Table) -> a.Query:
    """The query with the table for the CTE."""

    def visit(n: Any) -> Any:
        if isinstance(n, a.CteScan) and n.cte == cte.cte:
            shown = tuple(
                a.OutputColumn(c.name, t.type) for c, t in zip(n.columns, table.columns, strict=True)
            )
            return a.Scan(n.rel, table.ref, n.alias, shown)
        return map_parts(n, visit)

    made: a.Query = visit(query)
    return made


def _is_finite(cte: a.Cte) -> bool:
    """Whether the recursion ends on all data: no row comes twice, and each value of a row is a stored one or
    a constant.
    """
    body = cte.query
    # UNION ALL repeats a cycle's rows without end
    if not isinstance(body, a.SetOp) or body.all:
        return False
    return all(isinstance(e, a.Column | a.Const) for e in _shown(body.right)) and bool(_shown(body.right))


def _ends(cte: a.Cte, catalog: Catalog) -> bool:
    return _is_finite(cte) or _counter(cte) is not None or forest(cte, catalog) is not None


def _counter(cte: a.Cte) -> int | None:
    """The integer column that each step raises by one or more, only of rows where it is below a bound of its
    type: it never overflows.
    """
    body = cte.query
    if not isinstance(body, a.SetOp) or not isinstance(body.right, a.Select) or not is_plain(body.right):
        return None
    items, preds = as_product(body.right)
    own = next((i for i in items if isinstance(i, a.CteScan) and i.cte == cte.cte), None)
    for i, target in enumerate(body.right.targets if own is not None else ()):
        column = a.Column(own.rel, i, cte.columns[i].type) if own is not None else target.expr
        if _one_more(target.expr, column) and any(_is_below(p, column) for p in preds):
            return i
    return None


def _one_more(expr: a.Expr, column: a.Expr) -> bool:
    """``column + 1``"""
    if not (isinstance(expr, a.Op) and expr.op.is_builtin and expr.op.name == "+" and len(expr.args) == 2):
        return False
    integer = expr.type == column.type and column.type.name in EXACT_INTEGERS
    # + 1 only: a step by a column may be 0
    return integer and expr.args in {(column, a.Const("1", column.type)), (a.Const("1", column.type), column)}


def _is_below(pred: a.Expr, column: a.Expr) -> bool:
    """``column < bound``"""
    if not (isinstance(pred, a.Op) and pred.op.is_builtin and pred.op.name == "<" and len(pred.args) == 2):
        return False
    bound = pred.args[1]
    # a bound in another type might not be reached before the column's own type ends
    return pred.args[0] == column and isinstance(bound, a.Const | a.Param) and bound.type == column.type


def _shown(query: a.Query) -> list[a.Expr]:
    """What a block that picks columns of tables, or of the recursion itself, shows; empty for others."""
    if not isinstance(query, a.Select) or query.group_by is not None:
        return []
    items, _ = as_product(query)
    # a subquery or function in FROM may make new values each round
    if not all(isinstance(i, a.Scan | a.CteScan) for i in items):
        return []
    return [t.expr for t in query.targets]


# --------------------------------------------------------------------------- conditions on what is handed on


def _restricted_first(query: a.Query, catalog: Catalog, modulo: set[str]) -> a.Query:
    """The query with conditions on columns that are handed on as conditions of the first terms."""
    made: list[a.Cte] = []
    for cte in query.ctes:
        readers = [n for n in walk(query) if isinstance(n, a.CteScan) and n.cte == cte.cte]
        # with two readers a condition of one would restrict what the other sees
        if len(readers) == 2:  # the step, and one that reads
            query, changed = _moved_in(query, cte, catalog, modulo)
            made.append(_once(query, changed, catalog, modulo))
        else:
            made.append(cte)
    return replace(query, ctes=tuple(made))


def _moved_in(query: a.Query, cte: a.Cte, catalog: Catalog, modulo: set[str]) -> tuple[a.Query, a.Cte]:
    body = cte.query
    assert isinstance(body, a.SetOp)
    first = body.left
    # the first term's own GROUP BY, DISTINCT or LIMIT would see fewer rows
    if not isinstance(first, a.Select) or not is_plain(first):
        return query, cte
    facts = Facts(catalog, query)
    for path, block in blocks(query):
        if not isinstance(block, a.Select):
            continue
        items, _ = kept_product(block)
        scan = next((i for i in items if isinstance(i, a.CteScan) and i.cte == cte.cte), None)
        if scan is None or (path and path[0] == "ctes"):
            continue
        kept, moved = _split(conjuncts(block.where), scan.rel, set(columns_handed_on(body.right, cte)), facts)
        if moved:
            if not _ends(cte, catalog) or facts.errors(_uncounted(cte, body.right)) or facts.errors(first):
                modulo.add("errors")
            values = {(scan.rel, i): t.expr for i, t in enumerate(first.targets)}
            own = (substitute(p, values) for p in moved)
            changed = replace(first, where=conjoin((*conjuncts(first.where), *own)))
            query = replace_at(query, path, replace(block, where=conjoin(kept)))
            return query, replace(cte, query=replace(body, left=changed))
    return query, cte


def _once(query: a.Query, cte: a.Cte, catalog: Catalog, modulo: set[str]) -> a.Cte:
    """The recursion whose first term does not ask what its reader asks again."""
    body = cte.query
    if not isinstance(body, a.SetOp):
        return cte
    made = without_asked_twice(query, cte, frozenset(columns_handed_on(body.right, cte)))
    facts = Facts(catalog, query)
    if made != cte and (
        not _ends(cte, catalog) or facts.errors(_uncounted(cte, body.right)) or facts.errors(body.left)
    ):
        modulo.add("errors")
    return made


def _uncounted_rounds(cte: a.Cte) -> a.Query:
    body = cte.query
    return replace(body, right=_uncounted(cte, body.right)) if isinstance(body, a.SetOp) else body


def _uncounted(cte: a.Cte, step: a.Query) -> a.Query:
    """The step without its counter, which can't fail."""
    counter = _counter(cte)
    if counter is None or not isinstance(step, a.Select):
        return step
    return replace(step, targets=tuple(t for i, t in enumerate(step.targets) if i != counter))


def _split(
    preds: tuple[a.Expr, ...], rel: int, columns: set[int], facts: Facts
) -> tuple[list[a.Expr], list[a.Expr]]:
    """Conditions that stay, and those on nothing but these columns, by themselves or in a query's rows."""

    def moves(pred: a.Expr) -> bool:
        # a condition that also reads the tables beside is no one of the recursion's rows alone
        if free_rels(pred) != {rel}:
            return False
        if isinstance(pred, a.Quantified) and _reads_tables(pred.query):
            return not facts.errors(pred) and all(moves(e) for e in pred.left)
        # WHERE EXISTS (…), or a constant condition, asks nothing of the column
        used = [n for n in walk(pred) if isinstance(n, a.Column)]
        return harmless(pred, facts) and bool(used) and all(n.pos in columns for n in used)

    return [p for p in preds if not moves(p)], [p for p in preds if moves(p)]


def _reads_tables(query: a.Query) -> bool:
    return (
        not free_rels(query)
        and not is_volatile(query)
        and not any(isinstance(n, a.CteScan) for n in walk(query))
    )


def columns_handed_on(step: a.Query, cte: a.Cte) -> Iterator[int]:
    """The columns that each row of the step has from the one row of the recursion that it is made of."""
    if not isinstance(step, a.Select) or not is_plain(step):
        return
    items, _ = as_product(step)
    own = next((i for i in items if isinstance(i, a.CteScan) and i.cte == cte.cte), None)
    if own is None:
        return
    for i, target in enumerate(step.targets):
        e = target.expr
        if isinstance(e, a.Column) and (e.rel, e.pos) == (own.rel, i):
            yield i
