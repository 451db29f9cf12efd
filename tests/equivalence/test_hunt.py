"""The search for false proofs tells one from proofs that hold, that are excused, and of texts with several answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.hunt import FOLDER, filled, made, sections
from bench.hunt_runs import Proof, look
from rewright.engines.postgres.scratch import ScratchServer

SCHEMA = "create table t (id int primary key, x numeric)"
STATES = (("rows", "insert into t values (1, 1.0), (2, 0)"), ("none", ""))


def told(server: ScratchServer, q1: str, q2: str, *modulo: str) -> str:
    (found,) = look(server, SCHEMA, STATES, [Proof("", q1, q2, modulo)])
    return found.word


@pytest.mark.server
@pytest.mark.parametrize(
    ("q1", "q2", "modulo", "word"),
    [
        ("select id from t", "select id from t where true", (), "same"),
        ("select id from t", "select id from t where id > 1", (), "false"),
        ("select id from t", "select id from t where id > 1", ("errors",), "false"),
        ("select x from t where id = 1", "select 1.00 from t where id = 1", (), "false"),
        ("select id from t order by id", "select id from t order by id desc", (), "false"),
        ("select id from t", "select id from t order by id desc", (), "same"),
        ("select id from t where 1 / x > 0", "select id from t where x > 0", (), "false"),
        ("select id from t where 1 / x > 0", "select id from t where x > 0", ("errors",), "excused"),
        ("select id from t", "select id::bigint from t", ("types",), "excused"),
        ("select 1 / 0", "select 2 / 0", (), "fails"),
    ],
)
def test_what_a_server_makes_of_a_proof(
    scratch_server: ScratchServer, q1: str, q2: str, modulo: tuple[str, ...], word: str
) -> None:
    assert told(scratch_server, q1, q2, *modulo) == word


def test_holes_are_filled_alike_in_both_texts() -> None:
    assert (
        filled("select {v} from t where {v} = '{1}'", {"v": "{w}", "w": "p.x"})
        == "select p.x from t where p.x = '{1}'"
    )


@pytest.mark.parametrize(
    "name",
    sorted(p.name for p in FOLDER.glob("*.sql") if p.stem not in {"schema", "states", "fills", "contexts"}),
)
def test_each_family_has_pairs_that_are_understood(name: str) -> None:
    file: Path = FOLDER / name
    families = {family for family, _ in sections(file.read_text(encoding="utf-8"), "family")}
    asked = list(made([file], 2, 0, ""))
    assert {q.family for q in asked} == families
    assert all(q.q1 != q.q2 for q in asked)
