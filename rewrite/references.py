"""Foreign keys under what is found, and whether they may be relied on ([optimiser] foreign_keys).

A foreign key is kept by triggers alone: what a replica, a restore or a disabled trigger let in breaks it, and
it still looks valid. Owns which foreign keys evidence rests on, and the search without those that are not
kept. Must not know servers: who looks at rows is a port.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pglast import ast
from pglast.error import Error as PglastError

from rewright.equivalence.generator.ddl import reachable
from rewright.equivalence.isolation import Refused
from rewright.equivalence.records import Assumption
from rewright.rewrite.api import Outcome
from rewright.rewrite.model import Evidence
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.sql.records import ForeignKey, Table
from rewright.sql.references import Policy, Reference

# searches for one query: each but the first without the foreign keys that were found broken
_SEARCHES = 3


# why a foreign key is not to be relied on; "": it is kept
Look = Callable[[Reference], str]


def trusted(catalog: Catalog, policy: Policy, broken: Iterable[Reference]) -> Catalog:
    """The catalog in which what must not be relied on guarantees nothing.
    ``broken``: known not to be kept.
    """
    if policy == "declared":
        return catalog
    names = set(references(catalog)) if policy == "never" else set(broken)
    changed = [
        replace(table, foreign_keys=tuple(_doubted(table, key, names) for key in table.foreign_keys))
        for table in catalog.relations
        if any(_reference(table, key) in names for key in table.foreign_keys)
    ]
    return catalog.with_relations(*changed) if changed else catalog


def references(catalog: Catalog) -> Iterator[Reference]:
    """Every foreign key that could be relied on."""
    for table in catalog.relations:
        yield from (_reference(table, key) for key in table.foreign_keys if key.usable)


def rests_on(catalog: Catalog, evidence: Evidence | None, texts: Sequence[str]) -> frozenset[Reference]:
    """Foreign keys that the evidence needs. A proof names its own; anything else was found on databases that
    keep all those of the relations in the ``texts``.
    """
    if evidence is None:
        return frozenset()
    if evidence.level == "proved":
        named = {
            _stated(table, key): _reference(table, key)
            for table in catalog.relations
            for key in table.foreign_keys
            if key.usable
        }
        stated = {text for text in evidence.assumptions if " references " in text}
        if stated <= named.keys():
            return frozenset(named[text] for text in stated)
    # what is not understood counts as resting on all
    try:
        tables: Sequence[Table] = reachable(catalog, _names(texts))
    except (Refused, PglastError, TooDeep, RecursionError):
        tables = catalog.relations
    return frozenset(_reference(table, key) for table in tables for key in table.foreign_keys if key.usable)


@dataclass(frozen=True, slots=True)
class Searched:
    """An outcome, the foreign keys it rests on, and those that were left out, with the reasons."""

    outcome: Outcome
    needed: frozenset[Reference] = frozenset()
    broken: Mapping[Reference, str] = field(default_factory=dict)


def search(
    catalog: Catalog,
    policy: Policy,
    look: Look,
    run: Callable[[Catalog], Outcome],
    broken: Mapping[Reference, str] | None = None,
) -> Searched:
    """Run, look at the foreign keys that the best rests on, and run again without those that are not kept.

    ``broken`` are known not to be kept. Where each search comes upon another one, nothing is found.
    """
    known = dict(broken or {})
    for _ in range(_SEARCHES):
        believed = trusted(catalog, policy, known)
        outcome = run(believed)
        needed = _needed(believed, outcome)
        looked = {key: look(key) for key in sorted(needed)} if policy == "verified" else {}
        bad = {key: why for key, why in looked.items() if why}
        if not bad:
            return Searched(_told(outcome, known), needed, known)
        known |= bad
    nothing = replace(outcome, best=None, servable=False, reason="", hints=None)
    return Searched(_told(nothing, known), frozenset(), known)


def _told(outcome: Outcome, broken: Mapping[Reference, str]) -> Outcome:
    """With the reason why these foreign keys were not relied on, where nothing was
    found that does without.
    """
    if outcome.best is not None or not broken:
        return outcome
    why = [f"foreign key {key} is not relied on: {reason}" for key, reason in sorted(broken.items())]
    return replace(outcome, reason="; ".join([outcome.reason, *why] if outcome.reason else why))


def _needed(catalog: Catalog, outcome: Outcome) -> frozenset[Reference]:
    best = outcome.best
    if best is None:
        return frozenset()
    texts = (outcome.original, best.checked.candidate.sql)
    return rests_on(catalog, best.checked.evidence, texts) | rests_on(catalog, outcome.scoped.evidence, texts)


def _names(texts: Sequence[str]) -> set[tuple[str, str]]:
    nodes = (node for text in texts for node in nodes_of([s.stmt for s in parse(text)]))
    return {(n.schemaname or "", n.relname or "") for n in nodes if isinstance(n, ast.RangeVar)}


def _reference(table: Table, key: ForeignKey) -> Reference:
    return Reference(table.ref.schema, table.ref.name, key.name)


def _doubted(table: Table, key: ForeignKey, names: set[Reference]) -> ForeignKey:
    return replace(key, doubt="F15") if _reference(table, key) in names else key


def _stated(table: Table, key: ForeignKey) -> str:
    """As proofs state it."""
    columns = (*key.columns, f"{key.target.schema}.{key.target.name}", *key.target_columns)
    return str(Assumption("foreign key", f"{table.ref.schema}.{table.ref.name}", columns, key.name))
