"""The loop of reflection: judge, criticise, do the guilty stage and the query again, at most three times; the
best is returned.

Owns the loop (REFLECT-SQL, algorithm 1; over-refinement in section 6.1: weak models get worse, so it is the
best iterate that counts, not the last). Must not know prompts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from rewright.ask.asking import Asking
from rewright.ask.describe import Description
from rewright.ask.disclosure import Disclosure
from rewright.ask.generation.generate import Made
from rewright.ask.ports import Stage
from rewright.ask.reflection.critic import analyse, criticise, feedback
from rewright.ask.reflection.judges import Verdict, interpret, judge
from rewright.ask.reflection.records import Analysis, Plan
from rewright.ask.reflection.stages import Stages, told

Realise = Callable[[Plan, str], Made]
"""Makes the query from the plan; the second is what was wrong with the former one."""


@dataclass(frozen=True, slots=True)
class Iterate:
    """One state of the loop."""

    plan: Plan
    made: Made
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Reflected:
    """The best iterate; ``taught`` is (stage, lesson) when a refinement made a query pass that had not."""

    best: Iterate
    refinements: int = 0
    taught: tuple[Stage, str] | None = None
    data_lacks: str = ""


@dataclass(slots=True)
class Reflection:
    """``schema`` is the text for judge and critic. ``agreed``: the first query is vouched for by another
    reader of the question, and needs no judge.
    """

    asking: Asking
    description: Description
    disclosure: Disclosure
    stages: Stages
    schema: str
    realise: Realise
    iterates: list[Iterate] = field(default_factory=list)

    def run(self, plan: Plan, made: Made, *, agreed: bool = False) -> Reflected:
        """Never raises: what a model can't do leaves things as they are."""
        self.iterates = [Iterate(plan, made, self._judged(plan, made, agreed=agreed))]
        lesson: tuple[Stage, str] | None = None
        for _ in range(self.asking.settings.refinements):
            current = self.iterates[-1]
            # a model that is out of time or of reach could only leave things worse
            if current.verdict.passes or not self._can_go_on():
                break
            analysis = self._analysed(current)
            lesson = (analysis.stage, analysis.lesson) if analysis.lesson else None
            following = self._refined(current, analysis)
            # no new query: what there is stays
            # the next round would criticise the same query again
            if following.made.error and not following.made.sql:
                break
            self.iterates.append(following)
        best = max(self.iterates, key=lambda i: i.verdict.score)
        # the lesson at hand is the last refinement's
        improved = best is not self.iterates[0] and best.verdict.passes and best is self.iterates[-1]
        judgement = best.verdict.judgement
        # a faithful query shows that nothing is lacking
        # ruled by the judge alone: what the database lacks no query can mend
        lacks = judgement.data_lacks if judgement is not None and not judgement.faithful else ""
        return Reflected(best, len(self.iterates) - 1, lesson if improved else None, lacks)

    def _can_go_on(self) -> bool:
        return self.asking.left() > 0 and self.asking.usable

    def _judged(self, plan: Plan, made: Made, *, agreed: bool = False) -> Verdict:
        verdict = interpret(made, plan, self.description)
        for complaint in verdict.complaints:
            self.asking.note("judged", "interpreter", complaint)
        # another reader's agreement is worth more than a model's opinion of its own query
        if not verdict.syntactic or agreed or not self.asking.settings.uses("semantic-judge"):
            return replace(verdict, vouched=agreed)
        subject = self.stages.subject
        found = judge(self.asking, subject, self.schema, plan, made, self.disclosure, verdict.complaints)
        return replace(verdict, judgement=found)

    def _analysed(self, current: Iterate) -> Analysis:
        query = self.disclosure.query(current.made.sql)
        case = (self.asking, self.stages.subject, self.schema, current.plan, query, current.verdict.told())
        analysis = analyse(*case, criticise(*case))
        self.asking.note("criticised", analysis.stage, told(analysis.violations))
        return analysis

    def _refined(self, current: Iterate, analysis: Analysis) -> Iterate:
        grain = self.asking.settings.feedback
        violations = feedback(analysis.violations, grain)
        plan = current.plan
        if self.asking.settings.uses("stages"):
            plan = self.stages.again(analysis.stage, plan, violations)
        query = self.disclosure.query(current.made.sql)
        # without a query that ran there is nothing to be shown as wrong
        former = f"A former query was found wrong:\n{query}\n{told(violations)}" if query else ""
        made = self.realise(plan, former)
        self.asking.note("refined", analysis.stage, f"refinement {len(self.iterates)}", made.sql)
        return Iterate(plan, made, self._judged(plan, made))
