"""Moves: single pieces of advice read off a plan and what is known about its row counts.

Each function looks at a plan and yields hints worth trying, with the reason in plain words. Nothing is
decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rewright.hints.base import (
    Hint,
    HintSet,
    JoinHint,
    JoinMethod,
    JoinTree,
    Leading,
    Materialize,
    MemoizeHint,
    Rows,
    ScanHint,
    ScanMethod,
    SetHint,
    aliases_of,
)
from rewright.hints.cardinality import wrong_joins
from rewright.hints.injection import GEQO_THRESHOLD
from rewright.hints.levels import TRANSPARENT, Names, level_aliases
from rewright.sql.plans import Node, Plan

Known = Mapping[frozenset[str], float]

METHOD: Mapping[str, JoinMethod] = {
    "Hash Join": "HashJoin",
    "Merge Join": "MergeJoin",
    "Nested Loop": "NestLoop",
}


@dataclass(frozen=True, slots=True)
class Move:
    """A hint and why it is offered."""

    hint: Hint
    reason: str


# how row counts came to be known, in the words of a reason
SEEN, SUPPOSED = "gave", "may well give"


def row_corrections(
    plan: Plan, names: Names, known: Known, threshold: float = 2.0, verb: str = SEEN
) -> Iterator[Move]:
    """Set the true row count of each join that the plan estimates wrongly, lowest join first (QUITE §6 step
    1).
    """
    for node, aliases, true in wrong_joins(plan, names, known, threshold):
        rows = max(1, round(true))
        yield Move(
            Rows(aliases, "#", rows),
            f"the join of {_list(aliases)} was estimated at {node.rows:,.0f} rows and {verb} {true:,.0f}",
        )


def better_methods(
    plan: Plan, names: Names, known: Known, threshold: float = 2.0, verb: str = SEEN
) -> Iterator[Move]:
    """Replace nested loops whose outer side is far larger than the planner thinks and whose inner side is
    scanned again for each row (QUITE §6 step 2); and hash joins chosen for an outer side thought large.
    """
    for node in plan.joins:
        # an outer side with no name cannot have a known row count either
        if node.operator != "Nested Loop" or len(node.inputs) != 2:
            continue
        outer, inner = node.inputs
        aliases = level_aliases(node, names)
        outer_aliases = level_aliases(outer, names)
        if aliases is None or outer_aliases is None or outer_aliases not in known:
            continue
        true = known[outer_aliases]
        # not far larger: another run of the inner side costs what was planned
        if true < max(outer.rows, 1.0) * threshold:
            continue
        # A hash join needs an equality; without one only the nested loop can be forbidden.
        method: JoinMethod = "HashJoin" if _has_equality(node, inner) else "NoNestLoop"
        yield Move(
            JoinHint(method, aliases),
            f"{_list(outer_aliases)} was estimated at {outer.rows:,.0f} rows and {verb} {true:,.0f}: "
            f"a nested loop would run its inner side as often",
        )


def imitate(better: Plan, current: Plan, names: Names) -> Iterator[Move]:
    """The join order and methods of a plan that ran better, where they differ from the current plan's."""
    have = {level_aliases(node, names): node.operator for node in current.joins}
    for node in better.joins:
        aliases = level_aliases(node, names)
        if aliases and have.get(aliases) != node.operator:
            yield Move(
                JoinHint(METHOD[node.operator], aliases), f"{node.operator} of {_list(aliases)} ran faster"
            )
    for top in _tops(better.root):
        tree = _tree(top, names)
        # a bare alias is no order; an order that the plan has already is no move
        if isinstance(tree, tuple) and tree not in [_tree(t, names) for t in _tops(current.root)]:
            yield Move(Leading(tree=tree), "this join order ran faster")


SCAN: Mapping[str, ScanMethod] = {
    "Seq Scan": "SeqScan",
    "Index Scan": "IndexScan",
    "Index Only Scan": "IndexOnlyScan",
    "Bitmap Heap Scan": "BitmapScan",
}


def scan_moves(better: Plan, current: Plan, names: Names) -> Iterator[Move]:
    """How the relations were read in a plan that ran better, where that differs."""
    have = {node.alias: (node.operator, node.index) for node in current.walk()}
    for node in better.walk():
        other = have.get(node.alias) != (node.operator, node.index)
        if other and node.operator in SCAN and node.alias in names.unique:
            hint = ScanHint(SCAN[node.operator], node.alias, (node.index,) if node.index else ())
            yield Move(hint, f"{node.operator} of {node.alias} ran faster")


def pin(plan: Plan, names: Names) -> list[Hint]:
    """Every nameable join's method, and the join order of each level that is nameable as a whole.

    Only one Leading can be given: the one of the largest level is.
    """
    methods = [
        JoinHint(METHOD[node.operator], aliases)
        for node in plan.joins
        if (aliases := level_aliases(node, names)) is not None
    ]
    trees = [tree for top in _tops(plan.root) if isinstance(tree := _tree(top, names), tuple)]
    largest = max(trees, key=lambda tree: len(aliases_of(Leading(tree=tree))), default=None)
    return [*methods, *([Leading(tree=largest)] if largest is not None else [])]


def cte_moves(text_ctes: Mapping[str, tuple[int, bool | None]], plan: Plan) -> Iterator[Move]:
    """MATERIALIZED or not, for each CTE: ``text_ctes`` maps its name to (references, keyword)."""
    scanned = {node.cte for node in plan.walk() if node.cte}
    for name, (references, _) in text_ctes.items():
        # A CTE Scan shows that it is computed by itself; a CTE that was merged has no node of its own.
        if name in scanned:
            yield Move(
                Materialize(name, negated=True),
                f"{name} is computed whole before its {references} reader(s) filter it",
            )
        elif references:
            # merged, and read by somebody: computed once it may be cheaper
            yield Move(Materialize(name), f"{name} is read {references} time(s) and computed anew for each")


def memoize_moves(plan: Plan, names: Names, known: Known) -> Iterator[Move]:
    """NoMemoize where a cache was planned for few repetitions and the outer side is another size."""
    for node in plan.joins:
        if node.operator == "Nested Loop" and len(node.inputs) == 2 and node.inputs[1].operator == "Memoize":
            aliases = level_aliases(node, names)
            outer = level_aliases(node.inputs[0], names)
            # a size that was right gives no reason to doubt the cache
            if aliases and outer in known:
                yield Move(
                    MemoizeHint(aliases, negated=True),
                    f"the cache on {_list(aliases)} was planned on a wrong size",
                )


# explicit joins of more relations than this are planned in pieces (join_collapse_limit's default)
COLLAPSE_LIMIT = 8


def with_collapse_limits(hints: HintSet) -> HintSet:
    """A Leading over more relations than the collapse limits needs them raised, or cannot be followed."""
    longest = max((len(aliases_of(h)) for h in hints if isinstance(h, Leading)), default=0)
    if longest <= COLLAPSE_LIMIT:
        return hints
    for name in ("join_collapse_limit", "from_collapse_limit"):
        hints = hints.with_hint(SetHint(name, str(longest)))
    return hints


def companions(names: Names) -> tuple[Hint, ...]:
    """Hints that must go with any other: from GEQO's threshold on join hints are ignored while it plans."""
    return (SetHint("geqo", "off"),) if names.relations >= GEQO_THRESHOLD else ()


def _has_equality(join: Node, inner: Node) -> bool:
    """Whether a hash join is possible: an equality between the sides in the join's or the inner index's
    condition.
    """
    texts = [join.condition("Join Filter")]
    texts += [
        node.condition(role) for node in inner.walk() for role in ("Index Cond", "Recheck Cond", "Filter")
    ]
    return any(" = " in text for text in texts)


def _tops(node: Node) -> Iterator[Node]:
    """Topmost joins, one a query level."""
    if node.is_join:
        yield node
        # Leading names one query level: what is below an aggregate is another
        below = [leaf for child in node.inputs for leaf in _below_join(child)]
        for leaf in below:
            for child in leaf.children:
                yield from _tops(child)
    else:
        for child in node.children:
            yield from _tops(child)


def _below_join(node: Node) -> Iterator[Node]:
    """What one level's joins stand on: scans, and operators that close another level."""
    if node.is_join or (node.operator in TRANSPARENT and not node.alias):
        for child in node.inputs:
            yield from _below_join(child)
    else:
        yield node


def _tree(node: Node, names: Names) -> JoinTree | None:
    """The join tree at ``node`` in Leading's form (outer, inner), None where a side has no name."""
    if not node.is_join:
        aliases = level_aliases(node, names)
        if aliases is not None and len(aliases) == 1:
            return next(iter(aliases))
        # a node with one input stands for what is below it
        if len(node.inputs) == 1 and aliases is not None:
            return _tree(node.inputs[0], names)
        return None
    if len(node.inputs) != 2:
        return None
    left, right = (_tree(child, names) for child in node.inputs)
    return None if left is None or right is None else (left, right)


def _list(aliases: frozenset[str]) -> str:
    return ", ".join(sorted(aliases))
