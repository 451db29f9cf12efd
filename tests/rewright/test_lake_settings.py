"""What a client's own settings, such as drivers send when they connect, do to statements on a lake."""

from __future__ import annotations

import psycopg
import pytest

pytestmark = pytest.mark.server


@pytest.mark.parametrize(
    ("setting", "served"),
    [
        ("client_encoding=LATIN1", False),
        ("client_encoding=SQL_ASCII", True),
        ("DateStyle=ISO", True),
        ("DateStyle=German", False),
        ("DateStyle=ISO,DMY", False),
        ("IntervalStyle=iso_8601", False),
        ("extra_float_digits=3", True),
        ("search_path=elsewhere", True),
        ("application_name=report", True),
        ("TimeZone=Europe/Berlin", True),
        ("standard_conforming_strings=off", True),
    ],
)
@pytest.mark.parametrize("prepare", [False, True])
def test_forms_that_a_lake_does_not_have_are_refused(lake_dsn, setting, served, prepare):
    """A date or a text in another form than the client expects would be a wrong one."""
    query = "select city, founded, area from cities where population = 1001"
    with psycopg.connect(lake_dsn, autocommit=True, options=f"-c {setting}") as lake:
        if served:
            row = lake.execute(query.encode(), prepare=prepare).fetchone()
            assert [str(value.decode() if isinstance(value, bytes) else value) for value in row] == [
                "City 1",
                "1901-01-02",
                "0.125",
            ]
            return
        with pytest.raises(psycopg.errors.FeatureNotSupported) as raised:
            lake.execute(query.encode(), prepare=prepare)
        hint = raised.value.diag.message_hint
        lake.execute(hint.encode())
        assert lake.execute(query.encode(), prepare=prepare).fetchone()[0] == "City 1"


def test_a_prepared_statement_is_refused_when_the_form_changes(lake_dsn):
    query = "select founded from cities where population > %s limit 1"
    with psycopg.connect(lake_dsn, autocommit=True) as lake:
        assert lake.execute(query, [1000], prepare=True).fetchone() is not None
        lake.execute("set datestyle = german")
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            lake.execute(query, [1000], prepare=True)


def test_a_backslash_means_one_where_texts_say_so(lake_dsn):
    with psycopg.connect(lake_dsn, autocommit=True) as lake:
        query = r"select count(*) from cities where city <> 'a\b'"
        assert lake.execute(query).fetchone() == (3000,)
        lake.execute("set standard_conforming_strings = off")
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            lake.execute(query)
