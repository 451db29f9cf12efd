"""CHECK constraints as terms over a row.

A CHECK that is validated and enforced is never FALSE on a stored row; it may be NULL (F8). Only checks made
of built-in immutable functions and operators are read. Must not know how they are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rewright.equivalence.records import Assumption
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, bind
from rewright.sql.binder import Unsupported as Unbound
from rewright.sql.catalog import Catalog, Check, TableColumn, type_key
from rewright.sql.catalog import Table as Relation
from rewright.sql.ddl_partitions import BOUNDS
from rewright.sql.facts.assumptions import is_computed_anew
from rewright.sql.facts.effects import volatility_of_expr
from rewright.sql.types import SqlType
from rewright.sql.walk import deep_exprs

from .bags import subst
from .build import conj, disj, is_null, is_true, negate, not_null, same
from .enums import labels, of_column
from .expressions import Translation
from .schema import Schema, is_enforced, is_usable_reference, reference_fact
from .symbols import domain
from .terms import App, Lit, Source, Table, Term, Var, rows_renamed, walk
from .translate import Translator
from .translated import Env, Scope, Unsupported

# what texts of the schema are read over, once for each relation
_ANY_ROW = -1


def checks(schema: Schema, source: Source, var: int) -> list[tuple[Assumption, Term]]:
    """What constraints say of each row by itself, over the row of ``var``, never FALSE: CHECKs, the bounds of
    a partition, what generated columns and domains say, and that the columns of a MATCH FULL reference are
    NULL together.
    """
    if not isinstance(source, Table):
        return []
    relation = schema.relation(source.ref)
    # a foreign table's constraints are claims that nothing enforces
    if relation is None or not is_enforced(relation):
        return []
    matched = any(k.match == "full" for k in relation.foreign_keys)
    parted = relation.partition_of or relation.kind == "partitioned"
    # most relations say nothing: they are not read over
    if not (relation.checks or parted or matched or _says_more(relation)):
        return []
    found = _checks_of(schema, source, var)
    # a parent's key does not bind its children's rows
    if not relation.has_children or source.only:
        for key in relation.foreign_keys:
            if key.match == "full" and is_usable_reference(key):
                own = tuple(Var(var, i, source.types[i]) for i in map(relation.position, key.columns))
                found.append((reference_fact(relation, key), _together(own)))
    return [c for c in found if schema.stated(c[0])]


def _checks_of(schema: Schema, source: Table, var: int) -> list[tuple[Assumption, Term]]:
    """Each usable CHECK of the relation, over the row of ``var``."""
    catalog = schema.catalog
    if not catalog.has_table(source.ref):
        return []
    relation = catalog.table(source.ref)
    name = f"{source.ref.schema}.{source.ref.name}"
    found: list[tuple[Assumption, Term]] = []
    for check in relation.checks:
        # NO INHERIT binds the parent's own rows only
        if not _usable(check) or (check.no_inherit and relation.has_children and not source.only):
            continue
        term = row_term(schema, relation, check.text, source, var)
        if term is not None and not _reads_anew(term, relation, source):
            found.append((Assumption("check", name, (), check.name), term))
    found += _bounds_of(schema, relation, source, var)
    found += _in_some_partition(schema, relation, source, var)
    # children and partitions may have expressions of their own
    # a child may compute a generated column by an expression of its own
    alone = relation.kind == "table" and (not relation.has_children or source.only)
    for column, own in zip(relation.columns, _columns(source, var), strict=False):
        if column.generated == "stored" and alone:
            # virtual columns are computed where they are read, and may fail there
            term = _as_generated(schema, relation, column, own, source)
            if term is not None:
                found.append((Assumption("check", name, (column.name,), f"generated {column.name}"), term))
        if column_labels := labels(catalog, column.type):
            said = of_column(own, column_labels)
            found.append((Assumption("check", name, (column.name,), f"labels of {column.type.name}"), said))
        for check, term in _of_domain(catalog, relation, column, own):
            found.append((Assumption("check", name, (column.name,), check.name), term))
    return found


def _reads_anew(term: Term, relation: Relation, source: Table) -> bool:
    """Whether a condition reads a column that the scan computes otherwise than whoever checked it."""
    columns = (t.pos for t in walk(term) if isinstance(t, Var))
    return any(is_computed_anew(relation, pos, only=source.only) for pos in columns)


def _bounds_of(
    schema: Schema, relation: Relation, source: Table, var: int
) -> Iterator[tuple[Assumption, Term]]:
    """The bounds of a partition and of those that it is a part of, whose columns have the same names."""
    catalog = schema.catalog
    # bounds are inherited: a partition of a partition is within both
    above: Relation | None = relation
    while above is not None and above.partition_of is not None:
        term = row_term(schema, relation, above.bounds, source, var) if above.bounds else None
        if term is not None:
            yield Assumption("check", f"{above.ref.schema}.{above.ref.name}", (), BOUNDS), term
        # a live schema may get another partition at any time
        if above.takes_others and catalog.fixed:
            yield from _left_by_others(schema, relation, above, source, var)
        above = catalog.table(above.partition_of) if catalog.has_table(above.partition_of) else None


def _in_some_partition(
    schema: Schema, relation: Relation, source: Table, var: int
) -> Iterator[tuple[Assumption, Term]]:
    """A row of a partitioned table is in the bounds of one of its partitions, where these are all known and
    none takes what is left.
    """
    catalog = schema.catalog
    # a partition that is not known may hold any row
    if relation.kind != "partitioned" or not catalog.fixed or catalog.opaque_relations:
        return
    parts = [t for t in catalog.relations if t.partition_of == relation.ref]
    terms = [row_term(schema, relation, t.bounds, source, var) if t.bounds else None for t in parts]
    known = [t for t in terms if t is not None]
    # all partitions or none: one without bounds that are read may hold the row
    if known and len(known) == len(parts):
        name = f"{relation.ref.schema}.{relation.ref.name}"
        yield Assumption("check", name, tuple(sorted(t.ref.name for t in parts)), "children"), disj(known)


def _left_by_others(
    schema: Schema, relation: Relation, default: Relation, source: Table, var: int
) -> Iterator[tuple[Assumption, Term]]:
    """A row of the default partition is in the bounds of none of the others. Which others there are is known
    of a schema given as DDL alone.
    """
    for other in schema.catalog.relations:
        if other.partition_of != default.partition_of or not other.bounds:
            continue
        term = row_term(schema, relation, other.bounds, source, var)
        # a row that another partition takes is not in the default one
        if term is not None:
            said = f"{default.ref.schema}.{default.ref.name}"
            yield Assumption("check", said, (other.ref.name,), BOUNDS), negate(is_true(term))


def _says_more(relation: Relation) -> bool:
    """Whether columns say something of their rows by what they are: generated, or of a domain."""
    return any(c.generated == "stored" or not c.type.is_builtin for c in relation.columns)


def _columns(source: Table, var: int) -> tuple[Var, ...]:
    return tuple(Var(var, i, t) for i, t in enumerate(source.types))


def _as_generated(
    schema: Schema, relation: Relation, column: TableColumn, own: Var, source: Table
) -> Term | None:
    """A stored generated column has the value of its expression. What goes by a language may have been
    computed under another version of it.
    """
    # the expression of a generated column stands where others have their default
    if column.default is None or not _exact(own.type):
        return None
    term = row_term(schema, relation, column.default, source, own.var)
    # a cast would be needed to compare the two
    if term is None or domain(term.type) != domain(own.type):
        return None
    plain = all(_exact(t.type) for t in walk(term) if isinstance(t, Var | Lit | App))
    return same(own, term) if plain else None


def _exact(type_: SqlType) -> bool:
    """Whether values are computed alike by every version of the server and of its libraries."""
    return domain(type_) in {"integer", "bool", "date"} and type_.typmod == -1


def _of_domain(
    catalog: Catalog, relation: Relation, column: TableColumn, own: Var
) -> Iterator[tuple[Check, Term]]:
    """What a value of a domain that is not NULL has met, of this one and of those it is made of. NULLs get
    past a domain's NOT NULL and CHECK in some statements.
    """
    known = {} if column.type.is_builtin else {t.key: t for t in catalog.types}
    info = known.get(type_key(column.type.schema, column.type.name))
    while info is not None and info.kind == "d":
        for check in info.checks:
            met = _value_term(catalog, relation, column.name, check.text, own) if _usable(check) else None
            if met is not None:
                # a NULL may have got past the CHECK: only values have met it
                yield check, disj((is_null(own), met))
        # a domain over a domain has met the conditions of both
        info = known.get(info.base)


def _value_term(catalog: Catalog, relation: Relation, column: str, text: str, own: Var) -> Term | None:
    """A domain's condition, which calls its value VALUE, over a column of it."""
    name = '"{}"'.format(column.replace('"', '""'))
    try:
        query = bind(f"select ({text}) from (select {name} as value from {quoted(relation.ref)}) q", catalog)
        # more than the one expression: the text closed its parentheses and went on
        if not isinstance(query, a.Select) or len(query.targets) != 1 or len(query.from_) != 1:
            return None
        (made,) = query.from_
        scope = {made.rel: (own,)} if isinstance(made, a.Derived) else {}
        return _immutable_term(catalog, query.targets[0].expr, scope)
    except (BindError, Unbound, Unsupported):
        return None


def _together(columns: tuple[Term, ...]) -> Term:
    """MATCH FULL: all columns of a reference are NULL, or none."""
    return disj((conj(is_null(c) for c in columns), conj(not_null(c) for c in columns)))


def _usable(check: Check) -> bool:
    return check.validated and check.enforced and not check.doubt


def row_term(schema: Schema, relation: Relation, text: str, source: Table, var: int) -> Term | None:
    """An expression of the schema over the row of ``var``; None where it is not understood, or not of
    built-in immutable parts.
    """
    key = (source, text)
    # read once for any row and renamed: the same CHECK is asked of many
    if key not in schema.row_terms:
        schema.row_terms[key] = _read(schema.catalog, relation, text, source)
    term = schema.row_terms[key]
    return None if term is None else subst(term, rows_renamed({_ANY_ROW: var}))


def _read(catalog: Catalog, relation: Relation, text: str, source: Table) -> Term | None:
    table = quoted(relation.ref)
    try:
        query = bind(f"select ({text}) from {table}", catalog)
        if not isinstance(query, a.Select) or len(query.targets) != 1 or len(query.from_) != 1:
            return None
        (scan,) = query.from_
        # the name may stand for something else than the relation itself, as that of a view does
        if not isinstance(scan, a.Scan) or scan.table != relation.ref:
            return None
        return _immutable_term(catalog, query.targets[0].expr, {scan.rel: _columns(source, _ANY_ROW)})
    except (BindError, Unbound, Unsupported):
        return None


def _immutable_term(catalog: Catalog, expr: a.Expr, env: Env) -> Term | None:
    """An expression of built-in immutable parts. Raises Unsupported."""
    # now() and settings had other values when the row was stored
    if not all(_plain(e) for e in deep_exprs(expr)):
        return None
    # also casts: what date::text gave when the row was stored need not be what it gives now
    if volatility_of_expr(catalog, expr) is not a.Volatility.IMMUTABLE:
        return None
    return Translation(Translator(labels=partial(labels, catalog)), Scope(env)).term(expr)


def quoted(ref: a.TableRef) -> str:
    """The relation's name in a query, whatever is in it."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in (ref.schema, ref.name))


def _plain(e: a.Expr) -> bool:
    """Built-in and immutable, without subqueries."""
    match e:
        case a.ScalarSubquery() | a.Exists() | a.Quantified() | a.ArraySubquery() | a.SystemColumn():
            return False
        case a.WholeRow() | a.Opaque() | a.ValueFunction() | a.Param():
            return False
        case _:
            return all(f.is_builtin and f.volatility is a.Volatility.IMMUTABLE for f in _called(e))


def _called(e: a.Expr) -> Iterator[a.FunctionRef]:
    """The functions behind a call, an operator or a cast: a user's may be replaced when the rows are stored
    (F21).
    """
    for name in ("func", "op", "ops"):
        named = getattr(e, name, None)
        for one in named if isinstance(named, tuple) else (named,):
            if isinstance(one, a.OperatorRef):
                yield one.function
            elif isinstance(one, a.FunctionRef):
                yield one
