"""The typed stages before the query: schema, values, aggregation, predicates (REFLECT-SQL, section 3,
appendix D).

Owns their instructions, the prompt that does all four at once (the first time, to spare calls) and the one
that does a single one again, the others kept as they are. What a stage says of tables and columns is checked
here: names that don't exist are dropped. Must not write SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from rewright.ask.asking import Asking
from rewright.ask.describe import Description
from rewright.ask.ports import Stage
from rewright.ask.reflection.records import (
    AggregationReading,
    Plan,
    PredicatesReading,
    SchemaReading,
    ValuesReading,
    Violation,
)
from rewright.ask.subject import Subject, prompt
from rewright.models.api import ModelError

INSTRUCTIONS: Mapping[Stage, str] = {
    "schema": (
        "schema: the tables and columns the query needs (with the keys that join them), and the "
        "columns of the answer: exactly what "
        "the question asks for, in its order. If the database can't answer because it does not hold "
        "what is asked about, say in "
        "missing what is missing; a thing that can be computed from columns is not missing, nor is one "
        "under another name."
    ),
    "values": (
        "values: each value, bound and range the question names, with the column it belongs to and the "
        "spelling of the data where "
        "you see it."
    ),
    "aggregation": (
        "aggregation: what one row of the answer stands for, what is computed, by what it is grouped, "
        "whether rows must be made "
        "unique, order and limit only if the question implies them. Say how ties of an extreme are "
        "treated: all are shown unless "
        "the question asks for one."
    ),
    "predicates": (
        "predicates: the joins, and every condition of the question, none of your own; negations and "
        '"without" as conditions on '
        "absence."
    ),
}
_KINDS: Mapping[Stage, type[Any]] = {
    "schema": SchemaReading,
    "values": ValuesReading,
    "aggregation": AggregationReading,
    "predicates": PredicatesReading,
}
_ALL = (
    "Read the question against the schema and say what the query must do, without writing it:\n{parts}\n"
    'paths: for each operation the SQL means, e.g. "rank within a group: window function".'
)
_ONE = (
    "A query was found wrong because of one part of its plan. Give that part anew; the rest of the plan "
    "stays as it is.\n{part}"
)
# how models say that there is nothing to say
_NOTHING = re.compile(
    r"(none|nothing|n/?a|no|null|empty|-|nothing is missing|not applicable)?[.!]?", re.IGNORECASE
)
TYPED = cast("tuple[Stage, ...]", tuple(_KINDS))


@dataclass(frozen=True, slots=True)
class Stages:
    """What the stages of one question share. ``lessons`` by stage, adopted ones alone."""

    asking: Asking
    description: Description
    subject: Subject
    schema: str
    observations: str = ""
    lessons: Mapping[Stage, Sequence[str]] = field(default_factory=dict)
    examples: str = ""

    def first(self) -> Plan:
        """The whole plan: in one reply, or in one for each stage. Raises ModelError."""
        if self.asking.settings.separate_stages:
            plan = Plan()
            for stage in TYPED:
                plan = self._single(stage, plan, "Say what the query must do, one part of it.\n{part}", ())
            return plan
        parts = "\n".join(f"- {self._instruction(stage)}" for stage in TYPED)
        messages = prompt(
            "plan the query", _ALL.format(parts=parts), self._schema(), self.examples, self.subject.text()
        )
        return self._checked(self.asking.form("stages", messages, Plan))

    def again(self, stage: Stage, plan: Plan, violations: Sequence[Violation]) -> Plan:
        """The plan with one stage done again; as it was where that fails."""
        # the query itself is no part of the plan
        if stage not in _KINDS:
            return plan
        try:
            return self._single(stage, plan, _ONE, violations)
        except ModelError:
            return plan

    def _single(self, stage: Stage, plan: Plan, frame: str, violations: Sequence[Violation]) -> Plan:
        so_far = f"The plan:\n{text}" if (text := plan.text()) else ""
        wrong = "Found wrong:\n" + told(violations) if violations else ""
        messages = prompt(
            f"plan the query ({stage})",
            frame.format(part=f"- {self._instruction(stage)}"),
            self._schema(),
            so_far,
            wrong,
            self.subject.text(),
        )
        found = self.asking.form(f"stage-{stage}", messages, _KINDS[stage])
        changed: dict[str, Any] = {stage: found}
        return self._checked(replace(plan, **changed))

    def _instruction(self, stage: Stage) -> str:
        learnt = " ".join(self.lessons.get(stage, ()))
        return INSTRUCTIONS[stage] + (f" Learnt here: {learnt}" if learnt else "")

    def _schema(self) -> str:
        return f"Schema:\n{self.schema}" + (f"\n\n{self.observations}" if self.observations else "")

    def _checked(self, plan: Plan) -> Plan:
        find = self.description.find_column
        columns = tuple(c for c in plan.schema.columns if find(c) is not None)
        tables = tuple(
            t for called in plan.schema.tables if (t := self.description.find_table(called)) is not None
        )
        for called in plan.schema.columns:
            if called not in columns:
                self.asking.note("failed", "stage-schema", f"there is no column {called[:100]}")
        missing = "" if _NOTHING.fullmatch(plan.schema.missing.strip()) else plan.schema.missing.strip()
        return replace(plan, schema=replace(plan.schema, columns=columns, tables=tables, missing=missing))


def told(violations: Sequence[Violation]) -> str:
    """A line each."""
    return "\n".join(
        f"- {v.stage}: {v.problem or v.criterion}" + (f" (in: {v.fragment})" if v.fragment else "")
        for v in violations
    )
