"""Constraints taken from a schema, or made ones that bind less: what a proof states must be what it needs.

    python -m bench.constraints [--data FILE...] [--seconds S] [--minutes M] [--databases N] [--out FILE]

For each pair of which the prover has a proof: with no constraint but those that the proof lists it must
replay; without one that it lists (dropped, NOT VALID, NOT ENFORCED, DEFERRABLE, partial, of a parent with
children, …) whatever is proved must not list it, and a proof that is left is searched for a database of that
schema which belies it. Exit code 1: any of these failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from bench.bars import bar, say
from bench.mutants import Case, Found, Runs, bound_both, catalog_of_text, kept_cases, read_cases
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.generator.ddl import ddl_of
from rewright.equivalence.isolation import Refused
from rewright.equivalence.options import Options
from rewright.equivalence.proof import Assumption, Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.sql.catalog import Catalog
from rewright.sql.records import Check, ForeignKey, Key, Table

Constraint = TypeVar("Constraint", Key, ForeignKey, Check)

KEY_WEAKER: dict[str, dict[str, Any]] = {
    "deferrable": {"deferrable": True},
    "partial": {"partial": True},
    "expression": {"expression": True},
    "invalid": {"valid": False},
    "other equality": {"foreign_equality": True},
}
REFERENCE_WEAKER: dict[str, dict[str, Any]] = {
    "not valid": {"validated": False},
    "not enforced": {"enforced": False},
    "deferrable": {"deferrable": True},
    "period": {"period": True},
    "triggers disabled": {"triggers_enabled": False},
}
CHECK_WEAKER: dict[str, dict[str, Any]] = {
    "not valid": {"validated": False},
    "not enforced": {"enforced": False},
}
# of the relation, whatever kind the constraint is
RELATION_WEAKER: dict[str, dict[str, Any]] = {
    "foreign": {"kind": "foreign"},
    "children": {"has_children": True},
}


@dataclass(frozen=True, slots=True)
class Weaker:
    """A schema in which ``assumption`` does not hold, and in what way."""

    how: str
    assumption: Assumption
    catalog: Catalog


def only_listed(catalog: Catalog, listed: Sequence[Assumption]) -> Catalog:
    """The schema with these constraints and no other."""

    def stated(kind: str, table: Table, columns: tuple[str, ...], name: str) -> bool:
        return any(
            a.kind == kind and a.table == _name(table) and _is_of(a, columns, name) for a in listed
        )  # fmt: skip

    def kept(table: Table) -> Table:
        return replace(
            table,
            columns=tuple(
                c
                if stated("not null", table, (c.name,), c.not_null_constraint)
                else replace(c, not_null=False)
                for c in table.columns
            ),
            keys=tuple(
                k
                for k in table.keys
                if stated("primary key" if k.primary else "unique", table, k.columns, k.name)
            ),
            foreign_keys=tuple(
                k for k in table.foreign_keys if stated("foreign key", table, k.columns, k.name)
            ),
            checks=tuple(c for c in table.checks if stated("check", table, (), c.name)),
        )

    return replace(catalog, relations=tuple(kept(t) for t in catalog.relations))


def weaker(catalog: Catalog, assumption: Assumption) -> Iterator[Weaker]:
    """Schemas in which the assumption does not hold, all else as it was."""

    def put(how: str, table: Table) -> Weaker:
        relations = tuple(table if r.ref == table.ref else r for r in catalog.relations)
        return Weaker(how, assumption, replace(catalog, relations=relations))

    table = next(t for t in catalog.relations if _name(t) == assumption.table)
    for how, changes in RELATION_WEAKER.items():
        if how != "children" or assumption.kind in {"primary key", "unique", "foreign key"}:
            yield put(how, replace(table, **changes))
    for how, changed in _changed(table, assumption):
        world = put(how, changed)
        gone = {frozenset(k.columns) for k in table.keys} - {frozenset(k.columns) for k in changed.keys}
        yield replace(world, catalog=_without_references(world.catalog, table, gone)) if gone else world


def _without_references(catalog: Catalog, table: Table, gone: Collection[frozenset[str]]) -> Catalog:
    """The schema without foreign keys that refer to keys which are gone, as DROP ... CASCADE leaves it."""

    def kept(one: Table) -> Table:
        left = tuple(
            f for f in one.foreign_keys if f.target != table.ref or frozenset(f.target_columns) not in gone
        )
        return replace(one, foreign_keys=left)

    return replace(catalog, relations=tuple(map(kept, catalog.relations)))


def _changed(table: Table, assumption: Assumption) -> Iterator[tuple[str, Table]]:
    kind = assumption.kind
    if kind == "not null":
        column = next(c for c in table.columns if c.name == assumption.columns[0])
        for how, other in (
            ("dropped", replace(column, not_null=False, not_null_constraint="")),
            ("not valid", replace(column, not_null=False, not_null_constraint="unchecked")),
        ):
            yield how, replace(table, columns=tuple(other if c is column else c for c in table.columns))
    elif kind in {"primary key", "unique"}:
        for key in table.keys:
            if _is_of(assumption, key.columns, key.name) and key.primary == (kind == "primary key"):
                for how, other_key in (*_ways(key, KEY_WEAKER), *_over_periods(key, table)):
                    yield how, replace(table, keys=_put(table.keys, key, other_key))
    elif kind == "foreign key":
        for reference in table.foreign_keys:
            if reference.name == assumption.name:
                for how, other_reference in _ways(reference, REFERENCE_WEAKER):
                    yield (
                        how,
                        replace(table, foreign_keys=_put(table.foreign_keys, reference, other_reference)),
                    )
    elif kind == "check":
        for check in table.checks:
            if check.name == assumption.name:
                for how, other_check in _ways(check, CHECK_WEAKER):
                    yield how, replace(table, checks=_put(table.checks, check, other_check))


def _is_of(assumption: Assumption, columns: tuple[str, ...], name: str) -> bool:
    """Whether it is the constraint of this name, or that of these columns where it has none. Indexes of some
    rows or of expressions list those beside their columns.
    """
    return assumption.name == name if assumption.name and name else assumption.columns == columns


def _ways(item: Constraint, ways: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Constraint | None]]:
    yield "dropped", None
    for how, changes in ways.items():
        # an index of some rows is partial as it is
        if (other := replace(item, **changes)) != item:
            yield how, other


def _over_periods(key: Key, table: Table) -> Iterator[tuple[str, Key]]:
    """The key WITHOUT OVERLAPS of one more column: its own columns may be equal at different times."""
    rest = [c.name for c in table.columns if c.name not in key.columns]
    if rest and not (key.period or key.partial or key.expression):
        yield "period", replace(key, columns=(*key.columns, rest[0]), period=True)


def _put(items: tuple[Constraint, ...], item: Constraint, other: Constraint | None) -> tuple[Constraint, ...]:
    return tuple(x for i in items if (x := other if i is item else i) is not None)


def _name(table: Table) -> str:
    return f"{table.ref.schema}.{table.ref.name}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A constraint that a proof needed and did not list, or listed where it does not hold."""

    what: str
    original: str
    candidate: str


def faults(
    case: Case, catalog: Catalog, seconds: float, counts: Counter[str], left: list[Found] | None = None
) -> Iterator[Fault]:
    """What is wrong with the assumptions of the proof of a case's pair; ``left`` gets proofs of schemas
    without one of them.
    """
    original, candidate = case.partners
    bound = bound_both(original, candidate, catalog)
    proof = prove(*bound, catalog, deadline_seconds=seconds) if bound else None
    if bound is None or not isinstance(proof, Proof):
        counts["not proved"] += 1
        return
    counts["proofs"] += 1
    poor = only_listed(catalog, proof.assumptions)
    again = bound_both(original, candidate, poor)
    if again is not None:
        flaw = check_proof(proof, *again, poor)
        counts["with the listed alone"] += 1
        if flaw is not None:
            yield Fault(
                f"needs more than {list(map(str, proof.assumptions))}: {flaw.reason}", original, candidate
            )
    for assumption in proof.assumptions:
        for world in weaker(catalog, assumption):
            if world.how == "children" and " only " in f"{original} {candidate}".lower():
                continue  # ONLY reads the parent's own rows, among which its keys hold
            counts[f"{assumption.kind} {world.how}"] += 1
            again = bound_both(original, candidate, world.catalog)
            other = prove(*again, world.catalog, deadline_seconds=seconds) if again else None
            if not isinstance(other, Proof):
                continue
            counts["proved without one"] += 1
            if assumption in other.assumptions:
                yield Fault(f"relies on {assumption}, which is {world.how}", original, candidate)
            elif world.how == "dropped" and left is not None:
                try:
                    schema = ddl_of(world.catalog, world.catalog.relations)
                except Refused:
                    counts["schema cannot be made"] += 1
                    continue
                stated = tuple(map(str, other.assumptions))
                left.append(
                    Found(
                        f"without {assumption}",
                        schema,
                        original,
                        candidate,
                        tuple(sorted(other.modulo)),
                        stated,
                    )
                )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.constraints", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="+", default=[])
    parser.add_argument("--seconds", type=float, default=1.0, help="for one proof")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--databases", type=int, default=240)
    chosen = parser.parse_args(arguments)
    deadline = time.monotonic() + 60 * chosen.minutes
    counts: Counter[str] = Counter()
    wrong = 0
    left: list[Found] = []
    pairs = {
        c.partners: c
        for c in (read_cases(chosen.data) if chosen.data else kept_cases())
        if len(c.partners) == 2
    }
    catalogs: dict[str, Catalog | None] = {}
    for case in bar(pairs.values(), "pairs", total=len(pairs)):
        if time.monotonic() > deadline:
            break
        if case.schema_sql not in catalogs:
            catalogs[case.schema_sql] = catalog_of_text(case.schema_sql)
        if (catalog := catalogs[case.schema_sql]) is not None:
            for fault in faults(case, catalog, chosen.seconds, counts, left):
                wrong += 1
                say("WRONG", fault)
    print(json.dumps(counts, indent=1), flush=True)
    with ScratchServer() as server:
        runs = Runs(server, Options(prover=False, databases=chosen.databases, seconds=8))
        for found in bar(sorted(left, key=lambda f: f.schema_sql), "runs"):
            if time.monotonic() > deadline:
                break
            seen = runs.look(found)
            counts[f"run: {seen.verdict}"] += 1
            if seen.wrong:
                wrong += 1
                say("WRONG", seen)
        runs.close()
    print(json.dumps({k: n for k, n in counts.items() if k.startswith("run")}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
