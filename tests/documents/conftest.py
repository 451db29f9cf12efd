"""One world for all modules that run the documents."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.documents.world import World, serving, world, world_config


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """With its proxy running."""
    home = tmp_path_factory.mktemp("documents")
    before = dict(os.environ)
    with world(home) as made:
        os.environ.update(made.environment)
        try:
            with serving(world_config(made)):
                yield made
        finally:
            os.environ.clear()
            os.environ.update(before)
