"""The replies of stages, judges and critic, and how a plan is told.

Owns the forms; their words are part of the prompts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rewright.ask.forms import says
from rewright.ask.ports import Stage

Comparison = Literal["=", "<>", "<", "<=", ">", ">=", "between", "contains", "in", "is null", "other"]


@dataclass(frozen=True, slots=True)
class SchemaReading:
    """π_SCH."""

    tables: tuple[str, ...] = says("table", default=())
    columns: tuple[str, ...] = says("table.column", default=())
    outputs: tuple[str, ...] = says("one column of the answer, in the question's words", default=())
    missing: str = says("what the question asks for that the database does not hold, else empty", default="")


@dataclass(frozen=True, slots=True)
class Signal:
    """One value or bound that the question names."""

    phrase: str = says("words of the question", default="")
    column: str = says("table.column", default="")
    comparison: Comparison = "other"
    value: str = says("as the data spells it", default="")


@dataclass(frozen=True, slots=True)
class ValuesReading:
    """π_VAL."""

    signals: tuple[Signal, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class AggregationReading:
    """π_AGG."""

    one_row_is: str = says("what one row of the answer stands for", default="")
    measures: tuple[str, ...] = says("an aggregate", default=())
    group_by: tuple[str, ...] = says("table.column", default=())
    distinct: bool = says("true if rows must be made unique", default=False)
    order: str = says("order, else empty", default="")
    limit: int | None = says("most rows", default=None)


@dataclass(frozen=True, slots=True)
class PredicatesReading:
    """π_PRED."""

    joins: tuple[str, ...] = says("a.x = b.y", default=())
    conditions: tuple[str, ...] = says("one condition, in words or SQL", default=())


@dataclass(frozen=True, slots=True)
class Plan:
    """All four, and the paths of their realisation: what guidance is looked up by."""

    reading: str = says("the question said precisely in one sentence, ambiguous words settled", default="")
    schema: SchemaReading = field(default_factory=SchemaReading)
    values: ValuesReading = field(default_factory=ValuesReading)
    aggregation: AggregationReading = field(default_factory=AggregationReading)
    predicates: PredicatesReading = field(default_factory=PredicatesReading)
    paths: tuple[str, ...] = says("an operation of the query and how SQL does it", default=())

    def text(self) -> str:
        """For the prompt that writes the query; without what is empty."""
        values = "; ".join(
            f"{s.phrase}: {s.column} {s.comparison} {s.value}".strip() for s in self.values.signals
        )
        a = self.aggregation
        lines = (
            ("Meaning", self.reading),
            ("Returns", ", ".join(self.schema.outputs)),
            ("Columns", ", ".join(self.schema.columns)),
            ("Values", values),
            ("One row is", a.one_row_is),
            ("Computes", ", ".join(a.measures)),
            ("Grouped by", ", ".join(a.group_by)),
            ("Distinct", "yes" if a.distinct else ""),
            ("Order", a.order),
            ("Limit", "" if a.limit is None else str(a.limit)),
            ("Joins", "; ".join(self.predicates.joins)),
            ("Conditions", "; ".join(self.predicates.conditions)),
        )
        return "\n".join(f"{name}: {text}" for name, text in lines if text)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The semantic judge's."""

    faithful: bool = says("true if the query answers exactly the question")
    missing: tuple[str, ...] = says("a constraint of the question that the query lacks", default=())
    invented: tuple[str, ...] = says("a constraint of the query that the question does not make", default=())
    data_lacks: str = says("what no table holds and the question needs, else empty", default="")


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong, and where."""

    stage: Stage
    criterion: str = says("the rule that is broken", default="")
    fragment: str = says("the part of the query", default="")
    problem: str = says("what is wrong and what would be right", default="")


@dataclass(frozen=True, slots=True)
class Critique:
    """The critic's list, longer rather than shorter."""

    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What stands of the critique; the stage that is to blame; what is to be learnt."""

    stage: Stage
    violations: tuple[Violation, ...] = field(default=())
    lesson: str = says("one general sentence for this database, without values, else empty", default="")
