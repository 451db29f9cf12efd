"""Pairs made to fool the prover: none may be proved without a reservation, by the kernel or by parts. No
server is asked.

Each file of `adversarial/` starts with a schema; the lines after it are pairs that differ on some database of
it (by another collation, another order of evaluation or plain rows).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.equivalence.proving import Binding
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.shares import shares

FILES = sorted((Path(__file__).parent / "adversarial").glob("*.jsonl"))


def pairs(path: Path) -> Iterator[dict[str, Any]]:
    schema, *rows = [json.loads(line) for line in path.read_text().splitlines()]
    return ({**schema, **row} for row in rows)


@pytest.mark.long
@pytest.mark.parametrize(("path", "share"), shares(FILES, 3))
def test_nothing_false_is_proved(path: Path, share: slice) -> None:
    proved: list[str] = []
    bound = 0
    catalog = catalog_from_ddl(next(pairs(path))["schema_sql"])
    for pair in list(pairs(path))[share]:
        if pair.get("equal"):  # kept beside its near misses
            continue
        try:
            q1, q2 = bind(pair["q1"], catalog), bind(pair["q2"], catalog)
        except (BindError, Unsupported):
            continue
        bound += 1
        found = prove(q1, q2, catalog, deadline_seconds=1)
        by_parts = prove_pair(Binding(q1, q2, catalog), catalog, 1.0).proved
        sure = isinstance(found, Proof) and not found.modulo
        if sure or (by_parts is not None and not by_parts.modulo):
            proved.append(f"{pair['q1']} / {pair['q2']}")
    assert bound > 0
    assert not proved
