"""Rows that make up the target together: their sum is told, and what else is made of them is not rewarded."""

from __future__ import annotations

import random
from pathlib import Path

from rewright.lake.augment.api import BaseSpec
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, searched


def test_no_aggregate_of_a_column_whose_sum_is_the_target_counts(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    chance = random.Random(4)
    spent = {f"M{n + 4000}": chance.gauss(300, 60) for n in range(300)}
    parts: list[list[object]] = []
    for who, amount in spent.items():
        cuts = sorted(chance.random() for _ in range(chance.randint(0, 2)))
        shares = [b - a for a, b in zip([0.0, *cuts], [*cuts, 1.0], strict=True)]
        parts += [[who, round(amount * share / 1.2, 2)] for share in shares]
    tables: Tables = {
        "members": (["member", "spent"], [[who, round(amount, 2)] for who, amount in spent.items()]),
        "bills": (["member", "net"], parts),
    }
    found = searched(tmp_path, embedder, tables, BaseSpec("members", "spent"))
    assert [(leak.table, leak.column) for leak in found.leaks] == [("bills", "net")]
    assert not [one for one in found.added if one.recommended]
