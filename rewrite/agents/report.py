"""The plan report: original and replacement side by side in the paper's four dimensions (QUITE §4.2.2,
Decision agent).

Cost changes, plan characteristics, resource utilisation, other. Pure: plans in, a JSON document out. A report
is made for every end of a run, also for "no change".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewright.rewrite.model import Explained, Step, Weighed

_JOINS = ("Nested Loop", "Hash Join", "Merge Join")
_BUFFERS = (
    "Shared Hit Blocks",
    "Shared Read Blocks",
    "Temp Read Blocks",
    "Temp Written Blocks",
)
# what is kept of a node for the page: everything else EXPLAIN says is left out
_READ = (
    "Node Type", "Join Type", "Strategy", "Parent Relationship", "Subplan Name", "CTE Name",
    "Relation Name", "Schema", "Alias", "Index Name",
    "Startup Cost", "Total Cost", "Plan Rows", "Plan Width", "Workers Planned",
    "Actual Rows", "Actual Loops", "Actual Total Time", *_BUFFERS,
    "Hash Cond", "Merge Cond", "Join Filter", "Index Cond", "Recheck Cond", "Filter", "One-Time Filter",
    "Sort Key", "Group Key",
)  # fmt: skip
# a plan nested more deeply is shown cut off
_DEEPEST = 200


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All nodes of EXPLAIN's tree, parents first."""
    stack = [plan]
    while stack:
        node = stack.pop()
        yield node
        # a stack, since plans of many UNION arms nest deeper than Python recurses
        stack.extend(reversed(node.get("Plans", ())))


def shape(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan is made of."""
    kinds = Counter(str(n.get("Node Type", "?")) for n in nodes(plan))
    scans = Counter(str(n["Relation Name"]) for n in nodes(plan) if "Relation Name" in n)
    subplans = [
        str(n.get("Subplan Name", "")) for n in nodes(plan) if n.get("Parent Relationship") == "SubPlan"
    ]
    return {
        "nodes": dict(sorted(kinds.items())),
        "joins": {kind: kinds[kind] for kind in _JOINS if kinds[kind]},
        "scans": dict(sorted(scans.items())),
        "correlated_subplans": len(subplans),
        "depth": _depth(plan),
        "rows": plan.get("Plan Rows"),
    }


def tree(plan: Mapping[str, Any] | None, deepest: int = _DEEPEST) -> dict[str, Any] | None:
    """What a person reads of EXPLAIN's tree: operators, names, conditions, estimates and, where executed,
    what happened.
    """
    if plan is None:
        return None
    kept = {name: plan[name] for name in _READ if name in plan}
    # which filter removed how many: only executed plans have them
    kept |= {name: plan[name] for name in plan if name.startswith("Rows Removed")}
    below = plan.get("Plans", ()) if deepest else ()
    return kept | ({"Plans": [tree(child, deepest - 1) for child in below]} if below else {})


def resources(plan: Mapping[str, Any] | None) -> dict[str, Any]:
    """Buffers, memory and workers, as far as the plan tells (buffers need an executed plan)."""
    if plan is None:
        return {}
    found: dict[str, Any] = {name: plan[name] for name in _BUFFERS if name in plan}
    memory = [n[m] for n in nodes(plan) for m in ("Sort Space Used", "Peak Memory Usage") if m in n]
    if memory:
        found["Peak Memory kB"] = max(memory)
    found["Workers Planned"] = sum(int(n.get("Workers Planned", 0)) for n in nodes(plan))
    return found


def same_plan(a: Explained, b: Explained | None) -> bool:
    """Whether two plans do the same things at the same estimated costs, names of ranges aside."""
    if b is None:
        return False
    # aliases differ between two texts of one query
    facts = ("Node Type", "Join Type", "Strategy", "Relation Name", "Index Name", "Total Cost", "Plan Rows")
    ours, theirs = ([tuple(n.get(f) for f in facts) for n in nodes(plan)] for plan in (a.plan, b.plan))
    return ours == theirs


def report(
    before: Explained | None,
    after: Explained | None,
    *,
    seconds: tuple[float | None, float | None] = (None, None),
    stopped: bool = False,
    other: Sequence[str] = (),
) -> dict[str, Any]:
    """The four parts; ``after`` None for "no change". ``stopped``: the original was
    cancelled at its seconds.
    """
    plans = [e.plan if e else None for e in (before, after)]
    return {
        "cost": {
            "before": before.cost if before else None,
            "after": after.cost if after else None,
            "seconds_before": seconds[0],
            "seconds_after": seconds[1],
            "stopped": stopped,
        },
        "plan": {
            "before": shape(plans[0]) if plans[0] else None,
            "after": shape(plans[1]) if plans[1] else None,
            "changes": _changes(plans[0], plans[1]),
            "trees": {
                "before": tree(plans[0]),
                "after": tree(plans[1]),
            },
        },
        "resources": {
            "before": resources(plans[0]),
            "after": resources(plans[1]),
        },
        "other": list(other),
    }


def remarks(steps: Sequence[Step], weighed: Weighed | None = None) -> list[str]:
    """The fourth dimension in words."""
    said = [f"{s.category}: {s.name}" + (f" ({s.note})" if s.note else "") for s in steps]
    if weighed is not None and weighed.runs:
        said.append(f"measured in {weighed.runs} runs")
    return said


def _changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    if before is None or after is None:
        return []
    old = Counter(str(n.get("Node Type", "?")) for n in nodes(before))
    new = Counter(str(n.get("Node Type", "?")) for n in nodes(after))
    return [
        f"{kind}: {old[kind]} → {new[kind]}" for kind in sorted(set(old) | set(new)) if old[kind] != new[kind]
    ]


def _depth(plan: Mapping[str, Any]) -> int:
    deepest, stack = 0, [(plan, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in node.get("Plans", ()))
    return deepest
