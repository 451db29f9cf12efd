"""Differences that only data made for the queries' own constants show: lengths, parts of dates, patterns, big
groups.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.verdicts import Refuted
from tests.equivalence.conftest import Check

SCHEMA = """
create table person (id int primary key, name text not null, born date, seen timestamp not null, credit numeric);
create table product (sku text primary key, title text, cat text);
"""
DIFFERENT = (
    ("select id from person where length(name) > 10", "select id from person where length(name) >= 10"),
    ("select id from person where length(trim(name)) > 3", "select id from person where length(name) > 3"),
    ("select id from person where replace(name, '-', '') = 'ab'", "select id from person where name = 'ab'"),
    ("select id from person where extract(hour from seen) = 23", "select id from person where seen::time > '23:00:00'"),
    ("select id from person where extract(month from born) = 12", "select id from person where extract(month from born) >= 12 and extract(day from born) < 31"),
    ("select cat from product group by cat having count(*) > 10", "select cat from product group by cat having count(*) > 9"),
    ("select sku from product where title similar to '(A|B)%'", "select sku from product where title like 'A%'"),
    ("select credit from person where credit = 7", "select 7::numeric from person where credit = 7"),
)  # fmt: skip


@pytest.mark.server
@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_a_difference_near_a_constant_is_found(pair: tuple[str, str], search_only: Check) -> None:
    assert isinstance(search_only(*pair, schema=SCHEMA), Refuted)
