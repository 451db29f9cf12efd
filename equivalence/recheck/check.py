"""Rechecking a certificate: every stage is derived again, and must be what is stated.

Owns the order of the stages and what is wrong with a certificate. Must not know how proofs are found.
"""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

from pglast.parser import ParseError

from rewright.engines import clock
from rewright.equivalence.prover.fresh import numbering
from rewright.equivalence.prover.prepare import same_tree, scope_of
from rewright.equivalence.prover.terms import Bag
from rewright.equivalence.prover.translated import Unsupported as NotRead
from rewright.equivalence.recheck import deriving, document
from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.recheck.deriving import Pair
from rewright.equivalence.recheck.document import Certificate, StatedPart, StatedStep
from rewright.equivalence.recheck.judging import OutOfTime
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.recheck.outcome import NotRechecked, Outcome, Refused, Word
from rewright.equivalence.recheck.views.stating import facts_of_schema
from rewright.equivalence.recheck.views.stating import stated as in_words
from rewright.equivalence.recheck.views.table import seen
from rewright.equivalence.recheck.writing import written
from rewright.equivalence.records import Assumption
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.facts.policies import policies_differ
from rewright.sql.parsing import TooDeep
from rewright.sql.records import type_key
from rewright.sql.types import SqlType

SECONDS = 60.0
_GRACE = 5.0


def recheck(data: bytes, seconds: float = SECONDS) -> Outcome:
    """What becomes of the certificate, within about ``seconds``; never raises for what is in it."""
    started = clock.now()
    laws: Counter[str] = Counter()

    def outcome(word: Word, reason: str = "") -> Outcome:
        return Outcome(word, reason, tuple(sorted(laws.items())), clock.now() - started)

    try:
        with _at_most(seconds + _GRACE):
            _check(document.read(data), started + seconds, laws)
    except Refused as why:
        return outcome("refused", str(why))
    except NotRechecked as why:
        return outcome("not rechecked", str(why))
    except OutOfTime:
        return outcome("not rechecked", f"not within {seconds:g} s")
    except (RecursionError, MemoryError):
        return outcome("refused", "nested too deeply")
    except Exception as error:  # noqa: BLE001 - what strangers wrote must not end whoever checks it
        return outcome("refused", f"internal error: {error!r}"[:200])
    return outcome("good")


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """A wall for what looks at no deadline; only the main thread can have one."""
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _check(found: Certificate, deadline: float, laws: Counter[str]) -> None:
    pair = bound(found, deadline)
    if found.method == "same tree":
        if not same_tree(pair.original, pair.candidate):
            raise Refused("the queries are not the same tree")
        _stated(found, "any", frozenset(), ())
        return
    view = seen(pair.original, pair.candidate, pair.catalog, found.views)
    laws.update(f"form: {name}" for name in found.views)
    if len(found.parts) != len(view.pairs):
        raise Refused(f"{len(view.pairs)} pairs are to be the same, and {len(found.parts)} are shown to be")
    modulo, facts = set(view.modulo), set(view.facts)
    for (first, second), part in zip(view.pairs, found.parts, strict=True):
        apart = Pair(first, second, view.catalog, deadline)
        left_open, rests_on = _alike(apart) if part.method == "same tree" else _by_forms(part, apart, laws)
        modulo |= left_open
        facts |= rests_on
    scope = scope_of(pair.original, pair.candidate)
    stored = facts_of_schema(facts, pair.catalog)
    _stated(found, scope, frozenset(modulo), tuple(sorted(stored)))


def _alike(pair: Pair) -> tuple[frozenset[str], frozenset[Assumption]]:
    """Of one tree twice: what it leaves to chance, and what that rests on."""
    if not same_tree(pair.original, pair.candidate):
        raise Refused("the queries are not the same tree")
    modulo, basis = left_to_chance(pair.original, pair.catalog)
    return modulo, frozenset(in_words(c, pair.catalog) for c in basis)


def _by_forms(
    part: StatedPart, pair: Pair, laws: Counter[str]
) -> tuple[frozenset[str], frozenset[Assumption]]:
    try:
        with numbering():
            modulo = _derived(part, pair, laws)
    except NotRead as why:
        raise Refused(f"not read: {why}") from None
    return modulo, frozenset(
        {*part.reading_facts, *part.pairing_facts, *(f for s in part.steps for f in s.facts)}
    )


def _stated(found: Certificate, scope: str, modulo: frozenset[str], facts: tuple[Assumption, ...]) -> None:
    """What is stated of the whole is what its stages come to."""
    for name, here, derived in (
        ("scope", found.scope, scope),
        ("modulo", found.modulo, tuple(sorted(modulo))),
        ("assumptions", found.assumptions, facts),
    ):
        if here != derived:
            raise Refused(f"{name} should be {_shown(derived)}")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) or "empty"


def bound(found: Certificate, deadline: float) -> Pair:
    """The queries over the schema. Raises Refused."""
    try:
        catalog = catalog_from_ddl(found.schema)
        if catalog.digest() != found.catalog_digest:
            raise Refused("the schema's digest is another")
        types = tuple(_parameter(catalog, SqlType(n, s, m, c)) for n, s, m, c in found.parameters)
        first, second = (
            bind(text, catalog, search_path=found.search_path, param_types=types)
            for text in (found.original, found.candidate)
        )
    except DdlError as error:
        raise Refused(f"schema: {error}") from None
    except (BindError, Unsupported, ParseError, TooDeep) as error:
        raise Refused(f"query: {error}") from None
    # policies go by who reads: below a view that is its owner
    if policies_differ(first, second, catalog):
        raise Refused("row-level security below a view")
    return Pair(first, second, catalog, deadline)


def _parameter(catalog: Catalog, stated: SqlType) -> SqlType:
    """The type of a parameter, where the schema has it and a server would say it of a parameter."""
    try:
        known = catalog.type(type_key(stated.schema, stated.name))
    except KeyError:
        raise Refused(f"no such type: {stated.name[:40]}") from None
    collated = known.kind == "d" or (stated.collation != "") == (known.collation != "")
    if known.kind == "p" or stated.typmod != -1 or stated.collation not in {"", "default"} or not collated:
        raise Refused(f"no type of a parameter: {stated.name[:40]}")
    return replace(stated, enum=known.kind == "e")


def _derived(found: StatedPart, pair: Pair, laws: Counter[str]) -> frozenset[str]:
    """Stage by stage; what the proof leaves open."""
    reading = deriving.read(pair, found.reading_facts)
    if reading.forms != list(found.readings):
        raise Refused("the queries read otherwise than stated")
    last: list[Bag] = []
    for side, prepared in enumerate(reading.prepared, start=1):
        form = prepared.bag
        for number, stated in enumerate(found.steps, start=1):
            if stated.side == side:
                form = _step(pair, form, stated, number)
                laws[stated.law] += 1
        last.append(form)
    if any(s.side not in {1, 2} for s in found.steps):
        raise Refused("a step has a side of its own")
    if list(found.steps) != sorted(found.steps, key=lambda s: s.side):
        raise Refused("the steps of the original come first")
    return _compared(found, pair, reading, (last[0], last[1]))


def _step(pair: Pair, form: Bag, stated: StatedStep, number: int) -> Bag:
    if stated.law not in LAWS:
        raise Refused(f"step {number}: no such law: {stated.law[:40]}")

    def derived(facts: tuple[Assumption, ...]) -> Bag | None:
        return deriving.step(pair, form, stated.law, stated.path, stated.bindings, stated.gives, facts)

    after = derived(stated.facts)
    if after is None:
        raise Refused(f"step {number}: {stated.law} does not give this")
    _all_needed(stated.facts, lambda fewer: derived(fewer) is not None, f"step {number}")
    return after


def _compared(
    found: StatedPart, pair: Pair, reading: deriving.Reading, last: tuple[Bag, Bag]
) -> frozenset[str]:
    ends = deriving.ends(pair, reading, last, found.pairing, found.reading_facts)
    if ends is None:
        raise Refused("the visible orders differ")
    if not deriving.matched(pair, ends.forms, found.pairing, found.pairing_facts):
        raise Refused("the last forms are not the same under the pairing")
    _all_needed(
        found.pairing_facts,
        lambda fewer: deriving.matched(pair, ends.forms, found.pairing, fewer),
        "the pairing",
    )
    _all_needed(
        found.reading_facts, lambda fewer: deriving.reads_alike(pair, reading, last, ends, fewer), "reading"
    )
    return ends.modulo


def _all_needed(facts: tuple[Assumption, ...], stands: Any, where: str) -> None:
    if tuple(sorted(set(facts))) != facts:
        raise Refused(f"{where}: facts are stated in order, each once")
    idle = deriving.idle(facts, stands)
    if idle is not None:
        raise Refused(f"{where} does not need {idle}")


__all__ = ["SECONDS", "bound", "recheck", "written"]
