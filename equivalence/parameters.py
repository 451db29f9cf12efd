"""Queries with $1, $2, …: their types, and copies with literals in the parameters' places.

Owns asking the server for the types it infers, and writing literals of those types into a text. A proof
is made of the texts with their parameters; runs need values.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pglast

from rewright.equivalence.generator.constants import constants_of
from rewright.equivalence.generator.pools import Pool, pool_of_type
from rewright.equivalence.generator.schema import ColumnShape, family_of
from rewright.equivalence.isolation import ScreenedQuery
from rewright.equivalence.refuter.scratch_database import ScratchDatabase, literal
from rewright.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class ParameterType:
    """A parameter's type: OID, as DDL writes it, and as the binder takes it."""

    oid: int
    text: str
    base: str
    type: SqlType


_TYPES = """
select t.oid::int8, format_type(t.oid, null), t.typname, n.nspname, t.typcollation <> 0, t.typtype = 'e'
from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.oid = any(%s)"""


def parameter_types(scratch_db: ScratchDatabase, query: ScreenedQuery) -> tuple[ParameterType, ...] | str:
    """What the server infers for $1, $2, … of the query, or its error."""
    pg = scratch_db.connection.pgconn
    result = pg.prepare(b"", query.text.encode())
    if result.error_message:
        return (result.error_field(77) or b"").decode(errors="replace")
    result = pg.describe_prepared(b"")
    oids = [result.param_type(i) for i in range(result.nparams)]
    known = {
        oid: ParameterType(oid, text, name, SqlType(name, schema, -1, "default" if collated else "", enum))
        for oid, text, name, schema, collated, enum in scratch_db.connection.execute(_TYPES, [oids])
    }
    return tuple(known[oid] for oid in oids)


def instances(
    scratch_db: ScratchDatabase,
    queries: Sequence[ScreenedQuery],
    types: Sequence[ParameterType],
    count: int,
    seed: int,
) -> list[tuple[str, ...]]:
    """``count`` copies of the queries' texts, each with the same values for the parameters."""
    rnd = random.Random(seed)  # noqa: S311 - test data
    constants = constants_of(query.tree for query in queries)
    pools = []
    for type_ in types:
        column = ColumnShape("", type_.text, type_.base, -1, family_of(type_.base), nullable=True)
        pools.append(pool_of_type(column, constants, scratch_db.accepted))
    made: list[tuple[str, ...]] = []
    for number in range(count):
        values = {
            n: f"({literal(_value(rnd, pool, number))}::{type_.text})"
            for n, (pool, type_) in enumerate(zip(pools, types, strict=True), 1)
        }
        made.append(tuple(with_literals(query.text, values) for query in queries))
    return made


def _value(rnd: random.Random, pool: Pool, number: int) -> str | None:
    """Plain values first, then any; NULL seldom."""
    if number and rnd.random() < 0.12:
        return None
    choices = pool.family[:4] if number < 2 else (*pool.family, *pool.extreme)
    return rnd.choice(choices) if choices else None


def with_literals(text: str, values: Mapping[int, str]) -> str:
    """The text with each $n replaced. Other tokens stay as they are."""
    encoded = text.encode()
    pieces: list[bytes] = []
    last = 0
    for token in pglast.parser.scan(text):
        if token.name != "PARAM":
            continue
        start = len(text[: token.start].encode())
        end = len(text[: token.end + 1].encode())
        pieces += [encoded[last:start], values[int(encoded[start + 1 : end])].encode()]
        last = end
    return b"".join([*pieces, encoded[last:]]).decode()
