"""Linking of schemas: what each pass does, what is kept whatever a model says, and how much of 800 columns is
sent.
"""

from __future__ import annotations

from typing import Any

from rewright.ask.asking import Asking
from rewright.ask.compression import compress
from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.describe import DETAILS, Description
from rewright.ask.disclosure import Disclosure
from rewright.ask.execution import Rows
from rewright.ask.linker.documents import link_documents, passages_of
from rewright.ask.linker.link import link
from rewright.ask.linker.planning import plan
from rewright.ask.linker.pruning import prune
from rewright.ask.mentions import Mentions, mentions_of
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.ports import Document
from rewright.ask.subject import Subject
from rewright.ask.tokens import tokens_of
from rewright.models.api import ModelTimeout, Request
from rewright.sql.algebra import TableRef
from tests.ask.scripted import CONFIRM, FAITHFUL, ScriptedModel, query
from tests.ask.scripted import plan as plan_reply

SUBJECT = Subject("Which ward has the most nurses?")


def table(name: str, *columns: str, values: tuple[str, ...] = ()) -> TableContext:
    ref = TableRef("public", name)
    made = [
        ColumnContext.of(ref, column, "int4" if column.endswith("_id") else "text", key=i == 0, values=values)
        for i, column in enumerate(columns)
    ]
    return TableContext.of(ref, made, rows=10)


def hospital() -> Context:
    ward = table("ward", "ward_id", "title", "floor")
    nurse = table("nurse", "nurse_id", "surname", "pay_grade")
    duty = table("duty", "duty_id", "ward_id", "nurse_id")
    spare = table("canteen", "canteen_id", "soup")
    joins = [Join(duty.columns[1], ward.columns[0], 1.0), Join(duty.columns[2], nurse.columns[0], 0.9)]
    return Context.of(tables=[ward, nurse, duty, spare], joins=joins)


def wide(columns: int = 800, tables: int = 40) -> Context:
    """Tables of 20 columns, of which years of one survey share their columns."""
    made = []
    for t in range(tables):
        name = f"survey_{1980 + t}" if t % 4 == 0 else f"area{t}_records"
        width = columns // tables
        names = [f"{'answer' if t % 4 == 0 else f'measure{t}'}_{i}" for i in range(width - 2)]
        made.append(table(name, f"{name if t % 4 else 'survey'}_id", "title", *names))
    return Context.of(tables=made)


class Still:
    """Runs nothing, and has always the same to say."""

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        del sql, rows, seconds
        return Rows(("n",), ((1,), (2,)), truncated=False)


def asking(replies: dict[str, Any], **settings: Any) -> tuple[Asking, ScriptedModel]:
    model = ScriptedModel(replies)
    return Asking(model, PipelineSettings(share="samples", **settings)), model


def disclosure(context: Context) -> Disclosure:
    return Disclosure("samples", Mentions(context), Description(context).column_name)


def test_a_column_goes_only_if_deleted_and_not_kept() -> None:
    replies = {
        "schema pruning (delete)": [
            {"tables": ["canteen", "duty"], "columns": ["ward.floor", "nurse.nothing"]}
        ],
        "schema pruning (keep)": [{"tables": ["DUTY"], "columns": ["public.ward.title"]}],
    }
    left = prune(asking(replies)[0], Description(hospital()), SUBJECT, ())
    assert left == {
        "ward": ["ward_id", "title"],
        "nurse": ["nurse_id", "surname", "pay_grade"],
        "duty": ["duty_id", "ward_id", "nurse_id"],
    }


def test_each_pass_alone_and_a_pass_that_fails() -> None:
    replies: dict[str, Any] = {
        "schema pruning (delete)": [{"tables": ["canteen"]}],
        "schema pruning (keep)": [{"tables": ["ward"]}],
    }
    description = Description(hospital())
    only_keep = prune(asking(replies, without=frozenset({"pruning-delete"}))[0], description, SUBJECT, ())
    assert list(only_keep) == ["ward"]
    only_delete = prune(asking(replies, without=frozenset({"pruning-keep"}))[0], description, SUBJECT, ())
    assert list(only_delete) == ["ward", "nurse", "duty"]
    replies["schema pruning (delete)"] = [ModelTimeout("late")]
    replies["schema pruning (keep)"] = [ModelTimeout("late")]
    assert prune(asking(replies)[0], description, SUBJECT, ()) == description.everything()


def test_plans_are_merged_only_where_they_differ() -> None:
    same, model = asking({"logical plan": [{"steps": ["count"]}]})
    assert plan(same, SUBJECT) == ("count",)
    assert len(model.asked) == 2
    other, model = asking(
        {"logical plan": [{"steps": ["a"]}, {"steps": ["b"]}], "merge plans": [{"steps": ["a", "b"]}]}
    )
    assert plan(other, SUBJECT) == ("a", "b")
    assert model.asked[1].temperature > 0


LINKING = {
    "logical plan": [{"steps": ["count nurses by ward"]}],
    "schema pruning (delete)": [{"tables": ["canteen"]}],
    "schema pruning (keep)": [{}],
    "semantic linking": [
        {
            "tables": [
                {"table": "ward", "role": "target", "columns": ["title", "floor"], "why": "asked for"},
                {"table": "nurse", "role": "target", "columns": ["nurse_id", "surname"], "why": "counted"},
            ]
        }
    ],
    "profile a table": [{"queries": [{"sql": f"select {i}"} for i in range(12)]}],
    "choose columns": [
        {"keep": [], "queries": ["select 1"]},
        {
            "keep": ["ward.title", "nurse.nurse_id"],
            "rejected": [
                {"column": "nurse.surname", "reason": "only counted"},
                {"column": "ward.floor", "reason": ""},
            ],
        },
    ],
}


def test_what_was_marked_goes_only_with_a_reason_and_tables_stay_joined() -> None:
    ask, model = asking(LINKING, small_tokens=0)
    context = hospital()
    found = link(ask, Description(context), SUBJECT, Still(), disclosure(context))  # type: ignore[arg-type]
    assert "surname" not in found.selection["nurse"]
    assert "nurse_id" in found.selection["nurse"], "keys stay"
    assert "floor" in found.selection["ward"], "no reason was given"
    assert {"ward_id", "nurse_id"} <= set(found.selection["duty"]), "the bridge that nobody named"
    assert [(r.column, r.reason) for r in found.rejected] == [("nurse.surname", "only counted")]
    assert "canteen" not in found.selection
    assert sum(e.kind == "explored" and e.stage == "profiling" for e in ask.events) == 16, "8 a table at most"
    assert (
        "Results of your queries"
        in [r for r in model.asked if r.messages[0].text.startswith("Task: choose")][1].messages[-1].text
    )


def test_a_small_database_is_not_linked() -> None:
    ask, model = asking({})
    context = hospital()
    found = link(ask, Description(context), SUBJECT, Still(), disclosure(context))  # type: ignore[arg-type]
    assert found.whole
    assert not model.asked


def test_tables_with_the_same_columns_stand_in_one_entry() -> None:
    description = Description(wide())
    text = description.text()
    assert text.count("the same columns; values are those of survey_1980") == 1
    assert "survey_2016" in text
    assert all(name in text for name in description.tables)


def test_batches_hold_every_column_once() -> None:
    description = Description(wide())
    batches = description.batches(600)
    held = [(t, c) for batch in batches for t, columns in batch.items() for c in columns]
    assert len(held) == len(set(held)) == 800
    assert all(tokens_of(description.text(batch, fullest=len(DETAILS) - 1)) <= 1_200 for batch in batches)


def test_linking_800_columns_takes_fewer_than_14000_tokens() -> None:
    context = wide()
    named = [t.ref.name for t in context.tables]

    def pruned(request: Request) -> str:
        del request
        return '{"tables": ["' + '", "'.join(named[4:]) + '"]}'

    replies = {
        "logical plan": [{"steps": ["find the wards", "count the nurses of each", "take the greatest"]}],
        "table pruning (delete)": [{"tables": named[8:]}],
        "table pruning (keep)": [{"tables": named[1:3]}],
        "schema pruning (delete)": [pruned],
        "schema pruning (keep)": [{"columns": [f"{named[1]}.title"]}],
        "semantic linking": [
            {
                "tables": [
                    {"table": t, "role": "target", "columns": ["title", "measure1_3"]} for t in named[:3]
                ]
            }
        ],
        "profile a table": [{"queries": [{"sql": "select distinct title from x limit 10"}] * 4}],
        "choose columns": [{"keep": [f"{named[1]}.title", f"{named[2]}.title"]}],
    }
    ask, _ = asking(replies)
    found = link(ask, Description(context), SUBJECT, Still(), disclosure(context))  # type: ignore[arg-type]
    assert len(found.selection) <= 4
    assert ask.tokens < 14_000


def test_a_question_on_800_columns_takes_fewer_than_20000_tokens() -> None:
    context = wide()
    named = [t.ref.name for t in context.tables]
    kept = [f"{name}.title" for name in named[1:4]]
    replies: dict[str, Any] = {
        "logical plan": [
            {"steps": ["find the wards", "count the nurses"]},
            {"steps": ["count nurses by ward"]},
        ],
        "merge plans": [{"steps": ["find the wards", "count the nurses of each", "take the greatest"]}],
        "table pruning (delete)": [{"tables": named[9:]}],
        "table pruning (keep)": [{"tables": named[1:4]}],
        "schema pruning (delete)": [{"tables": named[6:]}],
        "schema pruning (keep)": [{"columns": kept}],
        "semantic linking": [
            {"tables": [{"table": t, "role": "target", "columns": ["title"], "why": "w"} for t in named[1:6]]}
        ],
        "profile a table": [{"queries": [{"sql": "select distinct title from x limit 10"}] * 5}],
        "choose columns": [{"keep": kept, "queries": ["select 1"]}, {"keep": kept}],
        "plan the query": [plan_reply(*named[1:3], outputs=["ward"])],
        "write the query": ["[EXPLORE] select 1; select 2;", "[REFINE] so", query("select 1"), CONFIRM],
        "judge the query": [FAITHFUL],
    }
    model = ScriptedModel(replies)
    settings = PipelineSettings(share="samples")
    outcome = Pipeline(model, Still(), context, settings).answer(SUBJECT.question)
    assert outcome.sql == "select 1"
    assert set(replies) == set(model.tasks()), "every step was taken"
    # by the estimate of a text's tokens: the scripted usage is rougher
    asked = sum(tokens_of(m.text) for request in model.asked for m in request.messages)
    assert 5_000 < asked < 19_000
    assert outcome.tokens < 20_000


def test_names_are_found_as_models_write_them() -> None:
    description = Description(hospital())
    assert description.find_table('"public"."ward"') == "ward"
    assert description.find_table("WARD") == "ward"
    assert description.find_table("wards") is None
    assert description.find_column("Ward.TITLE") == ("ward", "title")
    assert description.find_column("soup") == ("canteen", "soup")
    assert description.find_column("ward_id") is None, "two tables have one"


def test_the_budget_takes_detail_away_before_columns() -> None:
    ref = TableRef("public", "t")
    column = ColumnContext.of(
        ref, "city", "text", comment="c" * 200, values=tuple(f"value {i}" for i in range(30)), distinct=30
    )
    description = Description(Context.of(tables=[TableContext.of(ref, [column], rows=1)]))
    full = description.text()
    assert "e.g. 'value 0'" in full
    assert "22 more" in full
    lean = description.text(budget=1)
    assert lean == "table t: text city"
    assert "value 0" not in Description(description.context, hides=True).text()


def test_long_results_become_ten_rows_and_figures() -> None:
    context = hospital()
    rows = Rows(("a", "b"), tuple((i, None if i % 2 else "x") for i in range(40)), truncated=True)
    text = compress(rows, disclosure(context))
    assert text.splitlines()[0].startswith("more than 40 rows (a, b), the first 10")
    assert "column a: integer, 40 distinct, 0 % NULL" in text
    assert "column b: text, 1 distinct, 50 % NULL" in text
    assert "| 9, NULL" in text
    assert "| 10, " not in text
    assert "| 29, " in compress(Rows(("a", "b"), rows.rows[:30], truncated=False), disclosure(context))


DOCUMENT = (
    "# Rules\n\nGeneral words.\n\n## Nurses\n\nA senior nurse has grade > 5.\n\n## Soup\n\nSoup is hot.\n"
    + "\n\n".join(f"Filler {i}. {'y' * 90}" for i in range(60))
)


def test_passages_are_copied_word_for_word_under_their_headings() -> None:
    passages = passages_of(DOCUMENT)
    assert passages[1] == "# Rules\n## Nurses\nA senior nurse has grade > 5."
    ask, model = asking({"choose passages": [{"numbers": [1, 9_999]}]})
    kept = link_documents(ask, [Document("rules.md", DOCUMENT)], SUBJECT, disclosure(hospital()))
    assert kept == "Document 'rules.md':\n| # Rules\n| ## Nurses\n| A senior nurse has grade > 5."
    assert len(model.asked) == 1


def test_a_short_document_goes_along_whole_and_a_failed_choice_drops_a_long_one() -> None:
    ask, model = asking({"choose passages": [ModelTimeout("late")]})
    assert "Soup is hot" in link_documents(
        ask, [Document("s", "Soup is hot.")], SUBJECT, disclosure(hospital())
    )
    assert not model.asked
    assert link_documents(ask, [Document("s", DOCUMENT)], SUBJECT, disclosure(hospital())) == ""


def test_the_index_of_values_is_made_once_a_context() -> None:
    context = hospital()
    assert mentions_of(context) is mentions_of(context)
    assert mentions_of(hospital()) is not mentions_of(context), "another state of the catalog has its own"
    first = mentions_of(context)
    for _ in range(9):
        mentions_of(hospital())
    assert mentions_of(context) is not first, "few are kept"


def test_what_the_reader_thinks_is_needed_is_never_deleted() -> None:
    description = Description(hospital())
    replies: dict[str, Any] = {
        "schema pruning (delete)": [{"tables": ["ward", "canteen"]}],
        "schema pruning (keep)": [{}],
    }
    likely = description.pairs([description.column("ward", "floor")])
    left = prune(asking(replies)[0], description, SUBJECT, (), likely)
    assert left["ward"] == ["floor"]
    assert "canteen" not in left


def test_values_of_unlikely_columns_are_left_out_first() -> None:
    ref = TableRef("public", "mast")
    columns = [
        ColumnContext.of(ref, name, "text", values=[f"{name} value {n}" for n in range(40)], distinct=40)
        for name in ("sail", "rope", "flag")
    ]
    description = Description(Context.of(tables=[TableContext.of(ref, columns, rows=40)]))
    whole = description.text()
    likely = description.pairs(columns[:1])
    assert description.text(likely=likely) == whole, "what fits is told in full"
    lean = description.text(budget=60, likely=likely)
    assert "'sail value 0'" in lean
    assert "rope value" not in lean
    assert "rope text" in lean
    assert "value" not in description.text(budget=60)
