"""What Rewright asks in a client's own session runs with the client's rights: nobody else's code may run in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from pglast import ast, enums
from pglast.parser import parse_sql

from rewright.ask.sources import state
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Guard, Ports, RelationName
from rewright.proxy.serving import asked, asking, kept_settings, private, refusing, sites
from rewright.proxy.serving.guard import capture_sql, guard_sql, settings_columns
from rewright.sql.own_words import servers_own
from rewright.sql.parsing import nodes_of
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import FROM_REPLACEMENT, ORIGINAL, SCHEMA, Reports, index_for

GUARD = Guard(
    (RelationName("t", 1),), (), functions=("f",), operators=("=",), types=("y",), foreign_keys=True
)
TEXTS = {
    "guard": guard_sql(("mode", "trust")),
    "digest": capture_sql(GUARD),
    "settings": f"select {settings_columns(('mode',))},{kept_settings.WHO_SERVES}",
    "role": asking.ROLE_SQL.decode(),
    "bounds": asked._BOUNDS.format(milliseconds=1),
    "verifier": private._VERIFIER_SQL.decode(),
    "target": sites.TARGET_SQL.decode(),
    "collations": sites.COLLATION_SQL.decode(),
    "state of a database": state._STATE.decode(),
    "failing": refusing.FAILING.decode(),
}
# spelled with an operator's bare name by the parser itself
UNNAMED = {
    enums.A_Expr_Kind.AEXPR_IN,
    enums.A_Expr_Kind.AEXPR_LIKE,
    enums.A_Expr_Kind.AEXPR_ILIKE,
    enums.A_Expr_Kind.AEXPR_NULLIF,
    enums.A_Expr_Kind.AEXPR_DISTINCT,
    enums.A_Expr_Kind.AEXPR_NOT_DISTINCT,
    enums.A_Expr_Kind.AEXPR_BETWEEN,
}


def _unqualified(text: str) -> Iterator[str]:
    """What of it a search_path decides on."""
    (statement,) = parse_sql(text)
    for node in nodes_of(statement.stmt):
        found: Any = node  # pglast's attributes are all optional
        match node:
            case ast.FuncCall() if len(found.funcname) == 1:
                yield f"function {found.funcname[0].sval}"
            case ast.A_Expr() if len(found.name) == 1 or found.kind in UNNAMED:
                yield f"operator {found.name[0].sval}"
            case ast.SubLink() if found.subLinkType == enums.SubLinkType.ANY_SUBLINK:
                if len(found.operName or ()) < 2:
                    yield "IN (SELECT)"
            case ast.TypeName() if len(found.names) == 1:
                yield f"type {found.names[0].sval}"
            case ast.CollateClause() if len(found.collname) == 1:
                yield f"collation {found.collname[0].sval}"
            case ast.CaseExpr() if found.arg is not None:
                yield "CASE with an operand"
            case ast.RangeVar() if found.schemaname is None and found.relname not in NAMED:
                yield f"relation {found.relname}"
            case ast.JoinExpr() if found.usingClause or found.isNatural:
                yield "USING"


# CTEs of ours
NAMED = {"above", "types", "indexes", "keys", "tree", "relations", "lines"}


@pytest.mark.parametrize("name", TEXTS)
def test_no_search_path_decides_what_our_words_mean(name: str) -> None:
    assert list(_unqualified(TEXTS[name])) == []


def test_the_look_at_texts_sees_what_is_unqualified() -> None:
    seen = list(
        _unqualified(
            'select f(1), 1 = 2, a::text, b collate "C", nullif(1, 2), case 1 when 2 then 3 end'
            " from t join u using (x) where a in (1) and b in (select 1)"
        )
    )
    assert len(seen) == 11


def test_operators_in_literals_stay() -> None:
    assert servers_own("select 'a = b', \"= \" from t where a->>'x' <> 'it''s = ' ") == (
        "select 'a = b', \"= \" from t where a->>'x' operator(pg_catalog.<>) 'it''s = ' "
    )


COUNTER = """
create sequence public.sprung_times;
grant all on public.sprung_times to public;
"""
SPRUNG = "perform pg_catalog.nextval('public.sprung_times')"
# each fits words that statements of ours once had better than the server's own, none of which has these types
TRAPS = {
    "oid = integer": f"""
        create function public.trap(a oid, b int4) returns bool language plpgsql as $$
        begin {SPRUNG}; return a operator(pg_catalog.=) b::oid; end $$;
        create operator public.= (function = public.trap, leftarg = oid, rightarg = int4)""",
    "oid >= integer": f"""
        create function public.trap(a oid, b int4) returns bool language plpgsql as $$
        begin {SPRUNG}; return a operator(pg_catalog.>=) b::oid; end $$;
        create operator public.>= (function = public.trap, leftarg = oid, rightarg = int4)""",
    "unnest(oid[])": f"""
        create function public.unnest(a oid[]) returns setof oid language plpgsql as $$
        begin {SPRUNG}; return query select pg_catalog.unnest(a); end $$""",
    "concat_ws": f"""
        create function public.concat_ws(a text, b xid, c xid, d xid, e xid) returns text language plpgsql as $$
        begin {SPRUNG}; return ''; end $$;
        create function public.concat_ws(a text, b oid, c int2, d name, e oid, f int4, g bool, h oid, i "char", j text)
        returns text language plpgsql as $$
        begin {SPRUNG}; return pg_catalog.concat_ws(a, b, c, d, e, f, g, h, i, j); end $$""",
    "jsonb ->> jsonb": f"""
        create function public.trap(a jsonb, b jsonb) returns text language plpgsql as $$
        begin {SPRUNG}; return null; end $$;
        create operator public.->> (function = public.trap, leftarg = jsonb, rightarg = jsonb)""",
}


@pytest.mark.server
@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_another_users_functions_do_not_run_in_a_clients_session(
    scratch_server: ScratchServer, database: str, trap: str
) -> None:
    """Somebody with CREATE on a schema of the client's path, as everybody had on ``public`` before
    PostgreSQL 15, and anybody in a schema of theirs that the client's path names.
    """
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
    # found before the trap is there, so that only the guard's own words can meet it
    index = index_for(scratch_server.dsn(database), database)
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(COUNTER)
        connection.execute(trap)
    ports = Ports(lookup=index, reporter=Reports(), settings=RULES)
    upstream = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(upstream), ports) as proxy:
        dsn = re.sub(r":\d+/", f":{proxy.port}/", scratch_server.dsn(database))
        with psycopg.connect(dsn, autocommit=True) as client:
            rows = client.execute(ORIGINAL).fetchall()
            client.execute("select pg_catalog.set_config('rewright.mode', 'apply', false)")
            client.execute("show rewright.mode")
            # a sequence counts what was rolled back, too
            sprung = client.execute("select is_called from public.sprung_times").fetchall()
    assert sprung == [(False,)]
    assert rows == FROM_REPLACEMENT
