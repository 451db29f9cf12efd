"""Critic and analyzer: from what the judges said to the stage that is to blame, the fragment, and what is to
be learnt.

Owns both prompts and the three grains of feedback that are compared in REFLECT-SQL, section 6.2. The critic
lists more rather than less; the analyzer keeps what stands. Must not mend anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rewright.ask.asking import Asking
from rewright.ask.pipeline_settings import Feedback
from rewright.ask.ports import STAGES, Stage
from rewright.ask.reflection.records import Analysis, Critique, Plan, Violation
from rewright.ask.reflection.stages import told
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError

_STAGES = (
    "Stages: schema (wrong or missing table, column or returned column; extra columns in the plan are "
    "no fault), values (wrong "
    "spelling, format or column of a value), aggregation (wrong aggregate, grouping, DISTINCT, order, "
    "limit or ties), predicates "
    "(wrong or missing join or condition, wrong operator or direction), sql (the plan is right, the "
    "query does not say it)."
)
_CRITIC = (
    "A query was found wanting. List every fault it may have, the likely ones first: the stage it "
    "comes from, the rule that is broken, "
    "the fragment of the query and what is wrong with it. Better one too many than one too few. An "
    "empty database is no fault."
)
_ANALYZER = (
    "Faults of a query were listed, perhaps too many. Keep those that stand against the schema, the "
    "question and the plan. Name the "
    "one stage that is to blame for them: the earliest whose part of the plan is wrong; sql if the "
    "plan is right. lesson: what "
    "anyone reading questions over this database should know so as not to repeat the fault; no values, "
    "nothing about this one question."
)


def criticise(
    asking: Asking, subject: Subject, schema: str, plan: Plan, query: str, faults: str
) -> tuple[Violation, ...]:
    """The critic's list; the judges' words alone, blamed on the query, where there is no critic."""
    plain = (Violation("sql", problem=faults),)
    if not asking.settings.uses("critic"):
        # the coarse grain names no stage, so an analyzer would have nothing to add
        return plain
    messages = prompt(
        "criticise the query", f"{_CRITIC}\n{_STAGES}", *_case(schema, plan, query, faults), subject.text()
    )
    try:
        found = asking.form("critic", messages, Critique).violations
    except ModelError:
        return plain
    return found or plain


def analyse(
    asking: Asking,
    subject: Subject,
    schema: str,
    plan: Plan,
    query: str,
    faults: str,
    violations: Sequence[Violation],
) -> Analysis:
    """What stands, and the stage to blame; by the number of faults, the earlier stage first, where the
    analyzer has no word.
    """
    counted = Analysis(_blamed(violations), tuple(violations))
    if not asking.settings.uses("critic") or asking.settings.feedback == "coarse":
        return counted
    messages = prompt(
        "blame one stage",
        f"{_ANALYZER}\n{_STAGES}",
        *_case(schema, plan, query, faults),
        "Faults listed:\n" + told(violations),
        subject.text(),
    )
    try:
        found = asking.form("analyzer", messages, Analysis)
    except ModelError:
        return counted
    # an analysis that drops every fault has judged the query right, which is the judge's to say
    return replace(found, violations=found.violations or counted.violations)


def feedback(violations: Sequence[Violation], grain: Feedback) -> tuple[Violation, ...]:
    """Granular: as they are. Epistemic: the mistaken belief without the place. Coarse: that it is wrong."""
    if grain == "granular":
        return tuple(violations)
    if grain == "epistemic":
        return tuple(Violation(v.stage, problem=v.problem or v.criterion) for v in violations)
    return (Violation(_blamed(violations), problem="the query does not answer the question"),)


def _blamed(violations: Sequence[Violation]) -> Stage:
    counts = Counter(v.stage for v in violations)
    # the earlier stage of equals: later ones are built on it
    return min(STAGES, key=lambda stage: (-counts[stage], STAGES.index(stage))) if counts else "sql"


def _case(schema: str, plan: Plan, query: str, faults: str) -> tuple[str, ...]:
    return (
        f"Schema:\n{schema}",
        f"Plan:\n{plan.text()}",
        f"Query:\n{query or '(none that runs)'}",
        f"Found:\n{faults or '- nothing in particular'}",
    )
