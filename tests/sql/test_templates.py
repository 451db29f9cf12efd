"""Templates: literals out and in, byte positions, what stays in the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.sql.binder import BindError, bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql
from rewright.sql.templates import bind_template, fill, split, template_of
from rewright.sql.walk import canonical

CORPUS = Path(__file__).parent / "corpus"
CATALOG = catalog_from_ddl((CORPUS / "schema.sql").read_text())
QUERIES = (CORPUS / "queries.sql").read_text().splitlines()


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("select 5", "select ⟦1:i⟧"),
        ("select 5000000000, 5.0, '5'", "select ⟦1:l⟧, ⟦2:n⟧, ⟦3:s⟧"),
        ("select -5", "select -⟦1:i⟧"),
        ("select null, true", "select null, true"),
        ("select a from t order by 1, b + 2 limit 3", "select a from t order by 1, b + 2 limit ⟦1:i⟧"),
        ("select 1 group by 1 having 2 > 1", "select ⟦1:i⟧ group by 1 having ⟦2:i⟧ > ⟦3:i⟧"),
        ("select x::numeric(10,2), cast(x as varchar(3))", "select x::numeric(10,2), cast(x as varchar(3))"),
        ("select round(x, 2)", "select round(x, ⟦1:i⟧)"),
        ("select distinct on (1) a, 2", "select distinct on (1) a, ⟦1:i⟧"),
        ("select date '2020-01-01', interval '1' day", "select date ⟦1:s⟧, interval ⟦2:s⟧ day"),
        ("select $1, 'x' -- 5 'y'\n/* 6 */", "select $1, ⟦1:s⟧ -- 5 'y'\n/* 6 */"),
        ("select E'a\\'b', $$x$$, b'01', U&'a'", "select ⟦1:s⟧, ⟦2:s⟧, b'01', U&'a'"),
        (
            "select sum(x) over (order by y rows 2 preceding)",
            "select sum(x) over (order by y rows ⟦1:i⟧ preceding)",
        ),
        ("select a from t limit 5 offset 6", "select a from t limit ⟦1:i⟧ offset ⟦2:i⟧"),
    ],
)
def test_split(text: str, template: str) -> None:
    found = split(text)
    assert found is not None
    assert found[0] == template
    assert fill(template, found[1]) == text


@pytest.mark.parametrize("text", ["select '", "select ⟦1:i⟧", "select -2147483648", "select 1" * 100_000])
def test_texts_without_a_template(text: str) -> None:
    assert template_of(text) is None


def test_positions_are_bytes() -> None:
    text = "select 'é', 'ü' as ö, 7"
    template = template_of(text)
    assert template is not None
    raw = text.encode()
    assert [raw[x.start : x.end].decode() for x in template.literals] == ["'é'", "'ü'", "7"]


@pytest.mark.parametrize(
    "literals",
    [
        ["'x'"],  # another kind
        ["5.0"],
        ["5000000000"],
        ["5; drop table t"],
        ["5 -- "],
        ["5 + 1"],
        ["$1"],
        ["null"],
        [""],
        [],
    ],
)
def test_only_one_token_of_the_holes_kind_fits(literals: list[str]) -> None:
    assert fill("select ⟦1:i⟧", literals) is None


def test_strings_do_not_grow_together() -> None:
    assert fill("select ⟦1:s⟧⟦2:s⟧", ["'a'", "'b'"]) != "select 'a''b'"
    assert fill("select x⟦1:i⟧", ["5"]) == "select x 5"


@pytest.mark.parametrize("text", QUERIES)
def test_a_template_binds_prints_and_fills_to_the_same_query(text: str) -> None:
    template = template_of(text)
    if template is None:
        assert "-2147483648" in text
        return
    assert template.fill() == text
    if "$" in text:
        return
    try:
        bound = bind_template(text, CATALOG)
    except BindError as error:
        # an expression repeated in GROUP BY has two literals, which need not be the same
        if error.sqlstate not in {"42803", "42P10", "22P02"}:
            raise
        return
    assert bound is not None
    printed = fill(to_sql(bound[0], catalog=CATALOG), [x.text for x in template.literals])
    assert printed is not None
    assert canonical(bind(printed, CATALOG)) == canonical(bind(text, CATALOG)), printed
