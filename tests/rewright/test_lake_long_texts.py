"""Long statements are told from others without a tree of them, and as with one."""

from __future__ import annotations

import time

import pytest

from rewright.proxy.duckdb_backend.commands import command_of, refusal
from rewright.wiring.lake_long_texts import CATALOGS, LONG, reads_tables
from rewright.wiring.lakes import reads_lake

_TEXTS = (
    "select 1",
    "select count(*) from countries",
    "select * from pg_class",
    "select * from pg_catalog.pg_class, information_schema.tables",
    "select * from app.pg_things",
    "select * from db.app.things",
    "with c as (select 1) select * from c",
    "with c as (select 1 from towns) select * from c",
    "explain select * from countries",
    "explain select 1",
    'select \'x"RangeVar":{"relname":"countries"\'',
    'select \'"RangeVar":{"relname":"countries"\' as "{""stmt"":{"',
    'select * from "a""b"',
    "select 1 from countries; select 2",
    "select * into t from countries",
    "insert into countries values (1)",
    "create view v as select * from countries",
    "values (1)",
    "table countries",
    "select (select max(x) from countries)",
)


@pytest.mark.parametrize("text", _TEXTS)
def test_it_says_what_the_tree_says(text: str) -> None:
    assert reads_tables(text, CATALOGS) is reads_lake(text)


@pytest.mark.parametrize("before", ["", "-- a tool's\n", "/* traceparent='00-1' */ ", " /* a */ -- b\n\t"])
def test_what_stands_before_a_query_of_duckdbs_own_changes_nothing(before: str) -> None:
    assert reads_lake(f"{before}from countries select name")
    assert reads_lake(f"{before}select * exclude (name) from countries")
    assert not reads_lake(f"{before}vacuum everything now from countries")


def test_a_list_of_many_literals_keeps_nobody_waiting() -> None:
    listed = ",".join(f"'x{i}'" for i in range(100_000))
    text = f"select count(*) from countries where name in ({listed})"
    assert len(text) > LONG
    started = time.process_time()
    assert reads_lake(text)
    assert time.process_time() - started < 0.3


@pytest.mark.parametrize("head", ["select ", "declare c cursor for select ", "copy (select ", "set a.b = "])
def test_a_long_statement_for_the_server_is_refused_unread(head: str) -> None:
    """Its tree would be made in the event loop: of 15 MB for half a minute."""
    text = (head + ",".join(f"c{i}" for i in range(2_000_000))).encode()
    started = time.process_time()
    assert command_of(text) is None
    refused = refusal(text)
    assert refused is not None
    assert refused.sqlstate == "54000"
    assert time.process_time() - started < 0.1


def test_shorter_ones_are_read() -> None:
    assert refusal(b"set a.b = '" + b"x" * 50_000 + b"'") is None
    refused = refusal(b"alter role joe password '" + b"x" * 50_000 + b"'")
    assert refused is not None
    assert refused.sqlstate == "25006"
