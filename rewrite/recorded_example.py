"""One prompt as it was really sent, with the reply of a strong model, for people who want to see what is
asked.

Owns what was recorded: a carrier's query of 13 seconds over 300,000 parcels, its executed plan, what was
answered. The prompt itself is made anew from it, so that it is what is sent today. Must not know where it is
printed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rewright.models.api import Message, Reply, Request, Role
from rewright.models.redact import Redactor
from rewright.rewrite.agents.mdp import ModelStrategy
from rewright.rewrite.agents.memory import Memory, QueryFacts
from rewright.rewrite.model import Deadline, Explained, Figure

RECORDED_QUERY = """select c.client_id, c.name from client c
where c.depot_id > 1
  and not exists (
    select 1 from parcel p join complaint x on x.parcel_id = p.parcel_id
    where (p.client_id = c.client_id or p.client_id = c.parent_id) and x.cost > 40)"""
_SCHEMA = """create table public.complaint (
  complaint_id integer not null,
  parcel_id bigint,
  opened date not null,
  kind text not null,
  cost numeric(10,2),
  primary key (complaint_id),
  foreign key (parcel_id) references public.parcel (parcel_id)
);
create table public.parcel (
  parcel_id bigint not null,
  client_id integer not null,
  origin integer not null,
  target integer not null,
  sent_at timestamp not null,
  weight_kg numeric(8,2) not null,
  declared numeric(10,2),
  priority smallint not null,
  primary key (parcel_id),
  foreign key (client_id) references public.client (client_id),
  foreign key (origin) references public.depot (depot_id),
  foreign key (target) references public.depot (depot_id)
);
create table public.client (
  client_id integer not null,
  name text not null,
  tier smallint not null,
  depot_id integer not null,
  parent_id integer,
  primary key (client_id),
  foreign key (depot_id) references public.depot (depot_id),
  foreign key (parent_id) references public.client (client_id)
);
CREATE INDEX parcel_sent ON public.parcel USING btree (sent_at);"""
_ROWS = {"client": 8_000, "parcel": 300_000, "complaint": 20_000}
_PLAN: dict[str, Any] = {
    "Node Type": "Nested Loop",
    "Join Type": "Anti",
    "Total Cost": 995995.66,
    "Plan Rows": 1248,
    "Actual Total Time": 13482.458,
    "Actual Rows": 3531,
    "Actual Loops": 1,
    "Join Filter": "((p.client_id = c.client_id) OR (p.client_id = c.parent_id))",
    "Rows Removed by Join Filter": 40685355,
    "Plans": [
        {
            "Node Type": "Seq Scan",
            "Relation Name": "client",
            "Alias": "c",
            "Total Cost": 152.0,
            "Plan Rows": 7867,
            "Actual Total Time": 4.037,
            "Actual Rows": 7867,
            "Actual Loops": 1,
            "Filter": "(depot_id > 1)",
            "Rows Removed by Filter": 133,
        },
        {
            "Node Type": "Materialize",
            "Total Cost": 8275.83,
            "Plan Rows": 8897,
            "Actual Total Time": 0.742,
            "Actual Rows": 5172.2,
            "Actual Loops": 7867,
            "Plans": [
                {
                    "Node Type": "Hash Join",
                    "Join Type": "Inner",
                    "Total Cost": 8231.34,
                    "Plan Rows": 8897,
                    "Actual Total Time": 250.211,
                    "Actual Rows": 8026,
                    "Actual Loops": 1,
                    "Hash Cond": "(p.parcel_id = x.parcel_id)",
                    "Plans": [
                        {
                            "Node Type": "Seq Scan",
                            "Relation Name": "parcel",
                            "Alias": "p",
                            "Total Cost": 5767.0,
                            "Plan Rows": 300000,
                            "Actual Total Time": 102.98,
                            "Actual Rows": 300000,
                            "Actual Loops": 1,
                        },
                        {
                            "Node Type": "Hash",
                            "Total Cost": 398.0,
                            "Plan Rows": 8897,
                            "Actual Total Time": 7.892,
                            "Actual Rows": 8026,
                            "Actual Loops": 1,
                            "Plans": [
                                {
                                    "Node Type": "Seq Scan",
                                    "Relation Name": "complaint",
                                    "Alias": "x",
                                    "Total Cost": 398.0,
                                    "Plan Rows": 8897,
                                    "Actual Total Time": 1.684,
                                    "Actual Rows": 8893,
                                    "Actual Loops": 1,
                                    "Filter": "(cost > '40'::numeric)",
                                    "Rows Removed by Filter": 11107,
                                },
                            ],
                        },
                    ],
                },
            ],
        },
    ],
}
_SPLIT = """select c.client_id, c.name from client c
where c.depot_id > 1
  and not exists (
    select 1 from parcel p join complaint x on x.parcel_id = p.parcel_id
    where p.client_id = c.client_id and x.cost > $1)
  and not exists (
    select 1 from parcel p join complaint x on x.parcel_id = p.parcel_id
    where p.client_id = c.parent_id and x.cost > $1)"""
_SHARED = """with bad as (
  select distinct p.client_id from parcel p join complaint x on x.parcel_id = p.parcel_id where x.cost > $1)
select c.client_id, c.name from client c
where c.depot_id > 1
  and not exists (select 1 from bad b where b.client_id = c.client_id)
  and not exists (select 1 from bad b where b.client_id = c.parent_id)"""
# as it was said, both steps of which are proved
RECORDED_STEPS: Sequence[dict[str, str]] = (
    {
        "action": "split NOT EXISTS with OR into two",
        "category": "predicate",
        "sql": _SPLIT,
        "why": "each becomes a hash anti join",
    },
    {
        "action": "compute the complaining clients once",
        "category": "cte",
        "sql": _SHARED,
        "why": "the join is done once",
    },
)


@dataclass(slots=True)
class _Answerer:
    """Says what was recorded, and keeps what it was asked."""

    asked: list[Request] = field(default_factory=list)

    def available(self, role: Role) -> bool:
        return role == "reasoning"

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(json.dumps({"steps": RECORDED_STEPS}))


def recorded_conversation() -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The messages to the reasoning model, at the level `schema`, and the queries that its reply led to."""
    memory, answerer = Memory(), _Answerer()
    figures = tuple(Figure(table, "rows", rows) for table, rows in _ROWS.items())
    memory.remember(QueryFacts(RECORDED_QUERY, _SCHEMA, Explained(995_996.0, _PLAN), figures))
    redactor = Redactor()
    redactor.sql(RECORDED_QUERY)
    thought = ModelStrategy(answerer, redactor).chain(memory, Deadline.after(60.0))
    return answerer.asked[0].messages, tuple(candidate.sql for candidate in thought.candidates)
