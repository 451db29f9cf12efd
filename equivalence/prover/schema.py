"""Schema facts as the prover may use them, each use recorded as an assumption.

Derives facts from catalog records by itself (it does not share `rewright.sql.facts`), so that `check_proof`
stands on a second derivation. Owns which constraints count (hazards F1 to F24). Must not know terms' logic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rewright.equivalence.records import Assumption
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog, ForeignKey, Key
from rewright.sql.catalog import Table as Relation
from rewright.sql.facts.assumptions import is_computed_anew

from .periods import values_in
from .series import only_rises
from .terms import Function, Source, Table, Term


@dataclass(frozen=True, slots=True)
class KeyFact:
    """Rows that are ``=`` on all ``columns`` are one row; ``nullable``: ``IS NOT DISTINCT`` is not enough.

    ``not_nulls``: where a unique key is not nullable, the NOT NULLs that make it so (a primary key has its
    own).
    """

    columns: tuple[int, ...]
    nullable: bool
    assumption: Assumption
    not_nulls: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class ConditionalKey:
    """Rows for which all of ``conditions`` are TRUE and that are ``=`` in all ``terms`` are one row.
    ``nullable``: NULLs are not.
    """

    terms: tuple[Term, ...]
    conditions: tuple[Term, ...]
    nullable: bool
    assumption: Assumption


@dataclass(frozen=True, slots=True)
class PeriodKey:
    """Rows that are ``=`` on all ``terms``, and have one value in both their ``period``s, are one row."""

    terms: tuple[Term, ...]
    period: Term
    assumption: Assumption

    def values_in(self, preds: Iterable[Term]) -> frozenset[Term]:
        """What the predicates together say to be in the period."""
        return values_in(self.period, preds)


@dataclass(frozen=True, slots=True)
class Reference:
    """For each row with no NULL in ``columns`` there is a row of ``target`` equal in ``target_columns``."""

    columns: tuple[int, ...]
    target: TableRef
    target_columns: tuple[int, ...]
    assumption: Assumption


class Schema:
    """Facts of a catalog. ``used`` collects the assumptions of the facts that mattered; with ``allowed`` no
    other fact is known (a proof is checked with what it states).
    """

    def __init__(
        self,
        catalog: Catalog,
        allowed: Collection[Assumption] | None = None,
        distrust: Collection[str] = (),
    ) -> None:
        self.catalog = catalog
        self.allowed = allowed
        # constraints younger than the session's snapshot (F14), by name
        self.distrust = distrust
        self.used: set[Assumption] = set()
        self._keys: dict[TableRef, tuple[KeyFact, ...]] = {}
        # expressions of the schema that were read (`checks.row_term`)
        self.row_terms: dict[tuple[Table, str], Term | None] = {}
        # what constraints were asked to keep from failing, and the facts that do (`sparing.spare`)
        self.spared: dict[tuple[Term, tuple[Source, ...]], tuple[bool, frozenset[Assumption]]] = {}

    @contextmanager
    def recording(self) -> Iterator[set[Assumption]]:
        """Collect the uses within the block apart, then add them to the whole (clear them to forget)."""
        outer, self.used = self.used, set()
        try:
            yield self.used
        finally:
            outer |= self.used
            self.used = outer

    def relation(self, ref: TableRef) -> Relation | None:
        return self.catalog.table(ref) if self.catalog.has_table(ref) else None

    def is_computed(self, ref: TableRef, position: int) -> bool:
        """Whether a column is a virtual generated one, whose expression is evaluated by whoever reads it."""
        relation = self.relation(ref)
        return relation is not None and relation.columns[position].generated == "virtual"

    def not_null(self, source: Source, pos: int) -> Assumption | None:
        """The NOT NULL of a stored column, if it is one (F9, F11: rows of the relation itself)."""
        if not isinstance(source, Table):
            return None
        relation = self.relation(source.ref)
        # a column that the relation does not have any more
        if relation is None or not is_enforced(relation) or pos >= len(relation.columns):
            return None
        # a child's NOT NULL may be dropped, or never have been there, before PostgreSQL 18
        if relation.has_children and not source.only:
            return None
        column = relation.columns[pos]
        if not column.not_null:
            return None
        if is_computed_anew(relation, pos, only=source.only):
            return None
        return self.stated(
            Assumption("not null", _name(source.ref), (column.name,), column.not_null_constraint)
        )

    def stated(self, assumption: Assumption) -> Assumption | None:
        """The fact if it may be used: neither distrusted nor left out by ``allowed``."""
        if assumption.name and assumption.name in self.distrust:
            return None
        return assumption if self.allowed is None or assumption in self.allowed else None

    def keys(self, source: Source) -> tuple[KeyFact, ...]:
        """The keys that hold on what the source scans (F1 to F4, F12)."""
        if not isinstance(source, Table):
            return ()
        relation = self.relation(source.ref)
        if relation is None or not is_enforced(relation):
            return ()
        # a parent's key does not see its children's rows
        if relation.has_children and not source.only:
            return ()
        if source.ref not in self._keys:
            derived = (self._derive(source, relation, k) for k in relation.keys if _usable_key(k))
            self._keys[source.ref] = tuple(k for k in derived if self.stated(k.assumption))
        return self._keys[source.ref]

    def told_by(self, source: Source) -> tuple[tuple[int, ...], ...]:
        """The columns that are a key of the source's rows under every schema: the values of a series."""
        rising = isinstance(source, Function) and only_rises(source.name, source.args)
        return ((0,),) if rising else ()

    def _derive(self, source: Table, relation: Relation, key: Key) -> KeyFact:
        columns = tuple(relation.position(c) for c in key.columns)
        kind = "primary key" if key.primary else "unique"
        assumption = Assumption(kind, _name(relation.ref), key.columns, key.name)
        # NULLS NOT DISTINCT lets one row have NULL
        if key.primary or not key.nulls_distinct:
            return KeyFact(columns, False, assumption)
        # F2: a unique key takes NULLs in unless NOT NULL, which may go while the key stays
        stated = [self.not_null(source, c) for c in columns]
        needed = () if None in stated else tuple(f for f in stated if f is not None)
        return KeyFact(columns, None in stated, assumption, needed)

    def references(self, source: Source) -> tuple[Reference, ...]:
        """Foreign keys that guarantee a row (F5, F7, F12, F13); NULLs (F6) are the caller's."""
        if not isinstance(source, Table):
            return ()
        relation = self.relation(source.ref)
        if relation is None or not is_enforced(relation):
            return ()
        if relation.has_children and not source.only:
            return ()
        found: list[Reference] = []
        for fk in relation.foreign_keys:
            target = self.relation(fk.target)
            # row-level security may hide the row that is referred to
            if target is None or not is_usable_reference(fk) or target.row_security:
                continue
            columns = tuple(relation.position(c) for c in fk.columns)
            targets = tuple(target.position(c) for c in fk.target_columns)
            what = reference_fact(relation, fk)
            if self.stated(what):
                found.append(Reference(columns, fk.target, targets, what))
        return tuple(found)

    def source_of(self, ref: TableRef) -> Table | None:
        """The relation as a source (what a foreign key points at)."""
        relation = self.relation(ref)
        return None if relation is None else Table(ref, False, tuple(c.type for c in relation.columns))

    def use(self, assumption: Assumption) -> None:
        self.used.add(assumption)


def reference_fact(relation: Relation, key: ForeignKey) -> Assumption:
    """A foreign key as a proof names it."""
    said = (*key.columns, _name(key.target), *key.target_columns)
    return Assumption("foreign key", _name(relation.ref), said, key.name)


def _name(ref: TableRef) -> str:
    return f"{ref.schema}.{ref.name}"


def is_enforced(relation: Relation) -> bool:
    """Whether the server keeps the relation's constraints (M15: a foreign table's are only declared)."""
    # a view has no constraints, a foreign table's are only declared
    return relation.kind not in {"view", "foreign"} and not relation.foreign_children


def _undoubted(constraint: Key | ForeignKey) -> bool:
    """Whether nothing is known through which stored rows may break it (F15, F17, F18)."""
    return not constraint.doubt


def _usable_key(key: Key) -> bool:
    return (
        bool(key.columns)
        and _undoubted(key)
        and not key.deferrable
        # a partial or expression index is a key under its condition only (`conditional_keys`)
        and (key.valid and not key.partial and not key.expression)
        and not key.period
        and not key.foreign_equality
    )


def is_usable_reference(fk: ForeignKey) -> bool:
    """Whether rows are known to meet a foreign key (F5, F12, F13, F15)."""
    return (
        (fk.validated and fk.enforced)
        and not fk.deferrable
        and not fk.period
        and fk.triggers_enabled
        and _undoubted(fk)
    )
