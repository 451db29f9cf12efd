"""Checking a proof: translate, apply the recorded steps one by one, check the recorded correspondence.

There is no search here: which rule to apply where, and which block and variable corresponds to which, is
read from the proof. Side conditions are checked anew by the kernel.
"""

from __future__ import annotations

import time
from dataclasses import replace

from equivalence.proof import Flaw, Proof
from sql.algebra import Query
from sql.catalog import Catalog

from .entail import Context, Engine, OutOfTime
from .fresh import numbering
from .match import check_block
from .normal import apply
from .prove import (
    Prepared,
    comparable,
    constants_reservation,
    plain,
    prepare,
    reduce_order,
    reservations,
    same_tree,
    scope_of,
    signature_difference,
)
from .schema import Schema
from .terms import Bag
from .translate import Unsupported

_SECONDS = 60.0


def replay(proof: Proof, q1: Query, q2: Query, catalog: Catalog) -> Flaw | None:
    engine = Engine(Schema(catalog, frozenset(proof.assumptions)), time.monotonic() + _SECONDS)
    try:
        with numbering():
            return _replay(engine, proof, q1, q2)
    except (Unsupported, OutOfTime, RecursionError) as why:
        return Flaw(f"not checkable: {why}")


def _replay(engine: Engine, proof: Proof, q1: Query, q2: Query) -> Flaw | None:
    difference = signature_difference(q1, q2)
    if difference is not None and (difference.kind == "signature" or "types" not in proof.modulo):
        return Flaw(difference.reason)
    if proof.method == "same-tree":
        return None if same_tree(q1, q2) else Flaw("the trees differ")
    if proof.scope == "any" and scope_of(q1, q2) != "any":
        return Flaw("the scope is too wide")
    first, second = prepare(engine, q1), prepare(engine, q2)
    reduced = (first, second)
    if first.sort != second.sort:
        reduced = (reduce_order(engine, first), reduce_order(engine, second))
    typed = difference is None
    forms: list[Bag] = [comparable(p, typed=typed) for p in reduced]
    for number, step in enumerate(proof.steps):
        if step.side not in {1, 2} or step.rule not in _rules():
            return Flaw(f"no such rule: {step.rule}", number)
        try:
            new = apply(engine, forms[step.side - 1], step.rule, step.path, step.at)
        except (IndexError, KeyError, ValueError):
            return Flaw(f"{step.rule} has no such place", number)
        if new is None:
            return Flaw(f"{step.rule} does not apply", number)
        forms[step.side - 1] = new
    flaw = _final(engine, proof, reduced, forms)
    missing = constants_reservation(q1, q2) - proof.modulo
    return Flaw(f"not stated: {', '.join(sorted(missing))}") if missing and not flaw else flaw


def _final(
    engine: Engine, proof: Proof, prepared: tuple[Prepared, Prepared], forms: list[Bag]
) -> Flaw | None:
    left, right = forms
    if prepared[0].sort != prepared[1].sort and left and right:
        again = [reduce_order(engine, replace(p, bag=b)) for p, b in zip(prepared, forms, strict=True)]
        if again[0].sort != again[1].sort:
            return Flaw("the visible orders differ")
        left, right = again[0].bag, again[1].bag
    typed = "types" not in proof.modulo
    left, right = (plain(f, prepared[0].width, typed=typed) for f in (left, right))
    partners = [j for j, _ in proof.matching.blocks]
    if len(left) != len(right) or sorted(partners) != list(range(len(left))):
        return Flaw("the correspondence is not one to one")
    for b, (j, pairing) in zip(left, proof.matching.blocks, strict=True):
        if not check_block(engine, Context(), b, right[j], pairing):
            return Flaw("blocks do not correspond")
    needed = prepared[0].loose | prepared[1].loose | reservations(engine, *prepared, left, right)
    if not needed <= proof.modulo:
        return Flaw(f"not stated: {', '.join(sorted(needed - proof.modulo))}")
    return None


def _rules() -> frozenset[str]:
    from .kernel import RULES

    return frozenset(RULES)
