"""What the catalog says of everything that planning or running one SELECT could call, and whose that is.

Owns asking the queries (`trust_queries`) and their answers as records. Must not know what is done with the
answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.engines.postgres.trust_queries import LOOK, RELATIONS
from rewright.engines.postgres.trust_rules import (
    CLASS,
    HASH_BOUND,
    INDIRECT,
    PLAIN_EXTENSIONS,
    WITHOUT_EFFECT,
)
from rewright.sql.mentions import Mentions

_TYPES: Mapping[str, str] = {"parameters": "oid[]", "own": "boolean"}


class _Statement:
    """A query of ours that is planned once for a connection: its plan takes the server far longer than its
    rows.

    It is prepared in SQL, inside the transaction that runs it, so that it works behind any pooler; equal
    names have equal texts.
    """

    def __init__(self, text: str) -> None:
        # psycopg's %(name)s become PREPARE's $1, each name once
        self.parameters = tuple(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
        for number, name in enumerate(self.parameters, 1):
            text = re.sub(rf"%\({name}\)s(::text\[\]|::oid\[\])?", f"${number}", text)
        types = ", ".join(_TYPES.get(name, "text[]") for name in self.parameters)
        # by the text, so that a new version of this program never runs an old plan
        self.name = "rewright_" + hashlib.sha256(text.encode()).hexdigest()[:24]
        self.prepare = f"prepare {self.name} ({types}) as {text}".encode()

    def run(self, connection: psycopg.Connection[Any], values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        # ClientCursor writes values into the text: EXECUTE takes no protocol parameters
        with psycopg.ClientCursor(connection) as cursor:
            # asked each time: a pooler may have given us another backend, which has not prepared it
            known = cursor.execute(
                "select from pg_prepared_statements where name = %s", [self.name]
            ).fetchone()
            if known is None:
                connection.execute(self.prepare)
            given = [values[name] for name in self.parameters]
            marks = ", ".join(["%s"] * len(given))
            return cursor.execute(f"execute {self.name} ({marks})".encode(), given).fetchall()


_RELATIONS_OF = _Statement(RELATIONS)
_LOOK_AT = _Statement(LOOK)


@dataclass(frozen=True, slots=True)
class Relation:
    """One that a text names. ``place``: which of the mentions, from 0; ``kind``: pg_class.relkind."""

    place: int
    oid: int
    kind: str
    schema: str


@dataclass(frozen=True, slots=True)
class Stranger:
    """An object that is not trusted. ``builtin``: PostgreSQL's own, but it runs what its arguments name or
    has effects.
    """

    what: str
    owner: str
    kind: int
    builtin: bool

    @property
    def reason(self) -> str:
        if self.builtin:
            return f"it uses {self.what}, which has effects or runs what its arguments name"
        if self.kind == CLASS:
            return f"it reads foreign table {self.what.removeprefix('foreign table ')}"
        return f"it uses {self.what}, whose owner is {self.owner}" if self.owner else f"it uses {self.what}"


@dataclass(frozen=True, slots=True)
class Look:
    """``types``: schemas of the types named, by mention; ``schemas``: where unqualified functions and
    operators can be found.
    """

    relations: tuple[Relation, ...]
    types: tuple[tuple[int, str], ...]
    schemas: frozenset[str]
    stranger: Stranger | None


@dataclass(frozen=True, slots=True)
class Question:
    """``path``: schemas that names are looked up in, pg_catalog included; ``parameters``: OIDs of parameters'
    types;
    ``own``: what the session's own role owns is trusted, too; ``hash_bounds``: so is the condition of a hash
    partition, whose caller has seen to it that its functions are the server's own.
    """

    mentions: Mentions
    path: tuple[str, ...]
    parameters: tuple[int, ...] = ()
    own: bool = False
    hash_bounds: bool = False

    def values(self) -> dict[str, Any]:
        found = self.mentions
        return {
            "path": list(self.path),
            "relation_schemas": [m.name.schema for m in found.relations],
            "relation_names": [m.name.name for m in found.relations],
            "type_schemas": [m.name.schema for m in found.types],
            "type_names": [m.name.name for m in found.types],
            "function_schemas": [name.schema for name in found.functions],
            "function_names": [name.name for name in found.functions],
            "operator_schemas": [name.schema for name in found.operators],
            "operator_names": [name.name for name in found.operators],
            "attributes": list(found.attributes),
            "parameters": list(self.parameters),
            "own": self.own,
            "indirect": [f for f in INDIRECT if not self.hash_bounds or f != HASH_BOUND],
            "harmless": list(WITHOUT_EFFECT),
            "plain": list(PLAIN_EXTENSIONS),
        }


def relations(connection: psycopg.Connection[Any], question: Question) -> tuple[Relation, ...]:
    """What the relations' names mean now. Raises psycopg.Error."""
    rows = _RELATIONS_OF.run(connection, question.values())
    return tuple(Relation(int(place) - 1, int(oid), kind, schema) for place, oid, kind, schema in rows)


def look(connection: psycopg.Connection[Any], question: Question) -> Look:
    """Everything that the text could reach, judged. Raises psycopg.Error."""
    return _look_of(_LOOK_AT.run(connection, question.values()))


def look_once(connection: psycopg.Connection[Any], question: Question) -> Look:
    """As `look`, in a session that is not ours: nothing stays prepared there. Raises psycopg.Error."""
    with psycopg.ClientCursor(connection) as cursor:
        return _look_of(cursor.execute(LOOK.encode(), question.values()).fetchall())


def _look_of(rows: Sequence[tuple[Any, ...]]) -> Look:
    ((named, types, schemas, stranger),) = rows
    return Look(
        tuple(Relation(int(place) - 1, int(oid), kind, schema) for place, oid, kind, schema in named),
        tuple((int(place) - 1, schema) for place, schema in types),
        frozenset(schemas),
        None
        if stranger is None
        else Stranger(stranger["what"], stranger["owner"], stranger["class"], stranger["builtin"]),
    )


def names(values: Sequence[str]) -> str:
    """A search_path of these schemas."""
    return ", ".join('"' + value.replace('"', '""') + '"' for value in values)
