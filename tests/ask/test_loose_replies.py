"""Replies as good models send them where they do not keep to the letter of what was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from rewright.ask.forms import read, says
from rewright.ask.generation.actions import action_of
from rewright.ask.generation.machine import ONE, Again, Machine, Try
from rewright.ask.loose_json import mended
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.models.api import Message
from rewright.models.typed import WrongShape


@dataclass(frozen=True, slots=True)
class Picked:
    choice: Literal["A", "B", "unsure"]
    why: str = says("why", default="")


@dataclass(frozen=True, slots=True)
class Numbered:
    best: int
    why: str = says("why", default="")


@dataclass(frozen=True, slots=True)
class Compared:
    comparison: Literal["=", "<>", "contains", "other"]


@pytest.mark.parametrize(
    "reply",
    [
        '{\n  // the first\n  "choice": "A", /* sure */\n  "why": "x" // done\n}',
        '{"choice": "A", # sure\n "why": "x"}',
        "{'choice': 'A', 'why': 'x'}",
        '{choice: "A", why: "x"}',
        "{“choice”: “A”, “why”: “x”}",
        '{"choice": "A", "why": "x", …}',
        '<think>{"choice": "B"}</think>{"choice": "A", "why": "x"}',
        '```json\n{"choice": "Candidate A", "why": "x",}\n```\nThe second counts twice.',
    ],
)
def test_json_that_is_none_by_the_letter(reply: str) -> None:
    assert read(reply, Picked) == Picked("A", "x")


def test_strings_keep_what_looks_like_a_comment() -> None:
    assert read('{"choice": "A", "why": "see http://x // y # z"}', Picked).why == "see http://x // y # z"
    assert read("{'choice': 'A', 'why': 'it\\'s // here'}", Picked).why == "it's // here"
    assert read('{"choice": "A", "why": "one\ntwo", }', Picked).why == "one\ntwo"
    assert mended('{"a": "b"}') == '{"a": "b"}'


@pytest.mark.parametrize("reply", ["A", "**A**", "`A`", "Candidate A"])
def test_one_word_is_enough_where_no_more_is_needed(reply: str) -> None:
    assert read(reply, Picked) == Picked("A")


@pytest.mark.parametrize("reply", ["2", '{"best": "candidate 2"}', '{"best": "#2"}'])
def test_numbers_beside_words(reply: str) -> None:
    assert read(reply, Numbered).best == 2


@pytest.mark.parametrize(
    "reply", ["A or B", '{"choice": "A or B"}', '{"choice": "neither"}', "I can not say", ""]
)
def test_what_says_nothing_is_asked_again(reply: str) -> None:
    with pytest.raises(WrongShape):
        read(reply, Picked)


def test_other_words_for_a_comparison() -> None:
    assert read('{"comparison": "!="}', Compared).comparison == "<>"
    assert read('{"comparison": "ILIKE"}', Compared).comparison == "contains"
    assert read('{"comparison": "is not null"}', Compared).comparison == "other"


@pytest.mark.parametrize(
    "reply",
    [
        "[SQL] select a from t;\n\nThis returns a.",
        "<think>Maybe [EXPLORE] first; or not</think>\n[SQL]\n```sql\nselect a from t;\n```",
        "<SQL>select a from t</SQL>",
        "[sql]\n```\nselect a from t\n```\n[/sql]",
        "[REFINE] one table is enough.\n[SQL]\n```sql\nselect a from t\n```",
        "[SQL]\n```sql\nselect a from t;\n```\nas above:\n```sql\nselect a from t\n```",
    ],
)
def test_one_query_among_other_words(reply: str) -> None:
    action = action_of(reply)
    assert action is not None
    assert (action.tag, action.queries) == ("SQL", ("select a from t",))


def test_a_list_of_queries_to_look_with() -> None:
    action = action_of("[EXPLORE]\n1. select a from t;\n2. select b from t;")
    assert action is not None
    assert action.queries == ("select a from t", "select b from t")


def test_several_statements_get_one_correction() -> None:
    machine = Machine((Message("system", "s"), Message("user", "u")), PipelineSettings())
    assert machine.take("[SQL]\n```sql\nselect 1; select 2\n```", 10) == Again()
    assert machine.messages()[-1].text == ONE.format(2)
    assert machine.take("[SQL]\n```sql\nset role x; select 1\n```", 10) == Again()
    assert machine.take("[SQL]\n```sql\nselect 1;\n```", 10) == Try("select 1")


def test_a_confirmation_without_its_marks() -> None:
    action = action_of("**[CONFIRM]** It counts the rows.")
    assert action is not None
    assert action.text == "It counts the rows."
