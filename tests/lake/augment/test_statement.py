"""AUGMENT as text: what is read from it, and what is refused."""

from __future__ import annotations

import time

import pytest

from rewright.lake.augment.api import AugmentError, BaseSpec
from rewright.lake.augment.options import Options
from rewright.lake.augment.statement import Statement, statement_of
from rewright.wiring.lake_augmenting import is_augment
from rewright.wiring.lake_views import DropView, dropped_views, views_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("AUGMENT TABLE t TARGET y", Statement(BaseSpec("t", "y"), Options())),
        ('augment table "T ""x""" target "y z";', Statement(BaseSpec('T "x"', "y z"), Options())),
        ("-- why\naugment /* t */ table app.public.t target y", Statement(BaseSpec("app.public.t", "y"), Options())),
        (
            "AUGMENT TABLE t TARGET y TABLES 3 ON (a, b) WHERE (x > (1 + 2) AND s = ')') LATEST BUDGET '500ms'",
            Statement(BaseSpec("t", "y", ("a", "b"), None, "x > (1 + 2) AND s = ')'", True), Options(3, 0.5)),
        ),
        (
            "EXPLAIN AUGMENT TABLE t TARGET y FEATURES () HOPS 3 STRATEGY mcts SELECTOR embedding TOKENS 9",
            Statement(
                BaseSpec("t", "y", features=()),
                Options(hops=3, strategy="mcts", selector="embedding", tokens=9),
                explain=True,
            ),
        ),
        (
            "CREATE OR REPLACE VIEW v AS AUGMENT TABLE t TARGET y",
            Statement(BaseSpec("t", "y"), Options(), view="v", replaces=True),
        ),
    ],
)  # fmt: skip
def test_what_is_asked_for(text: str, found: Statement) -> None:
    assert is_augment(text)
    assert statement_of(text) == found


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("AUGMENT TABLE t", "42601"),
        ("AUGMENT t TARGET y", "42601"),
        ("AUGMENT TABLE t TARGET 5", "42601"),
        ("AUGMENT TABLE t TARGET y TABLES many", "42601"),
        ("AUGMENT TABLE t TARGET y TABLES 99999999999999999999", "22023"),
        ("AUGMENT TABLE t TARGET y TABLES 1 TABLES 2", "42601"),
        ("AUGMENT TABLE t TARGET y SELECTOR best", "22023"),
        ("AUGMENT TABLE t TARGET y BUDGET 60", "42601"),
        ("AUGMENT TABLE t TARGET y BUDGET 'soon'", "42601"),
        ("AUGMENT TABLE t TARGET y WHERE (a = 1", "42601"),
        ("AUGMENT TABLE t TARGET y WHERE (a = 1)) OR (b = 2)", "42601"),
        ("AUGMENT TABLE t TARGET y; SELECT 1", "42601"),
        ("AUGMENT TABLE t TARGET 'y", "42601"),
    ],
)
def test_what_is_not_written_so(text: str, state: str) -> None:
    with pytest.raises(AugmentError) as caught:
        statement_of(text)
    assert caught.value.sqlstate == state


@pytest.mark.parametrize(
    "text",
    [
        "select * from augment",
        "augmentation",
        "explain select 1",
        "create view v as select 'augment table t'",
    ],
)
def test_other_statements_are_none(text: str) -> None:
    assert not is_augment(text)


@pytest.mark.parametrize(
    "text", ["/**/" * 50_000 + "x", "create view " + " as " * 50_000, "--\n" * 50_000, " " * 200_000]
)
def test_long_texts_are_told_apart_quickly(text: str) -> None:
    started = time.thread_time()
    assert not is_augment(text)
    assert time.thread_time() - started < 1.0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DROP VIEW a, B", DropView(("a", "b"), missing_ok=False)),
        ('drop view if exists "B"', DropView(("B",), missing_ok=True)),
        ("drop view s.a", None),
        ("drop view a cascade", None),
        ("drop table a", None),
        ("drop view a; drop view b", None),
        ("select 'drop view a'", None),
    ],
)
def test_views_that_are_dropped(text: str, found: DropView | None) -> None:
    assert dropped_views(text) == found


def test_views_that_a_text_may_name() -> None:
    views = {"plus": "select 1", "other": "select 2"}
    assert views_in('select * from "plus" p join PLUS on true', views) == {"plus": "select 1"}
    assert views_in("select 'plus'", views) == {}
