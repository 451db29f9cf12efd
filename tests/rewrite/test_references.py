"""Which foreign keys evidence rests on, and searches without those that are not kept. No server."""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.generator.ddl import ddl_of
from rewright.rewrite.api import Outcome
from rewright.rewrite.model import Candidate, Checked, Evidence, Weighed
from rewright.rewrite.ports import Scoped
from rewright.rewrite.references import rests_on, search, trusted
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.references import Reference

CATALOG = catalog_from_ddl("""
create table a (id int primary key);
create table b (id int primary key, aid int not null references a);
create table c (id int primary key, bid int references b, check (id > 0));
create table d (id int primary key);
""")
B = Reference("public", "b", "b_aid_fkey")
C = Reference("public", "c", "c_bid_fkey")
PROOF = Evidence("proved", assumptions=("public.b(aid) references public.a(id) (b_aid_fkey)",))
TESTED = Evidence("tested")


def outcome(evidence: Evidence | None, text: str = "select id from b") -> Outcome:
    best = None if evidence is None else Weighed(Checked(Candidate(text), evidence), 1.0, 1.0, {})
    return Outcome(text, best, best is not None, "nothing better", Scoped("these"), {})


def test_a_proof_rests_on_what_it_states() -> None:
    assert rests_on(CATALOG, PROOF, ("select 1 from c",)) == {B}
    assert rests_on(CATALOG, replace(PROOF, assumptions=()), ("select id from b",)) == frozenset()
    strange = replace(PROOF, assumptions=("nobody(knows) references this(one)",))
    assert rests_on(CATALOG, strange, ("select id from c",)) == {B, C}
    assert rests_on(CATALOG, None, ("select id from b",)) == frozenset()


def test_what_was_tested_rests_on_every_key_of_its_relations() -> None:
    assert rests_on(CATALOG, TESTED, ("select id from d",)) == frozenset()
    assert rests_on(CATALOG, TESTED, ("select id from b", "select id from public.b")) == {B}
    assert rests_on(CATALOG, TESTED, ("select id from c",)) == {B, C}
    assert rests_on(CATALOG, TESTED, ("this does not parse",)) == {B, C}


def test_a_broken_key_is_left_out_and_the_search_made_again() -> None:
    seen: list[frozenset[str]] = []

    def run(catalog: Catalog) -> Outcome:
        usable = frozenset(k.name for t in catalog.relations for k in t.foreign_keys if k.usable)
        seen.append(usable)
        return outcome(PROOF if "b_aid_fkey" in usable else replace(PROOF, assumptions=()))

    found = search(CATALOG, "verified", lambda key: "a stored row breaks it" if key == B else "", run)
    assert seen == [{"b_aid_fkey", "c_bid_fkey"}, {"c_bid_fkey"}]
    assert found.outcome.best is not None
    assert found.needed == frozenset()
    assert found.broken == {B: "a stored row breaks it"}
    seen.clear()
    search(CATALOG, "verified", lambda _: "", run, {B: "known"})
    assert seen == [{"c_bid_fkey"}]


def test_the_reason_is_said_where_nothing_else_is_found() -> None:
    def run(catalog: Catalog) -> Outcome:
        return outcome(PROOF if rests_on(catalog, PROOF, ()) else None)

    found = search(CATALOG, "verified", lambda _: "a stored row breaks it", run)
    assert found.outcome.best is None
    assert (
        found.outcome.reason
        == "nothing better; foreign key public.b.b_aid_fkey is not relied on: a stored row breaks it"
    )


def test_a_search_that_comes_upon_one_broken_key_after_another_ends_with_nothing() -> None:
    looked: list[Reference] = []

    def look(key: Reference) -> str:
        looked.append(key)
        return "broken"

    def run(_catalog: Catalog) -> Outcome:
        # evidence that is blind to what it was told
        return outcome(TESTED, "select c.id from c")

    found = search(CATALOG, "verified", look, run)
    assert set(looked) == {B, C}
    assert found.outcome.best is not None  # found without them: nothing is left to rest on
    assert found.needed == frozenset()


def test_declared_and_never_look_at_nothing() -> None:
    def look(_key: Reference) -> str:
        raise AssertionError

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
