"""What of a schema is left out because a pair of queries rarely needs it: extensions, triggers, operators,
functions in other languages.

Owns which statements these are, what they define, and whether a query names any of it. Nothing left out is
ever run. Must not know servers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rewright.equivalence.tree import ast
from rewright.sql.ddl_types import IMPLIED

# their functions and operators take types of their own, or have names that no built-in has
_EXTENSIONS = frozenset(
    {
        "btree_gin", "btree_gist", "bloom", "citext", "cube", "dblink", "earthdistance", "file_fdw",
        "fuzzystrmatch",
        "adminpack", "amcheck", "auto_explain", "isn", "pg_freespacemap", "pg_partman", "pg_repack",
        "pg_visibility", "pg_walinspect",
        "pgaudit", "seg", "sslinfo", "tsm_system_rows", "tsm_system_time", "hstore", "hypopg", "ltree",
        "pageinspect", "pg_buffercache", "pg_cron", "pg_hint_plan", "pg_prewarm",
        "pg_stat_statements", "pg_trgm", "pgcrypto", "pgrowlocks", "pgstattuple", "plperl", "plpgsql",
        "plpython3u",
        "postgis", "postgres_fdw", "tablefunc", "timescaledb", "unaccent", "uuid-ossp", "vector",
    }
)  # fmt: skip
# those that an ordinary role may create (PostgreSQL manual, chapter 36.17.1: trusted), whose functions reach
# neither files nor other sessions, with the types that each defines
TRUSTED: dict[str, frozenset[str]] = {
    "btree_gin": frozenset(),
    "btree_gist": frozenset(),
    "citext": frozenset({"citext"}),
    "cube": frozenset({"cube"}),
    "fuzzystrmatch": frozenset(),
    "hstore": frozenset({"hstore"}),
    "isn": frozenset({"ean13", "isbn", "isbn13", "ismn", "ismn13", "issn", "issn13", "upc"}),
    "ltree": frozenset({"ltree", "lquery", "ltxtquery"}),
    "pg_trgm": frozenset(),
    "seg": frozenset({"seg"}),
    "unaccent": frozenset(),
}
_DEFINED = {"OBJECT_OPERATOR": "operator", "OBJECT_AGGREGATE": "aggregate", "OBJECT_COLLATION": "collation"}
# queries name these in texts: what uses one that is not there is refused by the server that plans it
_SEARCH = frozenset({"OBJECT_TSCONFIGURATION", "OBJECT_TSDICTIONARY", "OBJECT_TSPARSER", "OBJECT_TSTEMPLATE"})
_ROW_SECURITY = frozenset({"AT_EnableRowSecurity", "AT_ForceRowSecurity"})
_PLAIN = {
    "CreateTrigStmt": "trigger",
    "CreateEventTrigStmt": "event trigger",
    "CreatePolicyStmt": "policy",
    "CreatePLangStmt": "language",
    "CreateOpClassStmt": "operator class",
    "CreateOpFamilyStmt": "operator family",
    "CreateForeignServerStmt": "foreign server",
    "CreateFdwStmt": "foreign data wrapper",
    "CreateUserMappingStmt": "user mapping",
    "CreateForeignTableStmt": "foreign table",
    "CreatePublicationStmt": "publication",
    "AlterExtensionStmt": "extension",
    "SecLabelStmt": "security label",
    "CreateSubscriptionStmt": "subscription",
    "CreateConversionStmt": "conversion",
}

# by which rows may break constraints
_TOLD = frozenset({"CreateTrigStmt", "CreateForeignTableStmt", "CreateSubscriptionStmt"})


@dataclass(frozen=True, slots=True)
class Omission:
    """One statement that was left out: a ``label`` for people, and the names that it would define.

    ``in_catalog``: no scratch server runs it, and proofs know of it all the same. ``hides_rows``: it is row
    security, which may leave out any rows of a table.
    """

    label: str
    functions: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    in_catalog: bool = False
    hides_rows: bool = False


def omission_of(statement: Any) -> Omission | None:
    """What leaving ``statement`` out leaves out; None when it must be run or refused."""
    kind = type(statement).__name__
    match statement:
        case ast.CreateExtensionStmt() if statement.extname in _EXTENSIONS:
            return Omission(f"extension {statement.extname}")
        case ast.CreateFunctionStmt() if _is_foreign(statement):
            name = statement.funcname[-1].sval
            return Omission(f"function {name}", functions=frozenset({name.lower()}), in_catalog=True)
        case ast.DefineStmt() if (word := _DEFINED.get(statement.kind.name)) is not None:
            name = statement.defnames[-1].sval
            names = frozenset({name.lower()})
            if word == "operator":
                if name in IMPLIED:
                    return None
                return Omission(f"operator {name}", operators=frozenset({name}), in_catalog=True)
            # no server of ours may have a collation's locale; whether it is deterministic stands in the text
            functions = names if word == "aggregate" else frozenset()
            return Omission(f"{word} {name}", functions, in_catalog=True)
        case ast.CreateTableAsStmt() if statement.objtype.name == "OBJECT_MATVIEW":
            # its rows are those of some time, which no generated database has
            name = statement.into.rel.relname
            return Omission(f"materialized view {name}", relations=frozenset({name}))
        case ast.DefineStmt() if statement.kind.name in _SEARCH:
            return Omission(f"text search object {statement.defnames[-1].sval}")
        case ast.AlterTableStmt() if {c.subtype.name for c in statement.cmds or ()} <= _ROW_SECURITY:
            label = f"row security of {statement.relation.relname}"
            return Omission(label, in_catalog=True, hides_rows=True)
        case ast.InsertStmt():
            # a verdict is about any rows
            return Omission(f"rows of {statement.relation.relname}")
        case ast.RuleStmt() if statement.event.name != "CMD_SELECT":
            return Omission(f"rule {statement.rulename}", in_catalog=True)
        case _ if kind in _PLAIN:
            return Omission(
                " ".join((_PLAIN[kind], _name(statement))).strip(),
                relations=_relation(statement),
                in_catalog=kind in _TOLD,
            )
        case _:
            return None


def _is_foreign(statement: Any) -> bool:
    """Whether the function's body is anything but plain SQL that only the caller's rights run."""
    options = {option.defname: option.arg for option in statement.options or ()}
    language = getattr(options.get("language"), "sval", "sql" if statement.sql_body else "")
    return bool(
        statement.is_procedure
        or language.lower() != "sql"
        or {"security", "set", "support", "transform"} & options.keys()
    )


def _name(statement: Any) -> str:
    for attribute in ("trigname", "policy_name", "plname", "servername", "fdwname", "pubname", "extname"):
        name = getattr(statement, attribute, None)
        if isinstance(name, str):
            return name
    names = getattr(statement, "opclassname", None) or getattr(statement, "opfamilyname", None)
    if names:
        return str(names[-1].sval)
    return ", ".join(_relation(statement))


def _relation(statement: Any) -> frozenset[str]:
    base = getattr(statement, "base", None)  # of a foreign table
    relation = getattr(base, "relation", None)
    return frozenset({relation.relname}) if relation is not None else frozenset()


def operators_of(nodes: Any) -> frozenset[str]:
    """Names of the operators among parse tree nodes."""
    return frozenset(
        part.name[-1].sval
        for part in nodes
        if isinstance(part, ast.A_Expr) and isinstance(part.name[-1], ast.String)
    )


def named(omitted: tuple[Omission, ...], calls: frozenset[str], operators: frozenset[str]) -> str:
    """The label of an omission whose function or operator is used; empty when none is."""
    for omission in omitted:
        if omission.functions & calls or omission.operators & operators:
            return omission.label
    return ""
