"""CHECK constraints as terms over a row.

A CHECK that is validated and enforced is never FALSE on a stored row; it may be NULL (F8). Only checks made
of built-in immutable functions and operators are read. Must not know how they are used.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.equivalence.records import Assumption
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, bind
from rewright.sql.binder import Unsupported as Unbound
from rewright.sql.catalog import Catalog, Check
from rewright.sql.catalog import Table as Relation
from rewright.sql.ddl_partitions import BOUNDS
from rewright.sql.facts.effects import volatility_of_expr
from rewright.sql.walk import deep_exprs

from .build import conj, disj, is_null, not_null
from .expressions import Translation
from .terms import Table, Term, Var
from .translate import Translator
from .translated import Scope, Unsupported


def checks_of(catalog: Catalog, source: Table, var: int) -> list[tuple[Assumption, Term]]:
    """Each usable CHECK of the relation, over the row of ``var``."""
    if not catalog.has_table(source.ref):
        return []
    relation = catalog.table(source.ref)
    name = f"{source.ref.schema}.{source.ref.name}"
    found: list[tuple[Assumption, Term]] = []
    for check in relation.checks:
        if not _usable(check) or (check.no_inherit and relation.has_children and not source.only):
            continue
        term = row_term(catalog, relation, check.text, source, var)
        if term is not None:
            found.append((Assumption("check", name, (), check.name), term))
    if relation.bounds and relation.partition_of is not None:
        term = row_term(catalog, relation, relation.bounds, source, var)
        if term is not None:
            found.append((Assumption("check", name, (), BOUNDS), term))
    return found


def together(columns: tuple[Term, ...]) -> Term:
    """MATCH FULL: all columns of a reference are NULL, or none."""
    return disj((conj(is_null(c) for c in columns), conj(not_null(c) for c in columns)))


def _usable(check: Check) -> bool:
    return check.validated and check.enforced and not check.doubt


def row_term(catalog: Catalog, relation: Relation, text: str, source: Table, var: int) -> Term | None:
    """An expression of the schema over the row of ``var``; None where it is not understood, or not of
    built-in immutable parts.
    """
    table = quoted(relation.ref)
    try:
        query = bind(f"select ({text}) from {table}", catalog)
        if not isinstance(query, a.Select) or len(query.targets) != 1 or len(query.from_) != 1:
            return None
        (scan,) = query.from_
        expr = query.targets[0].expr
        if not isinstance(scan, a.Scan) or scan.table != relation.ref:
            return None
        if not all(_plain(e) for e in deep_exprs(expr)):
            return None
        # also casts: what date::text gave when the row was stored need not be what it gives now
        if volatility_of_expr(catalog, expr) is not a.Volatility.IMMUTABLE:
            return None
        row = tuple(Var(var, i, t) for i, t in enumerate(source.types))
        return Translation(Translator(), Scope({scan.rel: row})).term(expr)
    except (BindError, Unbound, Unsupported):
        return None


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
