"""Knowledge in a run: looked up when a round failed, applied as patterns, named in what comes out."""

from __future__ import annotations

import psycopg
import pytest

from rewright.knowledge.api import KnowledgeBase
from rewright.rewrite.adapters.live import Extras, connected
from rewright.rewrite.adapters.units import UnitKnowledge, rule_of, rules_of
from rewright.rewrite.model import Settings
from rewright.rewrite.rules import RULES
from rewright.rewrite.search.proposer import helped, preferred
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

DDL = (
    "create table shelf (id int primary key, room text not null);"
    "create table parcel (id int primary key, shelf_id int not null, weight int not null, note text);"
)
# a test on a group for each shelf: none of the rules speaks of it
QUERY = (
    "select s.id, s.room from shelf s where exists"
    " (select 1 from parcel p where p.shelf_id = s.id having count(*) > 3)"
)


@pytest.fixture(scope="module")
def base() -> KnowledgeBase:
    return KnowledgeBase.load()


def test_units_come_with_rules_and_patterns(base: KnowledgeBase) -> None:
    knowledge = UnitKnowledge(base, catalog_from_ddl(DDL))

    units = knowledge.search(QUERY, 3)

    assert "subquery/exists-having-count" in [unit.id for unit in units if unit.rule is not None]
    assert units[0].rule is not None


def test_a_unit_prefers_rules_that_do_the_same(base: KnowledgeBase) -> None:
    stored = {unit.id: unit for unit in base.units}

    assert rules_of(stored["predicate/date-cast-equality"])[0] == "date_range"
    assert set(rules_of(stored["subquery/not-in-to-not-exists"])) <= {rule.name for rule in RULES}


def test_a_pattern_is_a_rule_for_whole_statements(base: KnowledgeBase) -> None:
    from rewright.rewrite.rules.apply import applications

    catalog = catalog_from_ddl(DDL)
    rule = rule_of(next(unit for unit in base.units if unit.id == "subquery/exists-having-count"))

    made = list(applications(bind(QUERY, catalog), catalog, [rule]))

    assert made
    assert all(one.rewrite.literal for one in made)


@pytest.mark.server
def test_what_rules_do_not_find_a_unit_may(base: KnowledgeBase, scratch_server) -> None:
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(DDL)
        connection.execute("insert into shelf select i, 'room ' || i % 7 from generate_series(1, 400) i")
        connection.execute(
            "insert into parcel select i, i % 400, i % 9, 'n' from generate_series(1, 15000) i"
        )
        connection.execute("analyze")
    settings = Settings(trust="tested", measure="both", budget=40.0, check_seconds=4.0)

    def outcome(units: KnowledgeBase | None):
        with connected(scratch_server.dsn(database), scratch_server, extras=Extras(units=units)) as rewriter:
            return rewriter.optimise(QUERY, settings=settings)

    alone, helped_by_units = outcome(None), outcome(base)

    assert alone.best is None
    assert helped_by_units.best is not None
    document = helped_by_units.to_json()
    assert "subquery/exists-having-count" in document["units"]
    assert any(step["name"].startswith("unit ") for step in document["steps"])
    states = [event["state"] for event in helped_by_units.events]
    assert states[:3] == ["reasoning", "decision", "reasoning"]


def test_order_and_credit() -> None:
    from rewright.rewrite.ports import Unit
    from rewright.rewrite.search.explore import Candidate
    from rewright.sql import algebra as a

    by_rule, by_none = (
        Unit("t", "x", id="a/b", prefer=("not_in",)),
        Unit("t", "x", id="c/d", prefer=("date_range",)),
    )
    found = Candidate(a.Values((), ()), "select 1", (("not_in", ""),), frozenset(), 1.0)

    assert preferred([by_rule, by_none]) == ("not_in", "date_range")
    assert helped(found, [by_rule, by_none]) == ("a/b",)
