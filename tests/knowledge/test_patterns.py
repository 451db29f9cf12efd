"""Units generalised to patterns: they fit their own question and others of the shape, and no two are the
same.
"""

from __future__ import annotations

import pytest

from rewright.knowledge.patterns.constants import derivation_of, derived
from rewright.knowledge.patterns.fits import fits, forms, holds, pattern_of, rewrites, term_of
from rewright.knowledge.patterns.generalise import generalise
from rewright.knowledge.patterns.match import Matcher
from rewright.knowledge.patterns.terms import Var, read, write
from rewright.knowledge.units import load_units, schema_sql
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, bind
from rewright.sql.ddl import catalog_from_ddl

UNITS = {unit.id: unit for unit in load_units()}
# a schema that no unit has seen
CLINIC = catalog_from_ddl(
    "create table ward (id int primary key, name text not null, floor int);"
    "create table patient (id int primary key, ward_id int references ward, name text not null, born date not null);"
    "create table visit (id int primary key, patient_id int not null references patient, seen_at timestamp not null,"
    " fee numeric(8,2), kind text);"
    "create table invoice (id int primary key, visit_id int, paid bool)"
)


def made(unit: str, sql: str, catalog=CLINIC) -> list[str]:
    query = term_of(sql, catalog)
    assert query is not None
    return [" ".join(text.split()) for text in rewrites(UNITS[unit], query, catalog) if binds(text, catalog)]


def binds(text: str, catalog=CLINIC) -> bool:
    try:
        bind(text, catalog)
    except BindError:
        return False
    return True


def test_no_two_units_generalise_to_one_pattern() -> None:
    assert not [names for names in forms(UNITS).values() if len(names) > 1]


def test_most_units_have_a_pattern_that_rewrites_their_own_question() -> None:
    catalogs = {s: catalog_from_ddl(schema_sql(s)[0]) for s in {u.schema for u in UNITS.values()}}
    working = 0
    for unit in UNITS.values():
        catalog = catalogs[unit.schema]
        query = term_of(unit.before, catalog)
        assert query is not None, unit.id
        columns = a.output_columns(bind(unit.before, catalog))
        for text in rewrites(unit, query, catalog):
            try:
                if a.output_columns(bind(text, catalog)) == columns:
                    working += 1
                    break
            except BindError:
                continue
    assert working >= 0.85 * len(UNITS)


@pytest.mark.parametrize(
    ("unit", "sql", "expected"),
    [
        (
            "subquery/count-greater-zero",
            (
                "select p.name from patient p join ward w on w.id = p.ward_id"
                " where w.floor > 2 and (select count(*) from visit v where v.patient_id = p.id and v.fee > 10) > 0"
            ),
            "EXISTS (SELECT 1",
        ),
        (
            "predicate/date-cast-equality",
            "select id from visit where seen_at::date = '2024-02-29'",
            "'2024-03-01 00:00:00'",
        ),
        (
            "aggregation/sum-case-to-filter",
            "select kind, coalesce(sum(case when fee > 5 then 1 else 0 end), 0) from visit group by kind",
            "FILTER (WHERE v",
        ),
        (
            "subquery/scalar-count-in-select",
            "select w.name, (select count(*) from patient p where p.ward_id = w.id) as n from ward w",
            "GROUP BY p",
        ),
    ],
)
def test_a_pattern_fits_other_schemas(unit: str, sql: str, expected: str) -> None:
    found = made(unit, sql)

    assert any(expected in text for text in found), found
    assert all(a.output_columns(bind(text, CLINIC)) == a.output_columns(bind(sql, CLINIC)) for text in found)


def test_what_a_pattern_does_not_speak_of_is_kept() -> None:
    (text, *_) = made(
        "subquery/not-in-to-not-exists",
        "select w.name, count(*) from ward w join patient p on p.ward_id = w.id"
        " where p.born < '1990-01-01' and p.id not in (select v.patient_id from visit v where v.kind = 'x')"
        " group by w.name order by 2 desc limit 3",
    )

    for kept in ("1990-01-01", "w.id", "GROUP BY w.name", "LIMIT 3", "'x'"):
        assert kept in text


def test_preconditions_are_looked_up_in_the_live_schema() -> None:
    unit = UNITS["predicate/coalesce-not-null-equality"]
    nullable = term_of("select id from invoice where coalesce(visit_id, 0) <= 7", CLINIC)
    certain = term_of("select id from visit where coalesce(patient_id, 0) <= 7", CLINIC)
    assert nullable is not None
    assert certain is not None

    assert not fits(unit, nullable, CLINIC)
    assert fits(unit, certain, CLINIC)


@pytest.mark.parametrize(
    ("precondition", "table", "column", "expected"),
    [
        ("t.c is a key", "patient", "id", True),
        ("t.c is a key", "patient", "ward_id", False),
        ("t.c is NOT NULL", "patient", "ward_id", False),
        ("t.c is NOT NULL and references u, validated", "visit", "patient_id", True),
        ("t.c references u", "invoice", "visit_id", False),
        ("nobody can read this", "patient", "id", True),
        ("t.c is a key", "no_such_table", "id", True),
    ],
)
def test_readable_preconditions(precondition: str, table: str, column: str, expected: bool) -> None:
    bound = {Var("table", "t"): table, Var("column", ("t", "c")): column}

    assert holds(precondition, bound, CLINIC) is expected


def test_equal_trees_have_no_pattern() -> None:
    one = read("select p.name from patient as p where p.id = 1")

    assert generalise(one, one) is None


def test_terms_are_read_and_written() -> None:
    text = (
        "SELECT p.name, (SELECT count(*) FROM visit AS v WHERE v.patient_id = p.id) AS n FROM patient AS p"
        " LEFT JOIN ward AS w ON w.id = p.ward_id WHERE p.id IN (1, 2) OR NOT p.born > date '2000-01-01'"
        " ORDER BY p.name DESC LIMIT 5"
    )

    assert read(write(read(text))) == read(text)


@pytest.mark.parametrize(
    ("known", "wanted", "other", "expected"),
    [
        (
            "date '2024-02-28'",
            "timestamp '2024-02-29 00:00:00'",
            "date '2023-12-31'",
            "timestamp '2024-01-01 00:00:00'",
        ),
        ("'2024-12'", "date '2025-01-01'", "'2024-01'", "date '2024-02-01'"),
        ("17.0", "17", "4.0", "4"),
        ("7", "8", "9", "10"),
        ("'ab'", "'ab%'", "'xy'", "'xy%'"),
    ],
)
def test_constants_are_derived(known: str, wanted: str, other: str, expected: str) -> None:
    how = derivation_of(known, wanted)

    assert how
    assert derived(other, how) == expected


@pytest.mark.parametrize("odd", ["'not a date'", "null", "1e999999", "'99999-01'", "'a%b'"])
def test_odd_constants_give_nothing_or_a_literal(odd: str) -> None:
    for how in (
        "next day|timestamp '{time}'",
        "one more|{number}",
        "prefix|'{}%'",
        "next month|date '{day}'",
    ):
        assert derived(odd, how) is None or isinstance(derived(odd, how), str)


def test_matching_is_bounded() -> None:
    pattern = pattern_of(UNITS["predicate/or-to-in-with-common-factor"])
    assert pattern is not None
    many = " and ".join(f"(v.id = {i} or v.patient_id = {i} or v.fee = {i})" for i in range(60))
    query = term_of(f"select v.id from visit v where {many}", CLINIC)
    matcher = Matcher(limit=500)

    list(matcher.match(pattern.before, query, {}))

    assert matcher.steps <= 3 * 500
