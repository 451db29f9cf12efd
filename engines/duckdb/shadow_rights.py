"""Which of PostgreSQL's functions a lake's users may call on the shadow, and taking all else from them.

Owns the lists and the statements that revoke. docs/decisions/0311-a-lake-user-has-a-role-without-rights.md.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

VOLATILE_ALLOWED = frozenset(
    [
        "array_sample",
        "array_shuffle",
        "clock_timestamp",
        "current_query",
        "gen_random_uuid",
        "pg_blocking_pids",
        "pg_cancel_backend",
        "pg_collation_actual_version",
        "pg_database_collation_actual_version",
        "pg_database_size",
        "pg_get_wait_events",
        "pg_indexes_size",
        "pg_is_in_recovery",
        "pg_jit_available",
        "pg_lock_status",
        "pg_partition_ancestors",
        "pg_partition_tree",
        "pg_prepared_xact",
        "pg_relation_size",
        "pg_safe_snapshot_blocking_pids",
        "pg_sequence_last_value",
        "pg_sleep",
        "pg_sleep_for",
        "pg_sleep_until",
        "pg_stat_clear_snapshot",
        "pg_stat_get_backend_io",
        "pg_stat_get_io",
        "pg_stat_get_recovery_prefetch",
        "pg_stat_get_xact_blocks_fetched",
        "pg_stat_get_xact_blocks_hit",
        "pg_stat_get_xact_function_calls",
        "pg_stat_get_xact_function_self_time",
        "pg_stat_get_xact_function_total_time",
        "pg_stat_get_xact_numscans",
        "pg_stat_get_xact_tuples_deleted",
        "pg_stat_get_xact_tuples_fetched",
        "pg_stat_get_xact_tuples_hot_updated",
        "pg_stat_get_xact_tuples_inserted",
        "pg_stat_get_xact_tuples_newpage_updated",
        "pg_stat_get_xact_tuples_returned",
        "pg_stat_get_xact_tuples_updated",
        "pg_table_size",
        "pg_tablespace_size",
        "pg_terminate_backend",
        "pg_total_relation_size",
        "pg_xact_status",
        "random",
        "random_normal",
        "set_config",
        "setseed",
        "timeofday",
        "txid_status",
        "uuidv4",
        "uuidv7",
    ]
)
"""Volatile functions that tools call and that change nothing of others (a session of another role cannot be
ended); others are revoked.
"""
STABLE_DENIED = frozenset({"pg_current_xact_id", "txid_current"})
"""They write to the log of the server."""

_REVOKE = """
do $do$
declare one regprocedure;
begin
  for one in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind in ('f', 'p')
      and (p.provolatile = 'v' and not p.proname = any(array[{allowed}]) or p.proname = any(array[{denied}]))
      and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        where a.grantee = 0)
  loop
    execute 'revoke execute on routine ' || one::text || ' from public';
  end loop;
end $do$"""


def withdraw(dsn: str, database: str) -> None:
    """Take from everybody what a lake's user has no use for."""
    with psycopg.connect(dsn, dbname=database, autocommit=True) as connection:
        connection.execute("set default_transaction_read_only = off")
        connection.execute("revoke usage on language plpgsql, sql from public")
        connection.execute("revoke all on schema public from public")
        connection.execute("grant usage on schema public to public")
        connection.execute(
            sql.SQL(_REVOKE).format(
                allowed=sql.SQL(", ").join(map(sql.Literal, sorted(VOLATILE_ALLOWED))),
                denied=sql.SQL(", ").join(map(sql.Literal, sorted(STABLE_DENIED))),
            )
        )
