"""Forms that pairs are seen in, on made-up queries: each gives the same rows on small databases as the query
itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
from tests.rewrite.made_queries import FORMS, create, differs, known

pytestmark = pytest.mark.server
_PARTS = 6
# how many queries are made up for a form by all parts, and how many of them it must change at least
QUERIES = {
    "early": (1200, 100),
    "restricted": (1200, 80),
    "looked": (600, 80),
    "flat": (250, 150),
    "ordered": (500, 100),
}


@pytest.fixture(scope="module")
def filled(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[tuple[psycopg.Connection[Any], Catalog]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        create(connection)
        yield connection, known(connection)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(4, 4 + _PARTS))
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_made_up_queries_give_the_same(
    form: str, seed: int, filled: tuple[psycopg.Connection[Any], Catalog]
) -> None:
    connection, catalog = filled
    r, (make, look), changed = random.Random(seed), FORMS[form], 0
    number, least = (of_all // _PARTS for of_all in QUERIES[form])
    for text in (make(r) for _ in range(number)):
        try:
            query = bind(text, catalog)
        except (BindError, Unsupported):
            continue  # types that don't fit: the server refuses it as well
        seen = look(query, catalog)
        if seen.query == query:
            continue
        changed += 1
        other = to_sql(seen.query)
        # which of equal rows DISTINCT ON keeps is one thing, how many there are another
        open_ = seen.modulo - {"tie-order"} if form == "restricted" else seen.modulo
        assert not differs(connection, text, other, open_), (text, other)
    assert least < changed < number
