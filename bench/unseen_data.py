"""Databases of the unseen queries in an embedded PostgreSQL: 29 schemas filled by SQL from hashes of row
numbers, and TPC-H and TPC-DS by their generators.

Owns loading and the queries' file. Must not know rewrites. `python -m bench.unseen_data --keep DIR --scale
0.3` loads them and prints their addresses until its standard input ends.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import psycopg

from bench import warehouse
from bench.warehouse import SETTINGS, progress
from rewright.engines.postgres.scratch import ScratchServer

FILES = Path(__file__).parent / "unseen"
SCHEMAS = ("shop", "helpdesk", "telemetry")
MORE_SCHEMAS = ("insurance", "freight")
THIRD_SCHEMAS = ("telecom", "hospital")
FOURTH_SCHEMAS = ("library",)
FIFTH_SCHEMAS = ("tpch", "star")
SIXTH_SCHEMAS = ("airline",)
SEVENTH_SCHEMAS = ("games", "recruiting")
EIGHTH_SCHEMAS = ("utility",)
NINTH_SCHEMAS = ("transit",)
TENTH_SCHEMAS = ("lodging",)
ELEVENTH_SCHEMAS = ("auction",)
TWELFTH_SCHEMAS = ("depot",)
THIRTEENTH_SCHEMAS = ("campus",)
FOURTEENTH_SCHEMAS = ("bank",)
FIFTEENTH_SCHEMAS = ("adnet",)
SIXTEENTH_SCHEMAS = ("fishery",)
SEVENTEENTH_SCHEMAS = ("laboratory",)
EIGHTEENTH_SCHEMAS = ("music",)
NINETEENTH_SCHEMAS = ("grocer",)
TWENTIETH_SCHEMAS = ("tpch", "cinema")
TWENTYFIRST_SCHEMAS = ("tpcds", "builds")
TWENTYSECOND_SCHEMAS = ("tpch", "market")
TWENTYTHIRD_SCHEMAS = ("tpch", "lawfirm")
TWENTYFOURTH_SCHEMAS = ("tpch", "dairy")
TPCH_SCALE = 0.2
"""TPC-H's scale factor at scale 1: 1.7 million rows, about as many as the other schemas have."""
TPCDS_SCALE = 0.2
"""TPC-DS's at scale 1: 1.2 million rows of sales and returns, beside as many of stock."""
ORMS = {
    "dj": "Django",
    "sa": "SQLAlchemy",
    "pw": "Peewee",
    "sq": "Sequelize",
    "kx": "Knex",
    "to": "TypeORM",
    "dz": "Drizzle",
    "tt": "Tortoise",
    "pn": "Pony",
}
FIRST_QUERIES = FILES / "queries.jsonl"
MORE_ORMS = FILES / "orm_queries.jsonl"
"""What ORMs besides Django and SQLAlchemy print (`peewee_queries.py`, `sequelize_queries.js`,
`knex_queries.js`, `typeorm_queries.js`, `drizzle_queries.js`, `tortoise_queries.py`, `pony_queries.py`), with
rewrites by hand.
"""
MORE_QUERIES = FILES / "more_queries.jsonl"
"""Queries over ``MORE_SCHEMAS``, written when the rules fitted the first ones."""
THIRD_QUERIES = FILES / "third_queries.jsonl"
"""Queries over ``THIRD_SCHEMAS``, written when the rules fitted both."""
FOURTH_QUERIES = FILES / "fourth_queries.jsonl"
"""Queries over ``FOURTH_SCHEMAS``, in the shapes that ORMs print, written when the rules fitted all three."""
FIFTH_QUERIES = FILES / "fifth_queries.jsonl"
"""Queries over ``FIFTH_SCHEMAS``, a quarter of them with nothing to gain; each says which ORM prints its shape
and whether it is kept.
"""
SIXTH_QUERIES = FILES / "sixth_queries.jsonl"
"""Queries over ``SIXTH_SCHEMAS``, whose foreign keys have indexes and whose views read views; all of them open."""
SEVENTH_QUERIES = FILES / "seventh_queries.jsonl"
"""Queries over ``SEVENTH_SCHEMAS``, whose foreign keys have indexes here and there; all of them open."""
EIGHTH_QUERIES = FILES / "eighth_queries.jsonl"
"""Queries over ``EIGHTH_SCHEMAS``, with partitions, an enumeration and JSON; every third is kept."""
NINTH_QUERIES = FILES / "ninth_queries.jsonl"
"""Queries over ``NINTH_SCHEMAS``, with partitions, arrays and JSON; every third is kept."""
TENTH_QUERIES = FILES / "tenth_queries.jsonl"
"""Queries over ``TENTH_SCHEMAS``: half in the shapes of six ORMs, half analysts' and models'; every third is kept."""
ELEVENTH_QUERIES = FILES / "eleventh_queries.jsonl"
"""Queries over ``ELEVENTH_SCHEMAS``: pages of ORMs, analysts', models' and reports'; every third is kept."""
TWELFTH_QUERIES = FILES / "twelfth_queries.jsonl"
"""Queries over ``TWELFTH_SCHEMAS``: a third of ORMs, the others analysts', models' and reports'; every third is kept."""
THIRTEENTH_QUERIES = FILES / "thirteenth_queries.jsonl"
"""Queries over ``THIRTEENTH_SCHEMAS``: ORMs', analysts', dashboards' and reports'; a third is kept."""
FOURTEENTH_QUERIES = FILES / "fourteenth_queries.jsonl"
"""Queries over ``FOURTEENTH_SCHEMAS``, each with something to gain; every third is kept."""
FIFTEENTH_QUERIES = FILES / "fifteenth_queries.jsonl"
"""Queries over ``FIFTEENTH_SCHEMAS``: ORMs', analysts', models' and reports'; a third is kept."""
SIXTEENTH_QUERIES = FILES / "sixteenth_queries.jsonl"
"""Queries over ``SIXTEENTH_SCHEMAS``: ORMs', analysts', models' and reports'; a third is kept."""
SEVENTEENTH_QUERIES = FILES / "seventeenth_queries.jsonl"
"""Queries over ``SEVENTEENTH_SCHEMAS``: ORMs', analysts', models' and reports'; a third is kept."""
EIGHTEENTH_QUERIES = FILES / "eighteenth_queries.jsonl"
"""Queries over ``EIGHTEENTH_SCHEMAS``: ORMs', analysts', models', dashboards' and reports'; a third is kept."""
NINETEENTH_QUERIES = FILES / "nineteenth_queries.jsonl"
"""Queries over ``NINETEENTH_SCHEMAS``, a star with primary keys only; a third is kept."""
TWENTIETH_QUERIES = FILES / "twentieth_queries.jsonl"
"""Queries over ``TWENTIETH_SCHEMAS``, half over TPC-H's and half over a chain of cinemas; a third is kept."""
TWENTYFIRST_QUERIES = FILES / "twentyfirst_queries.jsonl"
"""Queries over ``TWENTYFIRST_SCHEMAS``, half over TPC-DS's and half over a service that builds software; a third is
kept.
"""
TWENTYSECOND_QUERIES = FILES / "twentysecond_queries.jsonl"
"""Queries over ``TWENTYSECOND_SCHEMAS``, two fifths over TPC-H's and the others over a market of electricity; a
third is kept.
"""
TWENTYTHIRD_QUERIES = FILES / "twentythird_queries.jsonl"
"""Queries over ``TWENTYTHIRD_SCHEMAS``, a third over TPC-H's and the others over a law firm; a third is kept."""
TWENTYFOURTH_QUERIES = FILES / "twentyfourth_queries.jsonl"
"""Queries over ``TWENTYFOURTH_SCHEMAS``, ten over TPC-H's and sixteen over a dairy cooperative, whose scale 1 is half a
million rows; nine are kept.
"""


@dataclass(frozen=True, slots=True)
class QuerySet:
    """A file of queries and the schemas they read."""

    file: Path
    schemas: tuple[str, ...]
    about: str


SETS = {
    "orms": QuerySet(MORE_ORMS, SCHEMAS, "what seven ORMs print, Peewee to Pony,"),
    "more": QuerySet(MORE_QUERIES, MORE_SCHEMAS, "the queries over insurance and freight"),
    "third": QuerySet(THIRD_QUERIES, THIRD_SCHEMAS, "the queries over telecom and hospital"),
    "fourth": QuerySet(FOURTH_QUERIES, FOURTH_SCHEMAS, "the queries over a library"),
    "fifth": QuerySet(FIFTH_QUERIES, FIFTH_SCHEMAS, "the queries over TPC-H and a retailer's star schema"),
    "sixth": QuerySet(SIXTH_QUERIES, SIXTH_SCHEMAS, "the queries over an airline"),
    "seventh": QuerySet(SEVENTH_QUERIES, SEVENTH_SCHEMAS, "the queries over an online game and recruiting"),
    "eighth": QuerySet(EIGHTH_QUERIES, EIGHTH_SCHEMAS, "the queries over a seller of electricity"),
    "ninth": QuerySet(NINTH_QUERIES, NINTH_SCHEMAS, "the queries over a public-transport operator"),
    "tenth": QuerySet(TENTH_QUERIES, TENTH_SCHEMAS, "the queries over a broker of holiday homes"),
    "eleventh": QuerySet(ELEVENTH_QUERIES, ELEVENTH_SCHEMAS, "the queries over an auction house"),
    "twelfth": QuerySet(TWELFTH_QUERIES, TWELFTH_SCHEMAS, "the queries over a warehouse"),
    "thirteenth": QuerySet(THIRTEENTH_QUERIES, THIRTEENTH_SCHEMAS, "the queries over a university"),
    "fourteenth": QuerySet(FOURTEENTH_QUERIES, FOURTEENTH_SCHEMAS, "the queries over a savings bank"),
    "fifteenth": QuerySet(
        FIFTEENTH_QUERIES, FIFTEENTH_SCHEMAS, "the queries over a broker of advertisements"
    ),
    "sixteenth": QuerySet(SIXTEENTH_QUERIES, SIXTEENTH_SCHEMAS, "the queries over a fisheries authority"),
    "seventeenth": QuerySet(
        SEVENTEENTH_QUERIES, SEVENTEENTH_SCHEMAS, "the queries over a medical laboratory"
    ),
    "eighteenth": QuerySet(EIGHTEENTH_QUERIES, EIGHTEENTH_SCHEMAS, "the queries over a service of music"),
    "nineteenth": QuerySet(
        NINETEENTH_QUERIES, NINETEENTH_SCHEMAS, "the queries over a chain of supermarkets"
    ),
    "twentieth": QuerySet(
        TWENTIETH_QUERIES, TWENTIETH_SCHEMAS, "further queries over TPC-H and over a chain of cinemas"
    ),
    "twentyfirst": QuerySet(
        TWENTYFIRST_QUERIES,
        TWENTYFIRST_SCHEMAS,
        "queries over TPC-DS and over a service that builds software",
    ),
    "twentysecond": QuerySet(
        TWENTYSECOND_QUERIES,
        TWENTYSECOND_SCHEMAS,
        "further queries over TPC-H and over a market of electricity",
    ),
    "twentythird": QuerySet(
        TWENTYTHIRD_QUERIES, TWENTYTHIRD_SCHEMAS, "other queries over TPC-H and over a law firm"
    ),
    "twentyfourth": QuerySet(
        TWENTYFOURTH_QUERIES, TWENTYFOURTH_SCHEMAS, "more queries over TPC-H and over a dairy cooperative"
    ),
}
"""What may be run in place of the first queries, by the option that asks for it."""


@dataclass(frozen=True, slots=True)
class UnseenQuery:
    """A slow query and the rewrite that a person wrote; ``hand`` is None where nothing was found to gain."""

    id: str
    schema: str
    kind: str
    query: str
    hand: str | None
    why_slow: str
    shape_of: str = ""
    kept: bool | None = None

    @property
    def orm(self) -> str:
        """What made the SQL, as it says itself or by the start of its name; empty: a person or a model."""
        return self.shape_of or ORMS.get(self.id.partition("-")[0], "")

    @property
    def part(self) -> str:
        """``kept`` for a third of the queries, never looked at while the rewriter is worked on; else
        ``open``. Drawn by the name where the query does not say it.
        """
        kept = crc32(self.id.encode()) % 3 == 0 if self.kept is None else self.kept
        return "kept" if kept else "open"


def unseen_queries(file: Path = FIRST_QUERIES) -> list[UnseenQuery]:
    rows = [json.loads(line) for line in file.read_text().splitlines() if line]
    fields = ("id", "schema", "kind", "query", "hand", "why_slow")
    return [
        UnseenQuery(**{f: r[f] for f in fields}, shape_of=r.get("orm") or "", kept=r.get("kept"))
        for r in rows
    ]


@contextmanager
def databases(
    scale: float, keep: Path | None = None, schemas: Sequence[str] = SCHEMAS
) -> Iterator[dict[str, str]]:
    """Connection URI by schema, each loaded at ``scale``; with ``keep`` the data
    stay there for the next run.
    """
    with ScratchServer(SETTINGS, directory=keep) as server:
        with psycopg.connect(server.dsn(), autocommit=True) as admin:
            there = {name for (name,) in admin.execute("select datname from pg_database")}
        names = {schema: f"{schema}_{str(scale).replace('.', '_')}" for schema in schemas}
        for schema, name in names.items():
            if name not in there:
                load(server, schema, scale, name)
        yield {schema: server.dsn(name) for schema, name in names.items()}


def load(server: ScratchServer, schema: str, scale: float, name: str) -> None:
    """Create and fill one schema, under a temporary name until all is there."""
    if schema in LOADERS:
        LOADERS[schema](server, scale, name)
        return
    started = time.monotonic()
    half = server.create_database(f"{name}_loading")
    with psycopg.connect(server.dsn(half), autocommit=True) as connection:
        connection.execute((FILES / f"{schema}.sql").read_text().replace(":scale", str(scale)))
        connection.execute("vacuum (freeze, analyze)")
        connection.execute("checkpoint")
    with psycopg.connect(server.dsn(), autocommit=True) as admin:
        admin.execute(f"alter database {half} rename to {name}")
    progress(f"{schema}: loaded at {scale} ({time.monotonic() - started:.0f} s)")


def load_tpch(server: ScratchServer, scale: float, name: str) -> None:
    """TPC-H with indexes on its two great tables' dates; its generator makes equal keys below a scale factor of
    0.01, so that no less is loaded.
    """
    ddl = (warehouse.SCHEMAS / "tpch.sql").read_text() + (FILES / "tpch_indexes.sql").read_text()
    warehouse.load(server, "tpch", max(scale * TPCH_SCALE, 0.01), name, ddl)


def load_tpcds(server: ScratchServer, scale: float, name: str) -> None:
    """TPC-DS with primary keys only, as DSB has it."""
    ddl = (warehouse.SCHEMAS / "tpcds.sql").read_text()
    warehouse.load(server, "tpcds", max(scale * TPCDS_SCALE, 0.01), name, ddl)


LOADERS = {"tpch": load_tpch, "tpcds": load_tpcds}
"""Schemas that a benchmark's generator fills."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.unseen_data")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--keep", type=Path, help="directory of the loaded databases, kept for the next run")
    chosen = parser.parse_args(arguments)
    with databases(chosen.scale, chosen.keep) as found:
        print(json.dumps(found), flush=True)
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
