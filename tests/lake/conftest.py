"""Lakes opened once for each test file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder, best_embedder
from tests.lake.small_lakes import bakery, noisy_harbour


@pytest.fixture(scope="session")
def embedder() -> CachedEmbedder:
    return best_embedder()


@pytest.fixture(scope="module")
def lake(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder
) -> Iterator[Lake]:
    """What ``write_lake`` of the test's file wrote."""
    folder: Path = tmp_path_factory.mktemp("lake")
    request.module.write_lake(folder)
    catalog = tmp_path_factory.mktemp("catalog") / "lake.db"
    with open_lake(folder, catalog=catalog, embedder=embedder) as opened:
        yield opened


@pytest.fixture(scope="module")
def bakery_lake(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder: Path = bakery(tmp_path_factory.mktemp("bakery"))
    with open_lake(
        folder, catalog=tmp_path_factory.mktemp("catalog") / "bakery.db", embedder=embedder
    ) as lake:
        yield lake


@pytest.fixture(scope="module")
def harbour_lake(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder: Path = noisy_harbour(tmp_path_factory.mktemp("harbour"))
    with open_lake(
        folder, catalog=tmp_path_factory.mktemp("catalog") / "harbour.db", embedder=embedder
    ) as lake:
        yield lake
