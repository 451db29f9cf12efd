"""Writing down what must hold in a client's session for a replacement to run there
(``rewright.proxy.ports.Guard``).

Owns which names of both texts are guarded, and the capture on the optimiser's connection. Names are taken
generously: one too many makes the guard stricter, never weaker.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import psycopg
from pglast import ast
from pglast.parser import parse_sql
from psycopg import sql as psql

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.session import Session
from rewright.proxy.ports import Guard, RelationName
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import nodes_of

# What IN, BETWEEN, LIKE, DISTINCT and the like call without naming it.
IMPLICIT_OPERATORS = (
    "=",
    "<>",
    "<",
    ">",
    "<=",
    ">=",
    "~~",
    "!~~",
    "~~*",
    "!~~*",
    "~",
    "!~",
    "+",
    "-",
    "*",
    "/",
    "||",
)

BELOW = """
with recursive deps(oid) as (
  select unnest(%s::oid[])
  union
  select d.refobjid from deps join pg_rewrite w on w.ev_class = deps.oid
  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
    and d.refclassid = 'pg_class'::regclass
)
select oid::bigint from deps where oid <> all (%s::oid[])"""

RESOLVE = """
select c.oid::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relname = %s::text and case when %s::text = '' then n.nspname = any (%s::text[])
  else n.nspname = %s::text end
order by array_position(%s::text[], n.nspname::text) limit 1"""


# all whose facts a proof about these relations may rest on: parents, partitions, what foreign keys refer to
CONCERNED = """
with recursive family(oid) as (
  select unnest(%s::oid[])
  union
  select case when i.inhparent = f.oid then i.inhrelid else i.inhparent end
  from family f join pg_inherits i on f.oid in (i.inhparent, i.inhrelid)
)
select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.oid in (select oid from family)
  or c.oid in (select k.confrelid from pg_constraint k join family f on f.oid = k.conrelid
                where k.contype = 'f')"""


class GuardFailed(Exception):
    """The guard can't be written: the rewrite must not be served."""


class SchemaChanged(GuardFailed):
    """What the evidence rests on is not what it was: worth another look."""


@dataclass(frozen=True, slots=True)
class Names:
    """What one text names."""

    relations: tuple[str, ...]
    functions: tuple[str, ...]
    operators: tuple[str, ...]
    types: tuple[str, ...] = ()


def names_in(text: str) -> Names:
    """Relations in SQL spelling; functions, operators, types and collations of one statement by the last part
    of their names.

    Raises GuardFailed for a text that does not parse.
    """
    try:
        nodes = list(nodes_of(parse_sql(text)))
    except Exception as error:
        raise GuardFailed(f"the text does not parse: {error}") from error
    return Names(
        relations=_unique(_spell(node) for node in nodes if isinstance(node, ast.RangeVar)),
        functions=_unique(
            str(node.funcname[-1].sval) for node in nodes if isinstance(node, ast.FuncCall) and node.funcname
        ),
        operators=_unique((*IMPLICIT_OPERATORS, *_operators(nodes))),
        types=_unique(_types(nodes)),
    )


def capture(
    session: Session,
    original: str,
    replacement: str,
    believed: Catalog,
    *,
    foreign_keys: bool = False,
    looked_at: int = 0,
) -> Guard:
    """The guard for a pair, if what its evidence rests on still is as in ``believed``. ``foreign_keys``: that
    rests on some, whose rows were looked at under the transaction number ``looked_at``.

    Relations that the pair does not read may have come, changed or gone meanwhile. Raises GuardFailed,
    SchemaChanged among them, psycopg.Error.
    """
    serving = importlib.import_module("rewright.proxy.serving.guard")
    first, second = names_in(original), names_in(replacement)
    connection = session.connection
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        guard = Guard(
            original=_resolve(session, first.relations),
            replacement=_resolve(session, second.relations),
            functions=_unique((*first.functions, *second.functions)),
            operators=_unique((*first.operators, *second.operators)),
            types=_unique((*first.types, *second.types)),
            search_path=_search_path(session),
            foreign_keys=foreign_keys,
            snapshot=looked_at,
        )
        guard = replace(guard, below=_below(connection, guard))
        _require_unchanged(connection, guard, believed)
        row = connection.execute(serving.capture_sql(guard).encode()).fetchone()
        if row is None or not row[0]:
            raise GuardFailed("the server gave no digest")
        return replace(guard, digest=str(row[0]))


def _require_unchanged(connection: psycopg.Connection[Any], guard: Guard, believed: Catalog) -> None:
    now = snapshot(connection)
    if now.digest() == believed.digest():
        return
    read = [*(relation.oid for relation in guard.relations), *guard.below]
    refs = {TableRef(schema, name) for schema, name in connection.execute(CONCERNED, [read]).fetchall()}
    if now.concerning(refs).digest() != believed.concerning(refs).digest():
        raise SchemaChanged("the schema changed while the query was optimised")


def holds(session: Session, guard: Guard) -> bool:
    """Whether names and facts are for this session what they were at the capture. Raises psycopg.Error."""
    serving = importlib.import_module("rewright.proxy.serving.guard")
    with session.connection.transaction():
        row = session.connection.execute(serving.capture_sql(guard).encode()).fetchone()
        names = _resolve(session, (relation.name for relation in guard.relations))
    return row is not None and row[0] == guard.digest and names == guard.relations


READABLE = """
select c.relrowsecurity and not (r.rolsuper or r.rolbypassrls or pg_has_role(r.oid, c.relowner, 'usage')
  and not c.relforcerowsecurity)
  or not (has_schema_privilege(r.oid, c.relnamespace, 'usage') and has_table_privilege(r.oid, c.oid,
    'select'))
from pg_roles r, pg_class c where r.rolname = %s and c.oid = %s"""


def readable(session: Session, role: str, text: str) -> bool:
    """Whether ``role`` may read every relation that ``text`` names, whole: without row-level security, or
    past it.

    Raises psycopg.Error.
    """
    try:
        names = names_in(text).relations
    except GuardFailed:
        return False
    for relation in _resolve(session, names):
        row = session.connection.execute(READABLE, [role, relation.oid]).fetchone()
        if row is None or row[0]:
            return False
    return True


def _resolve(session: Session, names: Iterable[str]) -> tuple[RelationName, ...]:
    """Names that resolve to nothing are of CTEs (the text is known to plan)."""
    serving = importlib.import_module("rewright.proxy.serving.guard")
    path = list(session.schemas)
    found = []
    for name in names:
        schema, plain = serving.split_name(name)
        row = session.connection.execute(RESOLVE, [plain, schema, path, schema, path]).fetchone()
        if row is not None:
            found.append(RelationName(name, int(row[0])))
    return tuple(found)


def _below(connection: psycopg.Connection[Any], guard: Guard) -> tuple[int, ...]:
    named = [relation.oid for relation in guard.relations]
    return tuple(int(row[0]) for row in connection.execute(BELOW, [named, named]).fetchall())


def _search_path(session: Session) -> tuple[str, ...]:
    return tuple(name for name in session.schemas if not name.startswith("pg_temp_"))


def _operators(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        name = getattr(node, "name", None)
        if isinstance(node, ast.A_Expr) and isinstance(name, tuple):
            yield from (str(part.sval) for part in name[-1:])
        elif isinstance(node, ast.SubLink) and node.operName:
            yield from (str(part.sval) for part in node.operName[-1:])


def _types(nodes: Iterable[Any]) -> Iterator[str]:
    """Names of types and of collations."""
    for node in nodes:
        names = node.names if isinstance(node, ast.TypeName) else None
        names = node.collname if isinstance(node, ast.CollateClause) else names
        if names:
            yield str(names[-1].sval)


def _spell(node: Any) -> str:
    parts = [part for part in (node.schemaname, node.relname) if part]
    return psql.Identifier(*parts).as_string(None)


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
