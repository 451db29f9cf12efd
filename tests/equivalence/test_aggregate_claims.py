"""What is claimed of every aggregate and window function of the catalog to raise, beside what a server makes
of nasty values.

Every function of kind a and w, over every type that has values in `tests.equivalence.values` and over larger
ones: all values at once, and each beside each. What is claimed to raise nothing must not; what is claimed to
raise nothing but overflow must raise nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, LiteralString, cast

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.failures import Failures, recorded
from rewright.equivalence.prover.fresh import numbering
from rewright.equivalence.prover.translate import Translator
from rewright.equivalence.prover.translated import Unsupported
from rewright.sql.binder import BindError, bind
from rewright.sql.binder import Unsupported as Unbound
from rewright.sql.builtins import builtins
from rewright.sql.facts import Facts
from tests.equivalence.claims import catalog, table
from tests.equivalence.mutating import switched_off
from tests.equivalence.values import ACTUAL, VALUES

pytestmark = pytest.mark.server

# too large for sums, beside the values of single calls
_LARGER: dict[str, tuple[str, ...]] = {
    "numeric": ("9e131071", "-9e131071"),
    "interval": ("178000000 years", "-178000000 years"),
    "money": ("92233720368547758.07",),
    "float4": ("3e38", "-3e38"),
    "json": ('"\\u0000"', "1e400000", '{"a":1,"a":2}'),
    "jsonb": ('{"a":[1]}',),
    '"bit"': ("1101",),
    "int4[]": ("{1,2,3}",),
    "text": ("a\\b",),
}
_OVERFLOWS = {"22003", "22008", "22015"}
_MEANINGLESS = {"42883", "42804", "42P18", "42809", "0A000"}
_PROBE = """
create function probe(exprs text[]) returns text[] language plpgsql as $$
declare found text[]; e text; got text;
begin
  foreach e in array exprs loop
    begin
      execute 'select (' || e || ')::text' into got;
      found := found || ''::text;
    exception when others then found := found || sqlstate::text;
    end;
  end loop;
  return found;
end $$"""
Server = psycopg.Connection[Any]


@dataclass(frozen=True)
class Call:
    """An aggregate or window function of columns of the types, with what stands after its arguments."""

    name: str
    types: tuple[str, ...]
    after: str = ""
    last: tuple[str, ...] = ()

    def over(self, columns: tuple[str, ...]) -> str:
        return f'pg_catalog."{self.name}"({", ".join((*columns, *self.last))}){self.after}'

    def query(self) -> str:
        """The call over tables of the types' values."""
        columns = tuple(f"{c}.v" for c, _ in zip("abc", self.types, strict=False))
        tables = ", ".join(f"{table(t)} {c}" for c, t in zip("abc", self.types, strict=False))
        return f"select {self.over(columns)} as r" + (f" from {tables}" if tables else "")


@dataclass(frozen=True)
class Claim:
    """Who says that a call raises nothing (``safe``), or nothing but overflow (``tame``)."""

    safe: tuple[str, ...]
    tame: tuple[str, ...]


@cache
def calls() -> tuple[Call, ...]:
    """Every aggregate and window function over types that have values; aggregates as windows, too."""
    found: dict[Call, None] = {}
    for name in sorted(builtins().function_names):
        for f in builtins().functions(name):
            if (
                f.kind not in {"a", "w"}
                or len(f.args) > 3
                or not set(f.args) <= VALUES.keys() | ACTUAL.keys()
            ):
                continue
            for types in product(*(ACTUAL.get(t, (t,) if t in VALUES else ()) for t in f.args)):
                for after in (
                    (" over ()", " over (order by a.v)") if f.kind == "w" or types else (" over ()",)
                ):
                    found[Call(name, types, after)] = None
                if f.kind == "a":
                    found[Call(name, types)] = None
    for type_ in VALUES:
        for name in ("min", "max", "array_agg", "json_agg", "jsonb_agg", "count", "any_value"):
            found[Call(name, (type_,))] = None
        for name in ("lag", "first_value"):
            found[Call(name, (type_,), " over (order by a.v)")] = None
    for n in ("0", "1", "-1", "null"):
        found[Call("ntile", (), " over ()", (n,))] = None
        found[Call("nth_value", ("int4",), " over (order by a.v)", (n,))] = None
    return tuple(found)


def claim(call: Call) -> Claim | None:
    """What the facts and the prover say of the call; None where it means nothing."""
    try:
        query = bind(call.query(), catalog())
    except (BindError, Unbound):
        return None
    facts = Facts(catalog(), query)
    said: dict[str, set[str]] = {"facts": set(facts.errors(query))}
    if said["facts"] == {"overflow"} and not facts.may_overflow(query):
        said["facts"] = set()
    translator = Translator()
    try:
        with numbering():
            translator.top(query)
        said["prover"] = {kind for kind, _ in recorded(translator, Failures()).left}
        said["prover"] |= {r.kind for r in translator.raising}
    except Unsupported:
        pass
    safe = tuple(who for who, kinds in said.items() if not kinds)
    tame = tuple(who for who, kinds in said.items() if kinds == {"overflow"})
    return Claim(safe, tame)


@pytest.fixture(scope="module")
def claimed() -> list[tuple[Call, Claim]]:
    return [(c, found) for c in calls() if (found := claim(c)) is not None]


@pytest.fixture(scope="module")
def server(scratch_server: ScratchServer, module_database: str) -> Iterator[Server]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(_PROBE)
        yield connection


def _rows(types: tuple[str, ...]) -> Iterator[str]:
    """VALUES of the columns a.v, b.v, …: all rows, then each beside each other one, at most some hundreds."""
    texts = [
        [f"'{v.replace(chr(39), chr(39) * 2)}'::{t}" for v in (*VALUES[t], *_LARGER.get(t, ()))]
        for t in types
    ]
    rows = [f"({', '.join(row)})" for row in product(*texts)]
    if len(types) > 1:
        rows = rows[:: max(1, len(rows) // 12)]
    yield ", ".join(rows)
    for one, two in product(rows, repeat=2):
        yield f"{one}, {two}, {one}"


def _expressions(call: Call) -> Iterator[str]:
    names = "abc"[: len(call.types)]
    if not call.types:
        yield f"select {call.over(())} limit 1"
        return
    text = call.over(tuple(f"{n}v" for n in names)).replace("a.v", "av")
    columns = ", ".join(f"{n}v" for n in names)
    for rows in _rows(call.types):
        yield f"select max(r::text) from (select {text} as r from (values {rows}) x ({columns})) y"
        # over a single frame it is the aggregate, which is called by itself, too: 60 ms of a server for each
        # standard deviation of large numbers
        if call.after == " over ()" and replace(call, after="") in calls():
            return


def _refuted(server: Server, call: Call, said: Claim) -> Iterator[str]:
    if not (said.safe or said.tame):
        return
    texts = list(_expressions(call))
    ((found,),) = server.execute(cast("LiteralString", "select probe(%s)"), (texts,)).fetchall()
    raised = {state: text for text, state in zip(texts, found, strict=True) if state}
    if raised.keys() & _MEANINGLESS:
        return
    for state, text in raised.items():
        if said.safe:
            yield f"{said.safe}: {call} raises nothing ({state}: {text[:200]})"
        if said.tame and state not in _OVERFLOWS:
            yield f"{said.tame}: {call} raises nothing but overflow ({state}: {text[:200]})"


def test_every_aggregate_and_window_function_is_asked_of(claimed: list[tuple[Call, Claim]]) -> None:
    asked = {c.name for c, _ in claimed}
    assert len(claimed) > 500
    assert asked >= {"sum", "avg", "var_pop", "stddev", "regr_slope", "covar_pop", "corr", "bit_and", "array_agg", "range_agg",
                     "jsonb_object_agg", "string_agg", "ntile", "nth_value", "lag"}  # fmt: skip
    for who in ("facts", "prover"):
        assert sum(who in said.safe for _, said in claimed) > 150
        assert sum(who in said.tame for _, said in claimed) > 10


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", range(6))
def test_none_raises_what_it_is_claimed_not_to(
    part: int, server: Server, claimed: list[tuple[Call, Claim]]
) -> None:
    assert [text for call, said in claimed[part::6] for text in _refuted(server, call, said)] == []


@pytest.mark.parametrize(
    ("name", "type_"), [("sum", "interval"), ("avg", "float8"), ("sum", "money"), ("var_pop", "numeric")]
)
def test_without_the_condition_they_would_be_found(server: Server, name: str, type_: str) -> None:
    call = Call(name, (type_,))
    with switched_off("M21"):
        said = claim(call)
    assert said is not None
    assert "prover" in said.safe
    assert list(_refuted(server, call, Claim(("prover",), ())))
