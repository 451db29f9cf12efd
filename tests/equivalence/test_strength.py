"""What the prover is expected to prove, and its certificates to show: equivalent pairs of many kinds, kept as
a list so that no law gets lost.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

FOLDER = Path(__file__).parent / "strength"
SCHEMA = (FOLDER / "schema.sql").read_text()
CATALOG = catalog_from_ddl(SCHEMA)
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


@pytest.mark.long
@pytest.mark.sampled(6)
@pytest.mark.parametrize("words", PAIRS)
def test_a_pair_that_is_the_same_is_proved(words: str) -> None:
    q1, q2 = (bind(text, CATALOG) for text in PAIRS[words])
    found = prove(q1, q2, CATALOG, deadline_seconds=60)
    assert isinstance(found, Proof), found
    assert found.modulo == RESERVED.get(words, set())
    proved = Proved(found.method, scope=found.scope, modulo=tuple(sorted(found.modulo)), proof=found)
    document = certificate(proved, Texts(SCHEMA, *PAIRS[words]), Binding(q1, q2, CATALOG))
    outcome = recheck(json.dumps(document).encode())
    assert (outcome.word, outcome.reason) == ("good", "")
    assert set(document["modulo"]) == found.modulo
