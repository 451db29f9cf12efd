"""Constraints that would let a faster query be proved: NOT NULL where no stored row has a NULL.

The rules and the prover are asked once more under a catalog in which the nullable columns of the query are
NOT NULL; what is proved then and gains more than what is proved now names the constraints that its proof
rests on. Proposed only: the catalog here is made up. Whether stored rows keep a constraint is a port. Must
not know servers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.rewrite.adapters.describing import names_in, tables_of
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.model import Candidate, Deadline, Evidence
from rewright.rewrite.ports import Database, DatabaseError
from rewright.rewrite.search.chains import Derivations, joined
from rewright.rewrite.search.proposer import RuleProposer
from rewright.sql.catalog import Catalog
from rewright.sql.printer.names import quote_ident
from rewright.sql.records import Table

# candidates that are proved, cheapest first, and seconds for one link
_TRIED = 4
_SECONDS = 1.5
# the share of the cost that must be saved beside the best that is proved now
_GAIN = 0.9


@dataclass(frozen=True, slots=True)
class Column:
    """A nullable column of a table."""

    schema: str
    table: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}.{self.name}"

    @property
    def fact(self) -> str:
        """As a proof names it."""
        return f"not null {self.schema}.{self.table}({self.name})"

    def statement(self) -> str:
        table = f"{quote_ident(self.schema)}.{quote_ident(self.table)}"
        return f"ALTER TABLE {table} ALTER COLUMN {quote_ident(self.name)} SET NOT NULL"

    def violation(self) -> str:
        """A query that has a row where the column is NULL somewhere."""
        table = f"{quote_ident(self.schema)}.{quote_ident(self.table)}"
        return f"select 1 as one from {table} where {quote_ident(self.name)} is null limit 1"


@dataclass(frozen=True, slots=True)
class Unlocked:
    """A rewrite that is proved if ``columns`` are NOT NULL. ``kept``: no stored row says otherwise now; None:
    not looked at.
    """

    columns: tuple[Column, ...]
    kept: bool | None
    rewritten: str
    cost_before: float
    cost_after: float

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "constraint",
            "statements": [c.statement() for c in self.columns],
            "reason": self.reason(),
            "kept": self.kept,
            "rewritten": self.rewritten,
            "cost_before": self.cost_before,
            "cost_after": self.cost_after,
        }

    def reason(self) -> str:
        names = " and ".join(map(str, self.columns))
        data = {
            True: "no stored row has a NULL there",
            False: "stored rows have NULLs there",
            None: "not looked at",
        }
        return (
            f"NOT NULL on {names} would allow a rewrite of estimated cost {self.cost_after:,.0f} instead of"
            f" {self.cost_before:,.0f} ({data[self.kept]})"
        )


@dataclass(frozen=True, slots=True)
class Unlocking:
    """For one database. ``keeps``: whether no stored row has a NULL in a column; None where that can't be
    found out.
    """

    catalog: Catalog
    database: Database
    keeps: Callable[[Column], bool | None]
    search_path: tuple[str, ...] = ("public",)

    def look(self, sql: str, deadline: Deadline) -> Unlocked | None:
        """The cheapest rewrite that a constraint unlocks, or None. Raises DatabaseError."""
        columns = self._nullable(sql)
        if not columns:
            return None
        cost = self.database.explain(sql).cost
        # what can be proved today is the measure: a constraint that gains no more is not proposed
        now = min((c.cost or cost for c, _ in self._proved(sql, self.catalog, deadline)), default=cost)
        # the same search under a catalog that says NOT NULL of every nullable column
        for candidate, evidence in self._proved(sql, self._supposed(columns), deadline):
            # only what the proof rests on: the supposition was far wider
            needed = tuple(c for c in columns if any(f.startswith(c.fact) for f in evidence.assumptions))
            if needed and candidate.cost is not None and candidate.cost < _GAIN * now:
                looks = [self.keeps(column) for column in needed]
                # one column that could not be looked at leaves it open
                kept = None if None in looks else all(looks)
                return Unlocked(needed, kept, candidate.sql, now, candidate.cost)
        return None

    def _nullable(self, sql: str) -> tuple[Column, ...]:
        names = names_in(sql)
        return tuple(
            Column(table.ref.schema, table.ref.name, column.name)
            for table in tables_of(sql, self.catalog, self.search_path)
            # a view's columns cannot be altered, a foreign table's NOT NULL is not checked
            if table.kind == "table"
            for column in table.columns
            if column.name in names and not column.not_null
        )

    def _supposed(self, columns: Sequence[Column]) -> Catalog:
        wanted = {(c.schema, c.table, c.name) for c in columns}

        def of(table: Table) -> Table:
            ref = table.ref
            return replace(
                table,
                columns=tuple(
                    replace(c, not_null=True) if (ref.schema, ref.name, c.name) in wanted else c
                    for c in table.columns
                ),
            )

        return replace(self.catalog, relations=tuple(of(table) for table in self.catalog.relations))

    def _proved(self, sql: str, catalog: Catalog, deadline: Deadline) -> Iterator[tuple[Candidate, Evidence]]:
        """Rules' candidates that are proved without reservations, cheapest first."""
        derivations = Derivations()
        proposer = RuleProposer(catalog, self.search_path, derivations=derivations)
        try:
            # a quarter of the time: proofs take the rest
            found = proposer.propose(sql, self.database, deadline.within(deadline.left() / 4), ())
        except DatabaseError:
            return
        priced = sorted((c for c in found if c.cost is not None), key=lambda c: c.cost or 0.0)
        prover = LinkProver(catalog, self.search_path)
        for candidate in priced[:_TRIED]:
            texts = (sql, *derivations.via(candidate.sql), candidate.sql)
            links = [
                # each step is proved by itself, from the text before
                None if deadline.passed else prover.prove(before, after, _SECONDS)
                for before, after in itertools.pairwise(texts)
            ]
            known = [link for link in links if link is not None]
            # one step without a proof, or with a reservation, and the whole is not what is promised
            if len(known) == len(links) and not any(link.modulo for link in known):
                yield candidate, joined(known)
