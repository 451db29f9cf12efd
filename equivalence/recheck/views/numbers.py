"""First rows as rows by their number, and rows sorted by a number as rows sorted by what numbers them.

The rows of a table that equal a value are one group of it, where the equality is the one that groups are
made by. So the first n of them in an order are those that row_number() over the group gives 1 to n, and n
behind m others those with m + 1 to m + n; of groups alike, which are made by that value, too. Where the order
leaves ties either may choose otherwise. What is shown, and what other conditions say, is then computed for
rows of groups that nobody asks for: it must not fail. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.builtins import builtins
from rewright.sql.types import INT8
from rewright.sql.walk import (
    Fresh,
    as_product,
    bottom_up,
    conjoin,
    free_of_all,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    has_window,
    highest_number,
    returns_set,
    used_rels,
)


def numbers(query: a.Query, changes: Changes) -> a.Query:
    fresh = Fresh(highest_number(query))

    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.ScalarSubquery) or (isinstance(node, a.Derived) and node.lateral):
            made = _numbered(node.query, fresh, changes)
            return node if made is None else replace(node, query=made)
        return _sorted(node, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _fails(changes: Changes, exprs: Sequence[a.Expr]) -> bool:
    return any(changes.known.errors(e) or not changes.known.cannot_fail(e) for e in exprs)


def _left_by_ties(block: a.Select, keys: Sequence[a.Expr], changes: Changes) -> None:
    basis = changes.known.exprs_determine(block, keys)
    if basis is None:
        changes.modulo.add("tie-order")
    else:
        changes.rest_on(basis)


# --------------------------------------------------------------------------- first rows


@dataclass(frozen=True, slots=True)
class _Tie:
    """An equality of ``own``, of the subquery's rows, with a value from outside."""

    own: a.Expr
    pred: a.Op

    def of(self, column: a.Column) -> a.Op:
        """The equality of a column that has the same values."""
        return replace(self.pred, args=tuple(column if x == self.own else x for x in self.pred.args))


def _numbered(query: a.Query, fresh: Fresh, changes: Changes) -> a.Select | None:
    if not isinstance(query, a.Select) or not _first_rows(query):
        return None
    items, preds = as_product(query)
    inside = from_rels(items)
    shown = [t.expr for t in query.targets]
    above = replace(query, from_=(), where=None)
    if free_of_all(items) or free_rels(above) - inside:
        return None
    local = [p for p in preds if free_rels(p) <= inside]
    ties = [t for p in preds if p not in local and (t := _tie(p, inside)) is not None]
    if not ties or len(ties) + len(local) < len(preds):
        return None
    keys = tuple(dict.fromkeys(t.own for t in ties))
    made = _over(query, items, local, ties, keys, fresh)
    if made is not None:
        _left_by_ties(query, [k.expr for k in query.order_by], changes)
        if _fails(changes, [*shown, *preds, *(k.expr for k in query.order_by)]):
            changes.modulo.add("errors")
        if query.group_by is not None:
            changes.compute_again(replace(query, order_by=(), limit=None, offset=None))
    return made


def _first_rows(query: a.Select) -> bool:
    computed = [*(t.expr for t in query.targets), *(k.expr for k in query.order_by)]
    bare = query.distinct is None and not query.ctes
    # without keys there is one row of no rows; of several sets some show NULL for a key
    grouped = query.group_by is not None and len(query.group_by) == 1 and bool(query.group_by[0])
    bare = bare and (grouped or (query.group_by is None and query.having is None))
    parts = [p for p in (query.limit, query.offset) if p is not None]
    cut = bool(parts) and all(isinstance(p, a.Const) and (p.value or "").isdecimal() for p in parts)
    plain = not any(has_window(e) or returns_set(e) or (has_aggregate(e) and not grouped) for e in computed)
    return bare and cut and plain and not query.with_ties and bool(query.order_by)


def _tie(pred: a.Expr, inside: frozenset[int]) -> _Tie | None:
    """An equality of one type on both sides, by which groups of that type are made."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2 or has_subquery(pred):
        return None
    # another operator than `=` of one type may meet rows of several groups
    if (pred.op.name, pred.op.btree) != ("=", "=") or pred.op.left != pred.op.right:
        return None
    for own, other in (pred.args, pred.args[::-1]):
        rels = used_rels(own)
        if rels and rels <= inside and not used_rels(other) & inside:
            # a modifier says nothing of what is equal
            alike = own.type.without_typmod() == other.type.without_typmod()
            return _Tie(own, pred) if alike and own != other else None
    return None


def _over(
    query: a.Select,
    items: Sequence[a.FromItem],
    local: Sequence[a.Expr],
    ties: Sequence[_Tie],
    keys: tuple[a.Expr, ...],
    fresh: Fresh,
) -> a.Select | None:
    func = next(f for f in builtins().functions("row_number") if f.kind == "w").to_ref()
    number = a.WindowCall(func, (), a.Window(keys, query.order_by), INT8)
    given = (*(t.expr for t in query.targets), *keys, number)
    names = tuple(f"c{i + 1}" for i in range(len(given)))
    rows = a.Select(
        tuple(a.Target(n, e) for n, e in zip(names, given, strict=True)),
        tuple(items),
        conjoin(local),
        # groups of rows that equal a value are among those that are made by that, too
        None if query.group_by is None else (tuple(dict.fromkeys((*keys, *query.group_by[0]))),),
        query.having,
    )
    rel = fresh()
    columns = [a.Column(rel, i, e.type, n) for i, (e, n) in enumerate(zip(given, names, strict=True))]
    cut = _kept(columns[-1], query)
    if cut is None:
        return None
    where = [t.of(columns[len(query.targets) + keys.index(t.own)]) for t in ties]
    targets = tuple(replace(t, expr=c) for t, c in zip(query.targets, columns, strict=False))
    return a.Select(targets, (a.Derived(rel, rows, "numbered", names),), conjoin((*where, *cut)))


def _kept(number: a.Column, query: a.Select) -> list[a.Expr] | None:
    """Which numbers OFFSET and LIMIT leave: those above the one, and up to the sum of both."""
    skipped, some = (
        0 if not isinstance(p, a.Const) else int(p.value or 0) for p in (query.offset, query.limit)
    )
    if skipped + some >= 2**63:  # more than a number can be
        return None
    asked = [(">", skipped)] if skipped else []
    if query.limit is not None:
        asked = [("=", skipped + 1)] if some == 1 else [*asked, ("<=", skipped + some)]
    made = [compare(name, number, a.Const(str(n), INT8)) for name, n in asked]
    kept: list[a.Expr] = [p for p in made if p is not None]
    return kept if kept and len(kept) == len(asked) else None


# --------------------------------------------------------------------------- sorted by a number


def _sorted(block: a.Select, changes: Changes) -> a.Select:
    """Of rows that are numbered in an order and sorted by the number."""
    item = block.from_[0] if len(block.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or len(block.order_by) != 1:
        return block
    (key,), rows = block.order_by, item.query
    if block.with_ties:  # numbers do not tie
        return block
    if block.group_by is not None or block.distinct is not None or not isinstance(rows, a.Select):
        return block
    # descending numbers would turn each key round
    if key.descending or not isinstance(key.expr, a.Column) or key.expr.rel != item.rel:
        return block
    call = rows.targets[key.expr.pos].expr
    if rows.distinct is not None or not isinstance(call, a.WindowCall) or not _numbers_all(call):
        return block
    if any(returns_set(t.expr) for t in rows.targets):
        return block
    order, start = call.window.order_by, len(rows.targets)
    _left_by_ties(rows, [k.expr for k in order], changes)
    names = tuple(f"k{i + 1}" for i in range(len(order)))
    more = tuple(a.Target(n, k.expr) for n, k in zip(names, order, strict=True))
    shown = replace(item, query=replace(rows, targets=(*rows.targets, *more)), names=(*item.names, *names))
    by = tuple(
        replace(k, expr=a.Column(item.rel, start + i, k.expr.type, n))
        for i, (k, n) in enumerate(zip(order, names, strict=True))
    )
    return replace(block, from_=(shown,), order_by=by)


def _numbers_all(call: a.WindowCall) -> bool:
    own = call.func.is_builtin and call.func.name == "row_number" and call.filter is None
    # a negative distance of a frame fails, whatever is numbered
    own = own and call.window.frame.start_offset is None and call.window.frame.end_offset is None
    return own and not call.window.partition_by and bool(call.window.order_by)
