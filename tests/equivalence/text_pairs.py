"""Pairs that are given as texts over one schema: proved, and run on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.decomposition.search import proved_by_parts
from rewright.equivalence.proof import check_proof
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


def parts_prover(catalog: Catalog) -> Callable[[str, str, float], set[str] | None]:
    """What proves two texts over this schema by their parts, in so many seconds: the reservations of a proof that
    replays, None where none is found.
    """

    def proved(first: str, second: str, seconds: float) -> set[str] | None:
        queries = bind(first, catalog), bind(second, catalog)
        found = proved_by_parts(*queries, catalog, seconds)
        if found is None:
            return None
        assert check_proof(found.proof, *queries, catalog) is None
        return set(found.modulo)

    return proved


def rows(connection: psycopg.Connection[Any], query: str) -> list[str]:
    """The bag of rows of a query as the server writes them, sorted: two bags are the same if their lists are."""
    return sorted(map(repr, connection.execute(f"select x::text from ({query}) x".encode()).fetchall()))
