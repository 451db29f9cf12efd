"""A folder of pairs over one schema (`bench.strangers`), as tests judge them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg

from bench.strangers import Pair, schema
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certificates import Texts, certify
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proof import Composite, Proof, check_proof
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved, counts_as
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

# what is proved but for the order in which floats are added still counts as proved for whoever allows it
_ALLOWED = frozenset({"float-order"})


class PairSet:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def catalog(self) -> Catalog:
        return catalog_from_ddl(schema(self.folder))

    def bound(self, pair: Pair) -> Binding:
        found = bind_both(pair.q1, pair.q2, self.catalog, ("public",))
        assert isinstance(found, Binding), found
        return found

    def proved(self, pair: Pair, seconds: float) -> Proved | None:
        return prove_pair(self.bound(pair), self.catalog, seconds).proved

    def assert_not_proved(self, pair: Pair, seconds: float = 0.25) -> None:
        found = self.proved(pair, seconds)
        assert found is None or counts_as(found, _ALLOWED) != "proved"

    def assert_certified(self, pair: Pair) -> None:
        """It is proved without any reservation, the proof replays, and its certificate is rechecked."""
        found = self.proved(pair, 60.0)
        assert found is not None
        assert found.modulo == ()
        both = self.bound(pair)
        proof = cast("Proof | Composite", found.proof)
        assert check_proof(proof, both.original, both.candidate, self.catalog) is None
        texts = Texts(schema(self.folder), pair.q1, pair.q2)
        document = certify(found, texts, self.catalog.digest(), 60.0)
        checked = recheck(json.dumps(document).encode(), 120.0)
        assert (checked.word, checked.reason) == ("good", "")

    @contextmanager
    def rows(self, server: ScratchServer) -> Iterator[psycopg.Connection[Any]]:
        """A database with the folder's rows, for the length of a ``with`` block."""
        database = server.create_database()
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            run(connection, schema(self.folder))
            run(connection, (self.folder / "data.sql").read_text(encoding="utf-8"))
            yield connection
        server.drop_database(database)


def told_apart(
    rows: psycopg.Connection[Any], pair: Pair, states: Sequence[str], plans: Sequence[str] = ("",)
) -> bool:
    """Whether the queries give different answers in one of these states, under one of these plans; in their
    order where the first one has one.
    """
    # of what an order says that is not full a server may show what it likes
    ordered = re.search(r"order by [^()]*$", pair.q1) is not None or pair.words.startswith("order:")
    differ = False
    for state in states:
        with rows.transaction(force_rollback=True):
            run(rows, state)
            for plan in plans:
                run(rows, plan)
                first, second = (run(rows, q).fetchall() for q in (pair.q1, pair.q2))
                differ |= first != second if ordered else _bag(first) != _bag(second)
    return differ


def run(connection: psycopg.Connection[Any], text: str) -> psycopg.Cursor[Any]:
    return connection.execute(cast("LiteralString", text))


def _bag(found: list[Any]) -> list[str]:
    return sorted(map(repr, found))
