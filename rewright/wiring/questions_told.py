"""The outcome of a question as the proxy takes it: a query to run, rows, or an error.

Owns that translation. Must not know processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rewright.config.model import Ask
from rewright.proxy.answers.questions import Question
from rewright.proxy.ports import LocalRows, ResultColumn, SqlError
from rewright.proxy.serving.asking_ports import ReadAs, Told

if TYPE_CHECKING:
    from rewright.ask.sessions import Asked, Learned

TEXT, INT8, FLOAT8, JSON = 25, 20, 701, 114
CHOICES = (
    ResultColumn("choice", INT8),
    ResultColumn("confidence", FLOAT8),
    ResultColumn("read_as", TEXT),
    ResultColumn("sql", TEXT),
    ResultColumn("parts_on", TEXT),
)
LESSONS = (
    ResultColumn("id", INT8),
    ResultColumn("stage", TEXT),
    ResultColumn("lesson", TEXT),
    ResultColumn("status", TEXT),
    ResultColumn("reason", TEXT),
)
NOT_ANSWERED = "22023"
"""SQLSTATE of a question that is refused: its text is a value that ASK can't use."""
_UNLIMITED = 1e6


def step_of(outcome: object, question: Question, ask: Ask) -> ReadAs | Told:
    """Raises SqlError."""
    from rewright.ask.sessions import Asked, Learned
    from rewright.processes.framed import Failed

    match outcome:
        case Failed(sqlstate, message, hint):
            raise SqlError(sqlstate, message, hint=hint)
        case Learned():
            return Told(_lessons(outcome), outcome.before)
        case Asked() if question.explain:
            return Told(_explained(outcome, question), outcome.before)
        case Asked() if question.choose and outcome.answer.readings:
            return Told(_choices(outcome), outcome.before)
        case Asked():
            return _query(outcome, ask)
    raise SqlError("XX000", "the process that read the question gave no answer")


def _query(outcome: Asked, ask: Ask) -> ReadAs:
    from rewright.ask.sessions import detail, hint, notices, plain

    answer = outcome.answer
    # reading failed, which is an error of ours; a refusal is about the question
    if answer.error:
        raise SqlError(answer.error_state or "58000", plain(answer.error), detail=detail(answer))
    if answer.refused or not answer.sql:
        said = f"the question is not answered: {plain(answer.refused)}"
        raise SqlError(NOT_ANSWERED, said, detail=detail(answer), hint=hint(answer))
    return ReadAs(
        answer.sql,
        notices(answer),
        outcome.before,
        # 0 means no limit
        ask.run_timeout or _UNLIMITED,
        ask.rows,
        outcome.number,
    )


def _explained(outcome: Asked, question: Question) -> LocalRows:
    from rewright.ask.sessions import explanation, explanation_document

    if question.format == "json":
        return LocalRows(
            (ResultColumn("QUERY PLAN", JSON),), ((explanation_document(outcome.answer),),), "EXPLAIN"
        )
    lines = tuple((line,) for line in explanation(outcome.answer))
    return LocalRows((ResultColumn("QUERY PLAN", TEXT),), lines, "EXPLAIN")


def _lessons(outcome: Learned) -> LocalRows:
    rows = tuple(
        # lessons that were not kept have no number
        (int(one.id) if one.id.isdecimal() else None, one.stage, one.text, one.status, one.reason or None)
        for one in outcome.lessons
    )
    return LocalRows(LESSONS, rows)


def _choices(outcome: Asked) -> LocalRows:
    from rewright.ask.sessions import parted

    rows = tuple(
        (number, one.confidence, one.reading, one.sql, parted(one) or None)
        for number, one in enumerate(outcome.answer.readings, 1)
    )
    return LocalRows(CHOICES, rows)
