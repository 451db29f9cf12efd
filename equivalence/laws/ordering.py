"""Sort keys that decide nothing: taken out of both queries of a pair before it is proved.

    WHERE a.state = 'IL' ORDER BY a.name, a.state, a.street LIMIT 100

Rows that agree on the keys before agree on such a key too: by an equality with a constant or with one of
them, by a key of the rows, or as one group (hazards 13). Or they show the same, whichever comes first:

    SELECT o.day FROM ord o ORDER BY o.day DESC, o.id DESC LIMIT 1

An index may give the shorter order and not the longer one: under a cut, rows behind it are then computed to
be sorted, and what they may raise is a reservation. The one row of an aggregate without GROUP BY needs
neither order nor cut:

    SELECT sum(o.paid) FROM ord o ORDER BY sum(o.paid) LIMIT 100

Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, Facts, is_volatile
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    has_aggregate,
    has_subquery,
    has_window,
    map_parts,
    returns_set,
    walk,
)


def without_idle_keys(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its blocks sorted by what decides."""
    return _WithoutIdleKeys(catalog, cut=is_cut(query)).form(query)


def is_cut(query: a.Query) -> bool:
    """Whether some rows of a query, or of one in it, may be left uncomputed: those beyond a LIMIT."""
    return any(isinstance(n, a.Select | a.SetOp) and n.limit is not None for n in walk(query))


def _is_row_of_all(block: a.Select) -> bool:
    """Whether a block is one aggregate row, of all its rows, that its cut keeps wherever it is there."""
    exprs = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    # GROUP BY (), () makes two rows, and a set that is shown or sorted by any number
    if block.group_by != ((),) or any(map(returns_set, exprs)):
        return False
    if block.distinct is not None or block.offset is not None:
        return False
    return block.limit is None or _keeps_some(block.limit)


def _keeps_some(limit: a.Expr) -> bool:
    # LIMIT $1 may be 0, and LIMIT -1 is an error
    return isinstance(limit, a.Const) and (limit.value or "").isdigit() and int(limit.value or 0) > 0


def beyond_cuts(query: a.Query, catalog: Catalog) -> frozenset[str]:
    """What a query's rows behind its cuts may raise where another order than its own is made by a sort."""
    return _BeyondCuts(catalog).form(query).modulo


def _sorts_all(block: a.Select | a.SetOp) -> bool:
    """Whether all rows are computed before they are sorted: no index gives the order of aggregates."""
    return isinstance(block, a.Select) and bool(block.order_by) and has_aggregate(block.order_by[0].expr)


class _BeyondCuts(Walk):
    def changed(self, node: a.Node) -> a.Node:
        if not isinstance(node, a.Select | a.SetOp) or node.limit is None:
            return node
        if not _sorts_all(node):
            self.reserve_other_rows(replace(node, limit=None, offset=None))
        return node


def decided(block: a.Select, key: a.Expr, before: Sequence[a.Expr], facts: Facts) -> Assumptions | None:
    """The constraints by which rows of a block that agree on ``before`` agree on a sort key whose going hides
    no error; None: they may not. Also what rewrite rules propose by.
    """
    # a window's value is computed of all rows, and a subquery's may fail with two of them
    if has_window(key) or has_subquery(key):
        return None
    shown = any(t.expr == key for t in block.targets)  # it is computed all the same
    # ORDER BY 1 / x fails where nothing else divides
    if not shown and (facts.errors(key) or not facts.cannot_fail(key)):
        return None
    if block.group_by is not None:
        # in several grouping sets one group may agree with another on the keys of one set, and be NULL in the
        # rest
        whole = len(block.group_by) == 1 and set(block.group_by[0]) <= set(before)
        # groups that agree on all they are made by are one
        return frozenset() if whole else None
    # whole rows and system columns are no function of what the closure knows
    if has_aggregate(key) or any(isinstance(n, a.WholeRow | a.SystemColumn) for n in walk(key)):
        return None
    columns = [n for n in walk(key) if isinstance(n, a.Column)]
    # lower(name) decides nothing behind name; of 1.0 and 1.00 a text of them would differ
    alike = isinstance(key, a.Column) or all(equality_is_identity(c.type) for c in columns)
    start = [(k.rel, k.pos) for k in before if isinstance(k, a.Column)]
    return facts.closure(block, start).has([(c.rel, c.pos) for c in columns]) if columns and alike else None


def idle(block: a.Select, key: a.SortKey, before: Sequence[a.Expr], facts: Facts) -> Assumptions | None:
    """The constraints by which a sort key of a block decides nothing that is seen behind those ``before``;
    None: it may. Of a block without DISTINCT whose outputs are no sets. Also what rewrite rules propose by.
    """
    if not key.op.is_builtin:
        return None
    basis = decided(block, key.expr, before, facts)
    return _tied_alike(block, key.expr, before, facts) if basis is None else basis


def agreed(keys: Iterable[a.SortKey]) -> list[a.Expr]:
    """What rows agree on that tie in an order: an operator class of the user's own may say otherwise."""
    return [k.expr for k in keys if k.op.is_builtin]


def _tied_alike(block: a.Select, key: a.Expr, before: Sequence[a.Expr], facts: Facts) -> Assumptions | None:
    """The constraints by which rows that agree on ``before`` show the same, where ``key`` may go unseen."""
    # WITH TIES keeps all rows that agree on every key; an aggregate makes groups, and others may fail
    if block.with_ties or not _harmless(key, facts) or has_aggregate(key):
        return None
    basis: Assumptions = frozenset()
    for target, look in zip(block.targets, facts.looks(block), strict=True):
        expr = target.expr
        # how often a target is computed, and of which of the rows, is up to the plan
        if not _harmless(expr, facts):
            return None
        if not any(isinstance(n, (*REFERENCES, a.Aggregate, a.Grouping)) for n in walk(expr)):
            continue
        found = frozenset() if expr in before else decided(block, expr, before, facts)
        # 1.0 and 1.00 agree and are told apart, and so are values made of them
        if found is None or (look is None and not _is_made_of_same(expr, before)):
            return None
        basis |= found
    return basis


def _harmless(expr: a.Expr, facts: Facts) -> bool:
    return not (has_window(expr) or has_subquery(expr) or facts.errors(expr)) and facts.cannot_fail(expr)


def _is_made_of_same(expr: a.Expr, before: Sequence[a.Expr]) -> bool:
    """Whether an expression that is no key itself is made of columns whose equal values are the same."""
    columns = [n for n in walk(expr) if isinstance(n, a.Column)]
    return expr not in before and bool(columns) and all(equality_is_identity(c.type) for c in columns)


def _decided(rows: a.Select, key: a.SortKey, before: Sequence[a.Expr], facts: Facts) -> Assumptions | None:
    """As `idle`, of the order in which an aggregate reads rows."""
    return decided(rows, key.expr, before, facts) if key.op.is_builtin else None


_IsIdle = Callable[[a.Select, a.SortKey, Sequence[a.Expr], Facts], Assumptions | None]


class _WithoutIdleKeys(Walk):
    def __init__(self, catalog: Catalog, *, cut: bool) -> None:
        super().__init__(catalog)
        self.cut = cut
        self.top: a.Query | None = None

    def form(self, query: a.Query) -> Form:
        self.top = query
        return super().form(query)

    def _visit(self, node: Any) -> Any:
        made = super()._visit(node)
        return self._alone(made, inside=node is not self.top) if isinstance(made, a.Select) else made

    def _alone(self, block: a.Select, *, inside: bool) -> a.Select:
        """The block without an order and a cut of the one row that it has. ``inside``: it is no query of its
        own.
        """
        if not _is_row_of_all(block) or is_volatile(block) or not (block.order_by or block.limit):
            return block
        shown = {t.expr for t in block.targets}
        keys = [k.expr for k in block.order_by if k.expr not in shown]
        # ORDER BY 1 / count(x) fails where nothing else divides
        if not all(_harmless(k, self.facts) for k in keys):
            return block
        # conditions around a subquery without LIMIT are asked as HAVING, before it computes what it shows
        if inside:
            self.reserve_other_rows(*(t.expr for t in block.targets))
        return replace(block, order_by=(), limit=None, with_ties=False)

    def block(self, block: a.Select) -> a.Select:
        if is_volatile(block):
            return block
        block = self._aggregates(block)
        # DISTINCT ON needs its own keys in front
        if len(block.order_by) < 2 or block.distinct is not None:
            return block
        # set-returning outputs are sorted after they were expanded
        if any(returns_set(t.expr) for t in block.targets):
            return block
        made = replace(block, order_by=self._deciding(block, block.order_by, idle))
        if self.cut and made != block and not _sorts_all(made):
            self.reserve_other_rows(replace(block, limit=None, offset=None, order_by=()))
        return made

    def _deciding(
        self, block: a.Select, keys: Sequence[a.SortKey], is_idle: _IsIdle
    ) -> tuple[a.SortKey, ...]:
        kept: list[a.SortKey] = []
        for key in keys:
            basis = is_idle(block, key, agreed(kept), self.facts)
            # the first key always decides, unless nothing is sorted at all
            if basis is None or not kept:
                kept.append(key)
            else:
                self.rest_on(basis)
        return tuple(kept)

    def _aggregates(self, block: a.Select) -> a.Select:
        """The block's aggregates in the order that decides: they read the rows that are grouped."""
        rows = replace(block, targets=(), group_by=None, having=None, distinct=None, order_by=())

        def visit(node: Any) -> Any:
            if isinstance(node, QUERIES):
                return node
            node = map_parts(node, visit)
            # DISTINCT in an aggregate sorts by what it sorts out, and WITHIN GROUP orders are arguments
            if not isinstance(node, a.Aggregate) or len(node.order_by) < 2 or node.distinct or node.direct:
                return node
            return replace(node, order_by=self._deciding(rows, node.order_by, _decided))

        targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
        order = tuple(replace(k, expr=visit(k.expr)) for k in block.order_by)
        having = None if block.having is None else visit(block.having)
        return replace(block, targets=targets, having=having, order_by=order)
