"""Sixty equal pairs as an analyst, an ORM and a language model write them, over four schemas; twenty were kept
aside while laws were written.

How many are proved: ``python -m bench.hostile --set authors [--aside yes|no]``.
"""

from __future__ import annotations

from bench.hostile import FOLDER, documents
from tests.equivalence.test_breadth import PATIENT, is_proved

PAIRS = list(documents(FOLDER / "authors"))


def test_there_are_as_many() -> None:
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS) == 60
    assert all(pair["equal"] for pair in PAIRS)
    assert sum(pair["aside"] for pair in PAIRS) == 20
    assert {pair["why"].partition(":")[0] for pair in PAIRS} == {"analyst", "orm", "model"}


def test_what_laws_were_written_for_is_proved() -> None:
    """A first row, a table between two others, decimals of CASE, and a schema with changes of columns."""
    wanted = {"th-02", "th-03", "la-03", "la-07", "la-13"}
    assert {
        p["id"] for p in PAIRS if p["id"] in wanted and is_proved(p, turned=False, seconds=PATIENT)
    } == wanted
