"""Each rule: fixtures that it rewrites, executed both ways; queries it leaves alone; guards that matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker, Options
from rewright.equivalence.verdicts import Proved, Tested
from rewright.rewrite.rules import RULES, Rule
from rewright.rewrite.rules.apply import applications
from rewright.sql.binder import bind
from rewright.sql.printing import to_sql
from rewright.sql.walk import canonical
from tests.rewrite.sqlfixtures import DATABASES, FOLDER, SCHEMA, Case, answer, cases, catalog, fill, outputs

DOCS = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
BY_NAME = {rule.name: rule for rule in RULES}
EVERY = [case for rule in RULES for case in cases(rule.name)]
POSITIVE = [c for c in EVERY if c.kind == "case"]
NEGATIVE = [c for c in EVERY if c.kind == "nothing"]
GUARDED = [c for c in EVERY if c.kind == "without"]


def named(case: Case) -> str:
    return f"{case.rule}: {case.words}"


@pytest.fixture(scope="module")
def connection(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA)
        yield made


@pytest.fixture(scope="module")
def checker(scratch_server: ScratchServer) -> Iterator[Checker]:
    with Checker(scratch=scratch_server, options=Options(seconds=15.0), schema_sql=SCHEMA) as made:
        yield made


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_every_rule_has_fixtures_both_ways_and_says_what_it_does(rule: Rule) -> None:
    kinds = {c.kind for c in cases(rule.name)}
    assert {"case", "nothing"} <= kinds
    assert "-->" in rule.doc, "its docstring shows a query before and after"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_the_names_that_the_field_has_for_a_rule_are_in_its_docstring_and_in_the_docs(rule: Rule) -> None:
    described = " ".join(rule.doc.split()).lower()
    for name in filter(None, rule.known_as.split("; ")):
        assert name.partition(" (")[0].lower() in described
    assert rule.name in DOCS
    assert f"| {rule.name} | {rule.known_as or '(none known)'} |" in DOCS


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_every_guard_has_a_case_that_needs_it(rule: Rule) -> None:
    assert {c.words for c in cases(rule.name) if c.kind == "without"} == set(rule.guards)


def test_fixture_files_belong_to_rules() -> None:
    files = {p.stem for p in FOLDER.glob("*.sql")} - {"schema", "data"}
    assert files - {"quite"} == set(BY_NAME)


@pytest.mark.parametrize("case", POSITIVE, ids=named)
def test_a_rule_makes_what_its_fixture_shows(case: Case) -> None:
    assert case.gives, "no output is pinned (make fixtures)"
    assert outputs(case.sql, BY_NAME[case.rule]) == case.gives


@pytest.mark.server
@pytest.mark.parametrize("case", POSITIVE, ids=named)
def test_what_a_rule_makes_gives_the_same_rows(case: Case, connection: psycopg.Connection[Any]) -> None:
    for rows, seed in DATABASES:
        fill(connection, rows, seed)
        expected = answer(connection, case.sql)
        for output in case.gives:
            assert answer(connection, output.sql) == expected, output.sql


@pytest.mark.parametrize("case", POSITIVE, ids=named)
def test_what_a_rule_makes_prints_and_binds_back(case: Case) -> None:
    for made in applications(bind(case.sql, catalog()), catalog(), [BY_NAME[case.rule]]):
        again = bind(to_sql(made.query), catalog())
        assert canonical(again, keep_names=True) == canonical(made.query, keep_names=True)


@pytest.mark.parametrize("case", NEGATIVE, ids=named)
def test_a_rule_leaves_alone_what_is_not_its_own(case: Case) -> None:
    assert not list(applications(bind(case.sql, catalog()), catalog(), [BY_NAME[case.rule]]))


@pytest.mark.server
@pytest.mark.parametrize("case", GUARDED, ids=named)
def test_without_a_guard_the_checker_refuses(case: Case, checker: Checker) -> None:
    query = bind(case.sql, catalog())
    rule = BY_NAME[case.rule]
    guarded = {to_sql(a.query) for a in applications(query, catalog(), [rule])}
    off = frozenset({f"{rule.name}.{case.words}"})
    unsound = [to_sql(a.query) for a in applications(query, catalog(), [rule], off)]
    unsound = [text for text in unsound if text not in guarded]
    assert unsound, "the guard changes nothing"
    assert any(not isinstance(checker.check(case.sql, text), Proved | Tested) for text in unsound), unsound
