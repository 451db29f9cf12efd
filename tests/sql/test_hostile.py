"""Texts made to hurt: deep, long, odd. Each ends in an answer or a named refusal, in
a process that lives on.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.templates import template_of

DEEP = [
    "'select ' + 'not ' * n + 'true'",
    "'select ' + '+'.join(['1'] * n)",
    "'select ' + '(' * n + '1' + ')' * n",
    "'select ' + 'lower(' * n + '1' + ')' * n",
    "'select * from (' * n + 'select 1' + ') x' * n",
    "' union all '.join(['select 1'] * n)",
    "'select * from a' + ' join a on true' * n",
    "'select 1' + '::int' * n",
    "'select 1' + ' is null' * n",
    "'select ' + 'case when true then ' * n + '1' + ' end' * n",
    "'select ' + 'array[' * n + '1' + ']' * n",
    "'select ' + ' and '.join(['true'] * n)",
    "'select 1 in (' + ','.join(['1'] * n) + ')'",
    "'select ' + '- ' * n + '1'",
]
PROGRAM = """
import sys
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
for source in sys.stdin.read().splitlines():
    for n in (2_000, 50_000):
        print(n, source, flush=True)
        try:
            to_sql(bind(eval(source), Catalog()))
        except (BindError, Unsupported, RecursionError):
            pass
"""


def test_deep_texts_do_not_end_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        check=False,
        capture_output=True,
        input="\n".join(DEEP),
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-500:]


@pytest.mark.parametrize(
    "text", ["", ";", "select 1; select 2", "drop table t", "select \x00", "select '", "\\d"]
)
def test_what_is_not_one_select_is_refused(text: str) -> None:
    with pytest.raises((BindError, Unsupported)):
        bind(text, Catalog())


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("select 1 for update", "FOR UPDATE"),
        ("select 1 into t", "SELECT INTO"),
        ("with d as (delete from t returning *) select * from d", "data-modifying"),
        ("select * from a tablesample system (1)", "TABLESAMPLE"),
        ("select * from rows from (generate_series(1, 2), generate_series(1, 3)) x", "ROWS FROM"),
        ("select xmlelement(name x)", "XmlExpr"),
    ],
)
def test_what_is_not_understood_is_named(text: str, feature: str) -> None:
    catalog = catalog_from_ddl("create table a (x int)")
    with pytest.raises(Unsupported, match=feature):
        bind(text, catalog)


def test_a_view_that_refers_to_itself_ends() -> None:
    with pytest.raises(DdlError):
        catalog_from_ddl("create view v as select * from v")


def test_templates_of_rubbish_are_none() -> None:
    assert template_of("select '") is None
