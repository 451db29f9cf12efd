"""The prover as the checker sees it: two texts in, a `Proved` or a reason out.

Owns binding both texts and turning a proof object into a verdict. Must not know servers.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from equivalence.verdicts import Proved


@dataclass(frozen=True, slots=True)
class Binding:
    """Both queries, bound (`sql.algebra.Query`), and the catalog they are bound against."""

    original: Any
    candidate: Any
    catalog: Any


@dataclass(frozen=True, slots=True)
class Attempt:
    """``proved`` or the ``reason`` why not; ``binding`` when both texts could be bound."""

    proved: Proved | None
    reason: str
    binding: Binding | None = None


def catalog_of(schema_sql: str) -> tuple[Any, str]:
    """A catalog from DDL text, or None and why it is not understood."""
    ddl = _door("sql.ddl")
    if ddl is None:
        return None, "no reader of schemas"
    try:
        return ddl.catalog_from_ddl(schema_sql), ""
    except ddl.DdlError as error:
        return None, f"schema not understood: {error}"


def bind_both(original: str, candidate: str, catalog: Any, path: tuple[str, ...]) -> Binding | str:
    """Both queries bound, or what the binder does not understand."""
    if catalog is None:
        return ""
    binder = _door("sql.binder")
    if binder is None:
        return "no binder"
    try:
        return Binding(
            binder.bind(original, catalog, search_path=path),
            binder.bind(candidate, catalog, search_path=path),
            catalog,
        )
    except binder.Unsupported as unsupported:
        return f"unsupported: {unsupported}"
    except binder.BindError as error:
        return f"not bound: {error}"


def prove_both(binding: Binding, catalog: Any, seconds: float) -> Attempt:
    """Ask the prover. It may say nothing; it may not raise."""
    prover, proofs = _door("equivalence.prover"), _door("equivalence.proof")
    if prover is None or proofs is None or not hasattr(prover, "prove"):
        return Attempt(None, "no prover", binding)
    found = prover.prove(binding.original, binding.candidate, catalog, deadline_seconds=seconds)
    if not isinstance(found, proofs.Proof):
        return Attempt(None, str(getattr(found, "reason", "") or "no proof found"), binding)
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


def _door(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
