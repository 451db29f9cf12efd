"""``rewright lake``: a directory of tables that nobody described. Queries mean what they mean in a lake
session.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewright.cli.common import CONFIG_OPTION, configuration
from rewright.cli.parts import Verbs

if TYPE_CHECKING:
    from rewright.lake.api import Lake, Mode
    from rewright.lake.resolve.resolution import Answer

VERBS: Mapping[str, str] = {
    "index": "read a lake and remember what is in it",
    "tables": "its tables",
    "search-table": "tables for words",
    "search-value": "where a value is",
    "union": "tables that can be appended",
    "join-path": "how two tables join",
    "build-cte": "a table cleaned",
    "query": "resolve and run a query",
    "batch": "many queries from a file",
}


class LakeVerbs(Verbs):
    """The lake's verbs, told of the configured model."""

    def invoke(self, ctx: click.Context) -> object:
        path: Path | None = ctx.params.get("config_path")
        config = configuration(path)
        if config.models.of("lake"):
            from rewright.lake.command import ModelPort
            from rewright.lake.model_driver import Driving
            from rewright.wiring.modelling import model_of

            driving = Driving(share=config.models.share)  # type: ignore[arg-type] # [models] share is checked when it is read
            ctx.obj = ModelPort(partial(model_of, path), driving)
        from rewright.lake.command import POSTGRES, PostgresPort

        # reached through click's meta, as the object is the model's
        ctx.meta[POSTGRES] = PostgresPort(_served, _answered)
        return super().invoke(ctx)


def _served(lake: Lake) -> AbstractContextManager[str]:
    # only commands that query need all this
    from rewright.wiring.lake_answers import served

    return served(lake)


def _answered(lake: Lake, dsn: str, sql: str, mode: Mode, threshold: float) -> Answer:
    from rewright.wiring.lake_answers import answered

    return answered(lake, dsn, sql, mode, threshold)


command = LakeVerbs(
    "lake", "rewright.lake.command", "the data lake", VERBS, help="Data lakes: look around, query."
)
CONFIG_OPTION(command)
