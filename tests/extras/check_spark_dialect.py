"""What is said to Spark in words that are sure gives what a server gives. Not collected by the ordinary run:
``make test-extras`` installs what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rewright.engines.duckdb.dialect.special import SPECIAL
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.spark.sure import SURE_AGGREGATES, SURE_CALLS
from tests.engines.test_dialect_functions import SPECIAL_CALLS
from tests.extras.spark_compare import LEFT_OUT, OnSpark

_ROWS = 400


@pytest.fixture(scope="module")
def both(scratch_server: ScratchServer, module_database: str) -> Iterator[OnSpark]:
    made = OnSpark(scratch_server.dsn(module_database, unix=True))
    yield made
    made.close()


def check_functions_give_what_postgresql_gives(both: OnSpark) -> None:
    """Each sure function, operator and cast over combinations of nasty values, errors included."""
    wrong: list[str] = []
    seen = set()
    types = both.analyser.catalog.types
    for function in sorted(both.analyser.catalog.functions.values(), key=lambda one: one.signature):
        if function.signature not in SURE_CALLS - SPECIAL.keys():
            continue
        arguments = [types[oid] for oid in function.arguments]
        call = ", ".join(f"{name}.v" for name in "abc"[: len(arguments)])
        outcome = both.compare(f'pg_catalog."{function.name}"({call})', arguments, most=_ROWS)
        seen.add(function.signature)
        wrong += outcome.differences[:2] or ([outcome.untranslated] if outcome.untranslated else [])
    assert not wrong
    assert seen == SURE_CALLS - SPECIAL.keys()


def check_what_depends_on_constants_gives_what_postgresql_gives(both: OnSpark) -> None:
    """What is not sure with its constants is not said to Spark at all."""
    wrong: list[str] = []
    said = 0
    for expression, types in SPECIAL_CALLS:
        if not LEFT_OUT & set(types):
            outcome = both.compare(expression, types, most=_ROWS)
            wrong += outcome.differences[:2]
            said += not outcome.untranslated
    assert not wrong
    assert said > 20


def check_aggregates_give_what_postgresql_gives(both: OnSpark) -> None:
    wrong = [told for signature in sorted(SURE_AGGREGATES) for told in both.compare_aggregate(signature)]
    assert not wrong
