"""Early cuts that an outer LIMIT makes anyway: taken out of both queries of a pair before it is proved.

    SELECT … FROM (SELECT … FROM o ORDER BY o.day LIMIT 10) o LEFT JOIN c ON … ORDER BY o.day LIMIT 10

Of the rows of o each is there at least once below LEFT JOINs, and once below joins with the parents of
foreign keys whose columns hold no NULL. So the first ten rows come from the first ten of o, in the same
order; the same holds of each arm of UNION ALL, and of groups that have rows of one row of o each. Where each
row of o is there exactly once, a total by window over all rows of o is one over all rows of the block.

Where the order leaves ties the two queries may choose differently among them, and what else the block
computes is computed for fewer rows: both come back as reservations. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import (
    ROW,
    Assumption,
    Assumptions,
    is_equality,
    is_volatile,
    not_null,
    usable_foreign_keys,
)
from rewright.sql.types import EXACT_INTEGERS, SqlType, equality_is_identity
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    dissolve,
    free_rels,
    group_keys,
    has_aggregate,
    has_subquery,
    has_window,
    leaves,
    left_spine,
    replace_item,
    returns_set,
    substitute,
    walk,
    walk_block,
)


def without_early_limits(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without cuts that say nothing."""
    return _WithoutEarlyLimits(catalog).form(query)


class _WithoutEarlyLimits(Walk):
    def changed(self, node: a.Node) -> a.Node:
        return self._arms(node, node) if isinstance(node, a.SetOp) else super().changed(node)

    # ---------------------------------------------------------------- joins

    def block(self, block: a.Select) -> a.Select:
        grouped = is_page_of_groups(block)
        # without an order the cut keeps any rows, and says something by keeping them
        if block.limit is None or not block.order_by or not (grouped or only_cuts(block)):
            return block
        for cut in _cuts(block.from_):
            assert isinstance(cut.query, a.Select)
            basis = self._each_by_itself(block, cut) if grouped else self._only_adds(block, cut)
            # a total by window counts the rows before they are cut, and would count those that joins repeat
            totals = total_positions(cut.query)
            once = self._adds_no_rows(block, cut) if totals and not grouped else None
            # the total would be computed of the block's rows: right only where each row of the cut is there
            # exactly once
            if totals and (once is None or not shows_only(block, {(cut.rel, i) for i in totals})):
                continue
            mapping: dict[tuple[int, int], a.Expr] = {
                (cut.rel, i): t.expr for i, t in enumerate(cut.query.targets)
            }
            # the same keys in the same directions; one key more of the block's would decide among the cut's
            # ties
            same = tuple(substitute(k, mapping) for k in block.order_by) == cut.query.order_by
            if basis is None or not same or not covers(cut.query, block):
                continue
            self.rest_on([*basis, *(once or ())])
            self._reserve(cut.query)
            computed = (*(t.expr for t in block.targets), *_ons(block))
            self._reserve_laterals(block, cut)
            if grouped:
                # groups and joins compute theirs for rows that the cut had taken away
                self.reserve_other_rows(*computed)
            else:
                self.reserve_failures(*computed)
            return _merged(block, cut, cut.query, mapping)
        return block

    def _each_by_itself(self, block: a.Select, cut: a.Derived) -> list[Assumption] | None:
        """The constraints by which each row of ``cut`` has a group, and no group has rows of two of them;
        None: not known.
        """
        keys = {(k.rel, k.pos) for k in group_keys(block) if isinstance(k, a.Column)}
        tells = [basis for at, basis in self.facts.keys_of_item(cut) if {(cut.rel, i) for i in at} <= keys]
        # two rows of the cut in one group would let the group's place depend on both
        if not tells:
            return None
        items, ties = below_left_joins(block)
        # no partners at all: each row is a group by itself
        if items == [cut] and not ties:
            return list(tells[0])
        bare = replace(block, from_=tuple(items), where=conjoin(ties))
        found = self._only_adds(bare, cut)
        return None if found is None else [*found, *tells[0]]

    def _only_adds(self, block: a.Select, cut: a.Derived) -> list[Assumption] | None:
        """The constraints by which each row of ``cut`` is in the block's rows at
        least once; None: not known.
        """
        if len(block.from_) == 1 and block.where is None:
            # LEFT JOINs lose none of the kept side's rows, whatever they are joined on
            kept, _ = left_spine(block.from_[0])
            if kept is cut:
                return []
        items, preds = as_product(block)
        inner = cut.query
        # a foreign key says something of a table's own rows, not of those that a subquery makes
        if not isinstance(inner, a.Select) or len(inner.from_) != 1 or not isinstance(inner.from_[0], a.Scan):
            return None
        shown = {t.expr.pos: i for i, t in enumerate(inner.targets) if isinstance(t.expr, a.Column)}
        return self._parents(inner.from_[0], cut.rel, shown, [i for i in items if i is not cut], preds)

    def _adds_no_rows(self, block: a.Select, cut: a.Derived) -> Assumptions | None:
        """The constraints by which no row of ``cut`` is in the block's rows twice; None: not known."""
        return self.facts.determines_rows(block, ((cut.rel, ROW),))

    def _parents(
        self,
        child: a.Scan,
        rel: int,
        shown: dict[int, int],
        others: Sequence[a.FromItem],
        preds: Sequence[a.Expr],
    ) -> list[Assumption] | None:
        """Every other item is the parent of ``child`` by a foreign key, and there are no conditions but the
        keys'.
        """
        left, ties, basis = list(others), set(preds), list[Assumption]()
        table = self.catalog.table(child.table)
        for fk, assumption in usable_foreign_keys(self.catalog, child):
            columns = [table.position(c) for c in fk.columns]
            filled = [not_null(self.catalog, child, c) for c in columns]
            for parent in left:
                # ONLY parent: the row that is referred to may stand in a partition
                if not isinstance(parent, a.Scan) or parent.table != fk.target or parent.only:
                    continue
                keys = [self.catalog.table(parent.table).position(c) for c in fk.target_columns]
                # a column of the key that the cut does not show can't be asked for; -1 is no column's place
                wanted = [
                    {(rel, shown.get(c, -1)), (parent.rel, k)} for c, k in zip(columns, keys, strict=True)
                ]
                found = [next((p for p in ties if _equates(p, w)), None) for w in wanted]
                # with NULL in the foreign key there is no parent (MATCH SIMPLE), and the row is lost in the
                # join
                if None in found or None in filled:
                    continue
                ties -= set(found)
                left.remove(parent)
                basis += [assumption, *(f for f in filled if f is not None)]
                break
        # an item left over multiplies or drops rows, a condition left over drops some
        return basis if not left and not ties else None

    # ---------------------------------------------------------------- UNION ALL

    def _arms(self, block: a.SetOp, whole: a.SetOp) -> a.SetOp:
        """``block``, a UNION ALL within the UNION ALL ``whole`` that has the LIMIT."""
        # UNION drops duplicates after the arms' cuts; WITH TIES keeps more rows than its number says
        if block.op != "union" or not block.all or whole.limit is None or whole.with_ties:
            return block
        left, right = (self._arm(x, whole) for x in (block.left, block.right))
        return replace(block, left=left, right=right)

    def _arm(self, arm: a.Query, whole: a.SetOp) -> a.Query:
        # a union within the union, without a cut of its own, is arms of the whole
        if isinstance(arm, a.SetOp) and arm.limit is None and arm.offset is None and not arm.order_by:
            return self._arms(arm, whole)
        if (
            not isinstance(arm, a.Select)
            or not covers(arm, whole)
            or any(returns_set(t.expr) for t in arm.targets)
        ):
            return arm
        # DISTINCT ON chooses by the order that goes
        if arm.order_by != order_in(arm, whole) or arm.distinct or is_volatile(arm):
            return arm
        self._reserve(arm)
        return replace(arm, limit=None, order_by=())

    def _reserve_laterals(self, block: a.Select, cut: a.Derived) -> None:
        """What reads the rows of the cut in FROM is computed for rows that it had taken away."""
        for item in leaves(block.from_):
            if item is not cut and free_rels(item):
                self.reserve([] if self.facts.cannot_fail(item) else ["errors"])

    def _reserve(self, cut: a.Select) -> None:
        """What is left open; totals are of the same rows in both."""
        self.reserve_ties(cut)
        self.reserve_uncut(cut)
        self.reserve_failures(*(t.expr for t in cut.targets if not is_total(t.expr)))


def looked_at(query: a.Query) -> int | None:
    """How many rows a query with constant LIMIT and OFFSET looks at."""
    numbers = [x for x in (query.limit, query.offset) if x is not None]
    # OFFSET alone looks at all rows
    if query.limit is None or not all(isinstance(x, a.Const) and x.value is not None for x in numbers):
        return None
    return sum(int(x.value) for x in numbers if isinstance(x, a.Const) and x.value is not None)


def order_in(arm: a.Select, whole: a.SetOp) -> tuple[a.SortKey, ...] | None:
    """The order of a UNION ALL as that of one of its arms; None where the arm sorts its texts otherwise."""
    keys = tuple(
        a.SortKey(arm.targets[k.pos].expr, k.descending, k.nulls_first, k.op) for k in whole.order_by
    )
    under = (whole.columns[k.pos].type for k in whole.order_by)
    return keys if all(sorts_alike(k.expr, t) for k, t in zip(keys, under, strict=True)) else None


def sorts_alike(shown: a.Expr, column: SqlType) -> bool:
    """Whether an arm sorts what it shows as the union sorts its column: where one arm is COLLATE "C", all of
    the union is, and the other arms' own order is another one (hazard 7b).
    """
    # a constant orders nothing in its arm
    return isinstance(shown, a.Const) or shown.type.collation == column.collation


def covers(cut: a.Select, whole: a.Select | a.SetOp) -> bool:
    """Whether the cut keeps as many rows as the outer LIMIT looks at, or as many by the same parameter."""
    # rows that an OFFSET skips may be among the first ones outside
    if cut.offset is not None or cut.with_ties or cut.ctes:
        return False
    # LIMIT $1 in both is the same number, though nobody knows it
    if cut.limit is not None and cut.limit == whole.limit and whole.offset is None:
        return not is_volatile(cut.limit)
    kept, most = looked_at(cut), looked_at(whole)
    return kept is not None and most is not None and kept >= most


def only_cuts(block: a.Select, *, totals: bool = False) -> bool:
    """Whether each row of FROM and WHERE is one of the block before it is cut, computed by itself.

    ``totals``: but for columns that are totals of all rows.
    """
    skipped = total_positions(block) if totals else frozenset[int]()
    shown = [t.expr for i, t in enumerate(block.targets) if i not in skipped]
    exprs = [*shown, *(k.expr for k in block.order_by)]
    bare = block.group_by is None and block.distinct is None and not block.with_ties and block.having is None
    return (
        bare
        and not is_volatile(block)
        and not any(has_window(e) or returns_set(e) or has_aggregate(e) for e in exprs)
    )


def total_positions(query: a.Query) -> frozenset[int]:
    """The outputs of a block that are totals by window of its rows, or of all with the same values, whatever
    order these come in.
    """
    if not isinstance(query, a.Select):
        return frozenset()
    return frozenset(i for i, t in enumerate(query.targets) if is_total(t.expr))


def is_total(expr: a.Expr) -> bool:
    """Whether an expression is a total by window that no order of rows moves."""
    if not isinstance(expr, a.WindowCall) or not expr.func.is_builtin or expr.window.order_by:
        return False
    inside = (*expr.args, *expr.window.partition_by, *(() if expr.filter is None else (expr.filter,)))
    # any order or frame makes the total one of the rows before
    if expr.window.frame != a.Frame() or expr.ignore_nulls or any(has_subquery(x) for x in inside):
        return False
    match expr.func.name:
        case "count":
            return True
        # sums of floats depend on the order in which rows come
        case "sum" | "avg":
            return all(x.type.name in EXACT_INTEGERS for x in expr.args)
        # of equal values that look different min() may show another one
        case "min" | "max":
            return all(equality_is_identity(x.type) for x in expr.args)
    return False


def shows_only(block: a.Select, places: Collection[tuple[int, int]]) -> bool:
    """Whether columns are read in what the block itself shows and nowhere else."""

    def read(nodes: Iterable[a.Node]) -> int:
        return sum(isinstance(n, a.Column) and (n.rel, n.pos) in places for n in nodes)

    shown = [n for t in block.targets for n in walk_block(t.expr)]
    # a total in ORDER BY or WHERE decides which rows are kept
    return read(walk(block)) == read(shown)


def is_page_of_groups(block: a.Select) -> bool:
    """Whether a block shows the first of its groups, all of which count, in one way of grouping."""
    exprs = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    plain = (
        block.having is None and block.distinct is None and not block.with_ties and bool(group_keys(block))
    )
    return plain and not is_volatile(block) and not any(has_window(e) or returns_set(e) for e in exprs)


def below_left_joins(block: a.Select) -> tuple[list[a.FromItem], list[a.Expr]]:
    """What the LEFT JOINs of a block keep, as a product: its items, and the conditions under which they are
    joined, WHERE included.
    """
    items, preds = as_product(block)
    # of a comma's items no LEFT JOIN keeps any
    if len(items) == 1:
        spine, _ = left_spine(items[0])
        kept, joined = dissolve((spine,))
        return kept, [*preds, *joined]
    return items, preds


def _cuts(items: Sequence[a.FromItem]) -> Iterator[a.Derived]:
    """Derived tables that are cut and do nothing else."""
    for item in items:
        if isinstance(item, a.Join):
            yield from _cuts((item.left, item.right))
        elif isinstance(item, a.Derived) and not item.lateral and not item.security_barrier:
            cut = item.query
            if isinstance(cut, a.Select) and cut.limit is not None and only_cuts(cut, totals=True):
                yield item


def _ons(block: a.Select) -> list[a.Expr]:
    """Conditions of joins."""

    def of(item: a.FromItem) -> list[a.Expr]:
        if not isinstance(item, a.Join):
            return []
        return [*of(item.left), *of(item.right), *conjuncts(item.on)]

    return [*(p for i in block.from_ for p in of(i)), *conjuncts(block.where)]


def _equates(pred: a.Expr, wanted: set[tuple[int, int]]) -> bool:
    if not is_equality(pred) or not isinstance(pred, a.Op):
        return False
    return len(wanted) == 2 and {(x.rel, x.pos) for x in pred.args if isinstance(x, a.Column)} == wanted


def _merged(
    block: a.Select, cut: a.Derived, inner: a.Select, mapping: dict[tuple[int, int], a.Expr]
) -> a.Select:
    """The block over the rows of ``inner`` in the place of the cut."""
    # a cut over several tables can't take the place of one item: it stays a subquery, without its cut
    if len(inner.from_) != 1:
        free = replace(cut, query=replace(inner, limit=None, order_by=()))
        return replace(block, from_=tuple(replace_item(i, cut, free) for i in block.from_))
    from_ = tuple(replace_item(i, cut, inner.from_[0]) for i in block.from_)
    merged: a.Select = substitute(replace(block, from_=from_), mapping)
    return replace(merged, where=conjoin((*conjuncts(inner.where), *conjuncts(merged.where))))
