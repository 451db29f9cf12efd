"""The pipeline over generated material: hostile, large, interrupted."""

from __future__ import annotations

import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rewright.knowledge.build.build_state import BuildState
from rewright.knowledge.build.collect import NoSource, collect
from rewright.knowledge.build.infer import NoSchema, infer_schema
from rewright.knowledge.build.pipeline import Rules, enrich, filter_pairs, verify
from rewright.knowledge.build.text import from_html, from_markdown, statements_in
from rewright.knowledge.units import load_units
from tests.knowledge.stack_exchange import FAST, SLOW, write_dump


@pytest.fixture
def book(tmp_path):
    opened = BuildState(tmp_path / "work" / "build.db")
    yield opened
    opened.close()


def test_html_gives_text_only():
    body = from_html(
        "<p>Hi <b>there</p><script>evil()</script><pre><code>select 1</code></pre><code>select 2</code>"
    )
    assert body.prose == "Hi there select 2"
    assert body.blocks == ("select 1", "select 2")


def test_markdown_blocks_fenced_and_indented():
    body = from_markdown("Slow:\n\n    select a from t\n\n```sql\nselect b from t;\n```\nend")
    assert [s.lower() for s in statements_in(body.blocks).selects] == ["select b from t", "select a from t"]


def test_prompts_are_taken_off():
    assert statements_in(("app=> select 1\n",)).selects == ("SELECT 1",)


def test_what_is_no_sql_is_passed_over():
    found = statements_in(("drop everything", "select (((", "SELECT 1" + " + 1" * 20000))
    assert found.selects == ()


def test_votes_decide(book, tmp_path):
    write_dump(tmp_path / "Posts.xml", noise=50)
    collect(str(tmp_path), book)
    filter_pairs(book, Rules())
    kept = book.pairs("kept")
    assert [pair.source for pair in kept if "question 1," in pair.source] == [
        "question 1, answer 2",
        "question 1, answer 3",
    ] or {p.source for p in kept if "question 1," in p.source} == {
        "question 1, answer 2",
        "question 1, answer 3",
    }
    assert any("votes" in reason for _, _, reason in book.reasons())


def test_a_model_is_asked_for_a_majority(book, tmp_path):
    class No:
        asked = 0

        def keep(self, _pair):
            self.asked += 1
            return self.asked % 3 == 0

    voter = No()
    write_dump(tmp_path / "Posts.xml")
    collect(str(tmp_path), book)
    filter_pairs(book, Rules(votes=3), voter)
    assert book.pairs("kept") == []
    assert voter.asked >= 3


def test_a_source_is_read_once(book, tmp_path):
    write_dump(tmp_path / "Posts.xml")
    seen = []
    collect(str(tmp_path), book, seen.append)
    again = []
    collect(str(tmp_path), book, again.append)
    assert sum(seen) == 4
    assert again == []


def test_dtds_are_refused(book, tmp_path):
    from defusedxml.common import DefusedXmlException

    (tmp_path / "Posts.xml").write_text(
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><posts><row Id="1" PostTypeId="1" Body="&a;"/></posts>'
    )
    with pytest.raises(DefusedXmlException):
        collect(str(tmp_path), book)


def test_no_such_source(book, tmp_path):
    with pytest.raises(NoSource):
        collect(str(tmp_path / "nothing"), book)


def test_documents_give_passages_and_pairs(book, tmp_path):
    (tmp_path / "guide.md").write_text(
        f"# Dates\nWrite a range instead of a function, it is faster.\n\n```sql\n{SLOW}\n```\n\n```sql\n{FAST}\n```\n"
    )
    (tmp_path / "manual.md").write_text(
        "# Ranges\nAn index finds a range of dates; a function of a date hides it.\n"
    )
    collect(str(tmp_path), book)
    filter_pairs(book, Rules())
    enrich(book)
    (pair,) = book.pairs("kept")
    assert pair.source == "guide.md: Dates"
    assert pair.extra["see"] == "manual.md: Ranges"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select a.x, count(*) from a where a.y = 'k' group by a.x", {"y text", "x int"}),
        ("select x from t where d >= '2024-01-01'", {"d timestamp", "x int"}),
        ("select x from t where n > 1.5", {"n numeric"}),
    ],
)
def test_schema_is_inferred_from_use(query, expected):
    text = infer_schema(query)
    assert all(part in text for part in expected), text


def test_ambiguous_columns_have_no_schema():
    with pytest.raises(NoSchema):
        infer_schema("select x from a, b")


@pytest.mark.server
def test_only_equivalent_pairs_become_units(book, tmp_path, scratch_server):
    write_dump(tmp_path / "Posts.xml")
    collect(str(tmp_path), book)
    filter_pairs(book, Rules())
    written = verify(book, scratch_server, tmp_path / "out", Rules(seconds=6))
    assert written == 1
    (unit,) = load_units(tmp_path / "out" / "units")
    assert "placed" in unit.before
    assert book.counts()["refused"] == 1
    path = next((tmp_path / "out").rglob("*.toml"))
    assert "<script" not in path.read_text()
    assert tomllib.loads(path.read_text())["schema"].startswith("s_")


def test_a_hundred_thousand_posts_in_flat_memory(tmp_path):
    """Read in a process of its own, whose peak memory is then looked at."""
    write_dump(tmp_path / "Posts.xml", noise=100_000)
    code = (
        "import sys, resource\n"
        "from pathlib import Path\n"
        "from rewright.knowledge.build.collect import _dump\n"
        "from rewright.knowledge.build.build_state import BuildState\n"
        "book = BuildState(Path(sys.argv[2]))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "_dump(Path(sys.argv[1]), book, lambda n: None)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "Posts.xml"), str(tmp_path / "b.db")],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert (tmp_path / "Posts.xml").stat().st_size > 15_000_000
    assert int(done.stdout) < 20_000  # kilobytes
    assert resource.getpagesize() > 0


@pytest.mark.server
def test_what_is_known_is_no_news_and_reasons_say_where_from(book, tmp_path, scratch_server):
    from rewright.knowledge.patterns.fits import forms

    pairs = tmp_path / "pairs"
    pairs.mkdir()
    (pairs / "schema.sql").write_text(
        "create table t (id int primary key, a int not null, at timestamp not null)"
    )
    for name, before, after in (
        ("one", "select id from t where at::date = '2024-01-05'", "select id from t where at >= '2024-01-05' and at < '2024-01-06'"),
        ("other", "select a from t where at::date = '2023-07-01'", "select a from t where at >= '2023-07-01' and at < '2023-07-02'"),
        ("wrong", "select id from t", "select id from t where a > 1"),
        ("broken", "select from where", "select 1"),
    ):  # fmt: skip
        (pairs / f"{name}.before.sql").write_text(before)
        (pairs / f"{name}.after.sql").write_text(after)
    collect(str(pairs), book)
    filter_pairs(book, Rules())

    written = verify(book, scratch_server, tmp_path / "out", Rules(seconds=4))

    assert written == 1
    reasons = {source: reason for source, _, reason in book.reasons()}
    assert "says the same as" in reasons.get("pairs/one", "") + reasons.get("pairs/other", "")
    assert "refuted: on one database" in reasons["pairs/wrong"]
    assert reasons["pairs/broken"] == "one of the two is no query"
    assert (
        len(list((tmp_path / "out").rglob("*.toml"))) == len(list((tmp_path / "out").rglob("s_*.sql"))) == 1
    )
    (unit,) = load_units(tmp_path / "out" / "units")
    assert forms({"x": unit})
