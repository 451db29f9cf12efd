"""The sample database of the pipeline's tests, once a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from rewright.ask.context import Context
from rewright.ask.context_reading import read_context
from rewright.ask.execution import Limits
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.running import PostgresRunner
from rewright.ask.safety import Rules
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from tests.ask.scripted import SCHEMA, ScriptedModel

Connection = psycopg.Connection[tuple[Any, ...]]
MakePipeline = Callable[..., Pipeline]


@pytest.fixture(scope="module")
def museum(scratch_server: ScratchServer, module_database: str) -> Iterator[Connection]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA.encode())
        yield made


@pytest.fixture(scope="module")
def museum_context(museum: Connection) -> Context:
    return read_context(museum, snapshot(museum))


@pytest.fixture(scope="module")
def runner(museum: Connection) -> PostgresRunner:
    return PostgresRunner(museum, Rules(snapshot(museum)), Limits(seconds=5))


@pytest.fixture
def pipeline(runner: PostgresRunner, museum_context: Context) -> MakePipeline:
    """A pipeline over the sample; further arguments are the pipeline's own, or the settings'."""

    def make(
        model: ScriptedModel, *, share: str = "samples", without: tuple[str, ...] = (), **more: Any
    ) -> Pipeline:
        own = {k: more.pop(k) for k in list(more) if k in Pipeline.__dataclass_fields__}
        settings = PipelineSettings(share=share, without=frozenset(without), **more)  # type: ignore[arg-type]
        return Pipeline(model, own.pop("runner", runner), own.pop("context", museum_context), settings, **own)

    return make
