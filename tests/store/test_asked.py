"""Questions, validated ones and lessons in the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.store.api import Store, open_store
from rewright.store.errors import NotFound, StoreError
from rewright.store.records import AskLesson, AskSeen, Options, QuestionValidated


def test_an_answered_question_is_found_again_by_its_key_alone(store: Store) -> None:
    store.asks.add(AskSeen("app", "ann", "how many?", sql="select 1", key="k", at=100.0))
    store.asks.add(AskSeen("app", "ann", "how many?", refused="unclear", key="k", at=200.0))
    found = store.asks.again("k", since=50.0)
    assert found is not None
    assert found.sql == "select 1"
    assert store.asks.again("k", since=150.0) is None
    assert store.asks.again("other", since=0.0) is None
    assert store.asks.again("", since=0.0) is None


def test_a_correction_counts_for_the_question_however_it_is_written(store: Store) -> None:
    number = store.asks.add(AskSeen("app", "ann", "How many?", sql="select 1", key="k"))
    store.asks.correct(number, "select 2", by="root", database="app")
    found = store.validated.find("app", "  how MANY ")
    assert found is not None
    assert (found.sql, found.validated_by) == ("select 2", "root")
    assert store.asks.again("k", since=0.0) is None, "what was wrong is not used again"
    assert store.asks.get(number).corrected == "select 2"
    assert store.validated.find("other", "how many?") is None
    with pytest.raises(NotFound):
        store.asks.correct(number, "select 3", by="root", database="other")


def test_the_same_question_has_one_validated_query(store: Store) -> None:
    store.validated.add(QuestionValidated("app", "how many?", "select 1"))
    kept = store.validated.add(QuestionValidated("app", "How many", "select 2"))
    assert [one.sql for one in store.validated.read(database="app")] == ["select 2"]
    store.validated.remove(kept.id, database="app")
    assert not store.validated.read()
    with pytest.raises(NotFound):
        store.validated.remove(kept.id)


def test_lessons_have_versions_and_stay_when_removed(store: Store) -> None:
    first = store.ask_lessons.propose(AskLesson("app", "schema", "years are seasons"))
    again = store.ask_lessons.propose(AskLesson("app", "schema", "years are seasons"))
    second = store.ask_lessons.propose(AskLesson("app", "sql", "no limits"))
    assert first.id == again.id
    assert store.ask_lessons.change(first.id, "adopted").version == 1
    assert store.ask_lessons.change(second.id, "adopted").version == 2
    removed = store.ask_lessons.change(first.id, "removed", reason="wrong", by="root", database="app")
    assert (removed.version, removed.status, removed.reason) == (3, "removed", "wrong")
    assert len(store.ask_lessons.read(database="app")) == 2
    with pytest.raises(NotFound):
        store.ask_lessons.change(first.id, "adopted", database="other")


def test_without_literals_no_word_of_a_question_is_kept(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db"), Options(literals=False)) as store:
        number = store.asks.add(
            AskSeen("app", "ann", "is Smith ill?", sql="select * from t where a = 'Smith'", reading="a is Smith",
                    trajectory=[{"text": "Smith"}], key="k")
        )  # fmt: skip
        assert "Smith" not in repr(store.asks.get(number))
        assert store.asks.again("k", since=0.0) is None
        with pytest.raises(StoreError):
            store.asks.correct(number, "select 1", by="root")
