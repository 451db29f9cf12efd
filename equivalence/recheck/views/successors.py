"""Recursions that go from each value to the least one above it, as the different values and one NULL.

Let V be the values e of the rows of F that meet P, of a type whose equal values are the very same, and whose
minimum and > follow one order. WITH RECURSIVE r AS (min V UNION ALL (min {v in V: v > r} FROM r WHERE r IS
NOT NULL)) gives min V, then of each value the next one of V, each once, and NULL after the last: V's
different values and NULL. P is asked of V once instead of once a round, and not of fewer rows: it may fail
where an index kept it from that. Who takes the NULL only where V has one reads V's different values, NULL
among them. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, compare, null
from rewright.sql.facts import is_volatile
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    Fresh,
    bottom_up,
    canonical,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    highest_number,
    is_plain,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Values:
    """V: the values ``shown`` of a block's rows, which stand in ``rows`` without being shown."""

    rows: a.Select
    shown: a.Expr

    def asked(self, *more: a.Expr) -> a.Select:
        """The different values of which more is so."""
        where = conjoin((*conjuncts(self.rows.where), *more))
        return replace(self.rows, targets=(a.Target("value", self.shown),), where=where, distinct=())


def successors(query: a.Query, changes: Changes) -> a.Query:
    found: dict[int, _Values] = {}

    def visit(node: a.Node) -> a.Node:
        values = _values_of(node) if isinstance(node, a.Cte) else None
        if not isinstance(node, a.Cte) or not isinstance(node.query, a.SetOp) or values is None:
            return node
        found[node.cte] = values
        there = values.asked(a.IsNull(values.shown, negated=True))
        if changes.known.errors(there) or not changes.known.cannot_fail(there):
            changes.modulo.add("errors")
        nothing = a.Select((a.Target("value", null(values.shown.type)),))
        return replace(node, query=replace(node.query, left=there, right=nothing), recursive=False)

    made: a.Query = bottom_up(query, visit)
    if not found:
        return query
    fresh = Fresh(highest_number(made))

    def reads(node: a.Node) -> a.Node:
        return _with_own_null(node, found, fresh) if isinstance(node, a.Select) else node

    read: a.Query = bottom_up(made, reads)
    return read


def _values_of(cte: a.Cte) -> _Values | None:
    """V, where the recursion is one of these: first term and step are what they must be of V."""
    body = cte.query
    if not cte.recursive or not isinstance(body, a.SetOp) or not isinstance(body.right, a.Select):
        return None
    bare = a.SetOp("union", True, body.left, body.right, body.columns)
    if body != bare or len(cte.columns) != 1 or free_rels(body.left) or is_volatile(body):
        return None
    if any(isinstance(n, a.CteScan) for n in walk(body.left)):
        return None
    values = _of_least(body.left)
    if values is None or cte.columns[0].type != values.shown.type or len(body.right.from_) != 1:
        return None
    before = body.right.from_[0]
    if not isinstance(before, a.CteScan) or before.cte != cte.cte:
        return None
    given = canonical(body.right, keep_names=False)
    return values if any(canonical(s, keep_names=False) == given for s in _steps(values, before)) else None


def _of_least(first: a.Query) -> _Values | None:
    """V of which this query gives the minimum."""
    if not isinstance(first, a.Select) or len(first.targets) != 1:
        return None
    least = first.targets[0].expr
    if not isinstance(least, a.Aggregate) or len(least.args) != 1:
        return None
    values = _Values(a.Select((), first.from_, first.where), least.args[0])
    type_ = values.shown.type
    if not equality_is_identity(type_) or least.type != type_ or aggregate("min", values.shown) != least:
        return None
    whole = replace(values.rows, targets=first.targets, group_by=((),))
    return values if first == whole else None


def _steps(values: _Values, before: a.CteScan) -> Iterator[a.Select]:
    """What gives the least value of V above that of the round before, however it is written: the comparison
    either way round, at any place of P.
    """
    last = a.Column(before.rel, 0, values.shown.type)
    least = aggregate("min", values.shown)
    conditions = conjuncts(values.rows.where)
    for above in (compare(">", values.shown, last), compare("<", last, values.shown)):
        if least is None or above is None:
            continue
        for at in range(len(conditions) + 1):
            where = conjoin((*conditions[:at], above, *conditions[at:]))
            inner = replace(values.rows, targets=(a.Target("value", least),), where=where, group_by=((),))
            shown = a.Target("value", a.ScalarSubquery(inner, least.type))
            yield a.Select((shown,), (before,), a.IsNull(last, negated=True))


def _with_own_null(block: a.Select, found: dict[int, _Values], fresh: Fresh) -> a.Select:
    """A block that reads V and takes the NULL where V has one, reading the different values of V."""
    conditions = conjuncts(block.where)
    for item in block.from_:
        values = found.get(item.cte) if isinstance(item, a.CteScan) else None
        if not isinstance(item, a.CteScan) or values is None:
            continue
        there = a.IsNull(a.Column(item.rel, 0, values.shown.type), negated=True)
        for at, asked in enumerate(conditions):
            if not _takes_own_null(asked, there, values):
                continue
            query, _ = copy_fresh(values.asked(), fresh)
            instead = a.Derived(item.rel, query, item.alias, ("value",))
            from_ = tuple(instead if i == item else i for i in block.from_)
            rest = conjoin((*conditions[:at], *conditions[at + 1 :]))
            return _with_own_null(replace(block, from_=from_, where=rest), found, fresh)
    return block


def _takes_own_null(asked: a.Expr, there: a.Expr, values: _Values) -> bool:
    """Whether a condition is that the value is there, or that some row of V has none."""
    if not isinstance(asked, a.Or) or len(asked.args) != 2 or asked.args[0] != there:
        return False
    exists = asked.args[1]
    if not isinstance(exists, a.Exists) or not isinstance(exists.query, a.Select):
        return False
    none = replace(values.asked(a.IsNull(values.shown)), targets=(), distinct=None)
    given = replace(exists.query, targets=())
    return is_plain(exists.query) and canonical(given, keep_names=False) == canonical(none, keep_names=False)
