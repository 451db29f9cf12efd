"""An order of the original made as full as the candidate's: what it leaves open decided as the candidate
decides it.

    ORDER BY points DESC LIMIT 3        and the candidate's        ORDER BY points DESC, id LIMIT 3

Of rows that tie on the original's keys any may come first, so the one that the fuller order puts first is a
choice that the server might have made: each answer under the fuller order is an answer of the original, and
not the other way round. So it is of the order of the result, of what LIMIT, OFFSET and DISTINCT ON keep, and
of row_number(), lag, lead and ntile; not of WITH TIES, nor of what asks for peers (rank, frames). Blocks that
read the same tables in the same places are put side by side; of the outermost two a key is also told by the
place of its column in the result, or by its table. No key is taken away or changed, and none is added that
may raise an error: the original computes none. A judgement in one direction: its reservation is `refinement`.
Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rewright.equivalence.prover.positions import BY_VALUE
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, is_volatile
from rewright.sql.walk import (
    from_rels,
    has_subquery,
    highest_number,
    leaves,
    map_parts,
    renumber,
    returns_set,
    used_rels,
    walk,
)

REFINEMENT = "refinement"
Keys = tuple[a.SortKey, ...]
# what of a window follows the order of rows and asks for no peers
_IN_ORDER = frozenset({"row_number", "lag", "lead", "ntile"})


def fuller(original: a.Query, candidate: a.Query, catalog: Catalog) -> a.Query | None:
    """The original with the candidate's keys behind its own, block by block; None where it has them all."""
    # what a volatile query gives is no answer that could be compared
    if is_volatile(original) or is_volatile(candidate):
        return None
    facts = Facts(catalog, original)
    theirs = list(_selects(candidate))
    number = 0

    def visit(node: Any) -> Any:
        nonlocal number
        if not isinstance(node, a.Select):
            return map_parts(node, visit)
        # each block of the candidate stands beside one of the original at most, in the order they are written
        other = next((t for t in theirs[number:] if _reads_alike(node, t)), None)
        if other is not None:
            number = theirs.index(other, number) + 1
            node = _block(node, other, facts)
        return map_parts(node, visit)

    made: a.Query = visit(original)
    if isinstance(made, a.Select) and isinstance(candidate, a.Select):
        made = _outermost(made, candidate, facts)
    if isinstance(made, a.SetOp):
        made = _of_arms(made, candidate)
    return None if made == original or not _in_one_order(original, made) else made


def _in_one_order(original: a.Query, made: a.Query) -> bool:
    """Whether what followed one order of rows still does.

    Windows of one block over the same partitions and keys see the rows in one order, also those that tie
    (PostgreSQL manual, 7.2.5), and the server does not sort once more for a result in the same order.
    """
    blocks = zip(_selects(original), _selects(made), strict=False)
    return all(_follows_one(before, after) for before, after in blocks)


def _follows_one(before: a.Select, after: a.Select) -> bool:
    if before == after:
        return True
    shared: dict[tuple[object, ...], set[Keys]] = {}
    # a key that is added may be a window itself: those come last
    for old, new in zip(_windows(before), _windows(after), strict=False):
        own, keys = old.window.order_by, new.window.order_by
        # what gives peers one number is the same in any order of them
        if not (old.func.is_builtin and old.func.name in BY_VALUE):
            shared.setdefault((old.window.partition_by, own), set()).add(keys)
        follows = own and before.order_by[-len(own) :] == own
        if follows and before.order_by != after.order_by and keys != own:
            # the result shows the order that the window saw
            shared.setdefault((old.window.partition_by, own), set()).add(
                (*own, *after.order_by[len(before.order_by) :])
            )
    return all(len(orders) == 1 for orders in shared.values())


def _selects(query: a.Query) -> Iterator[a.Select]:
    """Blocks, outer ones first."""
    return (n for n in walk(query) if isinstance(n, a.Select))


def _reads_alike(mine: a.Select, other: a.Select) -> bool:
    """Whether two blocks read rows of the same types in the same places."""
    ours, theirs = ([_types(x) for x in leaves(b.from_)] for b in (mine, other))
    # types in their places, so that keys of the one can be read in the other
    return ours == theirs


def _types(leaf: a.Leaf) -> tuple[object, ...]:
    if isinstance(leaf, a.Derived):
        return tuple(c.type for c in a.output_columns(leaf.query))
    table = leaf.table if isinstance(leaf, a.Scan) else None
    return (table, *(c.type for c in leaf.columns))


def _block(mine: a.Select, other: a.Select, facts: Facts) -> a.Select:
    rels = {y.rel: x.rel for x, y in zip(leaves(mine.from_), leaves(other.from_), strict=True)}
    # what the candidate calls otherwise must not be taken for something of the original
    start = highest_number(mine) + highest_number(other) + 1
    there = renumber(other, rels | {r: start + r for r in used_rels(other) - rels.keys()})
    # a column that may stand in the one's ORDER BY may stand in the other's
    if (mine.group_by, mine.distinct) != (there.group_by, there.distinct) or _makes_sets(there):
        return mine
    known = from_rels(mine.from_)

    def longer(own: Keys, others: Keys) -> Keys:
        """The other keys, where they begin with all of the own, read no other rows and can't fail."""
        # keys are only added behind: ORDER BY id, points puts other rows first
        alike = others[: len(own)] == own and all(used_rels(k) <= known for k in others)
        return others if alike and not any(fails(k.expr) for k in others[len(own) :]) else own

    def fails(key: a.Expr) -> bool:
        return bool(facts.errors(key)) or not facts.cannot_fail(key)

    # WITH TIES keeps all rows that tie on the original's keys, and fewer under more keys
    if not mine.with_ties:
        mine = replace(mine, order_by=longer(mine.order_by, there.order_by))
    windows = list(_windows(there))

    def visit(node: Any) -> Any:
        if isinstance(node, a.Select | a.SetOp | a.Values):
            return node
        node = map_parts(node, visit)
        return _window(node, windows, longer) if isinstance(node, a.WindowCall) else node

    return replace(mine, targets=tuple(replace(t, expr=visit(t.expr)) for t in mine.targets))


def _outermost(mine: a.Select, other: a.Select, facts: Facts) -> a.Select:
    """The original with the candidate's keys, whatever the two read: each as the column of the result in its
    place, or as the column of a table that both read.
    """
    # set-returning outputs are expanded before the sort or after it, by what is sorted by
    if mine.with_ties or len(mine.targets) != len(other.targets) or _makes_sets(mine) or _makes_sets(other):
        return mine
    tables = _tables(mine, other) if mine.group_by is None and mine.distinct is None else {}
    known = from_rels(mine.from_)
    keys: list[a.SortKey] = []
    for at, key in enumerate(other.order_by):
        # the original's keys come first and must be the same, one by one
        ours = mine.order_by[at] if at < len(mine.order_by) else None
        found = [replace(key, expr=e) for e in _told(key.expr, mine, other, tables)]
        chosen = next((k for k in found if ours in {None, k}), None)
        if chosen is None:
            # a key that the original can't name: nothing is said of it
            return mine
        bare = used_rels(chosen.expr) <= known and not has_subquery(chosen.expr)
        # a new key is computed for each row of the original, which did not compute it: it must not fail
        if ours is None and (not bare or facts.errors(chosen.expr) or not facts.cannot_fail(chosen.expr)):
            return mine
        keys.append(chosen)
    # a candidate with fewer keys has the looser order
    return mine if len(keys) < len(mine.order_by) else replace(mine, order_by=tuple(keys))


def _of_arms(mine: a.SetOp, other: a.Query) -> a.SetOp:
    """The original, a set operation, with the candidate's keys, each by its place in the result."""
    keys = _by_place(other)
    types = [c.type for c in a.output_columns(mine)]
    if keys is None or mine.with_ties or types != [c.type for c in a.output_columns(other)]:
        return mine
    return replace(mine, order_by=keys) if keys[: len(mine.order_by)] == mine.order_by else mine


def _by_place(query: a.Query) -> tuple[a.OutputSortKey, ...] | None:
    """The sort keys of a result that are columns of it; None where one is not."""
    if isinstance(query, a.SetOp):
        return query.order_by
    if not isinstance(query, a.Select) or _makes_sets(query):
        return None
    shown = [t.expr for t in query.targets]
    if any(k.expr not in shown for k in query.order_by):
        return None
    return tuple(
        a.OutputSortKey(shown.index(k.expr), k.descending, k.nulls_first, k.op) for k in query.order_by
    )


def _told(expr: a.Expr, mine: a.Select, other: a.Select, tables: dict[int, int]) -> Iterator[a.Expr]:
    """What stands for a key of the other block in the first."""
    for shown, target in zip(mine.targets, other.targets, strict=True):
        if target.expr == expr and shown.expr.type == expr.type:
            yield shown.expr
    if used_rels(expr) and used_rels(expr) <= tables.keys():
        yield renumber(expr, tables)


def _tables(mine: a.Select, other: a.Select) -> dict[int, int]:
    """The range variables of the other block over tables by those of the first that they stand for."""
    left = [x for x in leaves(mine.from_) if isinstance(x, a.Scan)]
    found: dict[int, int] = {}
    for scan in leaves(other.from_):
        at = next((x for x in left if isinstance(scan, a.Scan) and x.table == scan.table), None)
        if at is not None:
            # each table of the original stands for one of the candidate's: a self-join's second copy is not
            # the first
            left.remove(at)
            found[scan.rel] = at.rel
    return found


def _makes_sets(block: a.Select) -> bool:
    return any(returns_set(e) for e in (*(t.expr for t in block.targets), *(k.expr for k in block.order_by)))


def _windows(block: a.Select) -> Iterator[a.WindowCall]:
    exprs = (*(t.expr for t in block.targets), *(k.expr for k in block.order_by))
    return (n for e in exprs for n in walk(e) if isinstance(n, a.WindowCall))


def _window(
    call: a.WindowCall, others: list[a.WindowCall], longer: Callable[[Keys, Keys], Keys]
) -> a.WindowCall:
    if not call.func.is_builtin or call.func.name not in _IN_ORDER:
        # rank() gives peers one number: a fuller order would tell them apart
        return call
    for other in others:
        alike = (call.func, call.args, call.window.partition_by) == (
            other.func,
            other.args,
            other.window.partition_by,
        )
        keys = longer(call.window.order_by, other.window.order_by)
        if alike and keys != call.window.order_by:
            return replace(call, window=replace(call.window, order_by=keys))
    return call
