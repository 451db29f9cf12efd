"""Conditions of a LEFT JOIN that move into the join which the resolver makes."""

from __future__ import annotations

from pathlib import Path

from rewright.lake.api import open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.asking import asked, table


def test_alternatives_stay_together(tmp_path: Path, embedder: CachedEmbedder) -> None:
    kinds = ("tools,red,big", "paint,blue,small", "garden,green,big", "bath,blue,big")
    table(
        tmp_path,
        "categories",
        "category_id,category_name,colour,size",
        [f"{i + 1},{k}" for i, k in enumerate(kinds)],
    )
    rows = [f"{i + 1},product {chr(65 + i)},{1 + i % 4},{5 + i}" for i in range(12)]
    table(tmp_path, "products", "product_id,product_name,category_id,unit_price", rows)
    with open_lake(tmp_path, embedder=embedder) as lake:
        found = asked(
            lake,
            "SELECT g.product_name, k.category_name FROM products g LEFT JOIN kinds k "
            "ON g.kind_id = k.id AND (k.colour = 'red' OR k.size = 'small')",
        )
        assert found.rows is not None
        assert len(found.rows.rows) == 12
        assert sum(row[1] is None for row in found.rows.rows) == 6
