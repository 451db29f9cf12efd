"""A plan as a tree that is read: what each operator did, estimate and actual rows, and where the work went.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rewright.sql.plans import Node, PlanError, plan_from_json

Heat: TypeAlias = Literal["cold", "warm", "hot"]
# shares of a plan's whole work: a tenth is worth a look, three tenths are where the time went
_WARM, _HOT = 0.1, 0.3
# an estimate that is off by this factor is shown
# below ten, plans seldom change
_WRONG = 10.0


@dataclass(frozen=True, slots=True)
class Shown:
    """One operator. ``share``: of the plan's whole work, by time where it was run, else by estimated cost;
    children left out.
    """

    title: str
    rows: str
    work: str
    share: float
    heat: Heat
    conditions: tuple[tuple[str, str], ...]
    remark: str
    children: tuple[Shown, ...]


def plan_view(tree: Mapping[str, Any] | None) -> Shown | None:
    """From a plan report's tree (EXPLAIN's keys); None where there is none."""
    if not tree:
        return None
    try:
        root = plan_from_json([{"Plan": tree}]).root
        # a plan without cost or time must not divide by zero
        return _shown(root, max(work(root), 1e-9), own_work(root))
    except (PlanError, RecursionError):
        return None


def _shown(node: Node, whole: float, own: Mapping[int, float]) -> Shown:
    share = min(max(own[id(node)] / whole, 0.0), 1.0)
    return Shown(
        title=_title(node),
        rows=_rows(node),
        work=_figures(node),
        share=share,
        heat="hot" if share >= _HOT else "warm" if share >= _WARM else "cold",
        conditions=(*node.conditions, *_keys(node)),
        remark=_remark(node),
        children=tuple(_shown(child, whole, own) for child in node.children),
    )


def _title(node: Node) -> str:
    join = f"{node.join_type} " if node.join_type not in {"", "Inner"} else ""
    strategy = f"{node.strategy} " if node.strategy in {"Hashed", "Sorted", "Mixed"} else ""
    where = f" on {node.relation or node.cte}" if node.relation or node.cte else ""
    alias = f" {node.alias}" if node.alias and node.alias != node.relation and where else ""
    index = f" using {node.index}" if node.index else ""
    sub = f"{node.subplan}: " if node.subplan else ""
    return f"{sub}{strategy}{join}{node.operator}{index}{where}{alias}"


def _rows(node: Node) -> str:
    if node.actual is None:
        return f"{_counted(node.rows)} estimated"
    if not node.actual.loops:
        # an operator that was never reached, behind a LIMIT or an empty side
        return f"never run ({_counted(node.rows)} estimated)"
    return f"{_counted(node.actual.rows)} ({node.rows:,.0f} estimated)"


def _counted(rows: float) -> str:
    said = f"{rows:,.0f}"
    return f"{said} row" if said == "1" else f"{said} rows"


def _figures(node: Node) -> str:
    if node.actual is None:
        return f"cost {node.total_cost:,.0f}"
    loops = f" × {node.actual.loops:,.0f}" if node.actual.loops > 1 else ""
    return f"{node.actual.seconds * 1000:,.1f} ms{loops}"


def _keys(node: Node) -> Iterator[tuple[str, str]]:
    if node.sort_key:
        yield "Sort Key", ", ".join(node.sort_key)
    if node.group_key:
        yield "Group Key", ", ".join(node.group_key)


def _remark(node: Node) -> str:
    error = node.q_error
    if error is not None and error >= _WRONG:
        return f"the estimate is off by a factor of {error:,.0f}"
    # ten rows read for each that was kept: an index might do better
    if node.actual is not None and node.actual.rows_removed > 10 * max(node.actual.rows, 1):
        return f"{_counted(node.actual.rows_removed)} read and left out"
    return ""


def work(node: Node) -> float:
    """Seconds where the plan was run, else the estimated cost; what is below included."""
    if node.actual is not None:
        # EXPLAIN gives the time of one run (manual, 14.1.2)
        return node.actual.seconds * max(node.actual.loops, 1.0)
    return node.total_cost


def runs_again(parent: Node, child: Node) -> bool:
    """Whether a child is a subquery that runs for each row of its parent: a hashed one runs once."""
    if child.relationship != "SubPlan":
        return False
    return not any(f"hashed {child.subplan}" in text for _, text in parent.conditions)


def own_work(root: Node) -> Mapping[int, float]:
    """The work of each node (by ``id``) without that of what is below it.

    In a plan that was not run, what a node costs beyond its inputs is that of its correlated subplans: they
    are priced for one run each, and run for each row.
    """
    found: dict[int, float] = {}
    for node in root.walk():
        # parallel workers and rounding may make children look longer than their parent
        own = max(work(node) - sum(work(child) for child in node.children), 0.0)
        again = [] if node.actual is not None else [one for one in node.children if runs_again(node, one)]
        found[id(node)] = found.get(id(node), 0.0) + (0.0 if again else own)
        for child in again:
            found[id(child)] = found.get(id(child), 0.0) + own / len(again)
    return found
