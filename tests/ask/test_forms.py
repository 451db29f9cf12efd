"""Forms: forgiving in form, strict in content."""

from __future__ import annotations

from typing import Any

import pytest

from rewright.ask.forms import form_of, read
from rewright.ask.linker.records import Pruned, Roles, Steps
from rewright.ask.reflection.records import AggregationReading, Analysis, Critique, Judgement, Plan
from rewright.models.typed import WrongShape


@pytest.mark.parametrize(
    "text",
    [
        '{"steps": ["a", "b"]}',
        'Sure!\n```json\n{"steps": ["a", "b"]}\n```\nDone.',
        '<think>{"steps": ["no"]}</think> {"steps": ["a", "b"]}',
        '{"Steps": ["a", "b",],}',
        '["a", "b"]',
        '{"answer": {"steps": ["a", "b"]}}',
    ],
)
def test_forms_that_are_understood(text: str) -> None:
    assert read(text, Steps) == Steps(("a", "b"))


def test_one_thing_for_a_list_and_a_table_for_a_list_of_records() -> None:
    assert read('{"steps": "a"}', Steps) == Steps(("a",))
    assert read('{"tables": {"t": {"role": "Filter", "columns": "c"}, "u": "bridge"}}', Roles).tables[
        0
    ].columns == ("c",)
    assert read('{"tables": {"t": {"role": "Filter"}, "u": "bridge"}}', Roles).tables[1].role == "bridge"
    assert read('{"tables": null}', Pruned) == Pruned()


def test_numbers_and_truth_as_text() -> None:
    assert read('{"limit": "3", "distinct": "yes"}', AggregationReading) == AggregationReading(
        distinct=True, limit=3
    )
    assert read('{"limit": "none"}', AggregationReading).limit is None
    assert read('{"faithful": "No"}', Judgement) == Judgement(faithful=False)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Steps),
        ("nothing here", Steps),
        ('{"stepz": ["a"]}', Steps),
        ('{"steps": [{"a": 1}]}', Steps),
        ('{"faithful": "perhaps"}', Judgement),
        ('{"limit": 1.5}', AggregationReading),
        ('{"limit": 1e400}', AggregationReading),
        ('{"stage": "everything"}', Analysis),
        ('{"violations": [{"stage": "syntax"}]}', Critique),
        ("{" * 100_000, Plan),
        ('{"steps":' * 5_000, Steps),
    ],
)
def test_content_that_is_refused(text: str, kind: type[Any]) -> None:
    with pytest.raises(WrongShape):
        read(text, kind)


def test_the_form_shows_every_field_and_choice() -> None:
    form = form_of(Analysis)
    assert '"schema" | "values" | "aggregation" | "predicates" | "sql"' in form
    assert all(f'"{name}"' in form for name in ("stage", "violations", "lesson", "fragment"))
