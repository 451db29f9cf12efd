"""Facts about one server that decide what can be done with it. Must not know who asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

# What changes plans, costs or answers, and is worth keeping beside evidence.
RELEVANT_SETTINGS = (
    "work_mem",
    "jit",
    "from_collapse_limit",
    "join_collapse_limit",
    "geqo_threshold",
    "max_parallel_workers_per_gather",
    "random_page_cost",
    "effective_cache_size",
    "compute_query_id",
)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """``hint_plan``: pg_hint_plan can be used in this session (loaded, or preloaded for everybody)."""

    version: int
    version_text: str
    database: str
    encoding: str
    collation: str
    extensions: Mapping[str, str]
    settings: Mapping[str, str]
    hint_plan: bool
    in_recovery: bool
    standard_strings: bool

    @property
    def major(self) -> int:
        return self.version // 10000


FACTS = """
select version(), current_database(), getdatabaseencoding(),
  (select datcollate from pg_database where datname = current_database()), pg_is_in_recovery(),
  current_setting('standard_conforming_strings') = 'on'"""


def server_facts(connection: psycopg.Connection[Any]) -> ServerFacts:
    """Raises psycopg.Error."""
    row = connection.execute(FACTS).fetchone()
    assert row is not None
    extensions = dict(connection.execute("select extname, extversion from pg_extension").fetchall())
    settings = connection.execute(
        "select name, setting from pg_settings where name = any(%s)", [list(RELEVANT_SETTINGS)]
    ).fetchall()
    return ServerFacts(
        version=connection.info.server_version,
        version_text=row[0],
        database=row[1],
        encoding=row[2],
        collation=row[3],
        extensions=extensions,
        settings=dict(settings),
        hint_plan=has_hint_plan(connection),
        in_recovery=row[4],
        standard_strings=row[5],
    )


def has_hint_plan(connection: psycopg.Connection[Any]) -> bool:
    """Whether pg_hint_plan is loaded here. Its rows in pg_settings tell: current_setting() is also
    answered for a placeholder that anybody may have set.
    """
    row = connection.execute(
        "select count(*) from pg_settings where name in ('pg_hint_plan.enable_hint', "
        "'pg_hint_plan.debug_print')"
    ).fetchone()
    return row is not None and row[0] == 2
