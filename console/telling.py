"""A rewrite in words and trees: what was wrong, what was done, and why both are the same query. Pure.

What the page of a rewrite and an offline report show alike. Must not know where a rewrite is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rewright.console import words
from rewright.console.counterexample import tables
from rewright.console.narrating import told_work
from rewright.console.plan_view import plan_view
from rewright.console.redacted import tree_without_literals, values_of
from rewright.console.sql_text import formatted, side_by_side
from rewright.sql.redaction import without_values
from rewright.store.records import Rewrite


def told(one: Rewrite, counterexample: Any, literals: bool) -> dict[str, Any]:
    """The rewrite in words. ``literals``: whether those of its texts may be shown; ``counterexample`` is
    shown as it is.
    """
    new = one.proposal
    evidence, plans = mapping(new.evidence), mapping(new.plans)
    # values of the rewrite's own literals are hidden wherever they turn up
    values = frozenset() if literals else values_of(asdict(new))
    trees = mapping(mapping(plans.get("plan")).get("trees"))
    if not literals:
        # conditions of plans repeat literals
        trees = {side: tree_without_literals(dict(mapping(tree)), values) for side, tree in trees.items()}
    before, after = (formatted(one, literals=literals) for one in (new.template, new.replacement))
    return {
        "wrong": told_work(trees.get("before"), trees.get("after"), new.template),
        "done": [without_values(one, values) for one in words.changes(plans.get("other") or ())],
        "before": before,
        "after": after,
        "lines": [asdict(line) for line in side_by_side(before, after)],
        "plan_before": plan_view(trees.get("before")),
        "plan_after": plan_view(trees.get("after")),
        "state": words.state(one.state.value, str(new.level)),
        "level": words.LEVELS[str(new.level)],
        "reservations": words.reservations(new.modulo),
        "facts": words.facts(
            [without_values(str(fact), values) for fact in evidence.get("assumptions") or ()],
            (new.original or new.template, new.replacement),
        ),
        "steps": words.steps([str(step) for step in evidence.get("steps") or ()]),
        "coverage": words.coverage(evidence.get("coverage")),
        "counterexample": tables(mapping(counterexample)),
        "hints": [
            without_values(str(one), values) for one in mapping(plans.get("hints")).get("reasons") or ()
        ],
        "literals": "every value of the literals"
        if new.scope == "any"
        else "the literals of the original only",
        "stopped": bool(mapping(plans.get("cost")).get("stopped")),
    }


def mapping(value: Any) -> Mapping[str, Any]:
    """The document, or an empty one where it is none."""
    return value if isinstance(value, dict) else {}
