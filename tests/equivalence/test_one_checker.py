"""One checker, whoever asks: `Checker.check`, the rewriter's proofs of steps, the proxy's search for rewrites and
the tool of a coding agent say the same of the same pairs; and nothing that differs is proved by the way all go.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from rewright.engines import clock
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.decomposition.search import proved_by_parts
from rewright.equivalence.options import Options
from rewright.equivalence.proving import bind_both
from rewright.equivalence.verdicts import to_json
from rewright.mcp.server import make_server
from rewright.mcp.tools import Targets
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.adapters.live import by_steps
from rewright.rewrite.rules import RULES
from rewright.rewrite.search.chains import Derivations
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence import test_near_misses as near
from tests.equivalence import test_never_proved as never
from tests.equivalence import test_strength as strength
from tests.equivalence.hostile_runs import FILES, read
from tests.equivalence.shares import shares
from tests.rewrite.sqlfixtures import cases, catalog

SECONDS = 10.0
_SLOWER = 6
# proofs of these rules' outputs take seconds or are not found: what both say of them is a matter of how much
# work there is for them, which the processor's clock counts
SLOW = frozenset(
    {
        "eager_count",
        "fan_out",
        "counted_keys",
        "union_aggregate",
        "or_union",
        "all_to_extreme",
        "as_of_join",
        "eager_group",
        "fan_in_arms",
        "filter_cte",
        "numbered_lateral",
        "unnest",
    }
)
# of the first case of these nothing is proved within ten seconds of work
NOT_FOUND = frozenset({"as_of_join", "union_aggregate"})
SAMPLE = sorted(strength.PAIRS)[::6]
_ACCEPTED = {"float-order"}


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of two proofs comes first is a matter of time, as rounds of a search are: a clock that goes slowly
    lets each come in its round, however busy the machine is.
    """
    now, began = clock.now, clock.now()
    monkeypatch.setattr(clock, "now", lambda: began + (now() - began) / _SLOWER)


def told_by_both(original: str, candidate: str, known: Catalog) -> list[tuple[object, ...]]:
    """Verdict, reservations, assumptions and scope: the checker's, and the rewriter's."""
    checked = to_json(Checker(known, options=Options(prover_seconds=SECONDS)).check(original, candidate))
    evidence = LinkProver(known).prove(original, candidate, SECONDS)
    documents = [checked, {"verdict": "unknown"} if evidence is None else dict(evidence.document)]
    return [
        tuple(str(d.get(key) or "") for key in ("verdict", "modulo", "assumptions", "scope"))
        if d["verdict"] == "proved"
        else (d["verdict"],)
        for d in documents
    ]


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("rule", [r.name for r in RULES if r.name not in SLOW])
def test_both_say_the_same_of_what_rules_make(rule: str) -> None:
    told = [
        (case.words, *told_by_both(case.sql, output.sql, catalog()))
        for case in cases(rule)
        if case.kind == "case"
        for output in case.gives
    ]
    assert told
    assert [x for x in told if x[1] != x[2]] == []
    assert any(x[1][0] == "proved" for x in told)


@pytest.fixture
def by_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deadlines are of the processor's time that the thread has had, and so of work, and rounds are longer than
    the first proof of a process takes: neither a busy machine nor what is read for the first time decides.
    """
    monkeypatch.setattr(clock, "now", lambda: time.thread_time() / _SLOWER)
    monkeypatch.setattr(clock, "stretched", lambda seconds: seconds)


@pytest.mark.long
@pytest.mark.usefixtures("by_work")
@pytest.mark.parametrize("rule", sorted(SLOW - NOT_FOUND))
def test_both_say_the_same_of_what_is_proved_slowly(rule: str) -> None:
    (case, *_) = [c for c in cases(rule) if c.kind == "case"]
    checked, stepped = told_by_both(case.sql, case.gives[0].sql, catalog())
    assert checked == stepped
    assert checked[0] == "proved"


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("words", SAMPLE)
def test_both_prove_pairs_that_are_the_same(words: str) -> None:
    checked, stepped = told_by_both(*strength.PAIRS[words], strength.CATALOG)
    assert checked == stepped
    assert checked[0] == "proved"


def proved_by_parts_of(q1: str, q2: str, known: Catalog, *, turned: bool) -> bool:
    """Whether the parts have a proof that may be served; ``turned``: with the second query first."""
    bound = bind_both(q1, q2, known, ("public",))
    if isinstance(bound, str):
        return False
    pair = (bound.candidate, bound.original) if turned else (bound.original, bound.candidate)
    found = proved_by_parts(*pair, known, 0.25)
    return found is not None and set(found.modulo) <= _ACCEPTED


def proved_by_both_ways_round(q1: str, q2: str, known: Catalog) -> bool:
    return any(proved_by_parts_of(q1, q2, known, turned=turned) for turned in (False, True))


def test_no_pair_that_differs_is_proved_by_parts() -> None:
    assert [pair for pair in never.DIFFERENT if proved_by_both_ways_round(*pair, never.CATALOG)] == []


@pytest.mark.long
@pytest.mark.parametrize(("path", "share"), shares(FILES, 3))
def test_no_hostile_pair_is_proved_by_parts(path: Path, share: slice) -> None:
    known = catalog_from_ddl(read(path).schema_sql)
    different = [p for p in read(path).pairs[share] if p.expected == "different"]
    # as they stand, test_hostile_pairs looks at their parts for longer
    assert [p for p in different if proved_by_parts_of(p.q1, p.q2, known, turned=True)] == []


@pytest.mark.parametrize(("path", "share"), shares(near.FILES, 6))
def test_no_near_miss_is_proved_by_parts(path: Path, share: slice) -> None:
    schema, rows = near.pairs(path, "differs", "volatile")
    known = catalog_from_ddl(schema)
    strict = [row for row in rows[share] if "open" not in row]
    assert [row for row in strict if proved_by_both_ways_round(row["q1"], row["q2"], known)] == []


TOLD = ("verdict", "modulo", "assumptions", "scope")
ORDERS = """create table cust (id int primary key, name text not null);
create table ord (id int primary key, cust int not null references cust, total int not null);"""
GROUPED = "select c.id, (select max(o.total) from ord o where o.cust = c.id) from cust c"
JOINED = (
    "select c.id, g.m from cust c {} (select cust, max(total) m from ord group by cust) g on g.cust = c.id"
)


@pytest.mark.server
@pytest.mark.parametrize(("kind", "verdict"), [("left join", "proved"), ("join", "refuted")])
def test_an_agents_tool_and_the_proxys_search_say_what_the_checker_says(
    kind: str, verdict: str, scratch_server: ScratchServer
) -> None:
    known, candidate = catalog_from_ddl(ORDERS), JOINED.format(kind)
    with Checker(known, scratch_server, Options(seconds=SECONDS)) as checker:
        told = to_json(checker.check(GROUPED, candidate))
        served = by_steps(checker, Derivations(), known, ("public",)).check(GROUPED, candidate, SECONDS)
    document = _told_an_agent(GROUPED, candidate)
    assert {told["verdict"], document["verdict"], served.level} == {verdict}
    if verdict == "proved":
        said = [{key: d.get(key) for key in TOLD} for d in (told, document, dict(served.document))]
        assert said[0] == said[1] == said[2]


def _told_an_agent(original: str, candidate: str) -> dict[str, Any]:
    async def called() -> Any:
        async with Client(make_server(Targets())) as client:
            texts = {"original": original, "candidate": candidate, "schema_sql": ORDERS}
            return await client.call_tool("verify", texts)

    found = asyncio.run(called())
    assert not found.is_error, found.content
    document: dict[str, Any] = json.loads(found.content[0].text)
    return document
