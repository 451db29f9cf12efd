"""Checking a proof: translate, apply the recorded steps one by one, check the recorded correspondence.

There is no search here: which rule to apply where, and which block and variable corresponds to which, is
read from the proof; everything else the proof states (what each step leads to, the facts and reservations it
needs, its scope) is derived again and must be the same. Side conditions are checked anew by the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from rewright.engines import clock
from rewright.equivalence.records import Assumption, Flaw, Proof, Step
from rewright.equivalence.solving import Busy, solver_alone
from rewright.sql.algebra import Query
from rewright.sql.catalog import Catalog
from rewright.sql.facts.policies import policies_differ

from .context import Context
from .digest import digest
from .entail import Engine, OutOfTime
from .fresh import numbering
from .kernel import RULES
from .match import check_block
from .normal import apply
from .prepare import (
    method_of,
    names_note,
    prepare_both,
    reservations,
    same_order,
    same_tree,
    scope_of,
)
from .schema import Schema
from .terms import Bag
from .translated import Unsupported

_SECONDS = 60.0
_ROUNDS = 4
# questions to the solver up to which a replay is cheap enough to be tried without each of its facts
_CHEAP = 60


def replay(proof: Proof, q1: Query, q2: Query, catalog: Catalog) -> Flaw | None:
    """None if the proof is what its own choices of rules, places and partners lead to."""
    try:
        # two threads would share the solver's one context
        with solver_alone(_SECONDS):
            found = _derived(proof, q1, q2, catalog, clock.now() + _SECONDS)
    except Busy:
        return Flaw("not checked in time")
    if isinstance(found, Flaw):
        return found
    # everything the proof states apart from its choices has been derived again
    return None if found == proof else _difference(proof, found)


def settle(draft: Proof, q1: Query, q2: Query, catalog: Catalog, deadline: float) -> Proof | Flaw:
    """The draft of a search as a proof that `replay` accepts: with what each step leads to, without steps
    that lead nowhere, and with no facts but those that its own replay needs.
    """
    effort: list[int] = []
    found = _derived(draft, q1, q2, catalog, deadline, thin=True, effort=effort)
    if isinstance(found, Flaw):
        return found
    # facts or steps fell away: what is left must come to the same once more
    if found.assumptions != draft.assumptions or len(found.steps) != len(draft.steps):
        found = _settled(found, q1, q2, catalog, deadline)
    # asking again without each fact costs one replay for each of them
    if isinstance(found, Flaw) or sum(effort) > _CHEAP:
        return found
    # mostly all facts of a kind are idle, or a few are needed
    for kind in sorted({fact.kind for fact in found.assumptions}):
        alike = [fact for fact in found.assumptions if fact.kind == kind]
        fewer = _without(alike, found, q1, q2, catalog, deadline)
        # all facts of the kind went at once, or there was one only
        if fewer is not found or len(alike) == 1:
            found = fewer
            continue
        for fact in alike:
            if fact in found.assumptions:
                found = _without([fact], found, q1, q2, catalog, deadline)
    return found


def _without(
    facts: Sequence[Assumption], proof: Proof, q1: Query, q2: Query, catalog: Catalog, deadline: float
) -> Proof:
    """The proof without some facts, if it stands without."""
    fewer = replace(proof, assumptions=tuple(x for x in proof.assumptions if x not in facts))
    less = _settled(fewer, q1, q2, catalog, deadline)
    # without the fact the proof must stand, and leave no more open
    return proof if isinstance(less, Flaw) or less.modulo != proof.modulo else less


def _settled(draft: Proof, q1: Query, q2: Query, catalog: Catalog, deadline: float) -> Proof | Flaw:
    for _ in range(_ROUNDS):
        found = _derived(draft, q1, q2, catalog, deadline)
        # the draft settles when its replay states what the draft states
        if isinstance(found, Flaw) or found == draft:
            return found
        draft = found
    return Flaw("the facts it needs do not settle")


def _derived(
    proof: Proof,
    q1: Query,
    q2: Query,
    catalog: Catalog,
    deadline: float,
    *,
    thin: bool = False,
    effort: list[int] | None = None,
) -> Proof | Flaw:
    """The proof that follows from the choices of this one and the facts it states; ``thin``: without idle
    steps. ``effort`` gets the number of questions that the solver was asked.
    """
    engine = Engine(Schema(catalog, frozenset(proof.assumptions)), deadline)
    try:
        with numbering():
            found = _replayed(engine, proof, q1, q2, thin=thin)
        if effort is not None:
            effort.append(engine.asked)
        return found
    except (Unsupported, RecursionError) as why:
        return Flaw(f"not checkable: {why}")
    except OutOfTime:
        return Flaw("not checked in time")
    except Exception as error:  # noqa: BLE001 - an altered proof may lead to forms that make no sense
        return Flaw(f"not checkable: {error!r}")
    finally:
        engine.close()


def _replayed(engine: Engine, proof: Proof, q1: Query, q2: Query, *, thin: bool) -> Proof | Flaw:
    notes = names_note(q1, q2)
    if policies_differ(q1, q2, engine.schema.catalog):
        return Flaw("row-level security below a view")
    if proof.method == "same-tree":
        # two trees that are the same need no forms
        return Proof("same-tree", scope="any", notes=notes) if same_tree(q1, q2) else Flaw("the trees differ")
    prepared = prepare_both(engine, q1, q2)
    if not isinstance(prepared, tuple):
        return Flaw(prepared.reason)
    # steps are replayed side by side: in any other order paths would be of other forms
    if list(proof.steps) != sorted(proof.steps, key=lambda step: step.side):
        return Flaw("the steps of the first query come first")
    steps: list[Step] = []
    bags: list[Bag] = []
    for side, form in enumerate(prepared, start=1):
        own = [(n, step) for n, step in enumerate(proof.steps) if step.side == side]
        done = _stepped(engine, own, form.bag, thin=thin)
        if isinstance(done, Flaw):
            return done
        steps += done[0]
        bags.append(done[1])
    ended = same_order(engine, prepared, (bags[0], bags[1]))
    if ended is None:
        return Flaw("the visible orders differ")
    if (flaw := _unmatched(engine, proof, ended)) is not None:
        return flaw
    return Proof(
        method_of(tuple(steps)),
        tuple(steps),
        tuple(sorted(engine.schema.used)),
        scope_of(q1, q2),
        frozenset(reservations(engine, q1, q2, prepared, ended, proof.matching.blocks)),
        proof.matching,
        notes,
        (digest(ended[0]), digest(ended[1])),
    )


def _stepped(
    engine: Engine, steps: list[tuple[int, Step]], form: Bag, *, thin: bool
) -> tuple[list[Step], Bag] | Flaw:
    """The steps with what each leads to, and the last form."""
    done: list[Step] = []
    before: Bag | None = None  # the form before the last step that is kept
    for number, step in steps:
        # a rule that is not in the kernel, or an index from the end of a tuple
        if step.rule not in RULES or min((*step.path, *step.at), default=0) < 0:
            return Flaw(f"no such rule or place: {step.rule}", number)
        new = _applied(engine, form, step)
        # a step that changes nothing is none
        if new is None or new == form:
            return Flaw(f"{step.rule} does not apply", number)
        gives = digest(new)
        # a step is checked by what it leads to, or an altered one might lead elsewhere unseen
        if step.gives and step.gives != gives:
            return Flaw(f"{step.rule} leads elsewhere", number)
        # two steps in one: the earlier one is superfluous
        if thin and before is not None:
            short = _applied(engine, before, step)
            if short is not None and digest(short) == gives:
                done.pop()  # the step before was for nothing
                form, new = before, short
        done.append(replace(step, gives=gives))
        before, form = form, new
    return done, form


def _applied(engine: Engine, form: Bag, step: Step) -> Bag | None:
    try:
        return apply(engine, form, step.rule, step.path, step.at)
    except (IndexError, KeyError, ValueError):
        # a place that this form does not have
        return None


def _unmatched(engine: Engine, proof: Proof, ended: tuple[Bag, Bag]) -> Flaw | None:
    """Why the recorded correspondence is none."""
    left, right = ended
    partners = [j for j, _ in proof.matching.blocks]
    # each block of the one has one of the other
    if len(left) != len(right) or sorted(partners) != list(range(len(left))):
        return Flaw("the correspondence is not one to one")
    for b, (j, pairing) in zip(left, proof.matching.blocks, strict=True):
        if not check_block(engine, Context(), b, right[j], pairing):
            return Flaw("blocks do not correspond")
    return None


def _difference(proof: Proof, found: Proof) -> Flaw:
    """The first thing that the proof states otherwise than its replay."""
    for f in fields(Proof):
        stated, derived = getattr(proof, f.name), getattr(found, f.name)
        if stated != derived:
            return Flaw(f"{f.name} should be {derived}")
    raise AssertionError


@dataclass(frozen=True, slots=True)
class Stage:
    """One step as it is replayed, and the whole form that it gives."""

    step: Step
    form: Bag


@dataclass(frozen=True, slots=True)
class Stages:
    """A proof as it is replayed: the forms that the queries are read as, and every step after that."""

    readings: tuple[Bag, Bag]
    steps: tuple[Stage, ...]


def stages(proof: Proof, q1: Query, q2: Query, catalog: Catalog, deadline: float) -> Stages | None:
    """The stages of a proof that stands (`check_proof`), in the numbering that is in force; None where it
    does not.
    """
    engine = Engine(Schema(catalog, frozenset(proof.assumptions)), deadline)
    try:
        prepared = prepare_both(engine, q1, q2)
        if not isinstance(prepared, tuple):
            return None
        done: list[Stage] = []
        for side, start in enumerate(prepared, start=1):
            form = start.bag
            for step in (s for s in proof.steps if s.side == side):
                new = _applied(engine, form, step)
                if new is None:
                    return None
                done.append(Stage(step, new))
                form = new
        return Stages((prepared[0].bag, prepared[1].bag), tuple(done))
    except (Unsupported, RecursionError, OutOfTime):
        return None
    finally:
        engine.close()
