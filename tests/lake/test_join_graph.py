"""The join graph keeps references and leaves out what every table has in common."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder, best_embedder
from rewright.lake.joins.scores import comparable, joinable, overlap
from tests.lake.small_lakes import bakery, write


@pytest.mark.parametrize("groups", [12])
def test_enumerations_and_serial_numbers_do_not_join_all(tmp_path: Path, groups: int) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    for g in range(groups):
        keys = [f"K{g:02d}-{i * 7919 % 9973:04d}" for i in range(30)]
        write(
            folder / f"thing_{g:02d}_x.csv",
            ["thing_code", "level"],
            [[k, ("low", "mid", "high")[i % 3]] for i, k in enumerate(keys)],
        )
        write(
            folder / f"event{g:02d}y.csv",
            ["entry_id", "thing_code", "level", "season"],
            [[i, keys[i % 30], ("low", "mid", "high")[i % 3], 2000 + i % 9] for i in range(60)],
        )
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=best_embedder(semantic=False)) as lake:
        graph = lake.graph()
        assert all(graph.has_edge(f"thing_{g:02d}_x", f"event{g:02d}y") for g in range(groups))
        assert graph.number_of_edges() < 10 * 2 * groups


def test_a_serial_key_is_joined_to_its_references(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    write(folder / "patients.csv", ["patient_id", "name"], [[i, f"P {i}"] for i in range(1, 31)])
    write(folder / "patient_addresses.csv", ["patient_id", "place"], [[i, f"Lane {i}"] for i in range(1, 31)])
    write(folder / "visits.csv", ["visit_id", "patient_id"], [[i, 1 + i % 30] for i in range(1, 91)])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=best_embedder(semantic=False)) as lake:
        assert lake.graph().has_edge("patients", "visits")
        assert lake.graph().has_edge("patients", "patient_addresses")


def test_numbers_of_one_name_join_where_one_side_is_a_key(tmp_path: Path) -> None:
    """`seas` 1 to 4 has no word that says key, and is one: each of a table of seasons is another. Amounts of
    one name are one another's by chance.
    """
    folder = tmp_path / "lake"
    folder.mkdir()
    write(folder / "rides.csv", ["day", "seas", "amount"], [[i, 1 + i % 4, i % 4] for i in range(10, 90)])
    write(folder / "seas_codes.csv", ["seas", "label"], [[i + 1, w] for i, w in enumerate("wxyz")])
    write(folder / "gifts.csv", ["amount", "giver"], [[i, f"G {i}"] for i in range(4)])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=best_embedder(semantic=False)) as lake:
        index = lake.index
        assert index.pairs("rides", "seas_codes")[0].quality > 0.6
        assert index.pairs("rides", "gifts")[0].quality < 0.4


def test_pairs_score_the_same_while_sketches_are_held(bakery_lake: Lake) -> None:
    index = bakery_lake.index
    columns = [c for c in index.columns if joinable(c)]
    pairs = [(a, b) for a in columns for b in columns if a.table < b.table and comparable(a, b)]
    before = [index.overlapping(a, b) for a, b in pairs]
    with index.holding_sketches():
        assert [index.overlapping(a, b) for a, b in pairs] == before
    assert any(before)
    assert not all(before)


def test_what_arrays_share() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = (np.unique(rng.integers(0, 60, rng.integers(1, 40))).astype(np.uint64) for _ in range(2))
        found, both = overlap(a, b, len(a), len(b)), set(a.tolist()) & set(b.tolist())
        assert found.a_in_b == pytest.approx(len(both) / len(a))
        assert found.b_in_a == pytest.approx(len(both) / len(b))


def test_the_tables_joined_to_one_are_told_without_the_graph(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    bakery(folder)
    catalog = tmp_path / "c.db"
    with open_lake(folder, catalog=catalog, embedder=embedder) as lake:
        graph = lake.graph()
        edges = {name: frozenset(graph.adj[name]) for name in graph}
        assert any(edges.values())
    with open_lake(folder, catalog=catalog, embedder=embedder) as lake:
        assert {name: lake.joined(name) for name in edges} == edges
        assert lake.joined("no_such_table") is None
        assert lake.joined("bk_sale") == frozenset(lake.graph().adj["bk_sale"])
