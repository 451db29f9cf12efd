"""What the proxy learned becomes units: approved, served, gained, without literals; votes of a model;
documentation.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.knowledge.build.accepted import Statements, collect_accepted, gain_of, unfit
from rewright.knowledge.build.build_state import BuildState, Pair
from rewright.knowledge.build.literals import without_literals
from rewright.knowledge.build.pipeline import Rules, enrich, filter_pairs, verify
from rewright.knowledge.build.voting import ModelVoter
from rewright.knowledge.patterns.fits import pattern_of
from rewright.knowledge.units import load_units
from rewright.models.api import NoModel
from rewright.store.api import open_store
from rewright.store.life import Action, Level
from rewright.store.records import NewRewrite, Timing

DDL = "create table visit (id int primary key, seen_at timestamp not null, patient text);"
SLOW = "select id from visit where seen_at::date = '2024-03-07' and patient = 'Ada Lovelace'"
FAST = "select id from visit where seen_at >= '2024-03-07' and seen_at < '2024-03-08' and patient = 'Ada Lovelace'"


@pytest.fixture
def book(tmp_path):
    opened = BuildState(tmp_path / "work" / "build.db")
    yield opened
    opened.close()


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


def served(store, *, approve: bool = True, times: tuple[float, float] = (900.0, 12.0), calls: int = 3):
    new = NewRewrite(
        "app", "key", SLOW, SLOW, FAST, level=Level.TESTED, evidence={}, sources=("rules: date_range",)
    )
    kept = store.rewrites.add(new)
    if approve:
        store.rewrites.act(kept.id, Action.APPROVE, reason="looks right", by="ann")
    store.rewrites.add_timings(
        [Timing(kept.id, "original", times[0]), Timing(kept.id, "replacement", times[1])]
    )
    if calls:
        store.rewrites.add_served({kept.id: calls})
    return store.rewrites.get(kept.id)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"approve": False}, "not active"),
        ({"calls": 0}, "never served"),
        ({"times": (100.0, 95.0)}, "no gain was measured"),
    ],
)
def test_only_what_was_approved_served_and_gained(store, changes, why) -> None:
    assert unfit(served(store, **changes), Statements()) == why


def test_activation_by_trust_is_no_approval(store) -> None:
    assert unfit(replace(served(store), approved=False), Statements()) == "not approved by a person"


@pytest.mark.server
def test_an_approved_rewrite_becomes_a_unit_without_literals(store, book, tmp_path, scratch_server) -> None:
    served(store)

    counts = collect_accepted(store.rewrites.find(), book, lambda _: DDL)
    filter_pairs(book, Rules())
    written = verify(book, scratch_server, tmp_path / "own", Rules(seconds=6))

    assert counts == {"taken": 1}
    assert written == 1
    (unit,) = load_units(tmp_path / "own" / "units")
    assert pattern_of(unit) is not None
    for file in (tmp_path / "own").rglob("*.*"):
        text = file.read_text()
        assert "Lovelace" not in text
        assert "2024-03" not in text


def test_what_both_sides_ran_in_pg_stat_statements_counts(store) -> None:
    rewrite = replace(served(store), original_ms=None, replacement_ms=None)
    seen = Statements(
        {key: value for text, value in ((SLOW, (7, 90.0)), (FAST, (2, 3.0))) for key in [_key(text)]}
    )

    assert gain_of(rewrite, Statements()) is None
    assert gain_of(rewrite, seen) == pytest.approx(30.0)


def _key(text: str) -> str:
    from pglast import fingerprint

    return str(fingerprint(text.replace("'Ada Lovelace'", "$1")))


@pytest.mark.server
def test_pg_stat_statements_need_not_be_there(scratch_server) -> None:
    from rewright.engines.postgres.session import Session

    with Session(scratch_server.dsn()) as session:
        assert Statements.read(session) is None


def test_literals_are_replaced_alike_on_both_sides() -> None:
    before, after = without_literals(
        "select * from t where name like 'Smith%' and n in (4111, 4112) and to_char(d, 'YYYY-MM') = '2023-02'",
        "select * from t where name >= 'Smith' and n between 4111 and 4112 and d < date '2023-03-01' + interval '1 day'",
    )

    for text in (before, after):
        assert "Smith" not in text
        assert "4111" not in text
        assert "2023" not in text
    assert "'YYYY-MM'" in before
    assert "1 day" in after
    assert "'text1%'" in before
    assert "'text1'" in after
    assert "10, 11" in before
    assert "BETWEEN 10 AND 11" in after


@pytest.mark.parametrize("odd", ["select 1; drop table x", "not sql", "select '\\'"])
def test_odd_rewrites_are_left_out(store, book, odd) -> None:
    rewrite = served(store)
    broken = replace(rewrite, proposal=replace(rewrite.proposal, replacement=odd))

    counts = collect_accepted([broken], book)

    assert "taken" not in counts or book.pairs("found")[0].after != odd


PAIR = Pair("p1", "Title", "question", "answer", SLOW, FAST, DDL, "me", 9, accepted=True)


def test_a_model_votes_and_the_majority_counts(book) -> None:
    asked = []

    class Model:
        def available(self, role):
            return True

        def complete(self, request):
            from rewright.models.api import Reply, Usage

            asked.append(" ".join(message.text for message in request.messages))
            keep = len(asked) != 2
            return Reply(f'{{"keep": {str(keep).lower()}, "why": "x"}}', Usage())

    book.add_pair(PAIR)
    filter_pairs(book, Rules(votes=3), ModelVoter(Model()))

    assert len(asked) == 3
    assert [pair.id for pair in book.pairs("kept")] == ["p1"]
    assert not any("Lovelace" in text for text in asked)


def test_no_model_votes_no() -> None:
    assert not ModelVoter(NoModel()).keep(PAIR)


@pytest.mark.parametrize("embed", [True, False])
def test_documentation_is_matched_by_meaning_or_words(book, embed) -> None:
    book.add_passages(
        "guide.md",
        [
            ("Vacuum", "dead tuples are removed by vacuum"),
            ("Ranges", "a range of dates, no cast, uses the index"),
        ],
    )
    book.add_pair(replace(PAIR, answer="use a range of dates, the index is used, not the cast"))
    filter_pairs(book, Rules())

    enrich(
        book, (lambda texts: [[1.0, 0.0] if "range" in t else [0.0, 1.0] for t in texts]) if embed else None
    )

    assert book.pairs("kept")[0].extra["see"] == "guide.md: Ranges"
