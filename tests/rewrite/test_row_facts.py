"""Which foreign keys evidence rests on, and searches without those that are not kept. No server."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from rewright.equivalence.generator.ddl import ddl_of
from rewright.rewrite.api import Outcome
from rewright.rewrite.model import Candidate, Checked, Evidence, Weighed
from rewright.rewrite.ports import Scoped
from rewright.rewrite.row_facts import is_lasting, rests_on, row_facts, search, trusted
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.row_facts import RowFact

CATALOG = catalog_from_ddl("""
create table a (id int primary key);
create table b (id int primary key, aid int not null references a);
create table c (id int primary key, bid int references b, check (id > 0));
create table d (id int primary key);
create table e (id int primary key, x int, unique (id, x)) partition by range (id);
create table f (x int unique, y text, z int generated always as (x + 1) stored);
create unique index f_lower on f (lower(y)) where x > 0;
""")
B = RowFact("public", "b", "b_aid_fkey")
C = RowFact("public", "c", "c_bid_fkey")
PROOF = Evidence("proved", assumptions=("public.b(aid) references public.a(id) (b_aid_fkey)",))
TESTED = Evidence("tested")


def outcome(evidence: Evidence | None, text: str = "select id from b") -> Outcome:
    best = None if evidence is None else Weighed(Checked(Candidate(text), evidence), 1.0, 1.0, None)
    return Outcome(text, best, best is not None, "nothing better", Scoped("these"), {})


def not_null(table: str, column: str) -> RowFact:
    return RowFact("public", table, column, "not null")


OF_D = {not_null("d", "id")}
OF_B = {B, not_null("a", "id"), not_null("b", "id"), not_null("b", "aid")}
CHECK = RowFact("public", "c", "c_id_check", "check")
OF_C = OF_B | {C, CHECK, not_null("c", "id")}
BOUNDS = RowFact("public", "e", kind="bounds")


def test_a_proof_rests_on_what_it_states() -> None:
    assert rests_on(CATALOG, PROOF, ("select 1 from c",)) == {B}
    assert rests_on(CATALOG, replace(PROOF, assumptions=()), ("select id from b",)) == frozenset()
    strange = replace(PROOF, assumptions=("nobody(knows) references this(one)",))
    assert rests_on(CATALOG, strange, ("select id from c",)) == OF_C
    assert rests_on(CATALOG, None, ("select id from b",)) == frozenset()


@pytest.mark.parametrize(
    ("stated", "facts"),
    [
        ("not null public.b(aid)", {not_null("b", "aid")}),
        # a primary key takes no NULL in
        ("primary key public.d(id) (d_pkey)", OF_D),
        # what a unique key of nullable columns says of rows that are not NULL needs no NOT NULL
        ("unique public.f(x) (f_x_key)", set()),
        ("unique public.f(lower(y), where, x > 0) (f_lower)", set()),
        # rows of two partitions have different keys as long as each is where it belongs
        ("primary key public.e(id) (e_pkey)", {not_null("e", "id"), BOUNDS}),
        ("unique public.e(id, x) (e_id_x_key)", {BOUNDS}),
        ("check on public.c (c_id_check)", {CHECK}),
        ("check on public.f (generated z)", set()),
        # not of this schema: everything that the text reads
        ("not null public.f(x)", OF_D),
        ("check on public.c (gone)", OF_D),
        ("unique public.f(x) (gone)", OF_D),
    ],
)
def test_what_rows_may_break_of_what_a_proof_states(stated: str, facts: set[RowFact]) -> None:
    found = rests_on(CATALOG, replace(PROOF, assumptions=(stated,)), ("select id from d",))
    assert found == facts


def test_what_was_tested_rests_on_all_that_is_declared_of_its_relations() -> None:
    assert rests_on(CATALOG, TESTED, ("select id from d",)) == OF_D
    assert rests_on(CATALOG, TESTED, ("select id from b", "select id from public.b")) == OF_B
    assert rests_on(CATALOG, TESTED, ("select id from c",)) == OF_C
    assert rests_on(CATALOG, TESTED, ("select id from e",)) == {not_null("e", "id"), BOUNDS}
    assert rests_on(CATALOG, TESTED, ("this does not parse",)) == set(row_facts(CATALOG))


@pytest.mark.parametrize(
    ("fact", "version", "lasting"),
    [
        (not_null("b", "aid"), 180000, True),
        # before 18 nothing tells that it was dropped and declared again
        (not_null("b", "aid"), 170004, False),
        (CHECK, 140000, True),
        (B, 180000, False),
        # a partition that is attached later brings its rows with it
        (not_null("e", "id"), 180000, False),
        (BOUNDS, 180000, False),
    ],
)
def test_one_look_is_enough_where_the_guard_sees_the_rest(fact: RowFact, version: int, lasting: bool) -> None:
    assert is_lasting(replace(CATALOG, version=version), fact) is lasting


def test_what_is_broken_says_nothing_any_more() -> None:
    table = trusted(CATALOG, "declared", OF_D).table(TableRef("public", "d"))
    assert not table.columns[0].not_null
    assert [key.usable for key in table.keys] == [False]
    table = trusted(CATALOG, "declared", [BOUNDS]).table(TableRef("public", "e"))
    assert table.columns[0].not_null
    assert [key.usable for key in table.keys] == [False, False]
    table = trusted(CATALOG, "declared", [CHECK]).table(TableRef("public", "c"))
    assert [check.usable for check in table.checks] == [False]
    # a key of two columns stays one where a third holds NULLs
    table = trusted(CATALOG, "declared", [not_null("b", "aid")]).table(TableRef("public", "b"))
    assert [column.not_null for column in table.columns] == [True, False]
    assert [key.usable for key in table.keys] == [True]


def test_a_broken_key_is_left_out_and_the_search_made_again() -> None:
    seen: list[frozenset[str]] = []

    def run(catalog: Catalog) -> Outcome:
        usable = frozenset(k.name for t in catalog.relations for k in t.foreign_keys if k.usable)
        seen.append(usable)
        return outcome(PROOF if "b_aid_fkey" in usable else replace(PROOF, assumptions=()))

    found = search(
        CATALOG,
        "verified",
        lambda facts: dict.fromkeys({B}.intersection(facts), "a stored row breaks it"),
        run,
    )
    assert seen == [{"b_aid_fkey", "c_bid_fkey"}, {"c_bid_fkey"}]
    assert found.outcome.best is not None
    assert found.needed == frozenset()
    assert found.broken == {B: "a stored row breaks it"}
    seen.clear()
    search(CATALOG, "verified", lambda _: {}, run, {B: "known"})
    assert seen == [{"c_bid_fkey"}]


def test_the_reason_is_said_where_nothing_else_is_found() -> None:
    def run(catalog: Catalog) -> Outcome:
        return outcome(PROOF if rests_on(catalog, PROOF, ()) else None)

    found = search(CATALOG, "verified", lambda facts: dict.fromkeys(facts, "a stored row breaks it"), run)
    assert found.outcome.best is None
    assert (
        found.outcome.reason
        == "nothing better; foreign key public.b.b_aid_fkey is not relied on: a stored row breaks it"
    )


def test_a_search_that_comes_upon_one_broken_key_after_another_ends_with_nothing() -> None:
    looked: list[RowFact] = []

    def look(facts: Collection[RowFact]) -> dict[RowFact, str]:
        looked.extend(facts)
        return dict.fromkeys(facts, "broken")

    def run(_catalog: Catalog) -> Outcome:
        # evidence that is blind to what it was told
        return outcome(TESTED, "select c.id from c")

    found = search(CATALOG, "verified", look, run)
    assert set(looked) == OF_C
    assert found.outcome.best is not None  # found without them: nothing is left to rest on
    assert found.needed == frozenset()


def test_declared_and_never_look_at_nothing() -> None:
    def look(facts: Collection[RowFact]) -> dict[RowFact, str]:
        assert not facts
        return {}

    declared = search(CATALOG, "declared", look, lambda _: outcome(PROOF), {B: "known"})
    assert declared.needed == {B}
    never = search(CATALOG, "never", look, lambda c: outcome(PROOF if rests_on(c, PROOF, ()) else None))
    assert never.outcome.best is None


def test_generated_databases_keep_only_what_stored_rows_keep() -> None:
    doubted = trusted(CATALOG, "verified", [B])
    text = ddl_of(doubted, doubted.relations)
    assert "b_aid_fkey" not in text
    assert "c_bid_fkey" in text
    unchecked = tuple(
        replace(t, checks=tuple(replace(k, validated=False) for k in t.checks)) for t in CATALOG.relations
    )
    assert "check" in ddl_of(CATALOG, CATALOG.relations)
    assert "check" not in ddl_of(replace(CATALOG, relations=unchecked), unchecked)
