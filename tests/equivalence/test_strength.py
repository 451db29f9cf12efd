"""What the prover is expected to prove: equivalent pairs of many kinds, kept as a list so that no law gets lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

FOLDER = Path(__file__).parent / "strength"
CATALOG = catalog_from_ddl((FOLDER / "schema.sql").read_text())
# equal, but the server may raise an error on one side only, or the prover can not exclude it
RESERVED = {"SUM of a doubled column": {"overflow"}}


def pairs() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for part in re.split(r"^-- pair: ", (FOLDER / "pairs.sql").read_text(), flags=re.MULTILINE)[1:]:
        words, _, texts = part.partition("\n")
        first, second = (text.strip() for text in texts.strip().rstrip(";").split(";\n"))
        assert words not in found
        found[words] = (first, second)
    return found


PAIRS = pairs()


def test_there_are_pairs_of_many_kinds() -> None:
    assert len(PAIRS) >= 150


@pytest.mark.parametrize("words", PAIRS)
def test_a_pair_that_is_the_same_is_proved(words: str) -> None:
    q1, q2 = (bind(text, CATALOG) for text in PAIRS[words])
    found = prove(q1, q2, CATALOG, deadline_seconds=60)
    assert isinstance(found, Proof), found
    assert found.modulo == RESERVED.get(words, set())
