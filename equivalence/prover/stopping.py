"""What keeps a reader from stopping early, and conditions from being asked by an index: subqueries that are
planned by themselves, and least values that no index gives.

LIMIT, EXISTS, a block of min() and max() alone (`preprocess_minmax_aggregates`) and rows that are numbered up
to a number (run conditions of windows) need not compute all rows, and a join by an index asks its conditions
of the rows that are joined. A subquery with ORDER BY or WITH, a computed CTE and one with LIMIT or OFFSET is
planned as a whole: where it is sorted it is computed to its end, and what is asked of its rows is asked of
all of them. One that reads rows beside it (LATERAL), and an EXISTS that is no semi-join, is asked for those
alone, where the planner may not join otherwise. Aggregates with ORDER BY or FILTER, and any in a block that
has a WITH clause, read all rows. Told apart where any of these rows may fail; forms have no place for it.
Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.comparisons import FLIPPED
from rewright.sql.facts import Facts, is_equality
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import (
    SUBQUERIES,
    all_exprs,
    all_queries,
    conjuncts,
    free_rels,
    has_window,
    leaves,
    returns_set,
    top_down,
    walk,
    walk_block,
)

from .calendar_series import without_series
from .constants import is_computed_constant, is_plain_moment
from .fences import Fences, conditions, is_joined
from .pulling import is_not_pulled_up, makes_rows_apart, semi_joins, spelled
from .read_tables import Place, Places, more

# aggregates that the first row in an order gives (pg_aggregate.aggsortop)
_EXTREMES = frozenset({"min", "max", "bool_and", "bool_or", "every"})
# of more parts it may cost so much
_DEAR = 9
# window functions that never fall from row to row (supportfn of WindowFuncRunCondition)
_GROWING = frozenset({"row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist"})
# rows that are numbered up to a number, and without an end
_NUMBERED, _TO_THE_END = "numbered", "order to the end"
_ORDER = "order"
# what is computed as a whole, and where
_Counted = tuple[str, Place]


def stops_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> bool:
    """Whether the second query may fail by rows that the first one need not compute.

    :raises Unsupported: outputs are very large in their full length.
    """
    first, second = without_series(first), without_series(second)
    before, after = (
        _Reading(first, Places(first, second), catalog),
        _Reading(second, Places(second, first), catalog),
    )
    (ours, bound), (theirs, freed) = before.kept(), after.kept()
    # how rows are numbered matters where the first query ends by a number
    ends = any(word == _NUMBERED for word, _ in ours)
    found = (word for word, _ in more(theirs, ours) if word != _NUMBERED)
    # what reads rows beside it is computed of more rows where it does so no more
    if any(ends or not word.startswith(_ORDER) for word in found) or more(freed, bound) or more(bound, freed):
        return True
    (early, waits), (late, _) = before.shown(), after.shown()
    if waits and more(late, early):
        return True
    # a search ends at the first row that meets what is asked of pairs, a join makes them all
    ended = {table for _, place in more(before.searched(), after.searched()) for table in place[0]}
    if ended and any(ended & set(place[0]) for place in after.unsearched()):
        return True
    pairs = zip(before.of_exists(), after.of_exists(), strict=True)
    return all(more(x, y) or more(y, x) for x, y in pairs)


class _Reading:
    """How one query's readers come by their rows."""

    def __init__(self, query: a.Query, places: Places, catalog: Catalog) -> None:
        self.query, self.places, self.fences = query, places, Fences(query, catalog)
        self.below = {n.rel: n.query for n in walk(query) if isinstance(n, a.Derived)}
        ctes = ((n.rel, self.fences.ctes.get(n.cte)) for n in walk(query) if isinstance(n, a.CteScan))
        # what a recursive one reads is not pulled up
        self.below |= {rel: cte.query for rel, cte in ctes if cte is not None and not cte.recursive}
        blocks = (b for b in all_queries(query) if isinstance(b, a.Select))
        found = (n.query for n in walk(query) if isinstance(n, a.Exists | a.Quantified))
        self.looked_for = {id(q) for x in found for q in all_queries(x)}
        self.stops = any(map(_stops, walk(query))) or any(map(self._ends_by_number, blocks))

    def kept(self) -> tuple[Counter[_Counted], Counter[_Counted]]:
        """What is computed as a whole and may fail, by kind and place: of itself, and for rows beside it."""
        alone: Counter[_Counted] = Counter()
        beside: Counter[_Counted] = Counter()
        for block in all_queries(self.query):
            if isinstance(block, a.Select):
                for kind, query in self._apart(block):
                    (beside if free_rels(query) else alone)[kind, self.places.of(query, block=block)] += 1
                place = self.places.of(block)
                alone.update((word, place) for word in self._of_extremes(block))
                # an order, or a least value, that an index gives may be lost in a join
                joins = max(sum(not _is_one_row(x) for x in leaves(block.from_)) - 1, 0)
                if _stops(block) and self._rows_fail(block):
                    alone["join", place] += joins
                # what is shown waits for a sort behind a join as it does behind a search, but rows that are
                # made have no index to be found by
                if _stops(block) and self._shows_behind(block):
                    searched = sum(1 for c in conditions(block) for _ in semi_joins(c))
                    alone["join or search", place] += joins + searched
                    made = (x for x in leaves(block.from_) if isinstance(x, a.Derived) and _is_made(x.query))
                    alone["made", place] += sum(1 for _ in made)
        # IN looks for a row, or is joined
        asked = (n.query for n in walk(self.query) if isinstance(n, a.Quantified))
        alone.update(("in", self.places.of(q)) for q in asked if _is_whole(q) and self._may_fail(q))
        return alone, beside

    def shown(self) -> tuple[Counter[_Counted], set[Place]]:
        """What sorted and cut blocks show that may fail, as it is spelled, and where some of it waits for
        the cut: what costs much is computed behind the sort (`make_sort_input_target`), all else before it.
        """
        blocks = (b for b in all_queries(self.query) if isinstance(b, a.Select))
        cuts = [b for b in blocks if b.limit is not None and b.order_by]
        made = ((self.fences.pull_up.inlined(t.expr, b), b) for b in cuts for t in b.targets)
        failing = [(x, self.places.of(*b.from_)) for x, b in made if self._may_fail(x)]
        return Counter((spelled(x), place) for x, place in failing), {p for x, p in failing if _is_dear(x)}

    def of_exists(self) -> tuple[Counter[_Counted], Counter[_Counted]]:
        """Where EXISTS that may fail are joined to all rows outside, and where asked of each."""
        blocks = (b for b in all_queries(self.query) if isinstance(b, a.Select))
        joined = {id(q) for b in blocks for c in conditions(b) for q in semi_joins(c)}
        found = (n.query for n in walk(self.query) if isinstance(n, a.Exists) and free_rels(n.query))
        failing = [(id(q) in joined, self.places.of(q)) for q in found if self._may_fail(q)]
        return Counter(("", p) for yes, p in failing if yes), Counter(
            ("", p) for yes, p in failing if not yes
        )

    def searched(self) -> Counter[_Counted]:
        """Where EXISTS, IN and the like ask of pairs of rows what may fail, and look for one of several."""
        blocks = (b for b in all_queries(self.query) if isinstance(b, a.Select) and id(b) in self.looked_for)
        several = (b for b in blocks if self.fences.facts.at_most_one_row(b) is None)
        return Counter(
            ("search", self.places.of(b))
            for b in several
            if any(self._of_pairs(c, b) for c in conditions(b)) or self._compares_one_by_one(b)
        )

    def _compares_one_by_one(self, block: a.Select) -> bool:
        """Whether something outside is compared with what a block shows, which may fail, until that decides:
        what is equated with rows that read none outside is looked up among all of them.
        """
        asked = (n for n in walk(self.query) if isinstance(n, a.Quantified) and n.query is block)
        return any(n.kind != "=" or free_rels(block) for n in asked) and any(
            self._may_fail(self.fences.pull_up.inlined(t.expr, block)) for t in block.targets
        )

    def unsearched(self) -> Iterator[Place]:
        """Where something may fail of rows of which all are made."""
        blocks = (b for b in all_queries(self.query) if isinstance(b, a.Select))
        for block in (b for b in blocks if id(b) not in self.looked_for):
            made = (*conditions(block), *conjuncts(block.having), *(t.expr for t in block.targets))
            if any(self._may_fail(_by_itself(self.fences.pull_up.inlined(x, block))) for x in made):
                yield self.places.of(block)

    def _of_pairs(self, condition: a.Expr, block: a.Select) -> bool:
        """Whether a condition may fail, and is asked of rows of several tables together. The sides of an
        equation are computed by themselves, for a hash.
        """
        made = self.fences.pull_up.inlined(condition, block)
        sides = made.args if isinstance(made, a.Op) and is_equality(made) else (made,)
        return any(len(free_rels(x)) > 1 for x in sides) and self._may_fail(made)

    def _apart(self, block: a.Select) -> Iterator[tuple[str, a.Query]]:
        """The subqueries of a block that are planned by themselves, by their kinds."""
        asked = self._asked(block)
        # conditions of which an index may ask one first
        several = asked and len(conjuncts(block.where)) > 1
        for query, kind, hard in self._ranging(block):
            matters = self.stops or is_joined(block) or (hard and several)
            if isinstance(query, a.Select) and any(has_window(t.expr) for t in query.targets):
                # what windows compute is compared by itself
                if self._may_fail(replace(query, targets=(), order_by=())):
                    yield from ((word, query) for word in self._numbered(block, query))
            # and so is what groups and sets do
            elif matters and not _is_made(query) and (asked or self._may_fail(query)):
                yield kind, query

    def _numbered(self, block: a.Select, rows: a.Select) -> Iterator[str]:
        """How far, and in which orders, the rows of a subquery with windows are numbered."""
        yield _NUMBERED if self._ends_by_number(block) else _TO_THE_END
        for call in (n for n in walk_block(rows) if isinstance(n, a.WindowCall)):
            # an index gives the first of the keys, and no computed one
            yield from (f"{_ORDER} key {n}" for n in range(len(call.window.order_by)))
            yield from (
                f"{_ORDER} by {x}" for x in self._computed((k.expr for k in call.window.order_by), rows)
            )

    def _ends_by_number(self, block: a.Select) -> bool:
        """Whether a condition compares a window's value with what is the same for all rows: that may be the
        last row to be numbered.
        """
        asked = (self.fences.pull_up.inlined(c, block) for c in conjuncts(block.where))
        return any(isinstance(c, a.Op) and self._ends(c) for c in asked)

    def _ends(self, asked: a.Op) -> bool:
        # n + 0 <= 3 and n IN (1, 2) are no such conditions
        if len(asked.args) != 2 or asked.op.name not in FLIPPED:
            return False
        left, right = asked.args
        return (self._number(left, asked.op.name) and not free_rels(right)) or (
            self._number(right, FLIPPED[asked.op.name]) and not free_rels(left)
        )

    def _number(self, column: a.Expr, name: str) -> bool:
        """Whether a column is the value of a window that only grows, compared with a greatest one, or one
        that only falls, compared with a least one.
        """
        query = self.below.get(column.rel) if isinstance(column, a.Column) else None
        if not isinstance(column, a.Column) or not isinstance(query, a.Select):
            return False
        call = query.targets[column.pos].expr
        if not isinstance(call, a.WindowCall) or not call.func.is_builtin:
            return False
        grows = call.func.name in _GROWING
        if call.func.name == "count":
            grows = not call.window.order_by or call.window.frame.start == "unbounded_preceding"
            if not call.window.order_by or call.window.frame.end == "unbounded_following":
                return grows or name in {">", ">=", "="}
        return grows and name in {"<", "<=", "="}

    def _ranging(self, block: a.Select) -> Iterator[tuple[a.Query, str, bool]]:
        found = (r for item in block.from_ for r in self.fences.ranging(item))
        # the arms of a plain UNION ALL are joined each
        return (r for r in found if not _is_flattened(r[0]))

    def _of_extremes(self, block: a.Select) -> Iterator[str]:
        """Why no index gives the least values of a block."""
        calls = [n for n in walk_block(block) if isinstance(n, a.Aggregate)]
        extremes = list(filter(is_extreme, calls))
        if not extremes or any(block.group_by or ()) or not self._rows_fail(block):
            return
        yield from (f"least {x}" for x in self._computed((x for c in extremes for x in c.args), block))
        if block.ctes:
            yield "with"
        read = len(extremes) < len(calls) or any(c.order_by or c.filter is not None for c in calls)
        if read:
            yield "read"
        if not (read or block.ctes) and self._shows_of_arms(block):
            yield "arms"

    def _shows_of_arms(self, block: a.Select) -> bool:
        """Whether the arms of a UNION ALL that a block reads show what may fail: of its least values they are
        asked whether they are there, beside their own conditions.
        """
        arms = (q for item in block.from_ for q, _, hard in self.fences.ranging(item) if not hard)
        made = (e for q in arms if isinstance(q, a.SetOp) for x in self.fences.pull_up.outputs(q) for e in x)
        return any(map(self._may_fail, made))

    def _computed(self, exprs: Iterable[a.Expr], block: a.Select) -> Iterator[str]:
        """Those of a block's expressions that only an index of expressions gives, as they are spelled."""
        made = (self.fences.pull_up.inlined(x, block) for x in exprs)
        return (spelled(x) for x in made if not isinstance(x, a.Column))

    def _asked(self, block: a.Select) -> bool:
        """Whether a condition of the block may fail, or one of a subquery in its FROM: what is pulled up
        asks its own there.
        """
        own = (self.fences.pull_up.inlined(c, b) for b in self._below(block) for c in conditions(b))
        return any(map(self._may_fail, own))

    def _below(self, block: a.Select) -> Iterator[a.Select]:
        """The block and the subqueries in its FROM, those in them, and inlined CTEs, each once."""
        left, met = [block], set[int]()
        while left:
            block = left.pop()
            if id(block) in met:
                continue
            met.add(id(block))
            yield block
            items = (n for item in block.from_ for n in walk_block(item))
            read = (self.below.get(n.rel) for n in items if isinstance(n, a.Derived | a.CteScan))
            left += [q for q in read if isinstance(q, a.Select)]

    def _shows_behind(self, block: a.Select) -> bool:
        """Whether what a cut block shows may fail, which is computed of all rows where these are sorted."""
        made = (self.fences.pull_up.inlined(t.expr, block) for t in block.targets)
        return block.limit is not None and bool(block.order_by) and any(map(self._may_fail, made))

    def _rows_fail(self, block: a.Select) -> bool:
        """Whether something may fail in what a block aggregates."""
        scans = (n for item in block.from_ for n in walk(item) if isinstance(n, a.CteScan))
        read = (self.fences.ctes[n.cte].query for n in scans if n.cte in self.fences.ctes)
        return any(map(self._may_fail, (replace(block, targets=(), having=None, order_by=()), *read)))

    def _may_fail(self, part: a.Query | a.Expr) -> bool:
        return may_fail(self.fences.facts, part)


def _by_itself(expr: a.Expr) -> a.Expr:
    """The expression without what searches in it ask of their rows."""

    def visit(node: a.Node) -> a.Node:
        match node:
            case a.Exists():
                return a.Param(1, node.type)
            case a.Quantified(left=left):
                return a.Coalesce(tuple(a.IsNull(x) for x in left), node.type)
            case _:
                return node

    return top_down(expr, visit)


def may_fail(facts: Facts, part: a.Query | a.Expr) -> bool:
    """Whether a query or an expression may fail by some of the rows that it is asked of: constants that are
    folded fail when it is planned, and are compared elsewhere.
    """
    part = top_down(part, _folded)
    whole = part if isinstance(part, a.Select | a.SetOp | a.Values) else a.Select((), where=part)
    # a number of rows that depends on none fails whichever rows are asked for, and is compared by itself
    by_row = any(free_rels(x) for q in all_queries(whole) for x in (q.limit, q.offset) if x is not None)
    told = OVERFLOW if by_row else OVERFLOW | {"limit"}
    return bool(facts.errors(part) - told) or facts.may_overflow(whole)


def _folded(node: a.Node) -> a.Node:
    """Some value of its type in place of a constant that is folded: a NULL would keep what is made of it from
    failing.
    """
    # a set is made when the query runs
    makes_set = isinstance(node, a.Call) and node.func.returns_set
    if not isinstance(node, a.Op | a.Call | a.Cast) or makes_set:
        return node
    # what is written out is read before, and says how far a moment is moved
    if isinstance(node, a.Cast) and isinstance(node.arg, a.Const) and node.arg.type.name == "unknown":
        return node
    # a plain date in a zone is made when the query runs, and fails in none
    if is_plain_moment(node) or (is_computed_constant(node) and not any(map(_is_read, all_exprs(node)))):
        return a.Param(1, node.type)
    return node


def _is_read(expr: a.Expr) -> bool:
    """Whether a value is read from a text when the query runs, as dates are by the session's settings."""
    if not isinstance(expr, a.Cast) or expr.method != "io":
        return False
    return not (isinstance(expr.arg, a.Const) and expr.arg.type.name == "unknown")


def is_extreme(call: a.Aggregate) -> bool:
    """Whether an aggregate is the first value in an order, that is not NULL."""
    return call.func.is_builtin and call.func.name in _EXTREMES


def _stops(node: a.Node) -> bool:
    """Whether a node's rows may be left uncomputed once some of them are there."""
    match node:
        case a.Exists() | a.Quantified():
            return True
        case a.Select() | a.SetOp() if node.limit is not None and not _keeps_the_row(node):
            return True
        case a.Select() if not any(node.group_by or ()):
            calls = [n for n in walk_block(node) if isinstance(n, a.Aggregate)]
            return bool(calls) and all(map(is_extreme, calls))
        case _:
            return False


def _keeps_the_row(query: a.Select | a.SetOp) -> bool:
    """Whether the LIMIT of a query keeps the one row of an aggregate, which all its rows are read for."""
    if not isinstance(query, a.Select) or query.group_by != ((),) or query.offset is not None:
        return False
    # LIMIT 0 runs nothing, and a set that is shown stops with its row
    some = (
        isinstance(query.limit, a.Const) and (query.limit.value or "").isdigit() and query.limit.value != "0"
    )
    return some and not any(returns_set(t.expr) for t in query.targets)


def _is_one_row(leaf: a.Leaf) -> bool:
    """Whether a FROM item is one row of expressions, which take the places of its columns."""
    match leaf:
        case a.ValuesScan(rows=(_,)):
            return True
        case a.Derived(query=a.Select(from_=()) as query):
            return not makes_rows_apart(query) and not is_not_pulled_up(query)
        case _:
            return False


def _is_dear(expr: a.Expr) -> bool:
    """Whether an expression may cost more than ten operators do."""
    computed = [n for n in walk(expr) if not isinstance(n, a.Column | a.Const)]
    # what a function costs is not known
    return len(computed) > _DEAR or any(isinstance(n, (*SUBQUERIES, a.Call)) for n in computed)


def _is_whole(query: a.Query) -> bool:
    """Whether a query is planned by itself, and makes no groups, sets or numbers."""
    apart = is_not_pulled_up(query) or query.limit is not None or query.offset is not None
    return apart and not _is_made(query) and not _is_flattened(query)


def _is_made(query: a.Query) -> bool:
    """Whether a query's rows are groups, sets or numbered."""
    if isinstance(query, a.SetOp):
        return not (query.op == "union" and query.all)
    if not isinstance(query, a.Select):
        return False
    shown = [t.expr for t in query.targets]
    return query.group_by is not None or query.distinct is not None or any(map(has_window, shown))


def _is_flattened(query: a.Query) -> bool:
    """Whether a query is a UNION ALL of plain blocks whose arms the planner takes for tables."""
    match query:
        case a.SetOp(op="union", all=True):
            plain = not (query.order_by or query.ctes or query.limit or query.offset)
            return plain and all(_is_arm(x) for x in (query.left, query.right))
        case _:
            return False


def _is_arm(query: a.Query) -> bool:
    if not isinstance(query, a.Select):
        return _is_flattened(query)
    # arms whose types differ are planned apart
    return not (query.order_by or query.ctes) and not any(isinstance(t.expr, a.Cast) for t in query.targets)
