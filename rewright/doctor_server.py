"""What ``rewright doctor`` finds on one server: versions, rights of the optimiser's role, statistics, hints.

Owns these checks and their remedies; changes nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import psycopg

from rewright.config.showing import without_passwords
from rewright.engines.postgres.facts import ServerFacts, server_facts
from rewright.engines.postgres.session import Session, SessionError
from rewright.reaching import remedy
from rewright.settings import REGISTRY
from rewright.sql.printer.names import quote_ident

Status = Literal["ok", "note", "failed"]
SUPPORTED = range(14, 19)

# what the optimiser's role can't read of what is there
UNREADABLE = """
select format('%I.%I', n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))
order by 1 limit 20"""

CAN_WRITE = """
select format('%I.%I', n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'insert, update, delete, truncate')
order by 1 limit 5"""

STATEMENTS = "pg_stat_statements"
SEES_ALL = "select pg_has_role(current_user, 'pg_read_all_stats', 'usage'), format('%I', current_user)"

# what goes beyond reading, each with what takes it away
MORE_THAN_READING = """
select w.what, w.remedy from pg_roles r cross join lateral (values
    (r.rolbypassrls, 'bypasses row-level security', format('alter role %I nobypassrls;', r.rolname)),
    (r.rolcreaterole, 'may create roles', format('alter role %I nocreaterole;', r.rolname)),
    (r.rolcreatedb, 'may create databases', format('alter role %I nocreatedb;', r.rolname)),
    (r.rolreplication, 'may replicate', format('alter role %I noreplication;', r.rolname))) w (holds, what,
      remedy)
  where r.rolname = current_user and w.holds
union all
select 'is a member of ' || g.rolname, format('revoke %I from %I;', g.rolname, current_user) from pg_roles g
  where g.rolname in ('pg_write_all_data', 'pg_write_server_files', 'pg_read_server_files',
    'pg_execute_server_program',
    'pg_signal_backend', 'pg_maintain', 'pg_create_subscription') and pg_has_role(current_user, g.oid,
      'member')
union all
select format('may create in schema %I', n.nspname), format('revoke create on schema %I from public, %I;',
  n.nspname, current_user)
  from pg_namespace n where n.nspname !~ '^pg_' and has_schema_privilege(n.oid, 'create')
order by 1 limit 10"""


@dataclass(frozen=True, slots=True)
class Finding:
    """``remedy``: lines that one can type or follow."""

    status: Status
    subject: str
    message: str
    remedy: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def grants(database: str, role: str) -> tuple[str, ...]:
    """What the optimiser's role needs (docs/guide/grants.md)."""
    return (
        f"create role {role} login password '...';",
        f"grant connect on database {database} to {role};",
        f"grant pg_read_all_data to {role};  -- or USAGE on the schemas and SELECT on the tables",
        f"alter role {role} set default_transaction_read_only = on;",
    )


def server_findings(subject: str, dsn: str) -> Iterator[Finding]:
    try:
        with Session(dsn) as session:
            yield from _of_server(subject, session)
    except (SessionError, psycopg.Error) as error:
        # with what can be done about it, where the server's words are known
        advice = remedy(str(error))
        yield Finding("failed", subject, f"{without_passwords(dsn)}: {error}", (advice,) if advice else ())


def _of_server(subject: str, session: Session) -> Iterator[Finding]:
    facts = server_facts(session.connection)
    status: Status = "ok" if facts.major in SUPPORTED else "note"
    known = (
        "" if status == "ok" else f", which is not a supported version ({SUPPORTED[0]} to {SUPPORTED[-1]})"
    )
    yield Finding(status, subject, f"PostgreSQL {facts.major}, database {facts.database}{known}")
    yield from _of_role(subject, session, facts)
    yield from _of_statistics(subject, session)
    yield from _of_texts(subject, facts)
    # what hints need is told once, with both ways to get the package
    if not facts.hint_plan:
        yield _without_hints(subject, facts)
    yield Finding(
        "ok",
        subject,
        "for ALTER ROLE ... SET rewright.* by ordinary roles, a superuser grants:",
        # GRANT SET ON PARAMETER is PostgreSQL 15's
        tuple(f"grant set on parameter {setting.full_name} to ROLE;" for setting in REGISTRY[:2])
        if facts.major >= 15
        else (),
    )


def _of_role(subject: str, session: Session, facts: ServerFacts) -> Iterator[Finding]:
    """What the optimiser's role may do beyond reading, and what it can't read."""
    ((role, superuser),) = session.ask("select current_user::text, current_setting('is_superuser') = 'on'")
    if superuser:
        yield Finding(
            "note",
            subject,
            f"{role} is a superuser; the optimiser needs SELECT only",
            grants(facts.database, "rewright_optimiser"),
        )
    # a superuser may do all of these: one line said so
    else:
        for what, remedy in session.ask(MORE_THAN_READING):
            yield Finding("note", subject, f"{role} {what}; the optimiser needs SELECT only", (str(remedy),))
    unreadable = [str(row[0]) for row in session.ask(UNREADABLE)]
    if unreadable:
        tables = ", ".join(unreadable)
        remedies = tuple(f"grant select on {table} to {quote_ident(role)};" for table in unreadable)
        yield Finding("failed", subject, f"{role} can't read {tables}", remedies)
    # a superuser may write anything, which was said above
    elif not superuser and (writable := session.ask(CAN_WRITE)):
        table = writable[0][0]
        yield Finding(
            "note",
            subject,
            f"{role} may write {table}; the optimiser never does, SELECT is enough",
            # the privilege may be PUBLIC's
            (f"revoke insert, update, delete, truncate on {table} from public, {quote_ident(role)};",),
        )


def _of_texts(subject: str, facts: ServerFacts) -> Iterator[Finding]:
    if facts.standard_strings and facts.encoding == "UTF8":
        return
    database = quote_ident(facts.database)
    yield Finding(
        "note",
        subject,
        "rewrites are served in UTF8 with standard_conforming_strings only",
        # the encoding of a database can't be changed
        ()
        if facts.standard_strings
        else (f"alter database {database} set standard_conforming_strings = on;",),
    )


def _without_hints(subject: str, facts: ServerFacts) -> Finding:
    return Finding(
        "note",
        subject,
        "pg_hint_plan is not loaded for this role: only MATERIALIZED and NOT MATERIALIZED work as hints",
        (
            (
                f"apt install postgresql-{facts.major}-pg-hint-plan  -- on the server's machine; yum: "
                f"pg_hint_plan_{facts.major}"
            ),
            "rewright hintplan install DSN  -- as a superuser: creates it and loads it at login",
            "rewright hintplan check DSN",
        ),
    )


def _of_statistics(subject: str, session: Session) -> Iterator[Finding]:
    """What `rewright rewrite --top` and `rewright advise` read."""
    # without the extension its rights do not matter
    if session.extension_schema(STATEMENTS) is None:
        yield Finding(
            "note",
            subject,
            f"{STATEMENTS} is not installed: rewright rewrite --top and advise need a file of queries",
            (
                (
                    f"alter system set shared_preload_libraries = '{STATEMENTS}';  -- besides what stands "
                    f"there; restart"
                ),
                f"create extension {STATEMENTS};",
            ),
        )
        return
    ((sees_all, role),) = session.ask(SEES_ALL)
    if not sees_all:
        yield Finding(
            "note",
            subject,
            f"{role} is not a member of pg_read_all_stats: rewright rewrite --top and advise see its own "
            f"queries alone",
            (f"grant pg_read_all_stats to {role};",),
        )
