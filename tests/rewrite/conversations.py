"""Ten hard queries with what a model said of each: right at once, in steps, wrong at first, misspelt, twice
the same, nonsense.

The replies are those of a conversation at the level `schema`: literals are the placeholders of the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SETUP = """
create table customer (c_id int primary key, region int not null, note text);
create table orders (o_id int primary key, customer int not null references customer, day date not null, total int not null);
create table item (i_id int primary key, orders int not null references orders, product int not null, qty int not null);
insert into customer select i, i % 25, case when i % 7 = 0 then 'n' || i end from generate_series(1, 300) i;
insert into orders select i, 1 + i * 7 % 300, date '2020-01-01' + i % 1500, i % 90 from generate_series(1, 6000) i;
insert into item select i, 1 + i * 13 % 6000, i % 300, i % 50 from generate_series(1, 9000) i;
analyze;
"""


@dataclass(frozen=True, slots=True)
class Conversation:
    """``replies``: by role, in order; a chain is a list of texts. ``prompts``: how many are expected."""

    name: str
    sql: str
    replies: Mapping[str, Sequence[object]]
    prompts: int
    samples: int = 1
    settings: Mapping[str, object] = field(default_factory=dict)


def said(name: str, sql: str, *steps: str, prompts: int = 2) -> Conversation:
    """One chain, and nothing to add to it; asked once more (3) where what it gains is not enough."""
    replies = {"reasoning": [list(steps)], "rewrite": [{"sql": ""}]}
    return Conversation(name, sql, replies, prompts=prompts)


_COUNTED = "select c.c_id from customer c where (select count(*) from orders o where o.customer = c.c_id and o.day >= date '2021-05-05') > 3"
_GROUPED = (
    "select c.c_id from customer c join (select o.customer from orders o where o.day >= date $1 group by o.customer"
    " having count(*) {}) g on g.customer = c.c_id"
)
_AVERAGE = "select o.o_id from orders o where o.total > (select avg(p.total) from orders p where p.customer = o.customer)"
_AVERAGE_JOINED = (
    "select o.o_id from orders o join (select p.customer, avg(p.total) as a from orders p group by p.customer) g"
    " on g.customer = o.customer where o.total > g.a"
)
_AVERAGE_CTE = (
    "with g as (select p.customer, avg(p.total) as a from orders p group by p.customer)"
    " select o.o_id from orders o join g on g.customer = o.customer where o.total > g.a"
)
_LARGEST = "select c.c_id, (select max(o.total) from orders o where o.customer = c.c_id) as m from customer c"
_LARGEST_JOINED = (
    "select c.c_id, g.m from customer c left join (select o.customer, max(o.total) as m from orders o group by o.customer) g"
    " on g.customer = c.c_id"
)
_BOTH = (
    "select c.c_id, (select min(o.day) from orders o where o.customer = c.c_id) as d,"
    " (select max(o.day) from orders o where o.customer = c.c_id) as e from customer c"
)
_BOTH_JOINED = (
    "select c.c_id, g.d, g.e from customer c left join (select o.customer, min(o.day) as d, max(o.day) as e"
    " from orders o group by o.customer) g on g.customer = c.c_id"
)
_BOTH_APART = (
    "select c.c_id, g.d, h.e from customer c left join (select o.customer, min(o.day) as d from orders o group by o.customer) g"
    " on g.customer = c.c_id left join (select o.customer, max(o.day) as e from orders o group by o.customer) h"
    " on h.customer = c.c_id"
)
_COUNT_OF = "select c.c_id, (select count(*) from orders o where o.customer = c.c_id) as n from customer c"
_COUNT_OF_JOINED = (
    "select c.c_id, {} as n from customer c left join (select o.customer, count(*) as n from orders o group by o.customer) g"
    " on g.customer = c.c_id"
)
_TOP = "select i.i_id from item i where i.qty = (select max(j.qty) from item j where j.product = i.product)"
_TOP_JOINED = (
    "select i.i_id from item i join (select j.product, max(j.qty) as m from item j group by j.product) g"
    " on g.product = i.product where i.qty = g.m"
)
_SUM = "select o.o_id, (select sum(i.qty) from item i where i.orders = o.o_id and i.product <> 17) as q from orders o"
_SUM_JOINED = (
    "select o.o_id, g.q from orders o left join (select i.orders, sum(i.qty) as q from item i where i.product <> $1"
    " group by i.orders) g on g.orders = o.o_id"
)
_FIRST_DAY = "select o.o_id from orders o where o.total < 70 and o.day = (select min(p.day) from orders p where p.customer = o.customer)"
_FIRST_DAY_JOINED = (
    "select o.o_id from orders o join (select p.customer, min(p.day) as d from orders p group by p.customer) g"
    " on g.customer = o.customer where o.total < $1 and o.day = g.d"
)
_NOTHING = {"sql": ""}

CONVERSATIONS = (
    Conversation(
        "right at once", _AVERAGE, {"reasoning": [[_AVERAGE_JOINED]], "rewrite": [_NOTHING]}, prompts=2
    ),
    Conversation(
        "in two steps", _BOTH, {"reasoning": [[_BOTH_APART, _BOTH_JOINED]], "rewrite": [_NOTHING]}, prompts=2
    ),
    Conversation(
        "improved by the checklist",
        _LARGEST,
        {
            "reasoning": [[_LARGEST.replace("max(o.total)", "max(o.total + 0)")]],
            "rewrite": [{"sql": _LARGEST_JOINED}],
        },
        prompts=2,
    ),
    Conversation(
        "wrong at first, corrected from the counterexample",
        _COUNTED,
        {
            "reasoning": [[_GROUPED.format(">= $2")]],
            "rewrite": [_NOTHING],
            "assistant": [{"sql": _GROUPED.format("> $2"), "what_was_wrong": "more than, not at least"}],
        },
        prompts=3,
    ),
    Conversation(
        "empty groups forgotten, corrected from the counterexample",
        _COUNT_OF,
        {
            "reasoning": [[_COUNT_OF_JOINED.format("g.n")]],
            "rewrite": [_NOTHING],
            "assistant": [
                {"sql": _COUNT_OF_JOINED.format("coalesce(g.n, 0)"), "what_was_wrong": "none is 0"}
            ],
        },
        prompts=3,
    ),
    Conversation(
        "misspelt, repaired from the server's message",
        _TOP,
        {
            "reasoning": [[_TOP_JOINED.replace("g.product", "g.produce")]],
            "rewrite": [_NOTHING],
            "assistant": [{"sql": _TOP_JOINED}],
        },
        prompts=3,
    ),
    Conversation(
        "nonsense first, asked again",
        _AVERAGE + " and o.total <> 13",
        {
            "reasoning": ["Let me think about this.", [_AVERAGE_JOINED + " and o.total <> $1"]],
            "rewrite": [_NOTHING],
        },
        prompts=3,
    ),
    Conversation(
        "two replies that agree",
        _SUM,
        {"reasoning": [[_SUM_JOINED], [_SUM_JOINED.replace(") g on", ") as g on")]], "rewrite": [_NOTHING]},
        prompts=3,
        samples=2,
    ),
    Conversation(
        "two replies of which one is wrong",
        _FIRST_DAY,
        {
            "reasoning": [[_FIRST_DAY_JOINED.replace("min(p.day)", "max(p.day)")], [_FIRST_DAY_JOINED]],
            "rewrite": [_NOTHING],
            "assistant": [_NOTHING],
        },
        prompts=4,
        samples=2,
    ),
    Conversation(
        "refuted, and right in the round after",
        _AVERAGE + " and o.total < 80",
        {
            "reasoning": [
                [_AVERAGE_CTE.replace("avg", "max") + " and o.total < $1"],
                [_AVERAGE_JOINED + " and o.total < $1"],
            ],
            "rewrite": [_NOTHING],
            "assistant": [_NOTHING],
        },
        prompts=5,
    ),
)
