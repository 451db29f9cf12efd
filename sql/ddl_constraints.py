"""Keys, references and checks of a table under construction, with the names that the server gives them.

Unique indexes are keys, too. Must not know which statements bring them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.typenames import find_collation
from rewright.sql.ddl_builder import Builder, expression_text
from rewright.sql.ddl_meanings import means_the_same
from rewright.sql.ddl_triggers import note_actions
from rewright.sql.parsing import nodes_of
from rewright.sql.records import Check, ForeignKey, Key, Table
from rewright.sql.types import equality_is_identity

_MATCH: dict[str, Literal["simple", "full", "partial"]] = {"s": "simple", "f": "full", "p": "partial"}


@dataclass
class ColumnConstraint:
    """A constraint written behind a column."""

    node: Any
    column: str
    deferrable: bool = False
    not_enforced: bool = False


def add_constraint(builder: Builder, table: Table, given: Any) -> Table:
    """The table with one more constraint, from CREATE or ALTER TABLE."""
    made = _with_constraint(builder, table, given)
    node = given.node if isinstance(given, ColumnConstraint) else given
    if not node.conname:
        builder.unnamed |= {(table.ref, n) for n in constraint_names(made) - constraint_names(table)}
    elif made.keys != table.keys:
        # its index is called so
        builder.relations.add((table.ref.schema, node.conname))
    return made


def _with_constraint(builder: Builder, table: Table, given: Any) -> Table:
    own = given if isinstance(given, ColumnConstraint) else None
    node = own.node if own else given
    deferrable = bool(node.deferrable) or bool(own and own.deferrable)
    enforced = _enforced(node) and not (own and own.not_enforced)
    if node.including:
        builder.covering.add(table.ref)
    match node.contype.name:
        case "CONSTR_PRIMARY" | "CONSTR_UNIQUE":
            return _add_key(table, node, [own.column] if own else _names(node.keys), deferrable=deferrable)
        case "CONSTR_FOREIGN":
            columns = [own.column] if own else _names(node.fk_attrs)
            return _add_foreign_key(builder, table, node, columns, deferrable=deferrable, enforced=enforced)
        case "CONSTR_CHECK":
            # CHECK's name is table_column_check where it names one column, else table_check
            named = {n.fields[-1].sval for n in nodes_of(node.raw_expr) if _is_column(n)}
            base = "_".join((table.ref.name, *(named if len(named) == 1 else ()), "check"))
            name = node.conname or _free_name(base, constraint_names(table))
            validated = not node.skip_validation and enforced and means_the_same(builder, node.raw_expr)
            check = Check(name, expression_text(node.raw_expr), validated, enforced, bool(node.is_no_inherit))
            return replace(table, checks=(*table.checks, check))
        case "CONSTR_NOTNULL":
            # NO INHERIT: children's rows, which a scan of the parent returns, may hold NULLs
            valid = not node.skip_validation and not node.is_no_inherit
            return with_not_null(table, _names(node.keys), name=node.conname or "") if valid else table
        case "CONSTR_EXCLUSION":
            return _add_exclusion(builder, table, node, deferrable=deferrable)
        case other:
            raise Unsupported(other)


def _is_column(node: Any) -> bool:
    return isinstance(node, ast.ColumnRef) and isinstance(node.fields[-1], ast.String)


def _enforced(node: Any) -> bool:
    flag = getattr(node, "is_enforced", None)
    # None: a parser older than NOT ENFORCED
    return True if flag is None else bool(flag)


def _names(nodes: Iterable[Any] | None) -> list[str]:
    return [n.sval for n in nodes or ()]


def constraint_names(table: Table) -> set[str]:
    return {c.name for group in (table.keys, table.foreign_keys, table.checks) for c in group}


def _free_name(base: str, taken: set[str]) -> str:
    if base not in taken:
        return base
    # the server adds 1, 2, … until the name is free
    return next(f"{base}{i}" for i in range(1, len(taken) + 2) if f"{base}{i}" not in taken)


def with_not_null(table: Table, names: Sequence[str], *, name: str = "") -> Table:
    for n in names:
        if n not in {c.name for c in table.columns}:
            raise BindError("42703", f'column "{n}" named in key does not exist')
    columns = tuple(
        replace(c, not_null=True, not_null_constraint=c.not_null_constraint or name) if c.name in names else c
        for c in table.columns
    )
    return replace(table, columns=columns)


def _add_key(table: Table, node: Any, columns: list[str], *, deferrable: bool) -> Table:
    primary = node.contype.name == "CONSTR_PRIMARY"
    if node.indexname:
        return _key_from_index(table, node, primary=primary, deferrable=deferrable)
    if primary:
        table = with_not_null(table, columns)
    known = {c.name for c in table.columns}
    for c in columns:
        if c not in known:
            raise BindError("42703", f'column "{c}" named in key does not exist')
    base = f"{table.ref.name}_pkey" if primary else f"{table.ref.name}_{'_'.join(columns)}_key"
    key = Key(
        node.conname or _free_name(base, constraint_names(table)),
        tuple(columns),
        primary,
        nulls_distinct=not getattr(node, "nulls_not_distinct", False),
        deferrable=deferrable,
        period=bool(getattr(node, "without_overlaps", False)),
    )
    return replace(table, keys=(*table.keys, key))


def _add_exclusion(builder: Builder, table: Table, node: Any, *, deferrable: bool) -> Table:
    """An exclusion constraint of plain equalities is a key, one of ranges that do not overlap beside them
    like one WITHOUT OVERLAPS; others are no fact of ours.
    """
    elements = [element for element, _ in node.exclusions]
    apart = _apart(table, node, deferrable=deferrable)
    if apart is not None:
        return replace(table, keys=(*table.keys, apart))
    # operators of other names, or qualified ones, may be no equality
    equal = all([n.sval for n in names][-1:] == ["="] and len(names) == 1 for _, names in node.exclusions)
    # GiST and SP-GiST: their equality may be another than ours
    if not equal or node.access_method not in {"btree", "hash"}:
        return table
    base = f"{table.ref.name}_{'_'.join(e.name or 'expr' for e in elements)}_excl"
    return with_index(
        builder, table, elements, node.where_clause, node.conname or base, deferrable=deferrable
    )


def _apart(table: Table, node: Any, *, deferrable: bool) -> Key | None:
    """The constraint as a key over a period, where it is of plain columns and the operator classes are the
    types' own.
    """
    operators = [tuple(n.sval for n in names) for _, names in node.exclusions]
    elements = [element for element, _ in node.exclusions]
    types = {c.name: c.type for c in table.columns}
    ranges = [e.name for e, o in zip(elements, operators, strict=True) if o == ("&&",)]
    others = [e.name for e, o in zip(elements, operators, strict=True) if o == ("=",)]
    plain = all(e.name in types and not e.opclass and not e.collation for e in elements)
    if node.access_method != "gist" or node.where_clause is not None or not plain or len(ranges) != 1:
        return None
    if len(others) + 1 < len(elements) or not all(equality_is_identity(types[c]) for c in others):
        return None
    if not types[ranges[0]].is_builtin or not types[ranges[0]].name.endswith("range"):
        return None
    name = node.conname or _free_name(
        f"{table.ref.name}_{'_'.join(e.name for e in elements)}_excl", constraint_names(table)
    )
    columns = (*others, ranges[0])
    return Key(name, columns, deferrable=deferrable, period=True, exclusion=True)


def with_index(
    builder: Builder,
    table: Table,
    elements: Sequence[Any],
    where: Any,
    name: str,
    *,
    deferrable: bool = False,
    nulls_distinct: bool = True,
    constraint: bool = True,
) -> Table:
    """The table with one more unique index, or a constraint that is kept like one."""
    columns = [e.name for e in elements]
    expression = any(not c for c in columns)
    key = Key(
        _free_name(name, constraint_names(table)),
        tuple(c for c in columns if c),
        nulls_distinct=nulls_distinct,
        deferrable=deferrable,
        partial=where is not None,
        expression=expression,
        constraint=constraint,
        valid=all(means_the_same(builder, e) for e in (where, *(x.expr for x in elements))),
        # another operator class has another equality
        foreign_equality=any(e.opclass or not _own_collation(builder, table, e) for e in elements),
        predicate="" if where is None else expression_text(where),
        expressions=tuple(_element_text(e) for e in elements) if expression else (),
    )
    return replace(table, keys=(*table.keys, key))


def _element_text(element: Any) -> str:
    """What is indexed: a column or an expression."""
    if not element.name:
        return expression_text(element.expr)
    # as text, to be parsed again by who needs it
    return '"{}"'.format(element.name.replace('"', '""'))


def _own_collation(builder: Builder, table: Table, element: Any) -> bool:
    """Whether what is equal in the index is equal in queries: under deterministic collations the same texts
    are.
    """
    # no COLLATE: the column's own
    if not element.collation:
        return True
    column = next((c for c in table.columns if c.name == element.name), None)
    found = find_collation(builder.context, [n.sval for n in element.collation])
    plain = column is not None and equality_is_identity(column.type)
    # in pg_catalog: users' collations may be nondeterministic
    return plain and found is not None and found.schema == "pg_catalog" and found.deterministic


def _key_from_index(table: Table, node: Any, *, primary: bool, deferrable: bool) -> Table:
    """ADD CONSTRAINT … USING INDEX turns an existing unique index into the constraint."""
    found = [k for k in table.keys if k.name == node.indexname]
    if not found:
        raise BindError("42704", f'index "{node.indexname}" does not exist')
    key = replace(
        found[0],
        name=node.conname or found[0].name,
        primary=primary,
        deferrable=deferrable,
        constraint=True,
    )
    table = replace(table, keys=(*(k for k in table.keys if k is not found[0]), key))
    return with_not_null(table, key.columns) if primary else table


def _add_foreign_key(
    builder: Builder, table: Table, node: Any, columns: list[str], *, deferrable: bool, enforced: bool
) -> Table:
    ref = builder.existing(node.pktable)
    target = table if ref == table.ref else builder.tables[ref]
    targets = _names(node.pk_attrs)
    # REFERENCES t without columns means its primary key
    if not targets:
        key = target.primary_key
        if key is None:
            raise BindError("42704", f'there is no primary key for referenced table "{ref.name}"')
        targets = list(key.columns)
    if len(targets) != len(columns):
        raise BindError("42830", "number of referencing and referenced columns for foreign key disagree")
    _check_foreign_columns(table, columns, target, targets)
    base = f"{table.ref.name}_{'_'.join(columns)}_fkey"
    # PERIOD: ranges have to be covered, not equal ones found
    period = bool(getattr(node, "fk_with_period", False) or getattr(node, "pk_with_period", False))
    made = ForeignKey(
        node.conname or _free_name(base, constraint_names(table)),
        tuple(columns),
        ref,
        tuple(targets),
        _MATCH[node.fk_matchtype or "s"],
        # NOT VALID: rows that were there are not checked
        validated=not node.skip_validation and enforced,
        enforced=enforced,
        deferrable=deferrable,
        period=period,
    )
    note_actions(builder, table.ref, made.name, node)
    return replace(table, foreign_keys=(*table.foreign_keys, made))


def _check_foreign_columns(table: Table, columns: list[str], target: Table, targets: list[str]) -> None:
    for t, names in ((table, columns), (target, targets)):
        known = {c.name for c in t.columns}
        for n in names:
            if n not in known:
                raise BindError("42703", f'column "{n}" referenced in foreign key constraint does not exist')
    # the referenced columns must be a key, in any order; a partial one does not count
    if not any(set(k.columns) == set(targets) and not (k.partial or k.expression) for k in target.keys):
        raise BindError(
            "42830",
            f'there is no unique constraint matching given keys for referenced table "{target.ref.name}"',
        )
