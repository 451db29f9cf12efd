"""Plans as EXPLAIN (FORMAT JSON) prints them: operators, estimates and, when executed, what happened.

Owns the reading of one document of PostgreSQL 14 to 18; unknown keys are kept out, not an error, so
that a newer server's plans can be read. Must not know how a plan was obtained.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any


class PlanError(ValueError):
    """The document is not an EXPLAIN (FORMAT JSON) result."""


@dataclass(frozen=True, slots=True)
class Actual:
    """What a node did when it was executed. ``rows`` and ``seconds`` are per loop, as EXPLAIN says them."""

    rows: float
    loops: float
    seconds: float
    rows_removed: float = 0.0

    @property
    def total_rows(self) -> float:
        return self.rows * self.loops


@dataclass(frozen=True, slots=True)
class Buffers:
    """Blocks (8 kB) touched by a node and its children."""

    hit: int = 0
    read: int = 0
    temp_read: int = 0
    temp_written: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of a plan.

    ``operator`` is EXPLAIN's "Node Type" (``Hash Join``); ``join_type`` one of Inner, Left, Semi, Anti, …;
    ``conditions`` maps a role (``Hash Cond``, ``Filter``, ``Index Cond``, …) to its text; costs are in
    the planner's units, ``rows`` the estimate per loop, ``width`` in bytes.
    """

    operator: str
    startup_cost: float
    total_cost: float
    rows: float
    width: int
    children: tuple[Node, ...] = ()
    relationship: str = ""
    relation: str = ""
    schema: str = ""
    alias: str = ""
    index: str = ""
    cte: str = ""
    subplan: str = ""
    join_type: str = ""
    strategy: str = ""
    inner_unique: bool = False
    disabled: bool = False
    workers_planned: int = 0
    conditions: tuple[tuple[str, str], ...] = ()
    sort_key: tuple[str, ...] = ()
    group_key: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    actual: Actual | None = None
    buffers: Buffers | None = None

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def is_join(self) -> bool:
        return self.operator in {"Nested Loop", "Hash Join", "Merge Join"}

    @property
    def is_scan(self) -> bool:
        return bool(self.alias) and not self.is_join

    @property
    def aliases(self) -> frozenset[str]:
        """Aliases of what is scanned in this node and below, subplans of its expressions left out."""
        # the target of a ModifyTable is scanned below it under the same alias
        found = {self.alias} if self.alias and self.operator != "ModifyTable" else set()
        for child in self.children:
            if child.relationship not in {"SubPlan", "InitPlan"}:
                found |= child.aliases
        return frozenset(found)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Children that feed rows: no SubPlans or InitPlans."""
        return tuple(c for c in self.children if c.relationship not in {"SubPlan", "InitPlan"})

    def condition(self, role: str) -> str:
        """The text of one condition, or the empty string."""
        return dict(self.conditions).get(role, "")

    @property
    def q_error(self) -> float | None:
        """max(estimate/actual, actual/estimate) of rows per loop, both at least 1; None if not executed.

        Moerkotte, Neumann, Steidl: "Preventing Bad Plans by Bounding the Impact of Cardinality
        Estimation Errors" (VLDB 2009).
        """
        if self.actual is None or self.actual.loops == 0:
            return None
        estimate, actual = max(self.rows, 1.0), max(self.actual.rows, 1.0)
        return max(estimate / actual, actual / estimate)


@dataclass(frozen=True)
class Plan:
    """A whole plan. Seconds are None where they were not asked for."""

    root: Node
    planning_seconds: float | None = None
    execution_seconds: float | None = None
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def cost(self) -> float:
        """The planner's estimate for all rows."""
        return self.root.total_cost

    def walk(self) -> Iterator[Node]:
        return self.root.walk()

    @property
    def work(self) -> float:
        """``cost``, or what the plan must cost at least when each node's subplans are counted.

        The planner's total leaves out subplans in the join filter of some joins (observed on PostgreSQL 15 to
        18: a correlated aggregate compared in a hash join's filter), however often they run.
        """
        return _least_work(self.root)

    @cached_property
    def joins(self) -> tuple[Node, ...]:
        return tuple(node for node in self.walk() if node.is_join)

    @cached_property
    def operators(self) -> tuple[str, ...]:
        """Operator names, parents first: the plan's shape."""
        return tuple(node.operator for node in self.walk())

    @cached_property
    def shape(self) -> str:
        """A text equal for plans that do the same things in the same order, whatever they cost."""
        return _shape(self.root)


def _least_work(node: Node) -> float:
    """A lower bound of one run in the planner's units: a subplan runs at least once for each row that comes
    out.
    """
    if node.operator == "Limit":  # its input is not read to the end
        return node.total_cost
    inputs = sum(_least_work(child) for child in node.inputs)
    again = [child for child in node.children if _runs_for_each_row(node, child)]
    subplans = max(node.rows, 1.0) * sum(map(_least_work, again))
    return max(node.total_cost, inputs + subplans)


def _runs_for_each_row(node: Node, child: Node) -> bool:
    # a hashed one runs once; EXPLAIN says so in the text of the condition alone
    return child.relationship == "SubPlan" and not any(
        f"hashed {child.subplan}" in condition for _, condition in node.conditions
    )


def _shape(node: Node) -> str:
    what = " ".join(filter(None, (node.operator, node.join_type, node.alias or node.relation, node.index)))
    inside = ", ".join(map(_shape, node.children))
    return f"{what}({inside})" if inside else what


def plan_from_json(document: str | bytes | Sequence[Any] | Mapping[str, Any]) -> Plan:
    """The plan in what EXPLAIN (FORMAT JSON) returned: text, or already decoded.

    Raises:
        PlanError: it is not such a document.
    """
    try:
        decoded: Any = json.loads(document) if isinstance(document, str | bytes) else document
        # EXPLAIN gives a list of one document; auto_explain writes the document itself
        top: Any = decoded[0] if isinstance(decoded, list | tuple) else decoded
        return Plan(
            root=_node(top["Plan"]),
            planning_seconds=_milliseconds(top.get("Planning Time")),
            execution_seconds=_milliseconds(top.get("Execution Time")),
            settings=tuple(sorted((str(k), str(v)) for k, v in top.get("Settings", {}).items())),
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise PlanError(f"not a plan: {error!r}") from error


def _milliseconds(value: float | None) -> float | None:
    return None if value is None else float(value) / 1000


_CONDITIONS = (
    "Hash Cond",
    "Merge Cond",
    "Join Filter",
    "Index Cond",
    "Recheck Cond",
    "TID Cond",
    "Filter",
    "One-Time Filter",
    "Cache Key",
    "Function Call",
    "Run Condition",
)


def _node(raw: Mapping[str, Any]) -> Node:
    return Node(
        operator=str(raw["Node Type"]),
        startup_cost=float(raw.get("Startup Cost", 0.0)),
        total_cost=float(raw.get("Total Cost", 0.0)),
        rows=float(raw.get("Plan Rows", 0.0)),
        width=int(raw.get("Plan Width", 0)),
        children=tuple(_node(child) for child in raw.get("Plans", ())),
        relationship=str(raw.get("Parent Relationship", "")),
        relation=str(raw.get("Relation Name", "")),
        schema=str(raw.get("Schema", "")),
        alias=str(raw.get("Alias", "")),
        index=str(raw.get("Index Name", "")),
        cte=str(raw.get("CTE Name", "")),
        subplan=str(raw.get("Subplan Name", "")),
        join_type=str(raw.get("Join Type", "")),
        strategy=str(raw.get("Strategy", "")),
        inner_unique=bool(raw.get("Inner Unique", False)),
        disabled=bool(raw.get("Disabled", False)),
        workers_planned=int(raw.get("Workers Planned", 0)),
        conditions=tuple((role, str(raw[role])) for role in _CONDITIONS if role in raw),
        sort_key=tuple(map(str, raw.get("Sort Key", ()))),
        group_key=tuple(map(str, raw.get("Group Key", ()))),
        output=tuple(map(str, raw.get("Output", ()))),
        actual=_actual(raw),
        buffers=_buffers(raw),
    )


def _actual(raw: Mapping[str, Any]) -> Actual | None:
    if "Actual Rows" not in raw:
        return None
    # by a filter, a join's filter or a recheck, each in a field of its own
    removed = sum(float(v) for k, v in raw.items() if k.startswith("Rows Removed by"))
    seconds = float(raw.get("Actual Total Time", 0.0)) / 1000
    return Actual(float(raw["Actual Rows"]), float(raw.get("Actual Loops", 1)), seconds, removed)


def _buffers(raw: Mapping[str, Any]) -> Buffers | None:
    if "Shared Hit Blocks" not in raw:
        return None
    return Buffers(
        hit=int(raw["Shared Hit Blocks"]),
        read=int(raw.get("Shared Read Blocks", 0)),
        temp_read=int(raw.get("Temp Read Blocks", 0)),
        temp_written=int(raw.get("Temp Written Blocks", 0)),
    )
