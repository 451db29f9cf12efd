"""What happens to each built-in of PostgreSQL when a query over a lake calls it.

Owns the rule. A built-in is written in DuckDB's dialect where an exact equivalent is listed. Otherwise
PostgreSQL itself runs it on rows that were fetched, if it can have no effect and shows nothing of the server
or of others. Everything else is refused. docs/decisions/0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

from enum import StrEnum

from rewright.engines.duckdb.dialect.aggregates import AGGREGATES, SPLIT, WINDOWS
from rewright.engines.duckdb.dialect.catalog import Function
from rewright.engines.duckdb.dialect.numbers import NUMBERS
from rewright.engines.duckdb.dialect.special import SPECIAL
from rewright.engines.duckdb.dialect.texts import TEXTS
from rewright.engines.duckdb.dialect.times import TIMES


class Fate(StrEnum):
    """``translated``: DuckDB's words; ``emulated``: words made of the constants it is called with, else run
    by PostgreSQL.
    """

    TRANSLATED = "translated"
    EMULATED = "emulated"
    SPLIT = "finished by PostgreSQL"
    POSTGRES = "run by PostgreSQL"
    REFUSED = "refused"


WORDS: dict[str, str] = NUMBERS | TEXTS | TIMES
# by name, since they differ in their argument types alone; pg_catalog's names are the only ones looked at
_STABLE_RUN = frozenset(
    [
        "to_char",
        "date_trunc",
        "date_part",
        "extract",
        "date_bin",
        "timezone",
        "age",
        "now",
        "statement_timestamp",
        "transaction_timestamp",
        "to_timestamp",
        "to_date",
        "timestamptz",
        "date",
        "timestamp",
        "time",
        "timetz",
        "overlaps",
        "generate_series",
        "make_timestamptz",
        "timestamptz_pl_interval",
        "timestamptz_mi_interval",
        "interval_pl_timestamptz",
        "date_add",
        "date_subtract",
        "isfinite",
        "concat",
        "concat_ws",
        "format",
        "to_json",
        "to_jsonb",
        "row_to_json",
        "array_to_json",
        "json_build_object",
        "json_build_array",
        "jsonb_build_object",
        "jsonb_build_array",
        "json_agg",
        "jsonb_agg",
        "json_object_agg",
        "jsonb_object_agg",
        "json_agg_strict",
        "jsonb_agg_strict",
        "json_object_agg_unique",
        "json_object_agg_strict",
        "json_object_agg_unique_strict",
        "jsonb_object_agg_unique",
        "jsonb_object_agg_strict",
        "jsonb_object_agg_unique_strict",
        "array_to_string",
        "string_to_array",
        "string_to_table",
        "money",
        "quote_literal",
        "quote_nullable",
        "jsonb_path_exists_tz",
        "jsonb_path_query_tz",
        "jsonb_path_query_array_tz",
        "jsonb_path_query_first_tz",
        "jsonb_path_match_tz",
        "jsonb_populate_record",
        "jsonb_populate_recordset",
        "json_populate_record",
        "json_populate_recordset",
        "json_to_record",
        "json_to_recordset",
        "jsonb_to_record",
        "jsonb_to_recordset",
        "to_tsvector",
        "to_tsquery",
        "plainto_tsquery",
        "phraseto_tsquery",
        "websearch_to_tsquery",
        "ts_headline",
        "text",
        "anytextcat",
        "textanycat",
        "array_cat",
        "array_append",
        "date_eq_timestamptz",
        "date_ne_timestamptz",
        "date_lt_timestamptz",
        "date_le_timestamptz",
        "date_gt_timestamptz",
        "date_ge_timestamptz",
        "date_cmp_timestamptz",
        "timestamptz_eq_date",
        "timestamptz_ne_date",
        "timestamptz_lt_date",
        "timestamptz_le_date",
        "timestamptz_gt_date",
        "timestamptz_ge_date",
        "timestamptz_cmp_date",
        "timestamp_eq_timestamptz",
        "timestamp_ne_timestamptz",
        "timestamp_lt_timestamptz",
        "timestamp_le_timestamptz",
        "timestamp_gt_timestamptz",
        "timestamp_ge_timestamptz",
        "timestamp_cmp_timestamptz",
        "timestamptz_eq_timestamp",
        "timestamptz_ne_timestamp",
        "timestamptz_lt_timestamp",
        "timestamptz_le_timestamp",
        "timestamptz_gt_timestamp",
        "timestamptz_ge_timestamp",
        "timestamptz_cmp_timestamp",
        "to_number",
        "convert",
        "convert_from",
        "convert_to",
        "length",
        "numeric",
        "json_to_tsvector",
        "jsonb_to_tsvector",
        "jsonb_populate_record_valid",
        "ts_match_tq",
        "ts_match_tt",
        "pg_typeof",
        "current_date",
        "current_time",
    ]
)
"""Stable functions that depend on settings of the session alone."""
# random and clocks: effects on nobody, and nothing of the server is read
_VOLATILE_RUN = frozenset(
    [
        "random",
        "random_normal",
        "array_sample",
        "array_shuffle",
        "gen_random_uuid",
        "uuidv4",
        "uuidv7",
        "clock_timestamp",
        "timeofday",
    ]
)
# support functions of index methods, of upgrades and of the server itself, by how their names begin
_IMMUTABLE_REFUSED = (
    "pg_",
    "binary_upgrade",
    "brin",
    "gin",
    "gist",
    "spg",
    "hash_array",
    "bt",
    "amvalidate",
)
_IMMUTABLE_RUN = frozenset({"pg_size_bytes", "pg_size_pretty"})
"""Of what begins like these: plain functions of their arguments."""


def fate_of(function: Function) -> Fate:
    """The fate of one built-in; of what is not known: refused."""
    signature = function.signature
    if (
        signature in WORDS
        or (function.kind == "a" and signature in AGGREGATES)
        or (function.kind == "w" and signature in WINDOWS)
    ):
        return Fate.TRANSLATED
    if signature in SPECIAL:
        return Fate.EMULATED
    if signature in SPLIT:
        return Fate.SPLIT
    # a procedure, or a function whose arguments or result no SQL value can have (internal)
    if not function.callable or function.kind == "p":
        return Fate.REFUSED
    # provolatile: i(mmutable), s(table), v(olatile)
    runs = {
        "i": function.name in _IMMUTABLE_RUN or not function.name.startswith(_IMMUTABLE_REFUSED),
        "s": function.name in _STABLE_RUN,
        "v": function.name in _VOLATILE_RUN,
    }[function.volatility]
    return Fate.POSTGRES if runs else Fate.REFUSED
