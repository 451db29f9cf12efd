"""Every hazard and side condition, in both directions, and the mutation test of the prover.

A fixture holds a pair that stands and the nearest pair that falls. The first is proved (and its proof
checked), the second is not; with the condition of that id switched off the second one is "proved": if it were
not, the condition would guard nothing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.algebra import Query
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.mutating import switched_off
from tests.equivalence.registry import REGISTRY

FOLDER = Path(__file__).parents[1] / "hazards"
IDS = (
    *(f"F{i}" for i in range(1, 16)),
    # F16, an inheritance child that comes later, is no condition of a proof but of its being served: see
    # test_changes. F23, bounds that are untrue, F24 and F25: see test_stored_rows and test_untrue_not_null
    *(f"F{i}" for i in range(17, 23)),
    *(f"M{i}" for i in range(1, 22)),
    *(
        [
            "1a",
            "1b",
            "1c",
            "1d",
            "1e",
            "1f",
            "2a",
            "2b",
            "2c",
            "2d",
            "3a",
            "3b",
            "3c",
            "4a",
            "4b",
            "4c",
            "4d",
            "4e",
            "5a",
            "5b",
            "5c",
            "5d",
            "5e",
        ]
    ),
    *(
        [
            "6a",
            "6b",
            "6c",
            "6d",
            "6e",
            "6f",
            "6g",
            "7a",
            "7b",
            "7c",
            "7d",
            "7e",
            "8",
            "9",
            "10",
            "11",
            "12",
            "13",
            "14",
            "15",
            "16",
            "17",
        ]
    ),
)


@dataclass(frozen=True)
class Fixture:
    schema: str
    stands: tuple[str, str]
    falls: tuple[str, str]
    flags: dict[str, str]


def read(id_: str) -> Fixture:
    text = (FOLDER / f"{id_}.sql").read_text()
    parts = dict(
        re.findall(
            r"^-- (schema|stands|falls)\n(.*?)(?=^-- (?:stands|falls)\n|\Z)", text, re.DOTALL | re.MULTILINE
        )
    )
    flags = dict(re.findall(r"^-- ([\w-]+): (.*)$", text, re.MULTILINE))
    pairs = {
        word: tuple(q.strip() for q in parts[word].split(";\n") if q.strip()) for word in ("stands", "falls")
    }
    (s1, s2), (f1, f2) = pairs["stands"], pairs["falls"]
    return Fixture(parts["schema"], (s1, s2), (f1, f2), flags)


def catalog_of(fixture: Fixture) -> Catalog:
    catalog = catalog_from_ddl(fixture.schema)
    for relation in catalog.relations:
        name = relation.ref.name
        keys = relation.foreign_keys
        if name == fixture.flags.get("triggers-disabled"):
            relation = replace(relation, foreign_keys=tuple(replace(k, triggers_enabled=False) for k in keys))
        if name == fixture.flags.get("doubted"):
            doubt: Any = fixture.flags["doubt"]
            relation = replace(
                relation,
                keys=tuple(replace(k, doubt=doubt) for k in relation.keys),
                foreign_keys=tuple(replace(k, doubt=doubt) for k in keys),
                checks=tuple(replace(k, doubt=doubt) for k in relation.checks),
            )
        if name == fixture.flags.get("foreign-children"):
            relation = replace(relation, foreign_children=True)
        if name == fixture.flags.get("period"):
            relation = replace(relation, foreign_keys=tuple(replace(k, period=True) for k in keys))
        if name == fixture.flags.get("foreign"):
            relation = replace(relation, kind="foreign")
        # a live server names the constraint of a NOT NULL that is not valid
        unchecked = fixture.flags.get("unchecked")
        columns = tuple(
            replace(c, not_null_constraint="q_x") if c.name == unchecked else c for c in relation.columns
        )
        catalog = catalog.with_relations(replace(relation, columns=columns))
    doubted = fixture.flags.get("doubted-domain")
    types = tuple(
        replace(t, checks=tuple(replace(k, doubt="F22") for k in t.checks)) if t.name == doubted else t
        for t in catalog.types
    )
    return replace(catalog, types=types)


def proof_of(fixture: Fixture, pair: tuple[str, str]) -> tuple[Proof | None, Query, Query, Catalog]:
    """The proof if it counts: no reservations but those the fixture accepts, and of the scope it asks for.
    ``by: parts`` asks for one in another form of the pair.
    """
    catalog = catalog_of(fixture)
    q1, q2 = (bind(text, catalog) for text in pair)
    if fixture.flags.get("by") == "parts":
        proved = prove_pair(Binding(q1, q2, catalog), catalog, 10.0).proved
        return (None if proved is None or proved.modulo else cast("Proof", proved.proof)), q1, q2, catalog
    found = prove(q1, q2, catalog, deadline_seconds=90, distrust=fixture.flags.get("distrust", "").split())
    counts = (
        isinstance(found, Proof)
        and found.modulo <= set(fixture.flags.get("accept", "").split())
        and fixture.flags.get("scope", found.scope) == found.scope
    )
    return (found if counts and isinstance(found, Proof) else None), q1, q2, catalog


def test_each_id_has_an_entry_and_a_fixture() -> None:
    assert set(IDS) == set(REGISTRY) == {p.stem for p in FOLDER.glob("*.sql")}


@pytest.mark.parametrize("id_", IDS)
def test_pair_that_stands_is_proved(id_: str) -> None:
    fixture = read(id_)
    proof, q1, q2, catalog = proof_of(fixture, fixture.stands)
    assert proof is not None
    assert check_proof(proof, q1, q2, catalog) is None
    # a certificate is about DDL, which does not say all that a fixture may set
    if catalog.digest() == catalog_from_ddl(fixture.schema).digest():
        proved = Proved(proof.method, scope=proof.scope, modulo=tuple(sorted(proof.modulo)), proof=proof)
        document = certificate(proved, Texts(fixture.schema, *fixture.stands), Binding(q1, q2, catalog))
        outcome = recheck(json.dumps(document).encode())
        assert (outcome.word, outcome.reason) == ("good", "")


@pytest.mark.parametrize("id_", IDS)
def test_pair_that_falls_is_not_proved(id_: str) -> None:
    fixture = read(id_)
    assert proof_of(fixture, fixture.falls)[0] is None


@pytest.mark.parametrize("id_", IDS)
def test_switching_the_condition_off_proves_the_pair_that_falls(id_: str) -> None:
    fixture = read(id_)
    with switched_off(id_):
        assert proof_of(fixture, fixture.falls)[0] is not None
