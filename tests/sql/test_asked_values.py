"""Which literals of a text are asked for, and which say how something is computed."""

from __future__ import annotations

import pytest

from rewright.sql.asked_values import asked_for
from rewright.sql.templates import template_of


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("select a + 1 from t where b = 2", ["2"]),
        ("select a from t where b between 3 and -4 limit 5 offset 6", ["3", "4", "5", "6"]),
        ("select a from t where b in (1, 2) and c not in ('x')", ["1", "2", "'x'"]),
        ("select a from t where b = any('{1}') and c <> all(array[2])", ["'{1}'", "2"]),
        ("select a from t where c like 'x%' and d ~ '^y' and (e, f) > (1, 'z')", ["'x%'", "'^y'", "1", "'z'"]),
        ("select a from t where d >= date '2024-01-01' + interval '1 day'", ["'2024-01-01'"]),
        ("select a from t where d >= '2024-01-01'::date + '1 day'::interval", ["'2024-01-01'"]),
        ("select 'é', date_trunc('month', d) from t where date_trunc('month', d) = '2024-01-01'", ["'2024-01-01'"]),
        ("select b from t group by b having sum(a * 100) > 7", ["7"]),
        ("select a from t where a % 7 = 3 and (select count(*) from u where u.b > 5) > 1", ["3", "5", "1"]),
        ("select a from t where 3 < -a and b is distinct from -8", ["3", "8"]),
        ("select ntile(4) over (order by a) from t", []),
        ("select generate_series('2024-01-01'::date, '2024-02-01', interval '1 day')", []),
    ],
)  # fmt: skip
def test_what_is_asked_for(text: str, asked: list[str]) -> None:
    template = template_of(text)
    assert template is not None
    assert [template.literals[n - 1].text for n in sorted(asked_for(template))] == asked


def test_what_cannot_be_parsed_asks_for_nothing() -> None:
    template = template_of("select 1 from where a = 2")
    assert template is not None
    assert asked_for(template) == frozenset()
