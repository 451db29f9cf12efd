"""The first pruning of a large schema: whole tables, told by a few columns each."""

from __future__ import annotations

from typing import Any

from rewright.ask.context import Context
from rewright.ask.describe import Description
from rewright.ask.linker.pruning import prune
from rewright.ask.linker.tables import overview
from rewright.ask.tokens import tokens_of
from rewright.models.api import ModelTimeout, Request
from tests.ask.test_linker import SUBJECT, asking, hospital, table, wide

NOTHING: dict[str, Any] = {"schema pruning (delete)": [{}], "schema pruning (keep)": [{}]}


def test_a_table_goes_only_if_deleted_and_not_kept() -> None:
    ask, model = asking(
        NOTHING
        | {
            "table pruning (delete)": [{"tables": ["canteen", "duty", "nowhere"]}],
            "table pruning (keep)": [{"tables": ["public.duty"]}],
        },
        tables_tokens=0,
    )
    assert list(prune(ask, Description(hospital()), SUBJECT, ())) == ["ward", "nurse", "duty"]
    columns = [r.messages[1].text for r in model.asked if "schema pruning" in r.messages[0].text]
    assert len(columns) == 2
    assert all("soup" not in text for text in columns), "columns of a table that went are not told"


def test_tables_of_likely_columns_stay() -> None:
    description = Description(hospital())
    lost = {"table pruning (delete)": [{"tables": list(description.tables)}], "table pruning (keep)": [{}]}
    ask, _ = asking(NOTHING | lost, tables_tokens=0)
    assert list(prune(ask, description, SUBJECT, (), {("canteen", "soup")})) == ["canteen"]
    ask, _ = asking(NOTHING | lost, tables_tokens=0)
    assert prune(ask, description, SUBJECT, ()) == description.everything(), "never nothing at all"


def test_a_pass_that_fails_loses_no_table() -> None:
    late = {"table pruning (delete)": [ModelTimeout("late")], "table pruning (keep)": [{"tables": ["ward"]}]}
    only_kept = {
        "table pruning (delete)": [{"tables": ["canteen"]}],
        "table pruning (keep)": [ModelTimeout("")],
    }
    both = {name: [ModelTimeout("late")] for name in late}
    description = Description(hospital())
    assert list(prune(asking(NOTHING | late, tables_tokens=0)[0], description, SUBJECT, ())) == ["ward"]
    left = prune(asking(NOTHING | only_kept, tables_tokens=0)[0], description, SUBJECT, ())
    assert list(left) == ["ward", "nurse", "duty"]
    assert (
        prune(asking(NOTHING | both, tables_tokens=0)[0], description, SUBJECT, ())
        == description.everything()
    )


def test_small_schemas_are_told_by_columns_at_once() -> None:
    ask, model = asking(NOTHING)
    prune(ask, Description(hospital()), SUBJECT, ())
    assert not any(task.startswith("table") for task in model.tasks())


def test_an_overview_tells_likely_columns_first_and_keys_last() -> None:
    description = Description(wide())
    lines = overview(description, {("area1_records", "measure1_17")})
    told = next(line for line in lines if line.startswith("area1_records"))
    assert "measure1_17" in told
    assert told.endswith(", …")
    assert "area1_records_id" not in told
    assert "survey_1980, survey_1984" in lines[0], "tables with the same columns stand in one line"
    assert tokens_of("\n".join(lines)) < tokens_of(description.text(fullest=5)) / 2


def test_many_tables_are_told_in_batches() -> None:
    context = Context.of(tables=[table(f"area{i}_ledger", "id", f"amount{i}") for i in range(90)])
    seen: list[str] = []

    def deletes(request: Request) -> str:
        lines = request.messages[1].text.partition("Tables:\n")[2].partition("\n\n")[0].splitlines()
        seen.extend(line.partition(":")[0] for line in lines)
        return '{"tables": ["' + '", "'.join(line.partition(":")[0] for line in lines[1:]) + '"]}'

    replies = NOTHING | {"table pruning (delete)": [deletes], "table pruning (keep)": [{}]}
    ask, _ = asking(replies, tables_tokens=0, batch_tokens=200)
    left = prune(ask, Description(context), SUBJECT, ())
    assert sorted(seen) == sorted(t.ref.name for t in context.tables)
    assert 1 < len(left) < 30, "the first of each batch stays"


def test_a_pass_that_fails_for_some_tables_says_nothing_of_them() -> None:
    context = Context.of(tables=[table(f"area{i}_ledger", "id", f"amount{i}") for i in range(90)])

    def keeps(request: Request) -> str:
        if "area0_ledger" not in request.messages[1].text:
            raise ModelTimeout("late")
        return '{"tables": ["area0_ledger"]}'

    failing = {"table pruning (delete)": [ModelTimeout("late")], "table pruning (keep)": [keeps]}
    ask, _ = asking(NOTHING | failing, tables_tokens=0, batch_tokens=200)
    left = prune(ask, Description(context), SUBJECT, ())
    assert "area1_ledger" not in left, "of the batch that was told"
    assert "area89_ledger" in left, "of a batch of which nothing was said"
