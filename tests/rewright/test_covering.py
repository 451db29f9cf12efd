"""Which texts a rewrite for all literals covers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.processes.jobs import Job
from rewright.sql.forms import form_of
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level
from rewright.store.records import NewRewrite
from rewright.wiring import covering as subject
from rewright.wiring.covering import Covering
from rewright.wiring.served import parameter_document

NEW = NewRewrite(
    database="app",
    template_key="k",
    template="select a from t where b = ⟦1:i⟧",
    original="select a from t where b = 7",
    replacement="select a from t where b = ⟦1:i⟧ and true",
    scope="any",
    level=Level.PROVED,
    parameters=parameter_document(()),
    checker_version=CHECKER_VERSION,
)
JOB = Job("app", "SELECT a FROM t WHERE b = 8", (), 1.0, "joe", "psql", model=False, hints=False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        yield opened


def test_what_comes_and_goes_is_seen(store: Store) -> None:
    covering = Covering(store)
    assert covering.find(JOB) is None
    kept = store.rewrites.act(store.rewrites.add(NEW).id, Action.ACTIVATE)
    found = covering.find(JOB)
    assert found is not None
    assert found.id == kept.id
    store.rewrites.act(kept.id, Action.RETIRE, reason="slower")
    assert covering.find(JOB) is None


def test_a_rejected_one_covers_whatever_its_checker(store: Store) -> None:
    kept = store.rewrites.add(replace(NEW, checker_version="1"))
    assert Covering(store).find(JOB) is None
    store.rewrites.act(kept.id, Action.REJECT, reason="no", by="ada")
    assert Covering(store).find(JOB) is not None


@pytest.mark.parametrize(
    "other",
    [
        replace(JOB, database="other"),
        replace(JOB, param_types=(23,)),
        replace(JOB, text="select a from t where b = 'x'"),
        replace(JOB, text="select a from t where c = 8"),
        replace(JOB, text="/*+ SeqScan(t) */ select a from t where b = 8"),
    ],
    ids=["database", "types", "kind of literal", "column", "hint"],
)
def test_other_texts_are_not_covered(store: Store, other: Job) -> None:
    store.rewrites.act(store.rewrites.add(NEW).id, Action.ACTIVATE)
    covering = Covering(store)
    assert covering.find(JOB) is not None
    assert covering.find(other) is None


def test_a_template_that_keeps_a_literal_covers_texts_that_have_it(store: Store) -> None:
    kept = replace(NEW, template="select a from t where b = ⟦1:i⟧ and c < 5", template_key="c")
    store.rewrites.act(store.rewrites.add(kept).id, Action.ACTIVATE)
    covering = Covering(store)
    assert covering.find(replace(JOB, text="select a from t where b = 8 and c < 5")) is not None
    assert covering.find(replace(JOB, text="select a from t where b = 8 and c < 6")) is None


def test_the_store_is_read_again_only_when_it_changed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.rewrites.act(store.rewrites.add(NEW).id, Action.ACTIVATE)
    covering, shapes = Covering(store), []
    inner = subject._shape
    monkeypatch.setattr(subject, "_shape", lambda one: shapes.append(one) or inner(one))
    covering.find(JOB)
    covering.find(replace(JOB, text="select a from t where b = 9"))
    assert len(shapes) == 1


def test_key_and_shape_of_a_job_scan_its_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from functools import lru_cache

    from rewright.sql import forms

    scans: list[str] = []
    monkeypatch.setattr(
        forms, "_scanned_last", lru_cache(maxsize=8)(lambda text: scans.append(text) or form_of(text))
    )
    assert JOB.key != JOB.shape
    assert scans == [JOB.text]
