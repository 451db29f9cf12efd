"""Files in, outcomes and reports out."""

from __future__ import annotations

import html.parser
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Settings
from rewright.rewrite.offline import Done, InputError, Work, collect, statements, top, work_off
from rewright.rewrite.page import markdown
from rewright.rewrite.ports import Ports
from rewright.wiring.offline_report import html_report
from tests.rewrite.world import GOOD, ORIGINAL, Judge, Rules, Server


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        ("select 1", ("select 1",)),
        ("select 1; -- one\n;; select ';' -- x;\n;", ("select 1", ["-- one\n", "select ';'"][1])),
        ("select 1; selec 2; select 3", ("select 1", "selec 2", "select 3")),
        ("select 'é'; select $$;$$", ("select 'é'", "select $$;$$")),
        ("select 'open", ("select 'open",)),
    ],
)
def test_splitting(text: str, found: tuple[str, ...]) -> None:
    assert tuple(s.removesuffix(" -- x;").strip() for s in statements(text)) == found


def done() -> list[Done]:
    rewriter = Rewriter(Ports(Server(), Judge(), Rules([[GOOD]])))
    works = [
        Work("a|b.sql", ORIGINAL, 1.0),
        Work("<b>", "select '<script>alert(1)</script>' as `x`"),
        Work("u", "update p set v = 1"),
    ]
    return work_off(rewriter, works, Settings())


def test_every_statement_has_an_outcome_whatever_it_is() -> None:
    documents = [d.to_json() for d in done()]
    assert [d["rewritten"] for d in documents] == [GOOD, None, None]
    assert documents[2]["reason"] == "not rewritten: not a SELECT"
    keys = (
        "original rewritten hints verdict assumptions modulo scope steps cost_before cost_after seconds_before"
        " seconds_after tokens reason"
    )
    for document in documents:
        assert set(keys.split()) <= set(document)
        json.dumps(document)


def test_reports_hold_everything_and_escape_it() -> None:
    text, web = markdown(done()), html_report(done())
    assert "3 statements: 1 rewritten, 0 proposed, 2 left as they are." in text
    assert (
        "| a\\|b.sql | rewritten | proved (these literals) | 1,000 → 100 | 1 s → 0.1 s | decorrelate |"
        in text
    )
    assert f"+{GOOD}" in text
    assert "<script>" not in web
    html.parser.HTMLParser().feed(web)
    assert "&lt;b&gt;" in web
    assert "There is a proof that both queries give the same rows" in web
    # nothing is loaded from elsewhere, and nothing runs
    assert not re.search(r"(?:src|href)=[\"'](?!#)", web)
    assert "default-src 'none'" in web


def test_a_query_that_was_cancelled_took_longer() -> None:
    server = Server()
    server.times[ORIGINAL] = 90.0
    settings = Settings(measure="both", run_timeout=10.0)
    finished = work_off(Rewriter(Ports(server, Judge(), Rules([[GOOD]]))), [Work("q", ORIGINAL)], settings)
    assert "&gt; 10 s (cancelled) → 0.1 s" in markdown(finished)
    assert "> 10.00 s (cancelled)" in html_report(finished)
    assert "(cancelled)" not in markdown(done())


def test_files_and_directories(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.sql").write_text("select 1; select 2;")
    (tmp_path / "sub" / "a.sql").write_text("select 3")
    (tmp_path / "c.txt").write_text("select 4")
    assert [(w.name, w.sql) for w in collect(tmp_path)] == [
        ("b.sql:1", "select 1"),
        ("b.sql:2", "select 2"),
        ("sub/a.sql", "select 3"),
    ]
    assert [w.name for w in collect(tmp_path / "sub" / "a.sql")] == ["a.sql"]
    for bad in (tmp_path / "nowhere.sql", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(InputError):
            collect(bad)


def test_the_top_of_pg_stat_statements_is_planned_and_not_run() -> None:
    class Statistics:
        def extension_schema(self, name: str) -> str | None:
            return '"stats"' if name == "pg_stat_statements" else None

        def ask(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
            assert 'from "stats".pg_stat_statements' in statement
            assert values == [["rewright"], r"^select\ /\*\ rewright\ \*/\ ", 205]
            return [
                ("select c.relname from pg_catalog.pg_class c", 9.0, 9),
                ("with recursive p as (select oid from pg_type) select * from p", 8.0, 9),
                ("select p.k, p.v from p where p.v = $1", 2.5, 7),
                ("select pg_sleep($1)", 2.0, 1),
                ("with p as (select k from p) select k from p", 1.0, 3),
            ]

    works = top(Statistics(), 5, {"rewright"})
    name = "1. select p.k, p.v from p where p.v = $1"
    assert works == (
        Work(name, "select p.k, p.v from p where p.v = $1", 2.5, 7),
        # the p that is read inside is the application's table: a WITH without RECURSIVE does not see itself
        Work(
            "2. with p as (select k from p) select k from p",
            "with p as (select k from p) select k from p",
            1.0,
            3,
        ),
    )
    server = Server()
    work_off(Rewriter(Ports(server, Judge())), works, Settings())
    assert not server.measured
