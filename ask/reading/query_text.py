"""The text of one SELECT over the joins that were chosen: what it shows, tests, groups and orders.

Owns that text; every name is quoted and every value a literal. Must not choose joins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewright.ask.reading.conditions_text import Spelling
from rewright.ask.reading.intent import Column, Condition, Intent, OneOf
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Step, Unclear
from rewright.sql.algebra import TableRef


class QueryText:
    """Writes one intent. ``measured``: whether it measures anything, in its order and groups too."""

    def __init__(self, intent: Intent, spelling: Spelling, *, measured: bool) -> None:
        self.intent = intent
        self.spelling = spelling
        self.measured = measured

    def select(
        self, root: TableRef, steps: Sequence[Step], where: Sequence[Condition | str], *, distinct: bool
    ) -> str:
        """The query over ``root`` and the joins of ``steps``. Raises Unclear."""
        intent, spelling = self.intent, self.spelling
        # an output said twice is shown once: two columns of one name would break an outer query
        outputs = list(dict.fromkeys(spelling.expression(e) for e in intent.outputs))
        named, ranked = _aliases(outputs), ""
        # the place is filtered outside, as a window is worked out after WHERE
        if intent.best_of:
            outputs = [f"{e} as {name}" for e, name in zip(outputs, named, strict=True)]
            ranked = f", {self._rank()}"
        text = (
            f"select {'distinct ' * distinct}{', '.join(outputs)}{ranked} from {spelling.tables(root, steps)}"
        )
        tests = [c if isinstance(c, str) else spelling.condition(c) for c in where]
        tests += self._not_null(distinct=distinct)
        # a condition reached by two ways is written once
        if tests:
            text += f" where {' and '.join(dict.fromkeys(tests))}"
        groups = self._grouped()
        if groups:
            text += f" group by {', '.join(groups)}"
        if intent.having:
            text += f" having {' and '.join(spelling.condition(c) for c in intent.having)}"
        if intent.best_of:
            first = "= 1" if intent.limit == 1 else f"<= {intent.limit}"
            return f"select {', '.join(named)} from ({text}) as ranked where place {first}"
        return text + self._ordering(outputs, groups, distinct=distinct)

    def _rank(self) -> str:
        """A row's place within its group, the same for rows that tie."""
        expression, way = self.intent.order[0]
        within = ", ".join(map(self.spelling.expression, self.intent.best_of))
        # nulls last, or rows without a value would be first in descending order
        by = f"{self.spelling.expression(expression)} {way} nulls last"
        # ties share a place, unless a number of rows was asked for
        ranked = "rank" if self.intent.ties else "row_number"
        return f"{ranked}() over (partition by {within} order by {by}) as place"

    def _grouped(self) -> list[str]:
        """The groups, and the key of a table whose rows they name: two of the same name stay two."""
        # a list needs no groups, though `for each` was said: each row is one already
        if not self.measured and not self.intent.having:
            return []
        found = [self.spelling.expression(e) for e in self.intent.groups]
        return list(dict.fromkeys(found))

    def _not_null(self, *, distinct: bool) -> list[str]:
        """What has no value is not the highest or lowest, nor the most common one."""
        del distinct
        if not self.intent.limit:
            return []
        ordered = [e for e, _ in self.intent.order[:1] if isinstance(e, Column)]
        # a value that is asked for by name is shown even where it is all there is
        named = [c.column for c in self.intent.where if isinstance(c, OneOf) and not c.negated]
        lacking = [e for e in self.intent.groups if isinstance(e, Column) and e.column.nulls]
        ranked = [e for e in lacking if e in self.intent.outputs and e.column not in named]
        # in a list rows without a value are wanted; as the best of groups they are nobody
        found = [*ordered, *(ranked if self.measured else ())]
        return [f"{self.spelling.expression(e)} is not null" for e in found]

    def _ordering(self, outputs: list[str], groups: list[str], *, distinct: bool) -> str:
        intent = self.intent
        if not intent.order:
            return f" limit {intent.limit}" if intent.limit else ""
        spelled = [(self.spelling.expression(e), way) for e, way in intent.order]
        # PostgreSQL orders SELECT DISTINCT only by what it shows
        if distinct and any(text not in outputs for text, _ in spelled):
            raise Unclear("different rows in the order of something else")
        # nor groups by what is neither a group nor an aggregate
        if groups and any(
            not aggregates_of(e) and t not in groups
            for (e, _), (t, _) in zip(intent.order, spelled, strict=True)
        ):
            raise Unclear("groups in the order of something that is not asked for")
        order = ", ".join(f"{text} {way} nulls last" for text, way in spelled)
        if not intent.limit:
            return f" order by {order}"
        order += f" offset {intent.skipped}" if intent.skipped else ""
        if intent.ties:
            return f" order by {order} fetch first {intent.limit} rows with ties"
        return f" order by {order} limit {intent.limit}"


def _aliases(outputs: Sequence[str]) -> list[str]:
    """A name for each, its column's where it has one and no other bears it."""
    found: list[str] = []
    for number, text in enumerate(outputs, 1):
        # an expression has no name of its own; one named `place` would meet the rank's
        plain = re.fullmatch(r"\w+\.(\w+)", text)
        name = plain[1] if plain else "measure"
        found.append(name if name not in {*found, "place"} else f"{name}_{number}")
    return found
