"""Takes one question through the steps of the pipeline.

Owns the state between the steps and what counts as an answer. Must not know prompts.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from rewright.ask.asking import Asking
from rewright.ask.choice.choose import Choosing, Chosen
from rewright.ask.describe import Description, Pairs
from rewright.ask.disclosure import Disclosure
from rewright.ask.examples import examples_for
from rewright.ask.execution import ExecutionError
from rewright.ask.generation.generate import Made, Task, generate
from rewright.ask.guidance.retrieval import fitting, told
from rewright.ask.linker.documents import link_documents
from rewright.ask.linker.link import link
from rewright.ask.linker.records import Linking
from rewright.ask.outcome import Candidate, Linked, Outcome
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.ports import (
    Chooser,
    Comparer,
    Document,
    Draft,
    Lessons,
    Reader,
    Runner,
    Stage,
    Turn,
    ValidatedQuestion,
)
from rewright.ask.reflection.lessons import adopted
from rewright.ask.reflection.records import Plan
from rewright.ask.reflection.reflect import Reflected, Reflection
from rewright.ask.reflection.stages import Stages
from rewright.ask.safety import Refused
from rewright.ask.subject import Subject, subject_of
from rewright.ask.tokens import tokens_of
from rewright.models.api import Model, ModelError
from rewright.sql.mentions import NotASelect, mentions_of

# how much of the schema the plan, the query and the judges are shown
_PLANNED, _WRITTEN, _JUDGED = 1_200, 800, 500
_LEAST_ROOM, _AS_OFTEN = 0.5, 2
"""The share of these that stays where a long hint takes the rest; how many times its own length it takes,
since prompts without a budget of their own repeat it too.
"""
_VARIED = 0.7
_WORD = re.compile(r"\w+")
LONGEST_QUESTION = 2_000
"""Characters; a longer question is refused."""
LEAST_DRAFT = 0.7
"""Confidence from which the reader's draft is a candidate."""


@dataclass(slots=True)
class Answering:
    """What one question needs; ``description`` and ``disclosure`` are of the asking's level of sharing."""

    asking: Asking
    runner: Runner
    description: Description
    disclosure: Disclosure
    documents: Sequence[Document]
    lessons: Lessons | None
    reader: Reader | None
    comparer: Comparer | None
    choose: Chooser | None
    validated: Sequence[ValidatedQuestion] = ()
    likely: Pairs = frozenset()

    def answer(self, question: str, evidence: str, history: Sequence[Turn]) -> Outcome:
        """Never raises for what the question, the data or the model say."""
        # before the model is asked: where that fails, the draft is the answer
        draft = self._draft(question, evidence)
        try:
            outcome = self._by_model(question, evidence, history, draft)
        except ModelError as error:
            outcome = replace(self._without_model(question, draft, error), model_failed=True)
        asking = self.asking
        return replace(
            outcome,
            trajectory=tuple(asking.events),
            tokens=asking.tokens,
            calls=asking.calls,
            money=asking.usage.money,
            seconds=asking.settings.seconds - asking.left(),
        )

    # -- without a model

    def _draft(self, question: str, evidence: str) -> Candidate | None:
        if self.reader is None or not self.asking.settings.uses("reader"):
            return None
        draft: Draft | None = self.reader(question, evidence)
        # an unsure draft would only make the candidates disagree
        return None if draft is None or draft.confidence < LEAST_DRAFT else self._run(draft)

    def _run(self, draft: Draft) -> Candidate | None:
        try:
            rows = self.runner.run(draft.sql)
        except (Refused, ExecutionError) as error:
            self.asking.note("failed", "reader", str(error), draft.sql)
            return None
        self.asking.note("executed", "reader", draft.reading, draft.sql)
        return Candidate(draft.sql, draft.reading, "reader", draft.confidence, rows)

    def _without_model(self, question: str, draft: Candidate | None, error: ModelError) -> Outcome:
        """The reader's answer, where there is one; else what is the matter with the model."""
        if draft is None:
            return Outcome(question, error=f"the ask model is {error.condition}: {error}"[:300])
        linked = Linked()
        return Outcome(
            question, draft.sql, draft.reading, draft.confidence, linked, candidates=(draft,), rows=draft.rows
        )

    # -- with a model

    def _by_model(
        self, question: str, evidence: str, history: Sequence[Turn], draft: Candidate | None
    ) -> Outcome:
        subject = subject_of(question, evidence, history, self.disclosure)
        passages = link_documents(self.asking, self.documents, subject, self.disclosure)
        subject = replace(subject, passages=passages, legend=self.disclosure.legend())
        linking = link(self.asking, self.description, subject, self.runner, self.disclosure, self.likely)
        stages = self._stages(question, subject, linking)
        plan = stages.first() if self.asking.settings.uses("stages") else Plan()
        # where the reader found something to read, the data may say it after all
        if plan.schema.missing and draft is None:
            return self._unanswerable(question, plan.schema.missing, linking)
        candidates = self._candidates(stages, plan, linking)
        chosen = self._chosen(question, subject, plan, linking, candidates, draft)
        if chosen is None:
            return self._failed(question, plan, linking, candidates)
        return self._reflected(question, stages, plan, linking, chosen)

    def _stages(self, question: str, subject: Subject, linking: Linking) -> Stages:
        settings = self.asking.settings
        lessons = adopted(self.lessons, settings.database) if settings.uses("lessons") else {}
        shown = {stage: tuple(map(self._lesson, texts)) for stage, texts in lessons.items()}
        schema = self.description.text(linking.selection, budget=_room(_PLANNED, subject), likely=self.likely)
        observations = linking.observations(linking.selection)
        examples = (
            examples_for(question, self.validated, self.description, self.disclosure)
            if settings.uses("examples")
            else ""
        )
        return Stages(self.asking, self.description, subject, schema, observations, shown, examples)

    def _lesson(self, text: str) -> str:
        return self.disclosure.prose(text)

    def _candidates(self, stages: Stages, plan: Plan, linking: Linking) -> list[Made]:
        wanted = max(1, self.asking.settings.candidates)

        def one(number: int) -> Made:
            # one as the model is surest of, the others varied
            return self._made(stages, plan, linking, "", _VARIED if number else 0.0)

        with ThreadPoolExecutor(min(wanted, self.asking.settings.parallel), thread_name_prefix="ask") as pool:
            return list(pool.map(one, range(wanted)))

    def _made(self, stages: Stages, plan: Plan, linking: Linking, former: str, temperature: float) -> Made:
        subject = stages.subject
        schema, observations = self._narrowed(stages, plan, linking)
        tips = (
            fitting(
                subject.question,
                evidence=f"{subject.evidence}\n{subject.passages}".strip(),
                plan=(*linking.steps, *plan.paths, *plan.predicates.joins),
                schema=schema,
            )
            if self.asking.settings.uses("guidance")
            else ()
        )
        self.asking.note("guided", "guidance", ", ".join(tip.name for tip in tips))
        learnt: dict[Stage, Sequence[str]] = dict(stages.lessons)
        task = Task(
            subject,
            schema,
            observations,
            plan.text(),
            told(tips),
            " ".join(learnt.get("sql", ())),
            stages.examples,
            former,
        )
        return generate(self.asking, self.runner, self.disclosure, task, temperature=temperature)

    def _narrowed(self, stages: Stages, plan: Plan, linking: Linking) -> tuple[str, str]:
        """The schema for writing: the tables the plan names, whole; everything linked where it names none."""
        tables = {t: linking.selection[t] for t in plan.schema.tables if t in linking.selection}
        if not tables:
            return stages.schema, stages.observations
        # tables on the way between two that the plan names are joined through, so they are shown as well
        connected = self.description.connected(tables)
        others = ", ".join(table for table in linking.selection if table not in connected)
        text = self.description.text(connected, budget=_room(_WRITTEN, stages.subject), likely=self.likely)
        return text + (f"\nOther tables: {others}" if others else ""), linking.observations(connected)

    def _chosen(
        self,
        question: str,
        subject: Subject,
        plan: Plan,
        linking: Linking,
        made: Sequence[Made],
        draft: Candidate | None,
    ) -> Chosen | None:
        # the reader's draft reads columns, too, which the judges must see to compare it
        queries = [m.sql for m in (*made, draft) if m is not None]
        schema = self._for_judges(plan, linking, subject, queries)
        choosing = Choosing(
            self.asking, self.disclosure, subject, schema, self.comparer, question, self.choose
        )
        found = [
            Candidate(
                m.sql, self.disclosure.plain(m.reading or plan.reading), "model", rows=m.rows, error=m.error
            )
            for m in made
        ]
        return choosing.choose([*found, *([draft] if draft is not None else [])])

    def _for_judges(self, plan: Plan, linking: Linking, subject: Subject, queries: Sequence[str] = ()) -> str:
        """The tables of the plan; with rival ``queries`` those that they read, too, and of all only the
        columns that they or the question name, and keys.
        """
        read = _tables_read(queries)
        named = (*plan.schema.tables, *(t for t in linking.selection if t.rpartition(".")[2] in read))
        tables = {t: linking.selection[t] for t in named if t in linking.selection}
        # a plan that names no table leaves all that was linked
        chosen = self.description.connected(tables) if tables else linking.selection
        # of `SELECT *` it is not known which columns are read
        if queries and not any("*" in sql.lower().replace("count(*)", "") for sql in queries):
            words = set(_WORD.findall("\n".join(queries).lower()))
            chosen = {
                # a table is read though none of its columns is said to matter: then all are told
                table: [c for c in columns if self._matters(table, c, words)] or columns
                for table, columns in chosen.items()
            }
        room = _room(_JUDGED, subject)
        return self.description.text(chosen, budget=room, fullest=2, likely=self.likely)

    def _matters(self, table: str, name: str, words: Collection[str]) -> bool:
        return (
            name.lower() in words or (table, name) in self.likely or self.description.column(table, name).key
        )

    def _reflected(
        self, question: str, stages: Stages, plan: Plan, linking: Linking, chosen: Chosen
    ) -> Outcome:
        schema = self._for_judges(plan, linking, stages.subject)
        reflection = Reflection(
            self.asking,
            self.description,
            self.disclosure,
            stages,
            schema,
            lambda revised, former: self._made(stages, revised, linking, former, 0.0),
        )
        candidate = chosen.candidate
        made = Made(candidate.sql, candidate.reading, candidate.rows)
        vouched = chosen.agreed or candidate.origin == "reader"
        # a query that is vouched for is not put to the judge, whose dislike alone would send it back
        found = reflection.run(plan, made, agreed=vouched)
        # whoever vouches for the query found in the data what the judge misses
        if found.data_lacks and not found.best.verdict.passes and not vouched:
            return self._unanswerable(question, found.data_lacks, linking, chosen)
        self._learn(question, found)
        best = found.best
        return Outcome(
            question,
            best.made.sql,
            self.disclosure.plain(best.made.reading or best.plan.reading),
            confidence_of(found, chosen),
            self._linked(best.plan, linking),
            chosen.alternatives,
            chosen.candidates,
            rows=best.made.rows,
        )

    def _learn(self, question: str, found: Reflected) -> None:
        settings = self.asking.settings
        if found.taught is None or self.lessons is None or not settings.uses("lessons"):
            return
        stage, text = found.taught
        lesson = self.lessons.propose(settings.database, stage, text, question)
        self.asking.note("lesson", stage, f"{lesson.status}: {lesson.text}")

    # -- what is no answer

    def _unanswerable(
        self, question: str, missing: str, linking: Linking, chosen: Chosen | None = None
    ) -> Outcome:
        candidates = chosen.candidates if chosen is not None else ()
        refused = f"the data does not say: {self.disclosure.plain(missing)}"[:500]
        return Outcome(question, refused=refused, linked=self._linked(Plan(), linking), candidates=candidates)

    def _failed(self, question: str, plan: Plan, linking: Linking, made: Sequence[Made]) -> Outcome:
        if plan.schema.missing:
            # nothing could be written because the data lacks it: that is the better explanation
            return self._unanswerable(question, plan.schema.missing, linking)
        errors = dict.fromkeys(m.error for m in made if m.error)
        said = f"no query could be made: {'; '.join(errors) or 'no candidate'}"[:500]
        return Outcome(question, error=said, linked=self._linked(plan, linking))

    def _linked(self, plan: Plan, linking: Linking) -> Linked:
        values = tuple(
            f"{s.column} {s.comparison} {self.disclosure.plain(s.value)}"
            for s in plan.values.signals
            if s.column and s.value
        )
        if linking.whole:
            return Linked(plan.schema.tables, plan.schema.columns, values)
        columns = tuple(f"{t}.{c}" for t, names in linking.selection.items() for c in names)
        return Linked(tuple(linking.selection), columns, values)


def confidence_of(found: Reflected, chosen: Chosen) -> float:
    """By who vouches for the query: 0.95 judge and reader, 0.9 the reader's own or the same as the reader's,
    0.85 the judge, 0.75 its maker alone (there is no judge), 0.4 where the judge finds it wrong; up to a
    fifth less where candidates disagree.
    """
    judged = found.best.verdict.judgement
    if not found.best.verdict.passes:
        base = 0.4
    elif chosen.agreed:
        base = 0.95 if judged is not None else 0.9
    elif chosen.candidate.origin == "reader" and not found.refinements:
        base = min(0.9, chosen.candidate.confidence)
    else:
        base = 0.85 if judged is not None else 0.75
    return round(base * (0.8 + 0.2 * chosen.share), 3)


def asking_for(model: Model, settings: PipelineSettings, question: str) -> Asking:
    """The calls of one question, charged to this asking of it."""
    digest = hashlib.sha256(question.encode(errors="replace")).hexdigest()[:16]
    # a new mark for each asking: the same question asked twice is charged twice
    return Asking(model, settings, f"ask:{digest}:{secrets.token_hex(4)}")


def _tables_read(queries: Iterable[str]) -> set[str]:
    """Names of the tables that queries read; of a text that is none it is not known."""
    found: set[str] = set()
    for sql in queries:
        try:
            found |= {one.name.name for one in mentions_of(sql).relations}
        except NotASelect:
            continue
    return found


def _room(budget: int, subject: Subject) -> int:
    """What a hint and the passages that go along leave of the tokens for the schema, so that a prompt with
    long ones shows fewer values of columns that the question hardly needs.
    """
    told = tokens_of(subject.evidence) + tokens_of(subject.passages)
    return max(int(_LEAST_ROOM * budget), budget - _AS_OFTEN * told)
