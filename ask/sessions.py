"""One ASK of a session: remembered, corrected, chosen, explained or read anew; what it says to its asker;
what is kept of it.

Owns the order in which these are tried and the texts of notices, refusals and explanations. Whoever asks for
a source gets a role's own view. Must not know the wire, processes, or how a store keeps things
(`QuestionLog`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from rewright.ask.answer import Answer, History, chosen_among
from rewright.ask.api import Asker, Assistance, checked_text, unfit
from rewright.ask.execution import ExecutionError
from rewright.ask.outcome import Alternative
from rewright.ask.ports import Lesson
from rewright.ask.reading.api import Reading, read
from rewright.ask.safety import Refused
from rewright.ask.shown import one_line
from rewright.ask.sources.api import Source

# words with which a question leans on the one before it
_LEANS = re.compile(
    r"\s*(?:and|but|or|also|what about|how about|only|just|now|same|instead|then|again)\b"
    r"|\b(?:it|its|they|their|them|those|these|that one|this one|the same|previous|above)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A query that was made, or corrected, before."""

    sql: str
    reading: str
    confidence: float


class QuestionLog(Protocol):
    """What is kept of questions. Never raises: without a store nothing is remembered."""

    def validated(self, question: str) -> Remembered | None:
        """The query that a person found right for it."""
        ...

    def again(self, key: str) -> Remembered | None:
        """The query made for the same question in the same state."""
        ...

    def add(self, answer: Answer, key: str, role: str) -> int:
        """Keep what came of a question; its number, 0 where nothing is kept."""
        ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """One ASK, in plain values. ``using``: the number of a reading to take, 0: none; ``learn``: no question,
    lessons are to be decided on.
    """

    question: str
    explain: bool = False
    choose: bool = False
    using: int = 0
    learn: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """What a session asked before: for follow-ups, and the readings that USING takes one of. Of one role
    alone.
    """

    role: str = ""
    history: History = field(default_factory=History)
    question: str = ""
    readings: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """``answer`` may run where it has a query and neither refusal nor error. ``number``: of what the log
    keeps of it, 0 where nothing is kept.
    """

    answer: Answer
    before: Before
    number: int = 0


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of the role's proposed lessons, oldest first."""

    lessons: tuple[Lesson, ...]
    before: Before


class NothingLearns(Exception):
    """Lessons are a model's, and there is none."""

    sqlstate = "55000"
    hint = "[models] ask"


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that one ASK needs. ``state``: of all that its answer depends on, besides the question;
    empty: unknown.
    """

    source: Callable[[], Source]
    state: str
    role: str
    log: QuestionLog
    threshold: float
    assistance: Assistance | None = None

    def ask(self, wanted: Wanted, before: Before) -> Asked:
        """Raises what the source raises when it can't be read."""
        # what another role was told is not for this one
        if before.role != self.role:
            before = Before(self.role)
        if problem := unfit(wanted.question):
            return Asked(Answer(wanted.question, refused=problem), before)
        if wanted.using:
            return self._chosen(wanted, before)
        key = self._key(wanted.question, before)
        # who chooses, or wants an explanation, wants it read anew
        if not (wanted.choose or wanted.explain) and (known := self._known(wanted.question, key)) is not None:
            return self._kept(known, before)
        return self._read(wanted, before, key)

    def learn(self, before: Before) -> Learned:
        """Each proposed lesson of this role adopted or removed (`Pipeline.learn`). Raises NothingLearns, and
        what the source raises.
        """
        lessons = Asker(self.source(), assistance=self.assistance).learn()
        if lessons is None:
            raise NothingLearns("no model reads questions here, so nothing is learnt from its mistakes")
        return Learned(lessons, before)

    def _read(self, wanted: Wanted, before: Before, key: str) -> Asked:
        source = self.source()
        asker = Asker(
            source,
            threshold=self.threshold,
            assistance=self.assistance,
            history=before.history,
            follows=True,
        )
        # the links are the reader's: they hold what it knows of the database
        answer = replace(weighed(asker.read(wanted.question, look=not wanted.explain), source), links=())
        after = replace(before, history=asker.history, question=wanted.question, readings=answer.readings)
        if wanted.explain:
            return Asked(answer, before)
        return Asked(answer, after, self.log.add(answer, key, self.role))

    def _known(self, question: str, key: str) -> Answer | None:
        found = self.log.validated(question)
        if found is None and self.state:
            found = self.log.again(key)
        if found is None:
            return None
        # it may have been made under other rules, or by a person: it is judged as any other
        try:
            sql = self.source().check(found.sql).sql
        except Refused:
            return None
        return Answer(question, sql=sql, reading=found.reading, confidence=found.confidence, remembered=True)

    def _kept(self, answer: Answer, before: Before) -> Asked:
        """What was read without a model is read again: it costs nothing, and a follow-up changes it."""
        source = self.source()
        again = read(answer.question, source.context, previous=before.history.reading)
        mine = checked_text(source, again.sql) if isinstance(again, Reading) else ""
        # the reader makes the same query: a follow-up can change its reading
        same = one_line(mine) == one_line(answer.sql)
        history = before.history.then(answer, again if same and isinstance(again, Reading) else None)
        after = replace(before, history=history, question=answer.question, readings=answer.readings)
        # without the key: what was remembered, or validated, is not made to last longer
        return Asked(answer, after, self.log.add(answer, "", self.role))

    def _chosen(self, wanted: Wanted, before: Before) -> Asked:
        """A reading that a person takes counts whatever its confidence."""
        source = self.source()
        if before.question != wanted.question or not before.readings:
            read = self.ask(replace(wanted, using=0, choose=True), before)
            before = read.before
        shown = Answer(wanted.question, alternatives=before.readings)
        found = chosen_among(shown, wanted.using)
        if found is None:
            count = len(before.readings)
            why = f"there is no reading {wanted.using}: the question has {count or 'none'}"
            return Asked(Answer(wanted.question, refused=why), before)
        answer = Answer(wanted.question, sql=found.sql, reading=found.reading, confidence=found.confidence)
        answer = weighed(answer, source)
        after = replace(before, history=before.history.then(answer, None))
        return Asked(answer, after, self.log.add(answer, "", self.role))

    def _key(self, question: str, before: Before) -> str:
        """Of all that the answer depends on: a question that leans on the one before
        it depends on that, too.
        """
        if not self.state:
            return ""
        leaned = before.history.turns[-1].sql if before.history.turns and _LEANS.search(question) else ""
        parts = (self.state, " ".join(question.split()), leaned)
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def weighed(answer: Answer, source: Source) -> Answer:
    """With what the planner says against its query."""
    if not answer.sql:
        return answer
    try:
        source.weigh(source.check(answer.sql))
    except Refused as refused:
        return replace(answer, sql="", refused=str(refused))
    except ExecutionError as error:
        return replace(answer, error=str(error), error_state=error.sqlstate)
    return answer


# ------------------------------------------------------------------ notices for the asker


def notices(answer: Answer) -> tuple[str, ...]:
    """What is said beside the rows, a line each."""
    told = [f"SQL: {one_line(answer.sql)}"]
    if answer.reading:
        told.append(f"read as: {plain(answer.reading)}")
    if any(event.kind == "lesson" and event.text.startswith("proposed") for event in answer.trajectory):
        told.append("a lesson is proposed: ASK LEARN tries it on the validated questions")
    return tuple(told)


def detail(answer: Answer) -> str:
    """What of a refused question was understood."""
    linked = answer.linked
    parts = [
        f"{name}: {', '.join(plain(one) for one in found[:20])}"
        for name, found in (("tables", linked.tables), ("columns", linked.columns), ("values", linked.values))
        if found
    ]
    return "Linked " + "; ".join(parts) + "." if parts else ""


def hint(answer: Answer) -> str:
    if answer.alternatives:
        return f"ASK '…' CHOOSE shows {len(answer.alternatives)} that it may mean; ASK '…' USING 1 takes one."
    return "Use the data's own words: names of tables and columns, values as they are stored."


def explanation(answer: Answer) -> Iterator[str]:
    """EXPLAIN ASK, for people."""
    yield f"Question: {plain(answer.question)}"
    if answer.reading:
        yield f"Read as: {plain(answer.reading)} (confidence {answer.confidence:.2f})"
    for name, found in answer.linked.document().items():
        if found:
            yield f"Linked {name}: {', '.join(plain(one) for one in found)}"
    for number, event in enumerate(answer.trajectory, 1):
        said = plain(event.text) or one_line(event.sql)
        yield f"Step {number}: {event.stage}, {event.kind}" + (f": {said}" if said else "")
    for number, one in enumerate(answer.candidates, 1):
        told = one.error or (f"{len(one.rows.rows)} rows" if one.rows is not None else "not run")
        yield f"Candidate {number} ({one.origin}, group {one.group}, {plain(told)}): {one_line(one.sql)}"
    for number, other in enumerate(answer.alternatives, 1):
        yield f"Other reading {number} (confidence {other.confidence:.2f}): {plain(other.reading)}"
        yield f"  {one_line(other.sql)}"
    if answer.sql:
        yield f"SQL: {one_line(answer.sql)}"
    if answer.refused:
        yield f"Refused: {plain(answer.refused)}"
    if answer.error:
        yield f"Error: {plain(answer.error)}"
    money = "unknown" if answer.money is None else f"${answer.money:.4f}"
    yield f"Tokens: {answer.tokens}, money: {money}, read in {answer.seconds * 1000:.1f} ms"


def explanation_document(answer: Answer) -> str:
    """EXPLAIN (FORMAT JSON) ASK."""
    document: dict[str, Any] = answer.document()
    for name in ("columns", "rows", "row_count", "truncated"):
        del document[name]
    document["candidates"] = [one.document() for one in answer.candidates]
    document["trajectory"] = [event.document() for event in answer.trajectory]
    return json.dumps([document], indent=2, ensure_ascii=False, default=str)


def plain(text: str) -> str:
    """On one line, without characters that steer a terminal."""
    return " ".join("".join(ch if ch.isprintable() else " " for ch in text).split())


def parted(one: Alternative) -> str:
    """On which rows a reading parts from the one that counts; empty: not known."""
    if one.difference is None:
        return ""
    told = [
        *one.difference.setup,
        f"the first gives: {one.difference.first}",
        f"this gives: {one.difference.second}",
    ]
    return "\n".join(told)
