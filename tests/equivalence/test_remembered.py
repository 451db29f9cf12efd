"""Attempts at one pair share their answers; what was left open is looked at again, and other catalogs know nothing."""

from __future__ import annotations

import pytest

from rewright.equivalence.api import Checker
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover import entail, prove, remembered
from rewright.equivalence.prover import session as sessions
from rewright.equivalence.prover.build import not_null
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.remembered import Memory, RememberingEngine
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.terms import Table, Var
from rewright.equivalence.proving import Binding
from rewright.equivalence.records import Assumption, Proof
from rewright.equivalence.verdicts import Unknown
from rewright.rewrite.adapters.live import by_steps
from rewright.rewrite.search.chains import Derivations
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

TABLES = "create table a (id int primary key, x int, y int); create table b (aid int, v int)"
DIFFERENT = (
    "select id from a where x > 3 and exists (select from b where aid = id and v > x)",
    "select id from a where x > 4 and exists (select from b where aid = id and v > y)",
)
EQUAL = (
    "select id from a where x > 3 and exists (select from b where aid = id and v > x)",
    "select id from a where exists (select from b where v > x and id = aid) and x > 3 and x > 2",
)


def _bound(pair: tuple[str, str], catalog: Catalog) -> Binding:
    return Binding(bind(pair[0], catalog), bind(pair[1], catalog), catalog)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the solver is asked, replays included."""
    asked: list[object] = []
    refutes = sessions.Session.refutes

    def counted(self: sessions.Session, *question: object) -> bool:
        asked.append(question)
        return refutes(self, *question)  # type: ignore[arg-type] # passed on as it came

    monkeypatch.setattr(sessions.Session, "refutes", counted)
    return asked


@pytest.mark.parametrize(("pair", "proved"), [(DIFFERENT, False), (EQUAL, True)])
def test_what_was_asked_is_not_asked_again(
    pair: tuple[str, str], proved: bool, questions: list[object]
) -> None:
    catalog, memory = catalog_from_ddl(TABLES), Memory()
    both = _bound(pair, catalog)
    first = prove(both.original, both.candidate, catalog, memory=memory)
    assert isinstance(first, Proof) == proved
    assert questions
    questions.clear()
    assert prove(both.original, both.candidate, catalog, memory=memory) == first
    assert questions == []


def test_another_look_at_the_same_pair_asks_less(questions: list[object]) -> None:
    catalog, memory = catalog_from_ddl(TABLES), Memory()
    both = _bound(DIFFERENT, catalog)
    assert prove(both.original, both.candidate, catalog, positions=False) is None
    alone = len(questions)
    assert prove(both.original, both.candidate, catalog, positions=None, memory=memory) is None
    questions.clear()
    assert prove(both.original, both.candidate, catalog, positions=False, memory=memory) is None
    assert len(questions) < alone


def test_other_catalogs_know_nothing() -> None:
    memory = Memory()
    with_key, without = (
        catalog_from_ddl(f"create table a (id int {key}, x int)") for key in ("primary key", "")
    )
    texts = ("select distinct id, x from a", "select id, x from a")
    for catalog, proved in ((with_key, True), (without, False), (with_key, True)):
        both = _bound(texts, catalog)
        found = prove(both.original, both.candidate, catalog, memory=memory)
        assert isinstance(found, Proof) == proved


def test_distrusted_constraints_are_not_remembered() -> None:
    catalog, memory = catalog_from_ddl("create table a (id int constraint k primary key, x int)"), Memory()
    both = _bound(("select distinct id, x from a", "select id, x from a"), catalog)
    assert isinstance(prove(both.original, both.candidate, catalog, memory=memory), Proof)
    (key,) = (a.name for a in _facts(both, catalog) if a.name == "k")
    assert prove(both.original, both.candidate, catalog, distrust={key}, memory=memory) is None


def _facts(both: Binding, catalog: Catalog) -> tuple[Assumption, ...]:
    found = prove(both.original, both.candidate, catalog)
    assert isinstance(found, Proof)
    return found.assumptions


def _nullable(catalog: Catalog) -> tuple[Context, Var]:
    (relation,) = (t for t in catalog.relations if t.ref.name == "a")
    source = Schema(catalog).source_of(relation.ref)
    assert isinstance(source, Table)
    return Context(((0, source),), ()), Var(0, 1, source.types[1])


@pytest.mark.parametrize(("unsure", "kept"), [(False, 1), (True, 0)])
def test_what_the_solver_left_open_is_not_kept(unsure: bool, kept: int) -> None:
    catalog = catalog_from_ddl(TABLES)
    answers = Memory().of(catalog, frozenset())
    engine = RememberingEngine(Schema(catalog), float("inf"), answers)
    ctx, column = _nullable(catalog)
    assert not engine.entails(ctx, not_null(column))
    engine.unsure = unsure
    engine.close()
    assert len(answers.known) == kept


def test_a_solver_out_of_time_is_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = catalog_from_ddl(TABLES)
    engine = entail.Engine(Schema(catalog), float("inf"))
    ctx, column = _nullable(catalog)
    z3 = engine.encoder.z3
    monkeypatch.setattr(z3.Solver, "check", lambda *_: z3.unknown)
    assert not engine.entails(ctx, not_null(column))
    assert engine.unsure
    engine.close()


def test_a_pair_is_proved_by_the_facts_of_its_replay() -> None:
    catalog = catalog_from_ddl(TABLES)
    found = prove_pair(_bound(EQUAL, catalog), catalog, 20).proved
    assert found is not None
    assert found.modulo == ()


def test_what_is_kept_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_MOST_CATALOGS", 2)
    memory = Memory()
    first, second, third = (catalog_from_ddl(TABLES) for _ in range(3))
    kept = memory.of(first, frozenset())
    memory.of(second, frozenset())
    assert memory.of(first, frozenset()) is kept
    memory.of(third, frozenset())
    assert memory.of(first, frozenset()) is kept  # the second was not used for longer


def test_too_many_answers_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_MOST_ANSWERS", 0)
    catalog, memory = catalog_from_ddl(TABLES), Memory()
    both = _bound(DIFFERENT, catalog)
    assert prove(both.original, both.candidate, catalog, memory=memory) is None
    assert memory.of(catalog, frozenset()).known == {}


def test_the_checker_does_not_repeat_the_steps_it_is_asked_after(questions: list[object]) -> None:
    catalog = catalog_from_ddl(TABLES)
    checker = Checker(catalog)
    chains = by_steps(checker, Derivations(), catalog, ("public",))
    assert chains.prove(*DIFFERENT, 20.0) is None
    assert questions
    questions.clear()
    assert isinstance(checker.check(*DIFFERENT), Unknown)
    assert questions == []
