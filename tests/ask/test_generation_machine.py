"""The machine of generation as a transcript: replies in, commands out."""

from __future__ import annotations

import pytest

from rewright.ask.generation.actions import action_of
from rewright.ask.generation.machine import FORCED, Again, Finish, Look, Machine, Try
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.tokens import tokens_in
from rewright.models.api import Message

FIRST = (Message("system", "Task: write."), Message("user", "Question: ?"))


def machine(**more: int) -> Machine:
    return Machine(FIRST, PipelineSettings(**more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "tag", "queries"),
    [
        ("[EXPLORE]\n-- a\nselect 1;\n-- b\nselect ';';", "EXPLORE", ("-- a\nselect 1", "-- b\nselect ';'")),
        ("[SQL] ```sql\nselect 1;\n```", "SQL", ("select 1",)),
        ("Thinking aloud first.\n[sql]\n```\nselect 1\n```", "SQL", ("select 1",)),
        ("**SQL**: select 1", "SQL", ("select 1",)),
        ("```sql\nselect 2\n```", "SQL", ("select 2",)),
        ("with x as (select 1) select * from x", "SQL", ("with x as (select 1) select * from x",)),
        ("[REFINE] so and so", "REFINE", ()),
        ("[CONFIRM] it is right", "CONFIRM", ()),
        # results that a model makes up for itself are cut with what it builds on them
        ("[EXPLORE] select 1; [SQL] select 2 [CONFIRM] yes", "EXPLORE", ("select 1",)),
        ("[SQL] select 'open", "SQL", ("select 'open",)),
    ],
)
def test_actions_are_read(reply: str, tag: str, queries: tuple[str, ...]) -> None:
    action = action_of(reply)
    assert action is not None
    assert (action.tag, action.queries) == (tag, queries)


@pytest.mark.parametrize("reply", ["", "hello", "[EXPLORE]", "[SQL] ```\n```", "[DROP] table"])
def test_replies_without_an_action(reply: str) -> None:
    assert action_of(reply) is None


def test_the_way_of_a_query() -> None:
    m = machine()
    assert m.take("[EXPLORE] select 1; select 2", 10) == Look(("select 1", "select 2"))
    assert m.looked("Result 1: …") == Again()
    assert m.take("[REFINE] go", 10) == Again()
    assert m.take("[SQL] select 3", 10) == Try("select 3")
    assert m.tried("The server says: no", worked=False) == Again()
    assert m.take("[CONFIRM] fine", 10) == Again(), "a query that failed can't be confirmed"
    assert m.take("[SQL] select 4", 10) == Try("select 4")
    assert m.tried("It ran", worked=True) == Again()
    assert m.take("[CONFIRM] fine", 10) == Finish("select 4", "fine")
    assert m.actions == 6


def test_three_unusable_replies_end_it() -> None:
    m = machine()
    assert m.take("hm", 1) == Again()
    assert m.take("hm", 1) == Again()
    end = m.take("hm", 1)
    assert isinstance(end, Finish)
    assert end.why


@pytest.mark.parametrize("more", [{"forced_actions": 2}, {"forced_tokens": 15}])
def test_the_query_is_forced(more: dict[str, int]) -> None:
    m = machine(**more)
    for _ in range(2):
        m.take("[EXPLORE] select 1", 10)
        m.looked("1")
    assert m.messages()[-1].text.endswith(FORCED)
    assert m.take("[EXPLORE] select 1", 1) == Again()
    assert m.take("[SQL] select 5", 1) == Try("select 5")
    assert m.tried("It ran", worked=True) == Finish("select 5", "", "")


@pytest.mark.parametrize("more", [{"actions": 5}, {"tokens": 50}])
def test_budgets_end_it_with_what_ran(more: dict[str, int]) -> None:
    m = machine(forced_actions=99, forced_tokens=10**6, **more)
    m.take("[SQL] select 6", 10)
    command: object = m.tried("It ran", worked=True)
    while not isinstance(command, Finish):
        m.take("[EXPLORE] select 1", 10)
        command = m.looked("1")
    assert command.sql == "select 6"
    assert m.actions == 5


def test_consolidation_keeps_queries_results_and_the_last_plan() -> None:
    m = machine(history_tokens=200)
    for i in range(6):
        m.take(f"[REFINE] plan number {i}, at length {'x' * 300}", 1)
        m.take(f"[EXPLORE] select {i}", 1)
        m.looked(f"result of {i}")
    messages = m.messages()
    assert len(messages) == 2
    assert "plan number 5" in messages[-1].text
    assert "plan number 4" not in messages[-1].text
    assert "result of 5" in messages[-1].text
    assert "select 5" in messages[-1].text
    assert tokens_in(messages) < 700
