"""A reading that gives nothing: refused where it is not sure enough to bear it, run where it is."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rewright.ask.answer import Answer
from rewright.ask.emptiness import doubted
from rewright.ask.execution import ExecutionError, Rows
from rewright.ask.outcome import Linked
from rewright.ask.sources.api import Source

THRESHOLD = 0.75
ANSWER = Answer("q", sql="select 1", confidence=0.85, reading="r", linked=Linked(("mill",), (), ()))


class Looked:
    """A source of one table that gives these rows, or fails."""

    def __init__(self, rows: list[tuple[Any, ...]] | None, held: int = 5) -> None:
        self.rows = rows
        self.looks = 0
        self.context = SimpleNamespace(tables=[SimpleNamespace(ref=SimpleNamespace(name="mill"), rows=held)])

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        self.looks += 1
        assert rows == 2
        assert seconds is not None
        assert seconds <= 1
        if self.rows is None:
            raise ExecutionError("canceling statement due to statement timeout", "57014")
        return Rows(("a",), tuple(self.rows), truncated=False)


def look(source: Looked, confidence: float = 0.85) -> Answer:
    return doubted(replace(ANSWER, confidence=confidence), cast("Source", source), THRESHOLD)


@pytest.mark.parametrize("rows", [[], [(None,)], [(0,)], [(None, 0)]])
def test_nothing_is_refused_and_can_be_chosen(rows: list[tuple[Any, ...]]) -> None:
    answer = look(Looked(rows))
    assert "gives nothing" in answer.refused
    assert not answer.sql
    assert [one.sql for one in answer.alternatives] == ["select 1"]
    assert answer.confidence < THRESHOLD


@pytest.mark.parametrize("rows", [[("Old Mill",)], [(7,)], [(False,)], [(None, 3)]])
def test_what_says_something_counts(rows: list[tuple[Any, ...]]) -> None:
    assert look(Looked(rows)) == ANSWER


def test_a_sure_reading_is_not_looked_at() -> None:
    source = Looked([])
    assert look(source, confidence=0.97).sql == "select 1"
    assert source.looks == 0


def test_an_empty_table_and_a_slow_query_tell_nothing() -> None:
    assert look(Looked([], held=0)) == ANSWER
    assert look(Looked(None)) == ANSWER
