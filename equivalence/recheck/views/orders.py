"""The original with its orders as full as the candidate's: a judgement in one direction.

Of rows that tie on the keys of an order the server may put any first, so what it does under more keys behind
them is something that it may do without. So it is of ORDER BY, of what LIMIT, OFFSET and DISTINCT ON keep of
it, and of windows whose value follows the order of rows; not of WITH TIES and windows that ask for peers. A
key may be told by what both blocks read, or of the results by the place of a column or by a table of both.
The keys added must not fail, since the original computes none of them. Under a LIMIT a sort by them may
compute rows that an index leaves uncomputed. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes, View
from rewright.sql import algebra as a
from rewright.sql.facts import Facts
from rewright.sql.walk import (
    QUERIES,
    from_rels,
    highest_number,
    leaves,
    map_parts,
    renumber,
    returns_set,
    used_rels,
    walk,
)

_BY_ROWS = frozenset({"row_number", "lag", "lead", "ntile"})
_BY_PEERS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
_Keys = tuple[a.SortKey, ...]


def orders(view: View) -> View:
    """Each block of the first query beside the block of the second that has its place among the blocks."""
    (before, after), *others = view.pairs
    made = _beside(before, after, view) if not others else before
    if not others and isinstance(made, a.Select) and isinstance(after, a.Select):
        made = _of_results(made, after, _Longer(from_rels(made.from_), Facts(view.catalog, before)))
    if not others and isinstance(made, a.SetOp):
        made = _of_set(made, after)
    if made == before or not _rows_in_one_order(before, made):
        return view
    modulo = view.modulo | {"refinement"} | _beyond_cuts(before, view)
    return replace(view, pairs=((made, after), *others), modulo=modulo)


def _beyond_cuts(query: a.Query, view: View) -> frozenset[str]:
    changes = Changes(view.catalog, query)
    changes.ask_behind_cuts(query)
    return frozenset(changes.modulo)


def _rows_in_one_order(before: a.Query, made: a.Query) -> bool:
    """Calls of a block over one window see its rows in one order, also ties (PostgreSQL manual, 7.2.5): no
    two of them may be given unlike keys, nor one of them and the result that is sorted as it was.
    """
    blocks = ([n for n in walk(q) if isinstance(n, a.Select)] for q in (before, made))
    for old, new in zip(*blocks, strict=False):
        chosen: dict[tuple[object, ...], _Keys] = {}
        for was, now in zip(_calls(old), _calls(new), strict=False):
            if was.func.is_builtin and was.func.name in _BY_PEERS:
                continue
            own, given = was.window.order_by, now.window.order_by
            if chosen.setdefault((was.window.partition_by, own), given) != given:
                return False
            sorted_so = bool(own) and old.order_by[len(old.order_by) - len(own) :] == own
            shown = new.order_by[len(old.order_by) :]
            if sorted_so and shown and given != own and given[len(own) :] != shown:
                return False
    return True


def _calls(block: a.Select) -> list[a.WindowCall]:
    exprs = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    return [n for e in exprs for n in walk(e) if isinstance(n, a.WindowCall)]


def _beside(before: a.Query, after: a.Query, view: View) -> a.Query:
    theirs = [n for n in walk(after) if isinstance(n, a.Select)]
    ours = [n for n in walk(before) if isinstance(n, a.Select)]
    if len(ours) != len(theirs):
        return before
    facts, turn = Facts(view.catalog, before), iter(theirs)

    def visit(node: Any) -> Any:
        if not isinstance(node, a.Select):
            return map_parts(node, visit)
        other = next(turn)
        return (
            map_parts(node, visit)
            if _rows(node) != _rows(other)
            else map_parts(_block(node, other, facts), visit)
        )

    made: a.Query = visit(before)
    return made


def _of_results(mine: a.Select, other: a.Select, longer: _Longer) -> a.Select:
    """Keys of the result, by the columns of the result that they are, or by the table they are of."""
    sets = any(returns_set(t.expr) for b in (mine, other) for t in b.targets)
    if sets or mine.with_ties or len(mine.targets) != len(other.targets):
        return mine
    plain = mine.group_by is None and mine.distinct is None
    renamed = _same_tables(mine, other) if plain else {}
    keys: _Keys = ()
    for key in other.order_by:
        ways = [
            replace(key, expr=x.expr)
            for x, y in zip(mine.targets, other.targets, strict=True)
            if y.expr == key.expr and x.expr.type == y.expr.type
        ]
        read = used_rels(key.expr)
        if read and read <= set(renamed):
            ways.append(replace(key, expr=renumber(key.expr, renamed)))
        own = mine.order_by[len(keys) : len(keys) + 1]
        fit = [w for w in ways if (w,) == own] if own else ways[:1]
        if not fit:
            return mine
        keys = (*keys, fit[0])
    return replace(mine, order_by=longer.keys(mine.order_by, keys))


def _of_set(mine: a.SetOp, other: a.Query) -> a.SetOp:
    """Keys of the result of a set operation, which are columns of it."""
    columns = [[c.type for c in a.output_columns(q)] for q in (mine, other)]
    keys: list[a.OutputSortKey] = []
    if isinstance(other, a.SetOp):
        keys += other.order_by
    elif isinstance(other, a.Select):
        for key in other.order_by:
            at = next((i for i, t in enumerate(other.targets) if t.expr == key.expr), None)
            if at is None or returns_set(key.expr):
                return mine
            keys.append(a.OutputSortKey(at, key.descending, key.nulls_first, key.op))
    begun = tuple(keys[: len(mine.order_by)]) == mine.order_by
    if mine.with_ties or columns[0] != columns[1] or not begun:
        return mine
    return replace(mine, order_by=tuple(keys))


def _same_tables(mine: a.Select, other: a.Select) -> dict[int, int]:
    """Each scan of the other block with the first one of its table that is left."""
    found: dict[int, int] = {}
    for y in leaves(other.from_):
        for x in leaves(mine.from_):
            same = isinstance(x, a.Scan) and isinstance(y, a.Scan) and x.table == y.table
            if same and x.rel not in found.values():
                found[y.rel] = x.rel
                break
    return found


def _rows(block: a.Select) -> list[list[object]]:
    """What the block reads, place by place."""
    return [[type(x), getattr(x, "table", None), *_types(x)] for x in leaves(block.from_)]


def _types(leaf: a.Leaf) -> list[object]:
    if isinstance(leaf, a.Derived):
        return [c.type for c in a.output_columns(leaf.query)]
    return [c.type for c in leaf.columns]


class _Longer:
    """Sort keys of a block, with those of the other that may stand behind them."""

    def __init__(self, own: frozenset[int], facts: Facts) -> None:
        self.own, self.facts = own, facts

    def keys(self, mine: _Keys, others: _Keys) -> _Keys:
        added = others[len(mine) :]
        if others[: len(mine)] != mine or not all(self._harmless(k) for k in added):
            return mine
        return others

    def _harmless(self, key: a.SortKey) -> bool:
        plain = not self.facts.errors(key.expr) and self.facts.cannot_fail(key.expr)
        inside = all(n.rel in self.own for n in walk(key.expr) if isinstance(n, a.Column))
        return plain and inside and not any(isinstance(n, QUERIES) for n in walk(key.expr))


def _block(mine: a.Select, other: a.Select, facts: Facts) -> a.Select:
    names = {y.rel: x.rel for x, y in zip(leaves(mine.from_), leaves(other.from_), strict=True)}
    beyond = highest_number(mine) + highest_number(other) + 1
    there = renumber(other, {r: beyond + r for r in used_rels(other) - names.keys()} | names)
    sets = any(returns_set(e) for e in (*(t.expr for t in there.targets), *(k.expr for k in there.order_by)))
    # what may stand in the one's ORDER BY may stand in the other's
    if sets or (mine.group_by, mine.distinct) != (there.group_by, there.distinct):
        return mine
    longer = _Longer(from_rels(mine.from_), facts)
    if not mine.with_ties:
        mine = replace(mine, order_by=longer.keys(mine.order_by, there.order_by))
    calls = [n for t in there.targets for n in walk(t.expr) if isinstance(n, a.WindowCall)]

    def visit(node: Any) -> Any:
        if isinstance(node, QUERIES):
            return node
        node = map_parts(node, visit)
        return _window(node, calls, longer) if isinstance(node, a.WindowCall) else node

    return replace(mine, targets=tuple(replace(t, expr=visit(t.expr)) for t in mine.targets))


def _window(call: a.WindowCall, others: list[a.WindowCall], longer: _Longer) -> a.WindowCall:
    if not call.func.is_builtin or call.func.name not in _BY_ROWS:
        return call
    for other in others:
        window = replace(call.window, order_by=longer.keys(call.window.order_by, other.window.order_by))
        if window != call.window and replace(call, window=window) == other:
            return replace(call, window=window)
    return call
