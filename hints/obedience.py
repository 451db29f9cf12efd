"""Was a hint set obeyed? pg_hint_plan's "used" proves nothing, so the plan is looked at.

Observed: HashJoin on an inequality, an impossible Leading and Rows on a pair that the plan never joins are
all reported used. Each hint is therefore checked against the plan that came out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from rewright.engines.postgres.hinting import HintReport
from rewright.hints.base import (
    Hint,
    HintSet,
    JoinHint,
    JoinTree,
    Leading,
    Materialize,
    MemoizeHint,
    Parallel,
    Rows,
    ScanHint,
    SetHint,
    print_hint,
)
from rewright.hints.levels import Names, level_aliases
from rewright.hints.moves import METHOD, SCAN
from rewright.sql.plans import Node, Plan


def complaints(hints: HintSet, plan: Plan, report: HintReport, before: Plan, names: Names) -> list[str]:
    """Why the set does not count as obeyed; empty when it was."""
    found = [f"pg_hint_plan: {text}" for text in (*report.erroneous, *report.complaints)]
    found += [f"not used: {text}" for text in report.not_used]
    found += [f"given twice: {text}" for text in report.duplicated]
    # reported in none of the lists, it was overlooked
    if hints.for_extension and len(report.used) < len(hints.for_extension):
        found.append(f"only {len(report.used)} of {len(hints.for_extension)} hints were reported as used")
    joins = {aliases: node for node in plan.joins if (aliases := level_aliases(node, names))}
    for hint in hints:
        if why := _disobeyed(hint, plan, joins, names):
            found.append(f"{print_hint(hint)}: {why}")
    # The planner takes a disabled node where there is no other way: the hints ask for what cannot be.
    if _disabled(plan) > _disabled(before):
        found.append("the plan uses a node that the hints disable")
    return found


def obeyed_part(hints: HintSet, plan: Plan, names: Names) -> HintSet:
    """The hints that show in the plan."""
    joins = {aliases: node for node in plan.joins if (aliases := level_aliases(node, names))}
    return HintSet(tuple(hint for hint in hints if not _disobeyed(hint, plan, joins, names)))


def _disabled(plan: Plan) -> int:
    return sum(node.disabled for node in plan.walk())


def _disobeyed(hint: Hint, plan: Plan, joins: dict[frozenset[str], Node], names: Names) -> str:
    match hint:
        case JoinHint():
            return _wrong_method(hint, joins)
        case Leading():
            return _wrong_order(hint, joins, names)
        case Rows():
            node = joins.get(hint.aliases)
            if node is None:
                return "the plan has no such join"
            # The planner rounds, and shows a join's rows for each worker of a parallel plan.
            exact = hint.kind != "#" or abs(node.rows - hint.number) <= max(1.0, 0.01 * hint.number)
            return "" if exact else f"the plan still expects {node.rows:,.0f} rows"
        case MemoizeHint():
            node = joins.get(hint.aliases)
            has = node is not None and any(child.operator == "Memoize" for child in node.inputs)
            return "" if node is not None and has != hint.negated else "the plan's cache is not as asked"
        case ScanHint():
            return _wrong_scan(hint, plan)
        case Parallel():
            return (
                # workers may be planned above the scan, by a Gather
                ""
                if any(n.workers_planned or not hint.workers for n in plan.walk())
                else "no workers planned"
            )
        case Materialize():
            scanned = any(node.cte == hint.cte for node in plan.walk())
            return "" if scanned != hint.negated else "the CTE is not treated as asked"
        case SetHint():
            return ""
        case _:
            assert_never(hint)


def _wrong_method(hint: JoinHint, joins: dict[frozenset[str], Node]) -> str:
    node = joins.get(hint.aliases)
    if node is None:
        return "the plan has no such join"
    method = METHOD[node.operator]
    # a method that is forbidden is obeyed by any other
    if hint.method.startswith("No"):
        return f"it is a {node.operator}" if hint.method == f"No{method}" else ""
    return "" if hint.method == method else f"it is a {node.operator}"


def _wrong_scan(hint: ScanHint, plan: Plan) -> str:
    scans = [node for node in plan.walk() if node.alias == hint.alias and node.operator.endswith("Scan")]
    if not scans:
        return "the plan has no such scan"
    for node in scans:
        method = SCAN.get(node.operator)
        if hint.method.startswith("No"):
            if hint.method == f"No{method}":
                return f"it is a {node.operator}"
        # an index may be chosen among those that are named
        elif hint.method != method or (hint.indexes and node.index and node.index not in hint.indexes):
            return f"it is a {node.operator} {node.index}".rstrip()
    return ""


def _wrong_order(hint: Leading, joins: dict[frozenset[str], Node], names: Names) -> str:
    if hint.tree is not None:
        for outer, inner in _pairs(hint.tree):
            node = joins.get(outer | inner)
            if node is None or level_aliases(node.inputs[0], names) != outer:
                return f"{', '.join(sorted(outer | inner))} are not joined in this order"
        return ""
    # without sides: each prefix of the list has to be a join of its own
    for length in range(2, len(hint.order) + 1):
        if frozenset(hint.order[:length]) not in joins:
            return f"{', '.join(hint.order[:length])} are not joined first"
    return ""


def _pairs(tree: JoinTree) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    if isinstance(tree, tuple):
        yield _all(tree[0]), _all(tree[1])
        yield from _pairs(tree[0])
        yield from _pairs(tree[1])


def _all(tree: JoinTree) -> frozenset[str]:
    return frozenset({tree}) if isinstance(tree, str) else _all(tree[0]) | _all(tree[1])
