"""The prover's public API: two bound queries in, a proof, a reason or nothing out.

Signatures first, then identical trees, then normal forms and their correspondence, under a deadline; what the
search finds is replayed before it counts. Must not know servers or counterexamples.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from rewright.engines import clock
from rewright.equivalence.records import Flaw, Matching, Proof, Step
from rewright.equivalence.solving import Busy, let_others_go_first, solver_alone
from rewright.sql.algebra import Query
from rewright.sql.catalog import Catalog
from rewright.sql.facts.local_times import concludes_wrongly
from rewright.sql.facts.policies import policies_differ

from .context import Context
from .digest import digest
from .entail import Engine, LetGo, OutOfTime
from .fresh import numbering
from .match import Pairing, match_bags
from .normal import (
    BY_POSITION,
    EARLY,
    JOINED,
    JOINED_EARLY,
    ORDER,
    TOGETHER,
    UNSPLIT,
    WITH_ROWS,
    Trace,
    groups_unions,
    joins_first_rows,
    normalise,
    reads_rows,
    says_positions,
)
from .prepare import (
    Prepared,
    Reason,
    method_of,
    names_note,
    prepare_both,
    reservations,
    same_order,
    same_tree,
    scope_of,
    signature_difference,
)
from .remembered import Answers, Memory, RememberingEngine
from .replay import settle
from .schema import Schema
from .terms import Bag
from .translated import Unsupported


def prove(
    q1: Query,
    q2: Query,
    catalog: Catalog,
    *,
    deadline_seconds: float = 5.0,
    accept: Collection[str] = (),
    distrust: Collection[str] = (),
    positions: bool | None = None,
    memory: Memory | None = None,
) -> Proof | Reason | None:
    """A proof that both queries are the same on every database of the catalog.

    ``accept`` are reservations the caller can live with; others still come back in ``modulo``, for the caller
    to judge. ``distrust``: names of constraints not to rely on (a session's snapshot may be older).
    ``positions``: whether first rows, ranks and extremes are seen as EXISTS, which takes longer; None: where
    nothing is found without. ``memory``: what earlier attempts at the pair left. ``Reason`` says what stands
    in the way, None that nothing was found. A proof that comes back has been replayed. In a process with
    several threads one proves at a time; the others wait for their turn as long as they may prove, and prove
    then.
    """
    del accept
    deadline = clock.now() + deadline_seconds
    answers = (memory or Memory()).of(catalog, frozenset(distrust))
    kept = answers.outcomes.get((q1, q2, positions))
    if kept is not None:
        return kept[0]
    while True:
        let_others_go_first(deadline)
        left = deadline - clock.now()
        try:
            with solver_alone(left):
                return _prove(q1, q2, answers, left, positions)
        except Busy:
            return Reason("timeout", "timeout")
        except LetGo:
            continue


def _prove(
    q1: Query,
    q2: Query,
    answers: Answers,
    deadline_seconds: float,
    positions: bool | None,
) -> Proof | Reason | None:
    schema = Schema(answers.catalog, distrust=answers.distrust)
    engine = RememberingEngine(schema, clock.now() + deadline_seconds, answers)
    try:
        outcome = _outcome(engine, q1, q2, positions)
    finally:
        engine.close()
    engine.leave((q1, q2, positions), outcome)
    return outcome


def _outcome(engine: Engine, q1: Query, q2: Query, positions: bool | None) -> Proof | Reason | None:
    """A replayed proof, or what the search ended with."""
    try:
        with numbering():
            draft = _draft(engine, q1, q2, positions)
        if not isinstance(draft, Proof) or draft.method == "same-tree":
            return draft
        settled = settle(draft, q1, q2, engine.schema.catalog, engine.deadline)
    except Unsupported as why:
        return Reason(f"unsupported {why}", "unsupported")
    except OutOfTime:
        return Reason("timeout", "timeout")
    except LetGo:
        raise
    except RecursionError:
        return Reason("the query is too deep", "unsupported")
    except ImportError as missing:
        return Reason(f"not installed: {missing.name}", "unsupported")
    except Exception as error:  # noqa: BLE001 - a fault of the search must not become the caller's
        return Reason(f"internal error: {error!r}", "internal")
    if isinstance(settled, Flaw):
        if clock.now() > engine.deadline:
            return Reason("timeout", "timeout")
        return Reason(f"the proof found does not replay: {settled.reason}", "internal")
    return settled


def _draft(engine: Engine, q1: Query, q2: Query, positions: bool | None) -> Proof | Reason | None:
    """What a search finds; its facts may be more than the argument needs."""
    difference = signature_difference(q1, q2)
    if difference is not None and difference.kind == "signature":
        return difference
    notes = names_note(q1, q2)
    if policies_differ(q1, q2, engine.schema.catalog):
        return Reason("row-level security below a view", "unsupported")
    if same_tree(q1, q2):
        return Proof("same-tree", scope="any", notes=notes)
    if any(concludes_wrongly(q, engine.schema.catalog) for q in (q1, q2)):
        return Reason("instants are equated with local times", "unsupported")
    prepared = prepare_both(engine, q1, q2)
    if not isinstance(prepared, tuple):
        return prepared
    found = None
    for order, early in _orders(prepared, positions):
        found = _matched(engine, prepared, order, early)
        if isinstance(found, tuple):
            break
    if not isinstance(found, tuple):
        return found
    steps, ended, blocks = found
    return Proof(
        method_of(steps),
        steps,
        tuple(sorted(engine.schema.used)),
        scope_of(q1, q2),
        frozenset(reservations(engine, q1, q2, prepared, ended, blocks)),
        Matching(blocks),
        notes,
        (digest(ended[0]), digest(ended[1])),
    )


def _orders(
    prepared: tuple[Prepared, Prepared], positions: bool | None
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The rules to go by and the early ones, one set after the other."""
    if not positions:
        yield ORDER, EARLY
        if any(groups_unions(p.bag) for p in prepared):
            yield WITH_ROWS, TOGETHER
    if positions is not False and any(says_positions(p.bag) for p in prepared):
        if all(reads_rows(p.bag) for p in prepared):
            yield UNSPLIT, EARLY
        yield BY_POSITION, EARLY
        forms = [p.bag for p in prepared]
        if any(map(joins_first_rows, forms)) and any(map(reads_rows, forms)):
            yield JOINED, JOINED_EARLY


_Matched = tuple[tuple[Step, ...], tuple[Bag, Bag], tuple[tuple[int, Pairing], ...]]


def _matched(
    engine: Engine, prepared: tuple[Prepared, Prepared], order: tuple[str, ...], early: tuple[str, ...]
) -> _Matched | Reason | None:
    """The steps to two forms that are the same, the forms, and what stands for what in them."""
    left, steps1 = normalise(engine, prepared[0].bag, order=order, early=early)
    right, steps2 = normalise(engine, prepared[1].bag, order=order, early=early)
    ended = same_order(engine, prepared, (left, right))
    if ended is None:
        return Reason("the visible orders differ", "order")
    blocks = match_bags(engine, Context(), *ended)
    if blocks is None:
        left, more1 = normalise(engine, left, order=order, early=early, late=True)
        right, more2 = normalise(engine, right, order=order, early=early, late=True)
        again = same_order(engine, prepared, (left, right)) if more1 or more2 else None
        blocks = None if again is None else match_bags(engine, Context(), *again)
        if again is None or blocks is None:
            return None
        ended, steps1, steps2 = again, [*steps1, *more1], [*steps2, *more2]
    return (*_steps(1, steps1), *_steps(2, steps2)), ended, blocks


def _steps(side: Literal[1, 2], trace: Trace) -> tuple[Step, ...]:
    return tuple(Step(side, rule, path, at) for rule, path, at in trace)


__all__ = ["Reason", "prove"]
