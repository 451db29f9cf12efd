"""Pairs of which a server answers the first and fails in the second: what proofs say of them, and the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import psycopg

from bench.mutant_proofs import WAYS, Shown
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proving import Binding
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog


class Fails(Protocol):
    def __call__(self, query: str, /) -> bool: ...


def shown(catalog: Catalog, first: str, second: str) -> dict[str, Shown | str]:
    """What the kernel, the parts and the recheck's forms prove of a pair."""
    pair = Binding(bind(first, catalog), bind(second, catalog), catalog)
    return {name: way(pair, 4.0) for name, way in WAYS.items()}


def reserves_what_fails(catalog: Catalog, first: str, second: str) -> None:
    """Neither the kernel, nor the parts, nor the recheck's forms prove the pair as if nothing could fail."""
    for name, found in shown(catalog, first, second).items():
        assert isinstance(found, str) or {"errors", "overflow"} & set(found.modulo), name


def is_proved_by_parts(catalog: Catalog, first: str, second: str) -> None:
    """The parts prove the pair, and leave nothing open."""
    found = shown(catalog, first, second)["parts"]
    assert isinstance(found, Shown)
    assert found.modulo == ()


@contextmanager
def failing_with(
    errors: type[psycopg.Error] | tuple[type[psycopg.Error], ...],
    server: ScratchServer,
    database: str,
    script: str,
) -> Iterator[Fails]:
    """Whether a query ends with one of the errors, over a database that the script has filled."""
    with psycopg.connect(server.dsn(database), autocommit=True) as connection:
        connection.execute(script.encode())

        def fails(query: str) -> bool:
            try:
                connection.execute(query.encode())
            except errors:
                return True
            return False

        yield fails
