"""Facts under what is found that stored rows may break, and whether they may be relied on.

A foreign key is kept by triggers alone: what a replica, a restore or a disabled trigger let in breaks it,
and it still looks valid ([optimiser] foreign_keys). NOT NULL and bounds of partitions are sometimes taken
for true by the server without a look at the rows. Owns which of these evidence rests on, and the search
without those that are not kept. Must not know servers: who looks at rows is a port.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from rewright.sql.records import Check, ForeignKey, Key, Table, TableColumn
from rewright.sql.row_facts import Policy, RowFact

# searches for one query: each but the first without the facts that were found broken
_SEARCHES = 3


# those of the facts that are not to be relied on, with the reasons
Look = Callable[[Collection[RowFact]], Mapping[RowFact, str]]


def trusted(catalog: Catalog, policy: Policy, broken: Iterable[RowFact]) -> Catalog:
    """The catalog in which what must not be relied on guarantees nothing.
    ``broken``: known not to be kept.
    """
    # a foreign key that is declared to be kept (`declared`) is believed in spite of what was found
    names = {fact for fact in broken if fact.kind != "foreign key" or policy != "declared"}
    if policy == "never":
        # `never`: keys that triggers keep guarantee nothing, looked at or not
        names |= {fact for fact in row_facts(catalog) if fact.kind == "foreign key"}
    tables = {fact.ref for fact in names}
    changed = [_doubted(table, names) for table in catalog.relations if table.ref in tables]
    return catalog.with_relations(*changed) if changed else catalog


def row_facts(catalog: Catalog) -> Iterator[RowFact]:
    """All that could be relied on."""
    for table in catalog.relations:
        yield from _facts_of(table)


def rests_on(catalog: Catalog, evidence: Evidence | None, texts: Sequence[str]) -> frozenset[RowFact]:
    """What the evidence needs. A proof names its own; anything else was found on databases that keep all
    that is declared of the relations in the ``texts``.
    """
    if evidence is None:
        return frozenset()
    # tested or judged: on databases that kept all that is declared
    if evidence.level == "proved":
        named = [_named(catalog, text) for text in evidence.assumptions]
        if None not in named:
            return frozenset(fact for facts in named for fact in facts or ())
    # what is not understood counts as resting on all
    try:
        tables: Sequence[Table] = reachable(catalog, _names(texts))
    except (Refused, PglastError, TooDeep, RecursionError):
        tables = catalog.relations
    return frozenset(fact for table in tables for fact in _facts_of(table))


def to_look_at(facts: Iterable[RowFact], policy: Policy) -> frozenset[RowFact]:
    """Those of the facts that are believed only after a look at the rows."""
    # NOT NULL and CHECKs are looked at under any policy: the server itself may have let rows slip in
    return frozenset(fact for fact in facts if policy == "verified" or fact.kind != "foreign key")


def is_lasting(catalog: Catalog, fact: RowFact) -> bool:
    """Whether one look at its rows is enough, since no row that breaks it comes in and whoever serves sees
    when it was declared anew: a CHECK's row in pg_constraint is another then, as NOT NULL's is from 18 on.
    Partitions and children that come later may bring their rows with them.
    """
    table = catalog.table(fact.ref)
    alone = table.kind == "table" and not table.has_children
    # before 18 NOT NULL has no row of its own in pg_constraint, which would change when it is declared anew
    return alone and (fact.kind == "check" or (fact.kind == "not null" and catalog.version >= 180000))


@dataclass(frozen=True, slots=True)
class Searched:
    """An outcome, the facts it rests on, and those that were left out, with the reasons."""

    outcome: Outcome
    needed: frozenset[RowFact] = frozenset()
    broken: Mapping[RowFact, str] = field(default_factory=dict)


def search(
    catalog: Catalog,
    policy: Policy,
    look: Look,
    run: Callable[[Catalog], Outcome],
    broken: Mapping[RowFact, str] | None = None,
) -> Searched:
    """Run, look at the facts that the best rests on, and run again without those that are not kept.

    ``broken`` are known not to be kept. Where each search comes upon another one, nothing is found.
    """
    known = dict(broken or {})
    for _ in range(_SEARCHES):
        believed = trusted(catalog, policy, known)
        outcome = run(believed)
        needed = _needed(believed, outcome)
        # only what the best rests on: most declarations are never needed
        bad = look(to_look_at(needed, policy))
        if not bad:
            return Searched(_told(outcome, known), needed, known)
        # found broken: the next search does without it
        known.update(bad)
    # each search came upon another broken fact: the original stays
    nothing = replace(outcome, best=None, servable=False, reason="", hints=None)
    return Searched(_told(nothing, known), frozenset(), known)


def _told(outcome: Outcome, broken: Mapping[RowFact, str]) -> Outcome:
    """The outcome. Where nothing was found, its reason also says why none of these facts was relied on."""
    if outcome.best is not None or not broken:
        return outcome
    why = [f"{key} is not relied on: {reason}" for key, reason in sorted(broken.items())]
    return replace(outcome, reason="; ".join([outcome.reason, *why] if outcome.reason else why))


def _needed(catalog: Catalog, outcome: Outcome) -> frozenset[RowFact]:
    best = outcome.best
    if best is None:
        return frozenset()
    texts = (outcome.original, best.checked.candidate.sql)
    # the template's proof may rest on more than the pair's
    return rests_on(catalog, best.checked.evidence, texts) | rests_on(catalog, outcome.scoped.evidence, texts)


def _names(texts: Sequence[str]) -> set[tuple[str, str]]:
    nodes = (node for text in texts for node in nodes_of([s.stmt for s in parse(text)]))
    # nodes of subqueries and CTEs too; a CTE's name that is no table is found in no catalog
    return {(n.schemaname or "", n.relname or "") for n in nodes if isinstance(n, ast.RangeVar)}


def _facts_of(table: Table) -> Iterator[RowFact]:
    yield from (_reference(table, key) for key in table.foreign_keys if key.usable)
    yield from (_not_null(table, column) for column in table.columns if column.not_null)
    yield from (_check(table, check) for check in table.checks if check.usable)
    # a key across partitions is only as good as the bounds that keep its values apart
    if table.kind == "partitioned" and table.keys:
        yield _bounds(table)


def _reference(table: Table, key: ForeignKey) -> RowFact:
    return RowFact(table.ref.schema, table.ref.name, key.name)


def _not_null(table: Table, column: TableColumn) -> RowFact:
    return RowFact(table.ref.schema, table.ref.name, column.name, "not null")


def _check(table: Table, check: Check) -> RowFact:
    return RowFact(table.ref.schema, table.ref.name, check.name, "check")


def _bounds(table: Table) -> RowFact:
    return RowFact(table.ref.schema, table.ref.name, kind="bounds")


# -- what a proof states


def _named(catalog: Catalog, text: str) -> Collection[RowFact] | None:
    """What one assumption of a proof rests on; None: it is not understood."""
    for table in catalog.relations:
        # most assumptions are about other tables
        if f"{table.ref.schema}.{table.ref.name}" in text:
            found = _of_table(table, text)
            if found is not None:
                return found
    return None


def _of_table(table: Table, text: str) -> Collection[RowFact] | None:
    name = f"{table.ref.schema}.{table.ref.name}"
    for reference in table.foreign_keys:
        if reference.usable and text == _stated(table, reference):
            return (_reference(table, reference),)
    for column in table.columns:
        stated = Assumption("not null", name, (column.name,), column.not_null_constraint)
        if column.not_null and text == str(stated):
            return (_not_null(table, column),)
    for check in table.checks:
        if check.usable and text == str(Assumption("check", name, (), check.name)):
            return (_check(table, check),)
    if text in {str(Assumption("check", name, (), f"generated {column.name}")) for column in table.columns}:
        # no way was found in which a stored column is not its expression's value (decision 0493)
        return ()
    for key in table.keys:
        kind = "primary key" if key.primary else "unique"
        # what a partial one states besides its name is its condition
        if text.startswith(f"{kind} {name}(") and text.endswith(f" ({key.name})"):
            return tuple(_under_key(table, key))
    return None


def _under_key(table: Table, key: Key) -> Iterator[RowFact]:
    """That a primary key takes no NULL in is part of it; a unique key's NOT NULL is stated for itself. Rows
    of two partitions differ in the key because the bounds do.
    """
    if key.primary:
        yield from (_not_null(table, c) for c in table.columns if c.name in key.columns and c.not_null)
    if table.kind == "partitioned":
        yield _bounds(table)


def _stated(table: Table, key: ForeignKey) -> str:
    """As proofs state it."""
    columns = (*key.columns, f"{key.target.schema}.{key.target.name}", *key.target_columns)
    return str(Assumption("foreign key", f"{table.ref.schema}.{table.ref.name}", columns, key.name))


# -- without what is broken


def _doubted(table: Table, broken: set[RowFact]) -> Table:
    nullable = {column.name for column in table.columns if _not_null(table, column) in broken}
    return replace(
        table,
        columns=tuple(replace(c, not_null=False) if c.name in nullable else c for c in table.columns),
        keys=tuple(_doubted_key(table, key, nullable, broken) for key in table.keys),
        foreign_keys=tuple(
            replace(key, doubt="F15") if _reference(table, key) in broken else key
            for key in table.foreign_keys
        ),
        checks=tuple(
            replace(check, doubt="F25") if _check(table, check) in broken else check for check in table.checks
        ),
    )


def _doubted_key(table: Table, key: Key, nullable: set[str], broken: set[RowFact]) -> Key:
    if _bounds(table) in broken:
        return replace(key, doubt="F23")
    # a primary key says NOT NULL of its columns: without that it is not the key that was proved with
    return replace(key, doubt="F24") if key.primary and nullable & set(key.columns) else key
