"""Shapes that applications and their libraries send: pairs that are equal and near misses that differ, each
kept with rows to tell them apart.

The sets were written before the laws, half of it (`held.sql`) is not tuned on. A set's near misses all differ
on the rows, its equal pairs give the same on all of them, and no near miss is proved; of the equal pairs a
share must be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.hostile_runs import Collection, HostileRows
from tests.equivalence.shares import shares

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parent / "shapes"
SCHEMA = (FOLDER / "schema.sql").read_text()
CATALOG = catalog_from_ddl(SCHEMA)
# how many equal pairs of each set are proved without any reservation, at least
PROVED = {"tuned": 70, "held": 65}
STATES = tuple((FOLDER / "states.sql").read_text().rstrip("\n").split("\n"))


@dataclass(frozen=True)
class Pair:
    """Two queries, and whether they are the same."""

    words: str
    equal: bool
    q1: str
    q2: str


@cache
def pairs(name: str) -> tuple[Pair, ...]:
    found: list[Pair] = []
    parts = re.split(r"^-- (equal|different): ", (FOLDER / f"{name}.sql").read_text(), flags=re.MULTILINE)[1:]
    for kind, part in zip(parts[::2], parts[1::2], strict=True):
        words, _, texts = part.partition("\n")
        first, second = (text.strip() for text in texts.strip().rstrip(";").split(";\n"))
        found.append(Pair(words, kind == "equal", first, second))
    return tuple(found)


def proved(pair: Pair) -> Proved | None:
    q1, q2 = (bind(text, CATALOG) for text in (pair.q1, pair.q2))
    return prove_pair(Binding(q1, q2, CATALOG), CATALOG, 20.0).proved


def test_there_are_enough_of_both() -> None:
    every = [p for name in PROVED for p in pairs(name)]
    assert sum(p.equal for p in every) >= 140
    assert sum(not p.equal for p in every) >= 100
    assert len({p.words for p in every if p.equal}) == sum(p.equal for p in every)


@pytest.mark.parametrize(("path", "share"), shares((FOLDER / f"{name}.sql" for name in PROVED), 6))
def test_no_near_miss_is_proved(path: Path, share: slice) -> None:
    near = [p for p in pairs(path.stem) if not p.equal][share]
    false = [p.words for p in near if (made := proved(p)) and not made.modulo]
    assert false == []


@pytest.mark.parametrize("name", PROVED)
def test_equal_pairs_are_proved_and_their_proofs_replay(name: str) -> None:
    count = 0
    for pair in pairs(name):
        made = proved(pair) if pair.equal else None
        if made is None or made.modulo:
            continue
        count += 1
        q1, q2 = (bind(text, CATALOG) for text in (pair.q1, pair.q2))
        flaw = _replayed(made, q1, q2)
        assert flaw is None, (pair.words, flaw)
    assert count >= PROVED[name]


def _replayed(made: Proved, q1: object, q2: object) -> object:
    from rewright.equivalence.proof import check_proof

    return check_proof(made.proof, q1, q2, CATALOG)  # type: ignore[arg-type]


@pytest.mark.server
@pytest.mark.parametrize("name", PROVED)
def test_what_is_said_of_the_pairs_is_so(name: str, scratch_server: ScratchServer) -> None:
    collection = Collection(SCHEMA, (FOLDER / "data.sql").read_text(), STATES, ())
    with HostileRows(scratch_server, collection) as rows:
        found = rows.differences([(p.q1, p.q2) for p in pairs(name)])
    assert [
        (p.words, told) for p, told in zip(pairs(name), found, strict=True) if p.equal == bool(told)
    ] == []
