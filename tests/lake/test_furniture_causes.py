"""What went wrong on a furniture maker's lake at first sight: a table taken for its rows alone, told surely; words of trade
in other languages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.asking import asked, rows_of, table

THRESHOLD = 0.7


@pytest.fixture
def maker(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """A French showroom's orders, their lines and what was complained of."""
    orders = [f"{300 + i},{70 + i % 9},2024-{1 + i % 12:02d}-0{1 + i % 9},{'DPX'[i % 3]}" for i in range(90)]
    table(tmp_path, "crm_cmd", "no_cmd,client_no,date_cmd,etat", orders)
    table(tmp_path, "crm_etats", "etat,libelle", ["D,delivered", "P,pending", "X,cancelled"])
    lines = [f"{300 + i % 90},P{i % 20},{1 + i % 7},{40 + i % 60}" for i in range(260)]
    table(tmp_path, "crm_lignes", "no_cmd,art,qte,pu", lines)
    wrongs = [f"R{i},{300 + i},{['late', 'broken', 'scratch'][i % 3]},{10 * i} EUR" for i in range(40)]
    table(tmp_path, "crm_reclamations", "no_recl,no_cmd,motif,remboursement", wrongs)
    with open_lake(tmp_path, embedder=embedder) as lake:
        yield lake


def test_a_status_that_only_another_table_has_is_not_counted_surely(maker: Lake) -> None:
    answer = asked(maker, "SELECT count(*) AS orders FROM orders WHERE status = 'cancelled'")
    assert rows_of(answer) == [(30,)] or answer.resolution.confidence < THRESHOLD


def test_complaints_are_found_by_a_word_that_english_has_too(maker: Lake) -> None:
    answer = asked(
        maker, "SELECT reason, sum(refund) AS refunded FROM complaints GROUP BY reason ORDER BY reason"
    )
    assert rows_of(answer) == [("broken", 2470), ("late", 2730), ("scratch", 2600)]
