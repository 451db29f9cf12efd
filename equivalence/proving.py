"""The prover as the checker sees it: two texts in, a `Proved` or a reason out.

Owns binding both texts and turning a proof object into a verdict. Must not know servers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from rewright.equivalence.promises import Promise
from rewright.equivalence.prover import prove
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.records import Proof
from rewright.equivalence.settled import settled
from rewright.equivalence.verdicts import Proved
from rewright.sql.algebra import Query
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class Binding:
    """Both queries, bound (`rewright.sql.algebra.Query`), and the catalog they are bound against."""

    original: Query
    candidate: Query
    catalog: Catalog


@dataclass(frozen=True, slots=True)
class Attempt:
    """``proved`` or the ``reason`` why not; ``binding`` when both texts could be bound."""

    proved: Proved | None
    reason: str
    binding: Binding | None = None

    @property
    def late(self) -> bool:
        """Whether the time was over before all was tried."""
        return self.proved is None and self.reason == "no proof: timeout"


def catalog_of(schema_sql: str) -> tuple[Catalog | None, str]:
    """A catalog from DDL text, or None and why it is not understood."""
    try:
        return catalog_from_ddl(schema_sql), ""
    except DdlError as error:
        return None, f"schema not understood: {error}"


def bind_both(
    original: str,
    candidate: str,
    catalog: Catalog | None,
    path: tuple[str, ...],
    parameters: tuple[SqlType, ...] = (),
) -> Binding | str:
    """Both queries bound, or what the binder does not understand."""
    if catalog is None:
        return ""
    try:
        return Binding(
            bind(original, catalog, search_path=path, param_types=parameters),
            bind(candidate, catalog, search_path=path, param_types=parameters),
            catalog,
        )
    except Unsupported as unsupported:
        return f"unsupported: {unsupported}"
    except BindError as error:
        return f"not bound: {error}"


def as_kept(binding: Binding, kept: Collection[Promise] | None = None) -> tuple[Binding, frozenset[Promise]]:
    """The pair over rows that keep these promises, or any that are needed, and what is needed of them."""
    sides = [settled(q, binding.catalog, kept) for q in (binding.original, binding.candidate)]
    pair = replace(binding, original=sides[0].query, candidate=sides[1].query)
    return pair, sides[0].promises | sides[1].promises


def prove_both(
    binding: Binding,
    catalog: Catalog,
    seconds: float,
    *,
    positions: bool | None = None,
    memory: Memory | None = None,
) -> Attempt:
    """Ask the prover. It may say nothing; it may not raise. ``positions``, ``memory``:
    see `rewright.equivalence.prover.prove`.
    """
    found = prove(
        binding.original,
        binding.candidate,
        catalog,
        deadline_seconds=seconds,
        positions=positions,
        memory=memory,
    )
    if not isinstance(found, Proof):
        return Attempt(None, "no proof found" if found is None else f"no proof: {found.reason}", binding)
    return Attempt(
        Proved(
            method=found.method,
            assumptions=tuple(str(a) for a in found.assumptions),
            scope=found.scope,
            modulo=tuple(sorted(found.modulo)),
            steps=tuple(str(step) for step in found.steps),
            proof=found,
        ),
        "",
        binding,
    )
