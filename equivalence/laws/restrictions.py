"""Restrictions inside a subquery that the block around it makes anyway: taken out of both queries of a pair.

    FROM store s, (SELECT shop, sum(x) FROM sale WHERE shop IN (SELECT id FROM store WHERE state = 'TX') GROUP
    BY shop) g WHERE g.shop = s.id AND s.state = 'TX'

A row of g that counts is joined with a store of Texas, so its shop is one of those whose ids the subquery
lists: without the restriction g has more groups, and the block keeps none of them. That holds where the
restricted expression is an output column of which whole groups, partitions and sets of duplicates have one
value (hazards 7a), and values that are equal can't be told apart. It is the same of a condition that the
block states itself, of one arm of an OR or of a UNION, and of the right of a LEFT JOIN, whose rows count
where the kept side has a partner for them. It may stand further in, in a subquery whose column is such a
column of the subquery around it.

What the subquery computes is computed for more rows: what may fail there is a reservation, and so is what
may fail in the conditions that are asked of its rows. Must not know
rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewright.equivalence.laws.chance import left_open, looseness
from rewright.equivalence.laws.forms import Form, Walk, harmless
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumption, Facts, is_equality, is_volatile
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import (
    as_product,
    canonical,
    canonical_expr,
    conjoin,
    conjuncts,
    disjuncts,
    dissolve,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    is_closed,
    is_plain,
    left_spine,
    map_parts,
    renumber,
    returns_set,
    walk_block,
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a subquery stands: the product around it, what holds of each of its rows that counts, and what
    of that may be evaluated on its rows: on the right of a LEFT JOIN not the conditions of the kept side.
    """

    items: Sequence[a.FromItem]
    preds: Sequence[a.Expr]
    asked: Sequence[a.Expr]
    facts: Facts
    # subqueries that restrictions asked, and are asked by them no more
    idle: list[a.Expr] = field(default_factory=list)
    # by which subqueries that stand in two places choose the same rows there
    basis: set[Assumption] = field(default_factory=set)

    def states(self, pred: a.Expr) -> bool:
        """Whether the condition is among those that hold."""
        # subqueries have numbers of their own in each place: compared by their canonical form
        if pred in self.preds or not has_subquery(pred):
            return pred in self.preds
        form = canonical_expr(pred)
        return any(canonical_expr(p) == form for p in self.preds if has_subquery(p))


def without_restrictions(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without restrictions that its blocks make anyway. ``modulo``: what may fail
    for the rows that they kept out.
    """
    return _WithoutRestrictions(catalog).form(query)


class _WithoutRestrictions(Walk):
    def block(self, block: a.Select) -> a.Select:
        if len(block.from_) == 1:
            block = replace(block, from_=(self._spine(block, block.from_[0]),))
        # a subquery without its restriction may be what the restriction of another one reads
        while True:
            items, preds = as_product(block)
            place = _Place(items, preds, preds, self.facts)
            made = (self._item(i, place) for i in items)
            one = next((m for m in made if m is not None), None)
            if one is None:
                return block
            # one at a time, since the next one is looked for among what has become of the items
            block = replace(block, from_=tuple(_with(i, one) for i in block.from_))

    def _spine(self, block: a.Select, item: a.FromItem) -> a.FromItem:
        """The right sides of LEFT JOINs that keep the leftmost item."""
        # the right of a RIGHT or FULL JOIN counts also without partners
        if not isinstance(item, a.Join) or item.kind != "left":
            return item
        item = replace(item, left=self._spine(block, item.left))
        kept, _ = left_spine(item)
        inner, joined = dissolve((kept,))
        rels = from_rels((kept,))
        # conditions of WHERE on the kept side hold of the rows that matter
        own = [p for p in conjuncts(block.where) if free_rels(p) and free_rels(p) <= rels]
        ties = [p for p in conjuncts(item.on) if free_rels(p) <= rels | from_rels((item.right,))]
        place = _Place([*inner, item.right], [*joined, *own, *ties], ties, self.facts)
        freed = self._item(item.right, place)
        return item if freed is None else replace(item, right=freed)

    def _item(self, item: a.FromItem, place: _Place) -> a.Derived | None:
        """A subquery without what its place asks for anyway; None where there is nothing of the kind."""
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            return None
        # a LATERAL subquery reads the very rows that would restrict it
        if not is_closed(item.query) or is_volatile(item.query):
            return None
        query = self._query(item.query, item.rel, place)
        if query == item.query:
            return None
        # the conditions around may be evaluated on the rows that come now
        self.reserve_other_rows(*place.asked)
        return replace(item, query=query)

    def _query(
        self, query: a.Query, rel: int, place: _Place, outer: Mapping[int, int] | None = None
    ) -> a.Query:
        """``outer``: the places of this query's columns among those that stand for ``rel``; None: its own."""
        # LIMIT counts the rows that the restriction leaves
        if query.limit is not None or query.offset is not None or query.ctes:
            return query
        if isinstance(query, a.SetOp):
            left, right = (self._query(q, rel, place, outer) for q in (query.left, query.right))
            return replace(query, left=left, right=right)
        if not isinstance(query, a.Select):
            return query
        shown = _whole(query)
        # columns of a subquery further in, as this one shows them
        if outer is not None:
            shown = {e: outer[position] for e, position in shown.items() if position in outer}
        asked = conjuncts(query.where)
        kept = [p for p in asked if not _is_made_outside(p, rel, shown, place)]
        freed = query if len(kept) == len(asked) else replace(query, where=conjoin(kept))
        freed = self._further_in(freed, rel, place, shown)
        if freed == query:
            return query
        self.reserve_other_rows(freed, *place.idle)
        modulo, basis = left_open(freed, self.facts.catalog)
        self.reserve(modulo)
        self.rest_on(basis | place.basis)
        return freed

    def _further_in(self, query: a.Select, rel: int, place: _Place, shown: dict[a.Expr, int]) -> a.Select:
        """Without restrictions within its own subqueries whose columns it shows as they are."""
        for item in as_product(query)[0]:
            if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
                continue
            columns = {e.pos: at for e, at in shown.items() if isinstance(e, a.Column) and e.rel == item.rel}
            if columns and is_closed(item.query) and not is_volatile(item.query):
                freed = replace(item, query=self._query(item.query, rel, place, columns))
                query = replace(query, from_=tuple(_with(i, freed) for i in query.from_))
        return query


def _with(item: a.FromItem, freed: a.Derived) -> a.FromItem:
    if isinstance(item, a.Join):
        # the padded side of an outer join counts rows in another way
        if item.kind != "inner":
            return item
        return replace(item, left=_with(item.left, freed), right=_with(item.right, freed))
    return freed if item.rel == freed.rel else item


def _whole(query: a.Select) -> dict[a.Expr, int]:
    """Expressions by the output column that shows them, of which a row's group, partitions and duplicates
    have one value that can't be told apart.
    """
    # unnest() in SELECT makes rows of one, which agree on the expression all the same; they are left alone
    if any(returns_set(t.expr) for t in query.targets):
        return {}
    windows = [
        n
        for x in (
            *(t.expr for t in query.targets),
            *(k.expr for k in query.order_by),
            *(query.distinct or ()),
        )
        for n in walk_block(x)
        if isinstance(n, a.WindowCall)
    ]
    found: dict[a.Expr, int] = {}
    for position, target in enumerate(query.targets):
        e = target.expr
        alike = (
            # one group, partition and set of duplicates must have one value, so that it goes or stays whole
            look_of_type(e.type) is not None
            and not has_aggregate(e)
            and not has_subquery(e)
            and not any(isinstance(n, a.WindowCall) for n in walk_block(e))
            and (not query.distinct or e in query.distinct)
            and (
                query.group_by is None or (bool(query.group_by) and all(e in keys for keys in query.group_by))
            )
            and all(e in w.window.partition_by for w in windows)
        )
        if alike:
            found.setdefault(e, position)
    return found


def _is_made_outside(pred: a.Expr, rel: int, shown: dict[a.Expr, int], place: _Place) -> bool:
    if isinstance(pred, a.Quantified):
        return _is_met(pred, rel, shown, place)
    outer = _lifted(pred, rel, shown)
    if outer is None or not harmless(pred, place.facts):
        return False
    # an OR is met where one of its arms is among the conditions outside
    return any(all(c in place.preds for c in conjuncts(arm)) for arm in disjuncts(outer))


def _lifted(pred: a.Expr, rel: int, shown: dict[a.Expr, int]) -> a.Expr | None:
    """The condition on the subquery's output; None where it reads what is not shown."""
    missing = False

    def visit(node: Any) -> Any:
        nonlocal missing
        if not isinstance(node, a.Column):
            # a system column is of the table, and no output shows it
            missing |= isinstance(node, a.SystemColumn | a.WholeRow)
            return map_parts(node, visit)
        if node not in shown:
            missing = True
            return node
        return a.Column(rel, shown[node], node.type)

    lifted: a.Expr = visit(pred)
    return None if missing or not free_rels(pred) else lifted


# --------------------------------------------------------------------------- memberships


def _is_met(pred: a.Quantified, rel: int, shown: dict[a.Expr, int], place: _Place) -> bool:
    """Whether each row that counts is joined with one that makes it a member."""
    # NOT IN, or an operator that is no equality, wants rows that are not there
    if pred.kind != "=" or pred.all or any(o.btree != "=" or not o.is_builtin for o in pred.ops):
        return False
    # a correlated or volatile subquery may list others outside
    if any(e not in shown for e in pred.left) or not is_closed(pred.query) or is_volatile(pred.query):
        return False
    keys = [a.Column(rel, shown[e], e.type) for e in pred.left]
    # the block itself asks for members of the same list
    if not looseness(pred.query) and any(
        isinstance(p, a.Quantified)
        and replace(p, query=pred.query) == replace(pred, left=tuple(keys))
        and canonical(p.query, keep_names=False) == canonical(pred.query, keep_names=False)
        for p in place.preds
    ):
        return True
    return any(_has_witness(arm, keys, place) for arm in _arms(pred.query))


def _arms(query: a.Query) -> Iterator[a.Query]:
    """Queries whose rows are all among those of ``query``."""
    if isinstance(query, a.SetOp) and query.op == "union" and not query.ctes:
        # an arm's rows are rows of the union, unless that is cut
        if query.limit is None and query.offset is None:
            yield from _arms(query.left)
            yield from _arms(query.right)
        return
    yield query


def _has_witness(arm: a.Query, keys: Sequence[a.Column], place: _Place) -> bool:
    """Whether the rows joined around give a row of ``arm`` that equals the keys."""
    if not isinstance(arm, a.Select):
        return False
    plain = replace(arm, distinct=None) if arm.distinct == () else arm
    # GROUP BY and LIMIT in the list leave rows out that a witness may be
    if not is_plain(plain) or any(has_aggregate(t.expr) for t in arm.targets):
        return False
    wanted, own = as_product(arm)
    members = [p for p in own if _is_member_of_the_same(p)]
    if not all(harmless(x, place.facts) for x in (*own, *(t.expr for t in arm.targets)) if x not in members):
        return False
    if any(look_of_type(t.expr.type) is None for t in arm.targets):
        return False
    found = any(
        all(place.states(renumber(p, mapping)) for p in own)
        and all(_equal(renumber(t.expr, mapping), k, place) for t, k in zip(arm.targets, keys, strict=True))
        for mapping in _partners(wanted, place.items, place)
    )
    # conditions of the witness that are subqueries will no longer be asked
    if found:
        place.idle.extend(members)
    return found


def _is_member_of_the_same(pred: a.Expr) -> bool:
    """Whether a condition asks for members of a query that gives the same rows wherever it stands."""
    return (
        isinstance(pred, a.Quantified)
        and is_closed(pred.query)
        and not is_volatile(pred)
        and not looseness(pred.query)
        and not any(has_subquery(e) for e in pred.left)
    )


def _partners(
    wanted: Sequence[a.FromItem], items: Sequence[a.FromItem], place: _Place
) -> Iterator[dict[int, int]]:
    """Ways to find each of ``wanted`` among ``items``."""
    if not wanted:
        yield {}
        return
    first, rest = wanted[0], wanted[1:]
    # an outer join in the list is no table that stands outside
    if isinstance(first, a.Join):
        return
    for item in items:
        if not isinstance(item, a.Join) and _reads_the_same(first, item, place):
            for others in _partners(rest, items, place):
                yield {first.rel: item.rel, **others}


def _reads_the_same(one: a.FromItem, other: a.FromItem, place: _Place) -> bool:
    match one, other:
        case a.Scan(), a.Scan():
            return (one.table, one.only) == (other.table, other.only)
        case a.Derived(), a.Derived():
            if any(d.lateral or d.security_barrier or not is_closed(d.query) for d in (one, other)):
                return False
            if canonical(one.query, keep_names=False) != canonical(other.query, keep_names=False):
                return False
            loose, basis = left_open(one.query, place.facts.catalog)
            place.basis.update(basis)
            # LIMIT without a full order may give other rows in the two places
            return not loose and not is_volatile(one.query)
        case _:
            return False


def _equal(value: a.Expr, key: a.Column, place: _Place) -> bool:
    """Whether a condition equates them, as values of one type: IN would compare others in a wider one."""
    return value.type.same_base(key.type) and any(
        is_equality(p) and isinstance(p, a.Op) and set(p.args) == {value, key} for p in place.preds
    )
