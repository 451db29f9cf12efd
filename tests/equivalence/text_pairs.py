"""Pairs that are given as texts over one schema: proved, and run on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog


def prover(catalog: Catalog, seconds: float = 20.0) -> Callable[[str, str], Proved | None]:
    """What proves two texts over this schema to be the same, reservations included, in so many seconds."""

    def proved(first: str, second: str) -> Proved | None:
        both = Binding(bind(first, catalog), bind(second, catalog), catalog)
        return prove_pair(both, catalog, seconds).proved

    return proved


def rows(connection: psycopg.Connection[Any], query: str) -> list[str]:
    """The bag of rows of a query as the server writes them, sorted: two bags are the same if their lists are."""
    return sorted(map(repr, connection.execute(f"select x::text from ({query}) x".encode()).fetchall()))
