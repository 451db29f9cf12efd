"""What a query leaves open even to itself: which of tying rows are kept, in which order floats are added.

Two queries that are one tree are the same up to that: the server may plan them in two ways. Owns these
reservations of all blocks of a query, and the constraints by which an order leaves no choice. Must not know
forms or views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import NOTHING, Assumptions, Facts, order_sensitive
from rewright.sql.facts.arrival import arrives_in_order
from rewright.sql.types import FLOATS, equality_is_identity
from rewright.sql.walk import QUERIES, group_keys, walk, walk_block

# window calls whose value is that of all rows that tie with the current one, where the frame holds peers
_OF_PEERS = frozenset({
    "count", "sum", "avg", "min", "max", "bool_and", "bool_or", "every", "rank", "dense_rank", "percent_rank",
    "cume_dist",
})  # fmt: skip


def left_to_chance(query: a.Query, catalog: Catalog) -> tuple[frozenset[str], Assumptions]:
    """The reservations, and what rules out those that are not among them."""
    modulo: set[str] = set()
    basis: Assumptions = NOTHING
    facts = Facts(catalog, query)
    for block in (n for n in walk(query) if isinstance(n, QUERIES)):
        for found in (*_cut(block, facts), *_computed(block, facts)):
            if isinstance(found, str):
                modulo.add(found)
            else:
                basis |= found
    return frozenset(modulo), basis


def _cut(block: a.Query, facts: Facts) -> Iterator[str | Assumptions]:
    """Of LIMIT, OFFSET and DISTINCT ON."""
    kept_on = isinstance(block, a.Select) and bool(block.distinct)
    if block.limit is None and block.offset is None and not kept_on:
        return
    basis = _ordered(block, facts)
    yield "tie-order" if basis is None else basis


def _ordered(block: a.Query, facts: Facts) -> Assumptions | None:
    """What shows that rows which the order does not tell apart are alike."""
    if not isinstance(block, a.Select):
        types = [c.type for c in a.output_columns(block)]
        every = {k.pos for k in block.order_by} == set(range(len(types)))
        return NOTHING if every and all(map(equality_is_identity, types)) else None
    keys = [k.expr for k in block.order_by]
    # what all rows show alike tells none of them apart
    shown = [t.expr for t in block.targets if not isinstance(t.expr, a.Const | a.Param)]
    if set(shown) <= set(keys) and all(equality_is_identity(e.type) for e in shown):
        return NOTHING
    return facts.exprs_determine(replace(block, distinct=None), keys)


def _computed(block: a.Query, facts: Facts) -> Iterator[str | Assumptions]:
    """Of aggregates, window calls and arrays of rows."""
    for node in walk_block(block):
        # ARRAY(SELECT …): in the order in which the plan gives them
        if isinstance(node, a.ArraySubquery):
            sorted_ = _ordered(node.query, facts)
            yield "tie-order" if sorted_ is None else sorted_
        if isinstance(node, a.Aggregate) and order_sensitive(node) and not _sorted_by_all(node):
            told = _sorted_by_key(node, block, facts)
            yield "tie-order" if told is None else told
        added = node.args if isinstance(node, a.Aggregate | a.WindowCall) else ()
        if any(x.type.name in FLOATS for x in added):
            yield "float-order"
        if isinstance(node, a.WindowCall) and not _of_peers(node):
            keys: Sequence[a.Expr] = (*node.window.partition_by, *(k.expr for k in node.window.order_by))
            basis = facts.exprs_determine(block, keys) if isinstance(block, a.Select) else None
            yield "tie-order" if basis is None else basis


def _sorted_by_all(call: a.Aggregate) -> bool:
    """Whether rows that tie in an aggregate's own order give it the same values."""
    by = [k.expr for k in call.order_by]
    # mode() shows one of the values that it sorts
    told = [x for x in call.args or by if not isinstance(x, a.Const)]
    plain = call.func.is_builtin and not call.direct and bool(by)
    return plain and all(x in by and equality_is_identity(x.type) for x in told)


def _sorted_by_key(call: a.Aggregate, block: a.Query, facts: Facts) -> Assumptions | None:
    """What shows that no two rows of a group tie in an aggregate's own order, or in that they come in."""
    if not isinstance(block, a.Select):
        return None
    if not call.order_by:
        return arrives_in_order(block, facts.exprs_determine)
    if not call.func.is_builtin or call.distinct or call.direct:
        return None
    rows = a.Select((), block.from_, block.where)
    return facts.exprs_determine(rows, [*group_keys(block), *(k.expr for k in call.order_by)])


def _of_peers(call: a.WindowCall) -> bool:
    frame = call.window.frame
    return call.func.is_builtin and call.func.name in _OF_PEERS and frame.mode != "rows" and not frame.exclude
