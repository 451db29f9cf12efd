"""One world for all modules that run the documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.documents.world import World, serving, world, world_config


@pytest.fixture(scope="session")
def documents_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """With its proxy running. Tests of other folders run beside it: the environment is theirs again."""
    with ExitStack() as stack:
        made = stack.enter_context(world(tmp_path_factory.mktemp("documents")))
        with pytest.MonkeyPatch.context() as patch:
            for name, value in made.environment.items():
                patch.setenv(name, value)
            stack.enter_context(serving(world_config(made)))
        yield made


@pytest.fixture
def documents(documents_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The world, and its environment for one test."""
    for name, value in documents_world.environment.items():
        monkeypatch.setenv(name, value)
    return documents_world
