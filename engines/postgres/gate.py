"""The one gate that a text written by others passes before the optimiser's role plans or runs it.

Owns the decision and its order: names are resolved, the relations locked, everything reachable is judged
(`trust`), and the text is written so that a name made later cannot take the place of one that was judged.
Must not know why a text is planned.

To be called inside the transaction that then plans the text, at READ COMMITTED (the catalog as it is now,
which is what the planner sees) and with ``search_path`` empty. Nothing is sent to the server but queries over
its catalogs: parsing alone can run code (the input of a literal of a domain's array), as can planning
(folding, estimates).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from rewright.engines.postgres import trust
from rewright.sql.mentions import Mentions, NotASelect, mentions_of, qualified

_PLAIN_KINDS = frozenset("rpvm")
_TEMPORARY = "pg_temp_"
# FirstNormalObjectId (transam.h): objects with lower numbers came with the server
_FIRST_NORMAL_OID = 16384


class Refused(Exception):
    """The text may not be planned or run with these rights; the message says which object of whom is in the
    way.
    """


@dataclass(frozen=True, slots=True)
class Admitted:
    """``text`` is to be sent in the gate's own transaction and at once, under these settings."""

    text: str
    settings: Mapping[str, str]


def admit(
    connection: psycopg.Connection[Any],
    text: str,
    path: tuple[str, ...],
    *,
    parameters: tuple[int, ...] = (),
    own: bool = False,
    hash_bounds: bool = False,
) -> Admitted:
    """Judge one SELECT. ``path``: the effective schemas, implicit ones included (``current_schemas(true)``);
    ``parameters``: OIDs of the declared types of parameters; ``own``: what the session's own role owns is
    trusted; ``hash_bounds``: see `trust.Question`.

    Raises Refused, psycopg.Error.
    """
    _require_plain_encoding(connection, text)
    try:
        mentions = mentions_of(text, connection.info.server_version)
    except NotASelect as error:
        raise Refused(str(error)) from error
    question = trust.Question(mentions, path, parameters, own, hash_bounds)
    jit, plans = _quick_plans(connection)
    before = trust.relations(connection, question)
    _require_readable_kinds(mentions, before)
    _lock(connection, mentions, before)
    found = trust.look(connection, question)
    if found.relations != before:
        raise Refused("a relation was replaced while it was looked at")
    if found.stranger is not None:
        raise Refused(found.stranger.reason)
    written = _written(text, mentions, found)
    # bodies of the account's own functions look their names up where the account does
    kept = [
        name
        for name in path
        if (own and not name.startswith(_TEMPORARY)) or name in found.schemas or name == "pg_catalog"
    ]
    # named last, the temporary schema is not looked into first
    search_path = trust.names([*kept, "pg_temp"])
    return Admitted(written, {"search_path": search_path, "jit": jit, "plan_cache_mode": plans})


def _quick_plans(connection: psycopg.Connection[Any]) -> tuple[str, str]:
    """For our own queries: their plans are kept, and not worth compiling. What ``jit`` and
    ``plan_cache_mode`` were.
    """
    row = connection.execute(
        "select current_setting('jit'), current_setting('plan_cache_mode'),"
        " set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)"
    ).fetchone()
    assert row is not None
    return str(row[0]), str(row[1])


def _require_plain_encoding(connection: psycopg.Connection[Any], text: str) -> None:
    """In other encodings the server folds letters of names as its locale does."""
    if not text.isascii() and connection.info.parameter_status("server_encoding") != "UTF8":
        raise Refused("it is not ASCII, and the database is not in UTF8")


def _require_readable_kinds(mentions: Mentions, found: tuple[trust.Relation, ...]) -> None:
    known = {relation.place: relation for relation in found}
    for place, mention in enumerate(mentions.relations):
        relation = known.get(place)
        if relation is None:
            raise Refused(f"there is no relation {mention.name.name}")
        if relation.kind == "f":
            raise Refused(f"it reads foreign table {relation.schema}.{mention.name.name}")
        if relation.kind not in _PLAIN_KINDS:
            raise Refused(f"{mention.name.name} is neither table nor view")


def _lock(connection: psycopg.Connection[Any], mentions: Mentions, found: tuple[trust.Relation, ...]) -> None:
    """So that no table becomes a view, and no view another, before the transaction ends. Materialized views
    cannot be locked.

    Partitions are left alone: there may be more of them than the server has room for locks.
    """
    targets = {
        (relation.kind != "v", relation.schema, mentions.relations[relation.place].name.name)
        for relation in found
        if relation.oid >= _FIRST_NORMAL_OID and relation.kind != "m"
    }
    if targets:
        listed = sql.SQL(", ").join(
            sql.SQL("only {}" if only else "{}").format(sql.Identifier(schema, name))
            for only, schema, name in sorted(targets)
        )
        connection.execute(sql.SQL("lock table {} in access share mode").format(listed))


def _written(text: str, mentions: Mentions, found: trust.Look) -> str:
    """The text with the schemas of its relations and types, so that the path need hold only those of
    extensions it uses.
    """
    types = dict(found.types)
    relations = {mentions.relations[relation.place]: relation.schema for relation in found.relations}
    named = {mentions.types[place]: schema for place, schema in types.items()}
    wanted = {
        mention: schema for mention, schema in {**relations, **named}.items() if not mention.name.schema
    }
    try:
        return qualified(text, wanted)
    except NotASelect as error:
        raise Refused(str(error)) from error
