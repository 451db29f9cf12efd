"""Each action alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.actions import BuildCte, EvictTable, FindJoinPath, SearchTable, SearchValue, UnionSearch
from rewright.lake.api import Lake
from rewright.lake.command import command
from rewright.lake.joins.graph import exact
from rewright.lake.scratchpad import Scratchpad, Section
from tests.lake.small_lakes import noisy_harbour


def test_search_table_by_columns(bakery_lake: Lake) -> None:
    hits = bakery_lake.actions().search_table(SearchTable("weather", ("rain", "month")))
    assert hits[0].table == "rainfall"


def test_search_table_by_words(bakery_lake: Lake) -> None:
    assert bakery_lake.actions().search_table(SearchTable("pastry price"))[0].table == "bk_pastry"


def test_search_value_prefers_the_same_text(bakery_lake: Lake) -> None:
    hits = bakery_lake.actions().search_value(SearchValue("bk_shop", "dunmere"))
    assert (hits[0].column, hits[0].value) == ("Town", "Dunmere")
    assert len(hits) == 3


def test_join_path_goes_through_the_middle(bakery_lake: Lake) -> None:
    paths = bakery_lake.actions().find_join_path(FindJoinPath("bk_pastry", "bk_shop"))
    assert ("bk_pastry", "bk_sale", "bk_shop") in [p.tables for p in paths]
    assert all(len(p.fan_outs) == len(p.keys) for p in paths)


def test_union_search_finds_the_other_year(bakery_lake: Lake) -> None:
    hits = bakery_lake.actions().union_search(UnionSearch("taste_survey_2019"))
    assert hits[0].table == "taste_survey_2023"
    assert hits[0].score == pytest.approx(1.1)


def test_build_cte_previews_clean_rows(harbour_lake: Lake) -> None:
    result = harbour_lake.actions().build_cte(BuildCte("vessels"))
    assert result.preview is not None
    assert len(result.preview.rows) == 50
    assert {row[1] for row in result.preview.rows} == {"Norway", "Chile", "Malta"}


def test_unknown_table(bakery_lake: Lake) -> None:
    with pytest.raises(LakeError):
        bakery_lake.actions().union_search(UnionSearch("nothing"))


def test_context_raises_joinable_tables(bakery_lake: Lake) -> None:
    retriever = bakery_lake.actions().retriever
    relevance = retriever.query_relevance({"bakers": ("name",)})
    alone, held = dict(retriever.rank(relevance, k=20)), dict(retriever.rank(relevance, ["bk_shop"], k=20))
    assert held["bk_sale"] > alone["bk_sale"]
    assert "bk_shop" not in held
    assert "rainfall" not in dict(retriever.rank(relevance, evicted=["rainfall"], k=20))


def test_graph_holds_the_exact_graphs_true_joins(bakery_lake: Lake) -> None:
    graph = bakery_lake.graph()
    strong = [
        edge for edge, pairs in exact(bakery_lake.index).items() if max(p.quality for p in pairs) >= 0.7
    ]
    assert strong
    assert all(graph.has_edge(*edge) for edge in strong)


def test_scratchpad_forgets_the_oldest_and_keeps_the_evicted_out() -> None:
    pad = Scratchpad(limits=dict.fromkeys(Section, 2))
    for name in ("a", "b", "c"):
        pad.add(Section.TABLES, name, name.upper())
    assert pad.tables() == ["b", "c"]
    assert pad.evicted == {"a"}
    pad.add(Section.TABLES, "a", "A")
    assert "a" not in pad.evicted
    pad.evict("c")
    assert pad.tables() == ["a"]


def test_an_evicted_table_makes_room_for_others(bakery_lake: Lake) -> None:
    actions = bakery_lake.actions()
    first = actions.search_table(SearchTable("pastry price"), 3)
    left = actions.search_table(SearchTable("pastry price"), 3, evicted=[EvictTable(first[0].table)])
    assert [h.table for h in left][:2] == [h.table for h in first][1:]
    assert len(left) == 3


def test_any_candidate_can_be_put_out(bakery_lake: Lake) -> None:
    answer = bakery_lake.query("SELECT city, opening_year FROM bakery_shops", "resolve")
    assert bakery_lake.put_out(answer, 0).resolution.sql == answer.resolution.history[0].sql
    with pytest.raises(LakeError, match="candidates"):
        bakery_lake.put_out(answer, 99)


def test_each_action_is_a_verb(tmp_path: Path) -> None:
    folder = noisy_harbour(tmp_path)
    run = CliRunner().invoke
    made = run(command, ["build-cte", str(folder), "vessels", "--json"])
    assert made.exit_code == 0, made.output
    assert len(json.loads(made.stdout)["rows"]) == 50
    found = run(command, ["search-table", str(folder), "ships", "--evict", "vessels", "--json"])
    assert "vessels" not in {h["table"] for h in json.loads(found.stdout)}
    wrong = run(command, ["query", str(folder), "SELECT flag_state FROM ships", "--candidate", "50"])
    assert wrong.exit_code == 1
    assert "candidates" in wrong.stderr
    query = ["query", str(folder), "-", "--json"]
    told = json.loads(run(command, query, input="SELECT count(*) AS n FROM vessels\n").stdout)
    assert told["columns"] == ["n"]
    strange = run(command, query, input=b"SELECT '\xff'")
    assert strange.exit_code == 2
    assert "not UTF-8" in strange.stderr
