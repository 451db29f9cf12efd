"""Pairs by hand, off by one side condition (and their neighbours that hold): none that differs is proved,
none that is equal refuted.

Each file of `near_misses/` starts with a schema; the lines after it are pairs with what is ``expected``:
``differs`` (on some database, under some collation, time zone or physical order), ``equal``, or ``volatile``
(nothing may be said). ``open`` lists the reservations with which a pair that differs may be proved, since
these say where it does.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.equivalence.verdicts import Refuted, Unknown
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.shares import shares

FILES = sorted((Path(__file__).parent / "near_misses").glob("*.jsonl"))


def pairs(path: Path, *expected: str) -> tuple[str, list[dict[str, Any]]]:
    """The schema, and the pairs of which this is expected."""
    schema, *rows = [json.loads(line) for line in path.read_text().splitlines()]
    return schema["schema_sql"], [row for row in rows if row["expected"] in expected]


@pytest.mark.long
@pytest.mark.parametrize(("path", "share"), shares(FILES, 6))
def test_no_near_miss_is_proved(path: Path, share: slice) -> None:
    schema, every = pairs(path, "differs", "volatile")
    rows = every[share]
    catalog = catalog_from_ddl(schema)
    wrong: list[str] = []
    bound = 0
    for row in rows:
        try:
            q1, q2 = bind(row["q1"], catalog), bind(row["q2"], catalog)
        except (BindError, Unsupported):  # not understood, so never proved
            continue
        bound += 1
        for original, candidate in ((q1, q2), (q2, q1)):
            found = prove(original, candidate, catalog, deadline_seconds=1)
            stated = row.get("open")
            if isinstance(found, Proof) and (stated is None or not found.modulo & set(stated)):
                wrong.append(f"{row['q1']} / {row['q2']}: {sorted(found.modulo)}")
    assert bound > len(rows) / 2
    assert not wrong


@pytest.mark.server
@pytest.mark.parametrize(("path", "share"), shares(FILES, 3))
def test_no_equal_pair_is_refuted_and_of_volatile_ones_nothing_is_said(
    path: Path, share: slice, scratch_server: ScratchServer
) -> None:
    schema, rows = pairs(path, "equal", "volatile")
    options = Options(prover=False, databases=60, seconds=2)
    with Checker(scratch=scratch_server, options=options, schema_sql=schema) as checker:
        for row in rows[share]:
            verdict = checker.check(row["q1"], row["q2"])
            assert not isinstance(verdict, Refuted), row
            if row["expected"] == "volatile":
                assert isinstance(verdict, Unknown), row
                assert "volatile" in verdict.reason
            else:
                assert "does not run" not in getattr(verdict, "reason", ""), row
