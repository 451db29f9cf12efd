"""Groups of which each is one row of some tables with what is joined to it: that row, with aggregates of what
is joined to it as subqueries.

    SELECT d.id, sum(e.pay) FROM dept d LEFT JOIN emp e ON e.dept = d.id GROUP BY d.id
    is  SELECT d.id, (SELECT sum(e.pay) FROM emp e WHERE e.dept = d.id) FROM dept d

The tables are those that the block sees outside its aggregates, or these and all that are inner joined, and
what it is grouped by tells their rows apart. An inner join has groups for rows that something is joined to.
An outer join adds a row of NULLs where there is nothing: an aggregate that passes over these rows is one of
the others, and any other one looks at that row, too. What does not count rows needs no table that it does not
see. A subquery is computed where it is asked for only: what may fail is left open. Must not know the other
forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.joined import NO_RELS, Added, Joined, Rels, joined
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import Assumptions, is_volatile, order_sensitive, rejected_columns, strict_columns
from rewright.sql.types import INT4, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    SUBQUERIES,
    Fresh,
    bottom_up,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    highest_number,
    map_parts,
    outer_exprs,
    references_whole,
    returns_set,
    walk_block,
)

_ONE = a.Const("1", INT4)
_OF_SETS = frozenset({"min", "max", "bool_and", "bool_or", "every"})
_PASSING_NULLS = _OF_SETS | {"count", "sum", "avg"}
# comparisons of a count, the count on the left: whether there is something to count
_SOME = {(">", "0"): True, ("<>", "0"): True, (">=", "1"): True}
_NONE = {("=", "0"): False, ("<=", "0"): False, ("<", "1"): False}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def partners(query: a.Query, changes: Changes) -> a.Query:
    fresh = Fresh(highest_number(query))

    def change(node: a.Node) -> a.Node:
        return _block(node, changes, fresh) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


class _Counted(Exception):
    """An aggregate of the row itself that counts what is joined to it."""


def _block(block: a.Select, changes: Changes, fresh: Fresh) -> a.Select:
    # DISTINCT above the groups is a second grouping
    rows = joined(block) if group_keys(block) and not block.distinct and _is_fit(block) else None
    if rows is None:
        return block
    keyed = _keyed(block, rows, changes)
    if keyed is None:
        return block
    own, more, basis = keyed
    try:
        above, having = _above(block, more, fresh)
    except _Counted:
        return block
    changes.rest_on(basis)
    changes.compute_again(replace(block, order_by=(), limit=None, offset=None))
    there = [_some(more, fresh)] if more.base else []
    found = own.block()
    return replace(above, from_=found.from_, where=conjoin((*own.asked, *there, *having)))


def _is_fit(block: a.Select) -> bool:
    calls = [n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.Aggregate | a.Grouping)]
    # GROUPING() is no aggregate of rows; string_agg without an order goes by the plan
    plain = all(
        isinstance(c, a.Aggregate)
        and c.func.is_builtin
        and not c.direct
        and not has_subquery(c)
        and (not order_sensitive(c) or _sorted_by_what_it_reads(c))
        for c in calls
    )
    odd = is_volatile(block) or has_window(block) or any(returns_set(t.expr) for t in block.targets)
    return plain and not odd and not any(references_whole(block, r) for r in from_rels(block.from_))


def _sorted_by_what_it_reads(call: a.Aggregate) -> bool:
    by = [k.expr for k in call.order_by]
    # mode() has no arguments, and shows one of the values that it sorts
    told = (x for x in call.args or by if not isinstance(x, a.Const))
    # sorted by what it shows: ties show the same
    return bool(by) and all(x in by and equality_is_identity(x.type) for x in told)


def _keyed(block: a.Select, rows: Joined, changes: Changes) -> tuple[Joined, Joined, Assumptions] | None:
    """The first way to part the tables in which a group is one row, with what shows that."""
    every = NO_RELS.union(*(from_rels((i,)) for i in rows.base))
    for seen in (NO_RELS, every):
        parted = _parted(block, rows, changes, seen)
        basis = parted and changes.known.exprs_determine(parted[0].block(), group_keys(block))
        # with fewer tables first, as they may be told apart already
        if parted is not None and basis is not None:
            return *parted, basis
    return None


def _parted(block: a.Select, rows: Joined, changes: Changes, seen: Rels) -> tuple[Joined, Joined] | None:
    """The tables whose rows are the groups, with what is asked of them, and what is joined to them; ``seen``:
    tables that count as seen by the block.
    """

    def bare(n: Any) -> Any:
        return a.Const(None, n.type) if isinstance(n, a.Aggregate) else map_parts(n, bare)

    rels = (free_rels(bare(replace(block, from_=(), where=None))) & rows.own) | seen
    while True:
        parts = [(x.own, x.sees) for x in rows.added] + [(from_rels((i,)), free_rels(i)) for i in rows.base]
        # a table that one of these reads, or that reads it in its ON, belongs with it
        wider = rels.union(*((own | sees) & rows.own for own, sees in parts if own & rels))
        if wider == rels:
            break
        rels = wider
    own = _of(rows, rels)
    for x in rows.added:
        if not x.own & own.own and x.sees & rows.own <= own.own:
            also = Joined(own.base, (*own.added, x))
            # one row at most: the group stays one row with it
            if changes.known.exprs_determine(also.block(), group_keys(block)) is not None:
                own = also
    more = _of(rows, rows.own - own.own)
    about = tuple(p for p in rows.asked if free_rels(p) & more.own)
    # what WHERE asks of a padded partner is part of which groups there are
    if not own.base or not more.own or (about and not more.base):
        return None
    return (
        replace(own, asked=tuple(p for p in rows.asked if p not in about)),
        replace(more, asked=about),
    )


def _of(rows: Joined, rels: Rels) -> Joined:
    base = tuple(i for i in rows.base if from_rels((i,)) & rels)
    return Joined(base, tuple(x for x in rows.added if x.own & rels))


def _above(block: a.Select, more: Joined, fresh: Fresh) -> tuple[a.Select, list[a.Expr]]:
    """What stands above FROM and WHERE, of single rows, and HAVING. Raises _Counted."""

    def visit(n: Any) -> Any:
        asked = _asked(n)
        if asked is not None:
            return _presence(*asked, more, fresh)
        if isinstance(n, a.Aggregate):
            return _value(n, more, fresh)
        return n if isinstance(n, QUERIES) else map_parts(n, visit)

    above = replace(block, from_=(), where=None, group_by=None, having=None)
    made: a.Select = map_parts(above, visit)
    return made, [visit(p) for p in conjuncts(block.having)]


def _value(call: a.Aggregate, more: Joined, fresh: Fresh) -> a.Expr:
    # an extreme of the row's own value, however often it is joined
    if not more.base and _is_of_sets(call) and not _seen(more.added, free_rels(call)):
        # DISTINCT sum, or a filter, makes more of it than its value
        if call.distinct or call.filter is not None or call.args[0].type != call.type:
            raise _Counted
        return call.args[0]
    rows = replace(_looked_at(call, more, fresh).block(a.Target("v", call)), group_by=((),))
    return _fresh(a.ScalarSubquery(rows, call.type), fresh)


def _presence(call: a.Aggregate, some: bool, more: Joined, fresh: Fresh) -> a.Expr:
    rows = _looked_at(call if call.star else replace(call, distinct=True), more, fresh)
    there = () if call.star else (a.IsNull(call.args[0], negated=True),)
    found = replace(rows, asked=(*rows.asked, *conjuncts(call.filter), *there))
    exists = _fresh(a.Exists(found.block(a.Target("one", _ONE))), fresh)
    return exists if some else a.Not(exists)


def _some(more: Joined, fresh: Fresh) -> a.Expr:
    seen = _seen(more.added, NO_RELS.union(*map(free_rels, more.asked)))
    return _fresh(a.Exists(replace(more, added=seen).block(a.Target("one", _ONE))), fresh)


def _asked(node: Any) -> tuple[a.Aggregate, bool] | None:
    """A count of rows or of values that is compared with what tells whether it is 0."""
    if not isinstance(node, a.Op) or not node.op.is_builtin or len(node.args) != 2:
        return None
    (call, number), name = node.args, node.op.name
    # 5 > count(*) is count(*) < 5
    if isinstance(number, a.Aggregate):
        call, number, name = number, call, _TURNED.get(name, name)
    bare = number.arg if isinstance(number, a.Cast) and number.implicit else number
    if not isinstance(call, a.Aggregate) or call.func.name != "count" or not call.func.is_builtin:
        return None
    if not isinstance(bare, a.Const) or bare.type.name not in {"int2", "int4", "int8"}:
        return None
    # of a composite IS NOT NULL asks its fields
    if not all(x.type.is_builtin and x.type.name != "record" for x in call.args):
        return None
    some = {**_SOME, **_NONE}.get((name, str(bare.value)))
    return None if some is None else (call, some)


def _looked_at(call: a.Aggregate, more: Joined, fresh: Fresh) -> Joined:
    """The rows of one group that an aggregate looks at."""
    added = more.added
    # what it does not read need not be joined: copies do not count
    if _is_of_sets(call):
        added = _seen(added, NO_RELS.union(free_rels(call), *map(free_rels, more.asked)))
    rows = replace(more, added=added)
    if not rows.base:
        # with LEFT JOINs alone a row without partners is one padded row, which is counted or passed over
        rows = _without_the_row_of_nulls(call, rows) or _with_it(rows, fresh)
    while True:
        idle = (x for x in rows.added if _passes_over(call, rows.nulls_beside(x)))
        following = next((m for x in idle if (m := rows.multiplied(x)) is not None), None)
        # nothing more that it passes over
        if following is None:
            return rows
        rows = following


def _without_the_row_of_nulls(call: a.Aggregate, rows: Joined) -> Joined | None:
    for x in rows.added:
        if not x.sees & rows.own and _passes_over(call, rows.nulls_beside(x)):
            rest = tuple(y for y in rows.added if y is not x)
            tree = Joined((x.item,), rest, x.on).block()
            return joined(tree)
    return None


def _with_it(rows: Joined, fresh: Fresh) -> Joined:
    one = a.ValuesScan(fresh(), ((_ONE,),), "one", (a.OutputColumn("one", INT4),))
    return replace(rows, base=(one,))


def _is_of_sets(call: a.Aggregate) -> bool:
    return call.func.is_builtin and (call.distinct or call.func.name in _OF_SETS)


def _seen(added: Sequence[Added], rels: Rels) -> tuple[Added, ...]:
    for x in reversed(added):
        rels |= x.sees if x.own & rels else NO_RELS
    return tuple(x for x in added if x.own & rels)


def _passes_over(call: a.Aggregate, nulls: Rels) -> bool:
    """Whether a row in which these are NULL changes nothing: its filter or itself leaves such out."""
    if {rel for rel, _ in rejected_columns(call.filter)} & nulls:
        return True
    # several arguments, or NULLs that are kept (array_agg): padded rows show
    if not call.func.is_builtin or call.func.name not in _PASSING_NULLS or len(call.args) != 1:
        return False
    (read,) = call.args
    null = strict_columns(read)
    if isinstance(read, a.Case) and isinstance(read.default, a.Const) and read.default.value is None:
        null = frozenset.intersection(*(rejected_columns(p) | strict_columns(x) for p, x in read.whens))
    return bool({rel for rel, _ in null} & nulls)


def _fresh(expr: a.Expr, fresh: Fresh) -> a.Expr:
    assert isinstance(expr, SUBQUERIES)
    return copy_fresh(expr, fresh)[0]
