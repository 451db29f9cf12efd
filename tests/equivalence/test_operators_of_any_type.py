"""A schema's operators that take any type may ask for it, as its functions may: casts that change no value
change their answer.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog

pytestmark = pytest.mark.server

SCHEMA = """
create table t (id int primary key, a int, v varchar(9));
create function whole(x anyelement, y anyelement) returns bool language sql immutable
  as 'select pg_typeof(x)::text = ''integer''';
create operator === (leftarg = anyelement, rightarg = anyelement, procedure = whole);
create function type_of(x anyelement) returns text language sql immutable as 'select pg_typeof(x)::text';
create operator @# (rightarg = anyelement, procedure = type_of);
create function type_of_both(x anycompatible, y anycompatible) returns text language sql immutable
  as 'select pg_typeof(x)::text';
create operator @## (leftarg = anycompatible, rightarg = anycompatible, procedure = type_of_both);
"""
DIFFERENT = (
    ("id from t where a === 1", "id from t where a::bigint === 1::bigint"),
    ("id from t where nullif(a === 1, false)", "id from t where nullif(a::int8 === 1::int8, false)"),
    ("id from t where a === any (array[1])", "id from t where a::int8 === any (array[1::int8])"),
    ("@# a from t", "@# a::bigint from t"),
    ("@# v from t", "@# v::text from t"),
    ("a @## 1 from t", "a @## 1::bigint from t"),
    ("type_of(a) from t", "type_of(a::bigint) from t"),
)


@pytest.fixture(scope="module")
def catalog(scratch_server: ScratchServer, module_database: str) -> Catalog:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        return snapshot(connection)


@pytest.mark.parametrize("pair", DIFFERENT)
def test_what_may_ask_for_a_type_is_told_one(pair: tuple[str, str], catalog: Catalog) -> None:
    one, other = (bind(f"select {text}", catalog) for text in pair)
    assert prove_pair(Binding(one, other, catalog), catalog, 5).proved is None
