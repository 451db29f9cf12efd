"""When an object of the catalogs is trusted: conditions over its row, as SQL texts.

An object is trusted when it is the server's own (made by initdb and still the bootstrap superuser's), or a
member of an extension, where the extension and the object are both a superuser's. A function is trusted only
if no name in it is looked up when it runs (C, internal, or an SQL body that was parsed when it was made,
whose references are followed), and if it does not run SQL, or read types, that its arguments name. Must not
know how objects are reached.
"""

from __future__ import annotations

# Built-in functions that run a query, or a type's checks, that an argument names: what they run is seen in no
# tree.
# XML exports take a query or a table's name as text; ts_stat takes a query; the pg_input_... functions take a
# type's
INDIRECT = (
    "query_to_xml",
    "query_to_xmlschema",
    "query_to_xml_and_xmlschema",
    "cursor_to_xml",
    "cursor_to_xmlschema",
    "table_to_xml",
    "table_to_xmlschema",
    "table_to_xml_and_xmlschema",
    "schema_to_xml",
    "schema_to_xmlschema",
    "schema_to_xml_and_xmlschema",
    "database_to_xml",
    "database_to_xmlschema",
    "database_to_xml_and_xmlschema",
    "ts_stat",
    "pg_input_is_valid",
    "pg_input_error_info",
    "satisfies_hash_partition",
)
HASH_BOUND = "satisfies_hash_partition"

# Volatile built-in functions without effect on anything but the answer; all others are refused.
# pg_sleep delays only its own statement, which has a limit; sizes are read of relations that are named anyway
WITHOUT_EFFECT = (
    "random",
    "random_normal",
    "clock_timestamp",
    "timeofday",
    "gen_random_uuid",
    "uuidv4",
    "uuidv7",
    "array_sample",
    "array_shuffle",
    "pg_sleep",
    "pg_is_in_recovery",
    "pg_relation_size",
    "pg_table_size",
    "pg_indexes_size",
    "pg_total_relation_size",
    "pg_database_size",
)

# stable functions of other extensions may call SPI with a text that an argument holds
# Extensions whose stable functions run no SQL that an argument holds (tablefunc's and xml2's do).
PLAIN_EXTENSIONS = (
    "btree_gin",
    "btree_gist",
    "citext",
    "cube",
    "earthdistance",
    "fuzzystrmatch",
    "hstore",
    "intarray",
    "isn",
    "ltree",
    "pg_trgm",
    "pgcrypto",
    "postgis",
    "seg",
    "unaccent",
    "uuid-ossp",
    "vector",
)

# FirstNormalObjectId (transam.h): below are the objects that initdb made
FIRST_NORMAL_OID = 16384
# BOOTSTRAP_SUPERUSERID: the role that initdb runs as
_BOOTSTRAP = 10
# OIDs of the catalogs themselves, the same in all versions
CLASS, TYPE, PROC, OPERATOR, OPCLASS, AM, _EXTENSION = 1259, 1247, 1255, 2617, 2616, 2601, 3079


def builtin(alias: str, owner: str) -> str:
    # both: a superuser may replace a built-in function or give it to another role, and it keeps its OID
    return f"({alias}.oid < {FIRST_NORMAL_OID} and {alias}.{owner} = {_BOOTSTRAP})"


def _superuser(oid: str) -> str:
    return f"exists (select from pg_roles su where su.oid = {oid} and su.rolsuper)"


def member(catalog: int, oid: str, more: str = "") -> str:
    """In an extension of a superuser's."""
    # an objid is unique within its catalog only
    return f"""exists (select from pg_depend md join pg_extension mx on mx.oid = md.refobjid
      where md.classid = {catalog} and md.objid = {oid} and md.refclassid = {_EXTENSION} and md.deptype = 'e'
        and {_superuser("mx.extowner")} {more})"""


def _own(owner: str) -> str:
    return f"(%(own)s and {owner} = (select me.oid from pg_roles me where me.rolname = current_user))"


# 2275 is cstring: input functions, which read a text as any type; ts_rewrite's form of two arguments runs a
# query
# a function that finds what it runs by its arguments, or that changes something
_HARMFUL = f"""(p.proname = any (%(indirect)s::text[]) or {2275} = any (p.proargtypes::oid[])
   or (p.proname = 'ts_rewrite' and p.pronargs = 2)
   or (p.prokind = 'f' and p.provolatile = 'v' and p.proname <> all (%(harmless)s::text[])))"""
BUILTIN_FUNCTION = f"({builtin('p', 'proowner')} and not {_HARMFUL})"
_PLAIN_MEMBER = "and (p.provolatile = 'i' or p.prokind <> 'f' or mx.extname = any (%(plain)s::text[]))"
# languages 12 and 13 are internal and C: no name in them is looked up at run time; prosqlbody is parsed
# already
_KNOWN_CODE = f"""(p.prolang in (12, 13) or p.prosqlbody is not null) and p.provolatile <> 'v'
   and {member(PROC, "p.oid", _PLAIN_MEMBER)}"""
TRUSTED_FUNCTION = (
    f"({BUILTIN_FUNCTION} or ({_KNOWN_CODE} and {_superuser('p.proowner')}) or {_own('p.proowner')})"
)


def trusted(alias: str, owner: str, catalog: int) -> str:
    return (
        f"({builtin(alias, owner)} or ({member(catalog, alias + '.oid')} and "
        f"{_superuser(f'{alias}.{owner}')})"
        f" or {_own(f'{alias}.{owner}')})"
    )
