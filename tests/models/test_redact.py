"""Nothing of a client's data leaves in a prompt; what comes back is whole again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pglast.parser import parse_sql, scan

from rewright.models.prompts import (
    ErrorText,
    FreeText,
    PlanText,
    RowsText,
    SqlText,
    StatisticText,
    messages,
    render,
)
from rewright.models.redact import Redactor

QUERY = """select l_flag, sum(q) /* top secret */ from lineitem -- hush
where l_date <= date '1998-12-01' - interval '93' day and b = 'Brand#23' and p > 42.5
  and c::numeric(12,2) > 77 and n in (5511, 5512, 'Brand#23') group by 1, l_flag order by 2 desc limit 100"""


def test_literals_become_typed_placeholders_and_come_back() -> None:
    redactor = Redactor()
    shown = redactor.sql(QUERY)
    for secret in ("1998", "93", "Brand", "42.5", "77", "551", "100", "secret", "hush"):
        assert secret not in shown
    assert "numeric(12,2)" in shown
    assert "group by 1, l_flag order by 2 desc" in shown
    assert "$1: date literal" in redactor.legend()
    assert "$2: interval literal" in redactor.legend()
    restored = redactor.restore(shown)
    assert parse_sql(restored)[0].stmt == parse_sql(QUERY)[0].stmt


def test_equal_literals_look_equal_and_own_parameters_stay() -> None:
    redactor = Redactor()
    assert redactor.sql("select $3, 'a', 'b', 'a'") == "select $3, $4, $5, $4"
    assert redactor.restore("select $5 || $3") == "select 'b' || $3"


def test_what_does_not_scan_is_withheld() -> None:
    assert "secret" not in Redactor().sql("select 'secret")


@pytest.mark.parametrize(
    "text",
    [
        "limit 4711",
        "offset 4711",
        "in (4711, 4711)",
        "values (4711)",
        "x between 4711 and 4711",
    ],
)
def test_positions_are_recognised_narrowly(text: str) -> None:
    assert "4711" not in Redactor().sql(f"select a from t order by a {text}")


literal = st.one_of(
    st.integers(100_000, 10**12).map(str),
    st.decimals(1000, 10**6, places=3).map(str),
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=6, max_size=20)
    .filter(lambda s: len(set(s)) > 4 and not s.isspace())
    .map(lambda s: "'" + s.replace("'", "''") + "'"),
    st.text("abcxyz '", min_size=6, max_size=12).map(lambda s: f"$q${s}zq$q$"),
)


@given(st.lists(literal, min_size=1, max_size=5), st.integers(0, 6))
def test_no_literal_survives_in_any_prompt_and_all_come_back(literals: list[str], shape: int) -> None:
    shapes = (
        "select * from t where a in ({})",
        "select coalesce({}) from t order by 1",
        "with c as (select {}) select * from c limit 1",
        "select f(x, {}) over (partition by y order by z)",
        "select case when a = {} then 1 end",
        "select ({}, x) from t group by 1, 2",
        "select * from (values ({})) v /* {} */",
    )
    joined = ", ".join(literals)
    text = shapes[shape].replace("{}", joined)
    redactor = Redactor()
    shown = redactor.sql(text)
    for one in literals:
        assert one not in shown
        bare = one.strip("'")
        assert len(bare) < 6 or bare not in shown
    assert _words(redactor.restore(shown)) == _words(text)


def _words(text: str) -> list[str]:
    return [text[t.start : t.end + 1] for t in scan(text) if "COMMENT" not in t.name]


def test_messages_of_the_server() -> None:
    redactor = Redactor()
    redactor.sql("select l_flag from lineitem")
    said = redactor.error("42703", 'column "l_flags" does not exist\nLINE 1: select secret')
    assert said == "SQLSTATE 42703: column <...> does not exist"
    assert '"l_flag"' in redactor.error("42702", 'column reference "l_flag" is ambiguous')
    for state, message in (
        ("22P02", 'invalid input syntax for type integer: "secret"'),
        ("P0001", "customer secret is broke"),
        ("23505", "Key (id)=(secret) already exists."),
    ):
        assert "secret" not in redactor.error(state, message)
    assert "4711" not in redactor.error("42601", "syntax error near 4711")


PLAN: dict[str, Any] = {
    "Node Type": "Seq Scan",
    "Relation Name": "t",
    "Filter": "(a = 'secret'::text)",
    "Total Cost": 12.5,
    "Plan Rows": 7,
    "Output": ["'secret'"],
    "Plans": [{"Node Type": "Hash", "Hash Cond": "(x = 4711)", "Sort Key": ["f(4711)"]}],
}


def test_plans_rows_and_statistics() -> None:
    redactor = Redactor()
    parts = (
        PlanText("Plan", PLAN),
        RowsText("t", ("a", "b"), ("text", "int4"), (("secret", 4711), (None, 4711), ("other", 12))),
        StatisticText("t.a", "n_distinct", 3.0, ("secret",)),
        ErrorText("22P02", "secret"),
        SqlText("Query", "select 'secret' from t"),
        FreeText("Idea", "filter on 'secret' and 4711 first"),
    )
    prompt = messages(parts, redactor, system="s")[1].text
    assert "secret" not in prompt
    assert "4711" not in prompt
    assert "n_distinct" not in prompt
    assert "(<text_1>, <int4_1>)\n  (NULL, <int4_1>)\n  (<text_2>, <int4_2>)" in prompt
    assert "Seq Scan t (total cost 12, plan rows 7)" in prompt


def test_units_are_words_of_the_language() -> None:
    redactor = Redactor()
    shown = redactor.sql(
        "select date_trunc('week', d), date_part('Month', d), 'week', f('day'), date_trunc('secret', d)"
    )
    assert shown == "select date_trunc('week', d), date_part('Month', d), $1, f($2), date_trunc($3, d)"
    assert redactor.plan("date_trunc('week'::text, d)") == "date_trunc('week'::text, d)"


@pytest.mark.parametrize(
    ("literal", "planned"),
    [
        ("date '2024-05-01'", "'2024-05-01 00:00:00'::timestamp"),
        ("timestamptz '2024-05-01'", "'2024-05-01 00:00:00+00'::timestamp"),
        ("timestamp '2024-05-01 00:00:00'", "'2024-05-01'::date"),
        ("interval '14 months'", "'1 year 2 mons'::interval"),
        ("interval '24 month'", "'2 years'::interval"),
        ("interval '1 month'", "'1 mon'::interval"),
        ("interval '2 weeks'", "'14 days'::interval"),
        ("interval '90 minutes'", "'01:30:00'::interval"),
        ("interval '60 days'", "'60 days'::interval"),
    ],
)
def test_a_literal_is_known_as_the_server_prints_it(literal: str, planned: str) -> None:
    redactor = Redactor()
    redactor.sql(f"select {literal}")
    assert redactor.plan(planned).startswith("$1::")
    assert redactor.plan("'2024-05-02'::date").startswith("$2::")


def test_the_constants_of_everybody_are_no_placeholders_in_plans() -> None:
    assert (
        Redactor().plan("COALESCE(n, '0'::bigint) > '1'::numeric")
        == "COALESCE(n, '0'::bigint) > '1'::numeric"
    )


def test_what_a_plan_does_not_do_is_not_told() -> None:
    plan = {
        "Node Type": "Seq Scan",
        "Relation Name": "t",
        "Total Cost": 12.5,
        "Plan Rows": 7,
        "Actual Rows": 0,
        "Actual Loops": 1,
        "Actual Total Time": 0.5,
        "Rows Removed by Filter": 0,
        "Shared Read Blocks": 0,
        "Temp Written Blocks": 3,
        "Plans": [
            {"Node Type": "Hash", "Plan Rows": 2, "Actual Rows": 0, "Actual Loops": 0, "Actual Total Time": 0}
        ],
    }
    assert render(PlanText("Plan", plan), Redactor()) == (
        "Plan:\nSeq Scan t (total cost 12, plan rows 7, actual rows 0, temp written blocks 3, actual ms a loop 0.50)"
        "\n  Hash (plan rows 2, never executed)"
    )


def test_levels() -> None:
    part = StatisticText("t.a", "n_distinct", 3.0, ("secret",))
    assert render(part, Redactor("statistics")) == "t.a: n_distinct = 3"
    assert "secret" in render(part, Redactor("samples"))
    assert Redactor("samples").sql(QUERY) == QUERY
