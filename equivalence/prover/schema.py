"""Schema facts as the prover may use them, each use recorded as an assumption.

Derives facts from catalog records by itself (it does not share `rewright.sql.facts`), so that `check_proof`
stands on a second derivation. Owns which constraints count (SOUNDNESS F1 to F24). Must not know terms' logic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewright.equivalence.records import Assumption
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog, ForeignKey, Key
from rewright.sql.catalog import Table as Relation

from .terms import Source, Table, Term, Var

if TYPE_CHECKING:
    from .conditional_keys import ConditionalKey


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
        if relation is None or not _enforced(relation) or pos >= len(relation.columns):
            return None
        # a child's NOT NULL may be dropped, or never have been there, before PostgreSQL 18
        if relation.has_children and not source.only:
            return None
        column = relation.columns[pos]
        if not column.not_null:
            return None
        return self._stated(
            Assumption("not null", _name(source.ref), (column.name,), column.not_null_constraint)
        )

    def _stated(self, assumption: Assumption) -> Assumption | None:
        if assumption.name and assumption.name in self.distrust:
            return None
        return assumption if self.allowed is None or assumption in self.allowed else None

    def keys(self, source: Source) -> tuple[KeyFact, ...]:
        """The keys that hold on what the source scans (F1 to F4, F12)."""
        if not isinstance(source, Table):
            return ()
        relation = self.relation(source.ref)
        if relation is None or not _enforced(relation):
            return ()
        if relation.has_children and not source.only:
            return ()
        if source.ref not in self._keys:
            derived = (self._derive(source, relation, k) for k in relation.keys if _usable_key(k))
            self._keys[source.ref] = tuple(k for k in derived if self._stated(k.assumption))
        return self._keys[source.ref]

    def _derive(self, source: Table, relation: Relation, key: Key) -> KeyFact:
        columns = tuple(relation.position(c) for c in key.columns)
        kind = "primary key" if key.primary else "unique"
        assumption = Assumption(kind, _name(relation.ref), key.columns, key.name)
        if key.primary or not key.nulls_distinct:
            return KeyFact(columns, False, assumption)
        # F2: a unique key takes NULLs in unless NOT NULL, which may go while the key stays
        stated = [self.not_null(source, c) for c in columns]
        needed = () if None in stated else tuple(f for f in stated if f is not None)
        return KeyFact(columns, None in stated, assumption, needed)

    def checks(self, source: Source, var: int) -> list[tuple[Assumption, Term]]:
        """What constraints say of each row by itself, over the row of ``var``, never FALSE: CHECKs, the
        bounds of a partition, what generated columns and domains say, and that the columns of a MATCH FULL
        reference are NULL together.
        """
        if not isinstance(source, Table):
            return []
        relation = self.relation(source.ref)
        if relation is None or not _enforced(relation):
            return []
        from .checks import checks_of, says_more, together

        matched = any(k.match == "full" for k in relation.foreign_keys)
        if not (relation.checks or relation.bounds or matched or says_more(relation)):
            return []

        found = checks_of(self.catalog, source, var)
        if not relation.has_children or source.only:
            for key in relation.foreign_keys:
                if key.match == "full" and _usable_fk(key):
                    at = [relation.position(c) for c in key.columns]
                    own = tuple(Var(var, i, source.types[i]) for i in at)
                    found.append((_reference(relation, key), together(own)))
        return [c for c in found if self._stated(c[0])]

    def conditional_keys(self, source: Source, var: int) -> list[ConditionalKey]:
        """Partial and expression keys over the row of ``var`` (F1, F3, F4)."""
        if not isinstance(source, Table):
            return []
        relation = self.relation(source.ref)
        if relation is None or not any(k.partial or k.expression for k in relation.keys):
            return []
        if not _enforced(relation) or (relation.has_children and not source.only):
            return []
        from .conditional_keys import conditional_keys

        found = conditional_keys(self.catalog, relation, source, var)
        return [k for k in found if self._stated(k.assumption)]

    def references(self, source: Source) -> tuple[Reference, ...]:
        """Foreign keys that guarantee a row (F5, F7, F12, F13); NULLs (F6) are the caller's."""
        if not isinstance(source, Table):
            return ()
        relation = self.relation(source.ref)
        if relation is None or not _enforced(relation):
            return ()
        if relation.has_children and not source.only:
            return ()
        found: list[Reference] = []
        for fk in relation.foreign_keys:
            target = self.relation(fk.target)
            if target is None or not _usable_fk(fk) or target.row_security:
                continue
            columns = tuple(relation.position(c) for c in fk.columns)
            targets = tuple(target.position(c) for c in fk.target_columns)
            what = _reference(relation, fk)
            if self._stated(what):
                found.append(Reference(columns, fk.target, targets, what))
        return tuple(found)

    def source_of(self, ref: TableRef) -> Table | None:
        """The relation as a source (what a foreign key points at)."""
        relation = self.relation(ref)
        return None if relation is None else Table(ref, False, tuple(c.type for c in relation.columns))

    def use(self, assumption: Assumption) -> None:
        self.used.add(assumption)


def _reference(relation: Relation, key: ForeignKey) -> Assumption:
    said = (*key.columns, _name(key.target), *key.target_columns)
    return Assumption("foreign key", _name(relation.ref), said, key.name)


def _name(ref: TableRef) -> str:
    return f"{ref.schema}.{ref.name}"


def _enforced(relation: Relation) -> bool:
    """Whether the server keeps the relation's constraints (M15: a foreign table's are only declared)."""
    return relation.kind not in {"view", "foreign"} and not relation.foreign_children


def _undoubted(constraint: Key | ForeignKey) -> bool:
    """Whether nothing is known through which stored rows may break it (F15, F17, F18)."""
    return not constraint.doubt


def _usable_key(key: Key) -> bool:
    return (
        bool(key.columns)
        and _undoubted(key)
        and not key.deferrable
        and (key.valid and not key.partial and not key.expression)
        and not key.period
        and not key.foreign_equality
    )


def _usable_fk(fk: ForeignKey) -> bool:
    return (
        (fk.validated and fk.enforced)
        and not fk.deferrable
        and not fk.period
        and fk.triggers_enabled
        and _undoubted(fk)
    )
