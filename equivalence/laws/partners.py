"""Groups by a key of the rows that they are made of: one row each, with what is aggregated of its partners.

    SELECT d.id, d.name, sum(e.pay) FROM dept d LEFT JOIN emp e ON e.dept = d.id GROUP BY d.id
    -->
    SELECT d.id, d.name, (SELECT sum(e.pay) FROM emp e WHERE e.dept = d.id) FROM dept d

Outside its aggregates the block looks at some range variables alone; where what it groups by is a key of
their rows, each of these rows is a group, made of its partners (hazards 6d); a table that is joined between
two of them may be what makes it one. An outer join's row without a
partner is a group of one padded row: that is left out where the aggregate does not look at it, a NULL or rows
that its filter refuses, and stays in the aggregate's rows where it does (hazards 1e). An inner join has
groups for rows with partners only. What does not ask how often a row is there (DISTINCT, min, max) is
aggregated without the outer joins that it does not read; a count that is compared with 0 asks whether there
is anything to count. What may fail is a reservation: a subquery is not computed where nothing asks for it.
Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.laws.chance import looseness
from rewright.equivalence.laws.forms import Form, Walk, fresh_subqueries
from rewright.equivalence.laws.join_steps import (
    Step,
    Steps,
    may_be_inner,
    needed,
    padded_with,
    steps_of,
    with_inner,
)
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.comparisons import FLIPPED
from rewright.sql.facts import (
    Assumptions,
    is_volatile,
    order_sensitive,
    ordered_by_value,
    rejected_columns,
    strict_columns,
)
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.types import INT4
from rewright.sql.walk import (
    QUERIES,
    Fresh,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    map_kind,
    map_parts,
    outer_exprs,
    references_whole,
    returns_set,
    walk_block,
)

_ONE = a.Const("1", INT4)
_INTEGERS = frozenset({"int2", "int4", "int8"})
# how a count is compared with a number: whether there must be something to count
_ANY = {
    (">", "0"): True,
    (">=", "1"): True,
    ("<>", "0"): True,
    ("=", "0"): False,
    ("<", "1"): False,
    ("<=", "0"): False,
}
# built-in aggregates that leave out NULLs
_OF_VALUES = frozenset({*EXTREMES, "count", "sum", "avg"})


def by_partners(query: a.Query, catalog: Catalog, fresh: Fresh) -> Form:
    """A query that holds no CTEs, its groups by keys as rows with lookups. ``modulo``: what may fail, or be
    added up in another order.
    """
    return _ByPartners(catalog, fresh).form(query)


@dataclass(frozen=True, slots=True)
class _Apart:
    """``core``: the rows that are groups; ``partners``: what is joined to them, with the conditions that ask
    about it.
    """

    core: Steps
    partners: Steps


class _Unfit(Exception):
    """An aggregate is none of a row's partners."""


class _ByPartners(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self.fresh = fresh

    def block(self, block: a.Select) -> a.Select:
        keys = group_keys(block)
        # DISTINCT over groups is one more grouping
        if not keys or block.distinct or not _is_plain_enough(block):
            return block
        found = self._keyed(block, keys)
        if found is None:
            return block
        apart, basis = found
        core = a.Select((), apart.core.from_, conjoin(apart.core.where))
        groups = aggregates_of(block)
        try:
            values = {g: self._lookup(g, apart.partners) for g in groups}
        except _Unfit:
            # an aggregate of one core row's own values that is no extreme counts them
            return block
        self.rest_on(basis)
        self._reserve(block, apart.partners, groups)
        above = replace(block, from_=(), where=None, group_by=None, having=None)

        def visit(n: Any) -> Any:
            # `count(e.id) > 0` is EXISTS, before the count itself would be looked up
            if (present := self._present(n, apart.partners)) is not None:
                return fresh_subqueries(present, self.fresh)
            if isinstance(n, a.Aggregate):
                return fresh_subqueries(values[n], self.fresh)
            return n if isinstance(n, QUERIES) else map_parts(n, visit)

        rest: a.Select = map_parts(above, visit)
        having = [visit(p) for p in conjuncts(block.having)]
        # inner joined partners: a row without them has no group
        there = [self._some(apart.partners)] if apart.partners.items else []
        return replace(rest, from_=core.from_, where=conjoin((*apart.core.where, *there, *having)))

    def _reserve(self, block: a.Select, partners: Steps, groups: Sequence[a.Aggregate]) -> None:
        on = [p for s in partners.steps for p in s.on]
        # a key that is no column is computed of each row, and of none where its rows are no groups any more
        self.reserve_other_rows(*groups, *partners.where, *on, *conjuncts(block.having), *group_keys(block))
        for item in (*partners.items, *(s.item for s in partners.steps)):
            self.reserve_other_rows(a.Select((a.Target("one", _ONE),), (item,)))
        self.reserve(looseness(replace(block, order_by=(), limit=None, offset=None)))

    def _keyed(self, block: a.Select, keys: Sequence[a.Expr]) -> tuple[_Apart, Assumptions] | None:
        """The rows that the groups are, and what shows it: of the tables that the block looks at, or of all
        that are inner joined, since one between two others may lead from a row to the next.
        """
        # the tables looked at first, as fewer rows are more likely to be told apart by the key
        for inner in (False, True):
            apart = self._apart(block, inner=inner)
            if apart is None:
                continue
            core = a.Select((), apart.core.from_, conjoin(apart.core.where))
            basis = self.facts.exprs_determine(core, keys)
            if basis is not None:
                return apart, basis
        return None

    def _apart(self, block: a.Select, *, inner: bool) -> _Apart | None:
        """The rows that the groups are, and their partners; None where there are none."""
        steps = steps_of(block.from_, block.where)
        bare = map_kind(replace(block, from_=(), where=None), a.Aggregate, lambda g: a.Const(None, g.type))
        asked_of = free_rels(bare) & steps.rels
        rels = _core(steps, asked_of | from_rels(steps.items) if inner else asked_of)
        # a LEFT JOIN that finds one row at most keeps its values: it is a part of the row that is the group
        core = _restricted(steps, rels)
        for step in steps.steps:
            more = replace(core, steps=(*core.steps, step))
            if step.asks & steps.rels <= core.rels and not step.rels & rels and self._is_key(block, more):
                core = more  # a row at most, which changes no group
        rels = core.rels
        partners = _restricted(steps, steps.rels - rels)
        asked = [p for p in steps.where if free_rels(p) & partners.rels]
        partners = replace(partners, where=tuple(asked))
        core = replace(core, where=tuple(p for p in steps.where if p not in asked))
        # without partners nothing is aggregated; what WHERE asks of padded rows is no inner join's
        if not core.items or not partners.rels or (asked and not partners.items):
            return None
        return _Apart(core, partners)

    def _is_key(self, block: a.Select, core: Steps) -> bool:
        rows = a.Select((), core.from_)
        return self.facts.exprs_determine(rows, group_keys(block)) is not None

    def _lookup(self, g: a.Aggregate, partners: Steps) -> a.Expr:
        # min(d.x) over copies of one row is d.x
        if not partners.items and _asks_once(g) and not needed(partners.steps, free_rels(g)):
            return _of_one_row(g)
        return _of(g, self._rows(g, partners))

    def _rows(self, g: a.Aggregate, partners: Steps) -> Steps:
        """The rows of a group that an aggregate looks at."""
        steps = partners.steps
        # joins that what is read does not need repeat rows, or pad them: DISTINCT and extremes do not see
        # that
        if _asks_once(g):
            steps = needed(steps, free_rels(g).union(free_of_all(partners.where)))
        if partners.items:
            return _looked_at(g, replace(partners, steps=steps))
        found = _without_padding(g, steps)
        # the aggregate looks at padded rows as well: one row to be joined with, padded where nothing matches
        if found is None:
            one = a.ValuesScan(self.fresh(), ((_ONE,),), "one", (a.OutputColumn("one", INT4),))
            found = Steps((one,), steps, ())
        return found

    def _present(self, node: a.Node, partners: Steps) -> a.Expr | None:
        """Whether there is anything to count, where a count is compared with 0; None for other questions."""
        asked = _asked_for_any(node)
        if asked is None:
            return None
        g, some = asked
        # count(x) > 0 asks for a row whose x is not NULL
        counted = () if g.star else (a.IsNull(g.args[0], negated=True),)
        rows = self._rows(g if g.star else replace(g, distinct=True), partners)
        where = conjoin((*rows.where, *conjuncts(g.filter), *counted))
        found = a.Exists(a.Select((a.Target("one", _ONE),), rows.from_, where))
        return found if some else a.Not(found)

    def _some(self, partners: Steps) -> a.Expr:
        """That a row has partners."""
        steps = needed(partners.steps, free_of_all(partners.where))
        found = replace(partners, steps=steps)
        query = a.Select((a.Target("one", _ONE),), found.from_, conjoin(found.where))
        return a.Exists(copy_fresh(query, self.fresh)[0])


def _is_plain_enough(block: a.Select) -> bool:
    if is_volatile(block) or has_window(block) or any(returns_set(t.expr) for t in block.targets):
        return False
    if any(references_whole(block, rel) for rel in from_rels(block.from_)):
        return False
    # GROUPING() is of grouping sets
    if any(isinstance(n, a.Grouping) for e in outer_exprs(block) for n in walk_block(e)):
        return False
    return all(
        g.func.is_builtin
        and not g.direct
        and not has_subquery(g)
        # array_agg without an order, or one that leaves ties, follows the plan
        and (not order_sensitive(g) or ordered_by_value(g))
        for g in aggregates_of(block)
    )


def aggregates_of(block: a.Select) -> list[a.Aggregate]:
    """Those of a block itself, once each."""
    found = (n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.Aggregate))
    return list(dict.fromkeys(found))


def _core(steps: Steps, rels: frozenset[int]) -> frozenset[int]:
    """With whatever these rows are joined by."""
    # last to first: what a step is joined by comes before it
    for step in reversed(steps.steps):
        if step.rels & rels:
            rels |= (step.asks & steps.rels) | step.rels
    for item in reversed(steps.items):
        own = from_rels((item,))
        if own & rels:
            rels |= (free_rels(item) & steps.rels) | own
    return rels


def _restricted(steps: Steps, rels: frozenset[int]) -> Steps:
    """The items and steps of some range variables. Conditions are left out."""
    items = tuple(i for i in steps.items if from_rels((i,)) & rels)
    return Steps(items, tuple(s for s in steps.steps if s.rels & rels), ())


def _asks_once(g: a.Aggregate) -> bool:
    """Whether it does not ask how often a row is there."""
    return g.func.is_builtin and (g.distinct or g.func.name in EXTREMES)


def _asked_for_any(node: a.Node) -> tuple[a.Aggregate, bool] | None:
    """The count that is asked whether it is above 0, and whether it must be; it is never NULL."""
    if not isinstance(node, a.Op) or not node.op.is_builtin or len(node.args) != 2:
        return None
    name, (left, right) = node.op.name, node.args
    if isinstance(right, a.Aggregate):
        name, left, right = FLIPPED.get(name, name), right, left
    known = right.arg if isinstance(right, a.Cast) and right.implicit else right
    if not isinstance(left, a.Aggregate) or not left.func.is_builtin or left.func.name != "count":
        return None
    if not isinstance(known, a.Const) or not known.type.is_builtin or known.type.name not in _INTEGERS:
        return None
    # count(*) > 5 asks how many, and not whether
    some = _ANY.get((name, known.value or ""))
    # a row of NULLs is counted, and IS NULL
    told = all(x.type.is_builtin and x.type.name != "record" for x in left.args)
    return None if some is None or len(left.args) > 1 or not told else (left, some)


def _of(g: a.Aggregate, rows: Steps) -> a.Expr:
    query = a.Select((a.Target("v", g),), rows.from_, conjoin(rows.where), ((),))
    return a.ScalarSubquery(query, g.type)


def _of_one_row(g: a.Aggregate) -> a.Expr:
    """An extreme of one row's value. Raises _Unfit."""
    # sum(DISTINCT d.x) of one row is d.x of another type
    if g.func.name not in EXTREMES or g.filter is not None or g.args[0].type != g.type:
        raise _Unfit
    return g.args[0]


def _without_padding(g: a.Aggregate, steps: Sequence[Step]) -> Steps | None:
    """The rows that an aggregate looks at, from the first outer join without whose row it looks at nothing;
    None where there is none.
    """
    rels = frozenset[int]().union(*(s.rels for s in steps))
    for first in steps:
        # a step joined by another one that may be padded has no rows of its own to begin with
        if first.asks & rels or not _passes_over(g, padded_with(first, steps)):
            continue
        rest = tuple(s for s in steps if s is not first)
        return _looked_at(g, steps_of((Steps((first.item,), rest, ()).from_), conjoin(first.on)))
    return None


def _looked_at(g: a.Aggregate, rows: Steps) -> Steps:
    """Without the padded rows that an aggregate does not look at."""
    while True:
        idle = (s for s in rows.steps if _passes_over(g, padded_with(s, rows.steps)))
        step = next((s for s in idle if may_be_inner(rows, s)), None)
        if step is None:
            return rows
        rows = with_inner(rows, step)


def _passes_over(g: a.Aggregate, padded: frozenset[int]) -> bool:
    """Whether it does not look at a row in which these range variables are NULL."""
    if any(rel in padded for rel, _ in rejected_columns(g.filter)):
        return True
    # array_agg and bool_and of several arguments look at NULLs, or are no aggregates of one value
    if not g.func.is_builtin or g.func.name not in _OF_VALUES or g.star or len(g.args) != 1:
        return False
    return any(rel in padded for rel, _ in _null_with(g.args[0]))


def _null_with(expr: a.Expr) -> frozenset[tuple[int, int]]:
    """Columns whose being NULL makes an expression NULL. CASE without ELSE is where no arm is taken."""
    if (
        # CASE … ELSE 0 is not NULL without a partner
        not isinstance(expr, a.Case)
        or not isinstance(expr.default, a.Const)
        or expr.default.value is not None
    ):
        return strict_columns(expr)
    arms = [rejected_columns(asked) | strict_columns(shown) for asked, shown in expr.whens]
    return frozenset.intersection(*arms)
