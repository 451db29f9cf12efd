"""Unique indexes over some rows or over expressions: keys of rows that meet a condition, by terms over a row;
and keys over periods.

Two rows that meet the index's predicate and are equal in all its expressions are one row; so are two rows
that are equal in all columns of a key WITHOUT OVERLAPS. As of CHECKs, only what is made of built-in immutable
functions and operators is read. Must not know how they are used.
"""

from __future__ import annotations

from rewright.equivalence.records import Assumption
from rewright.sql.catalog import Table as Relation
from rewright.sql.records import Key
from rewright.sql.types import DETERMINISTIC_COLLATIONS

from .build import predicates
from .checks import row_term
from .schema import ConditionalKey, PeriodKey, Schema, is_enforced
from .terms import Source, Table, Term


def conditional_keys(schema: Schema, source: Source, var: int) -> list[ConditionalKey]:
    """The partial and expression keys of what the source scans, over the row of ``var`` (F1, F3, F4)."""
    relation = _kept(schema, source)
    if relation is None or not isinstance(source, Table):
        return []
    found = _keys_of(schema, relation, source, var)
    return [k for k in found if schema.stated(k.assumption)]


def _kept(schema: Schema, source: Source) -> Relation | None:
    """The relation that a source scans, where it has such keys and they speak for all rows scanned."""
    relation = schema.relation(source.ref) if isinstance(source, Table) else None
    if relation is None or not isinstance(source, Table):
        return None
    if not any(k.partial or k.expression or k.period for k in relation.keys):
        return None
    if not is_enforced(relation) or (relation.has_children and not source.only):
        return None
    return relation


def _keys_of(schema: Schema, relation: Relation, source: Table, var: int) -> list[ConditionalKey]:
    found: list[ConditionalKey] = []
    for key in relation.keys:
        if not (key.partial or key.expression or key.period) or key.exclusion or not _usable(key):
            continue
        texts = key.expressions or tuple(_quoted(c) for c in key.columns)
        terms = [row_term(schema, relation, text, source, var) for text in texts]
        condition = row_term(schema, relation, key.predicate, source, var) if key.partial else None
        known = tuple(t for t in terms if t is not None)
        if not known or len(known) < len(terms) or (condition is None) == key.partial:
            continue
        if key.expression and not all(map(_has_one_equality, known)):
            continue
        conditions = () if condition is None else predicates(condition)
        name = f"{relation.ref.schema}.{relation.ref.name}"
        said = (*texts, *(("where", key.predicate) if key.partial else ()))
        found.append(
            ConditionalKey(known, conditions, key.nulls_distinct, Assumption("unique", name, said, key.name))
        )
    return found


def _has_one_equality(term: Term) -> bool:
    """Whether what an index of expressions takes for equal is equal in queries: it may be made under another
    collation than the expression's own, which takes texts for one that the index tells apart.
    """
    return term.type.collation in DETERMINISTIC_COLLATIONS | {""}


def period_keys(schema: Schema, source: Source, var: int) -> list[PeriodKey]:
    """The keys WITHOUT OVERLAPS, and EXCLUDE of ranges that overlap, over the row of ``var``: of rows
    that are equal in ``terms``, the ``period`` of one at most has a value in it.
    """
    relation = _kept(schema, source)
    if relation is None or not isinstance(source, Table):
        return []
    found: list[PeriodKey] = []
    for key in relation.keys:
        columns = [row_term(schema, relation, _quoted(c), source, var) for c in key.columns]
        terms = tuple(t for t in columns if t is not None)
        if not key.period or not _usable(key) or key.partial or key.expression or len(terms) < len(columns):
            continue
        name = f"{relation.ref.schema}.{relation.ref.name}"
        said = Assumption("unique", name, (*key.columns, "without overlaps"), key.name)
        if schema.stated(said):
            found.append(PeriodKey(terms[:-1], terms[-1], said))
    return found


def _usable(key: Key) -> bool:
    """What is asked of other keys too (F1, F3: valid, F12, F17, F18)."""
    told = (bool(key.predicate) or not key.partial) and (bool(key.expressions) or not key.expression)
    # of two rows with one and the same range one is refused, since empty ranges are (WITHOUT OVERLAPS)
    sound = key.valid and not key.doubt and not key.foreign_equality
    return told and sound and not key.deferrable


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
