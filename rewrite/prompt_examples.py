"""The prompts that a model gets, word for word, of one run over a made-up query: for people who want to know
before they switch it on.

Owns the example: a fixed database that answers from memory, and a model that has its replies ready and is
wrong at first. The agents are the real ones. Must not know where the prompts are printed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from rewright.models.api import Message, Reply, Request, Role
from rewright.models.redact import Share
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Evidence, Explained, Figure, Settings, Timed
from rewright.rewrite.ports import DatabaseError, Ports, ResultColumn, Unit

QUERY = """select c."customerId", c.note
from shop.customer c
where c.region = 'north' and c.credit > 5000
  and (select count(*) from shop.orders o where o.customer = c."customerId"
    and o.day >= date '2024-03-01') > 1"""
_SCHEMA = """create table shop.customer (
  "customerId" integer not null,
  region character varying(20) not null,
  credit numeric(12,2) not null,
  note text,
  primary key ("customerId")
);
create table shop.orders (
  id bigint not null,
  customer integer not null,
  day date not null,
  primary key (id),
  foreign key (customer) references shop.customer ("customerId")
);
CREATE INDEX orders_day ON shop.orders USING btree (day);"""
_GROUPED = """select c."customerId", c.note
from shop.customer c
join (select o.customer from shop.orders o where o.day >= $3 group by o.customer having count(*) {test}) g
  on g.customer = c."customerId"
where c.region = $1 and c.credit > $2"""
_MISSPELT = _GROUPED.format(test="> 1").replace("g.customer", "g.client")
_WRONG, _RIGHT = _GROUPED.format(test=">= 1"), _GROUPED.format(test="> 1")
_EXAMPLE = {
    "kind": "rows",
    "setup": [
        (
            'INSERT INTO shop.customer ("customerId", region, credit, note) OVERRIDING SYSTEM VALUE VALUES '
            "('1', 'north', '5000.01', 'a')"
        ),
        "INSERT INTO shop.orders (id, customer, day) OVERRIDING SYSTEM VALUE VALUES ('1', '1', '2024-03-02')",
    ],
    "original": "(no rows)",
    "candidate": "1 | a",
}
# scripts of the model, one a role
_REPLIES: dict[str, Sequence[object]] = {
    "reasoning": (
        {"steps": [{"action": "group the orders first", "category": "join", "sql": _MISSPELT}]},
        {"steps": []},
    ),
    "rewrite": ({"sql": ""},),
    "assistant": ({"sql": _WRONG, "what_was_wrong": "a name"}, {"sql": _RIGHT, "what_was_wrong": "> 1"}),
    "decision": ({"go_on": True},),
}


@dataclass(slots=True)
class _Shop:
    """A database that knows these few texts."""

    def explain(self, sql: str) -> Explained:
        if sql != QUERY:
            return Explained(21_000.0, _GROUPED_PLAN)
        return Explained(50_000.0, self._plan(actual=False))

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        del price
        return self.explain(sql)

    def describe(self, sql: str) -> tuple[ResultColumn, ...]:
        if "g.client" in sql:
            raise DatabaseError("42703", "column g.client does not exist")
        return ResultColumn("customerId", 23, -1, "integer"), ResultColumn("note", 25, -1, "text")

    def measure(self, sql: str, seconds: float) -> Timed:
        took = 4.2 if sql == QUERY else 1.6
        return Timed(min(took, seconds), stopped=took > seconds)

    def schema_text(self, sql: str) -> str:
        del sql
        return _SCHEMA

    def figures(self, sql: str) -> Sequence[Figure]:
        del sql
        return (
            Figure("customer", "rows", 40_000),
            Figure("orders", "rows", 2_000_000),
            Figure("customer.region", "distinct values", 4, ("most common: {north,south,east,west}",)),
            Figure("orders.customer", "correlation with the order on disk", 0.03),
        )

    def executed(self, sql: str, seconds: float) -> Explained | None:
        del sql, seconds
        return Explained(50_000.0, self._plan(actual=True))

    @staticmethod
    def _plan(*, actual: bool) -> dict[str, object]:
        """EXPLAIN's, as far as prompts show it."""
        outer = {"Actual Rows": 310, "Actual Loops": 1, "Actual Total Time": 4190.0} if actual else {}
        inner = {"Actual Rows": 1, "Actual Loops": 1240, "Actual Total Time": 3.37} if actual else {}
        return {
            "Node Type": "Seq Scan",
            "Relation Name": "customer",
            "Alias": "c",
            "Total Cost": 50_000.0,
            "Plan Rows": 400,
            **outer,
            "Filter": "((region)::text = 'north'::text) AND (credit > '5000'::numeric) AND ((SubPlan 1) > 1)",
            "Plans": [
                {
                    "Node Type": "Aggregate",
                    "Subplan Name": "SubPlan 1",
                    "Total Cost": 120.0,
                    "Plan Rows": 1,
                    **inner,
                    "Plans": [
                        {
                            "Node Type": "Seq Scan",
                            "Relation Name": "orders",
                            "Alias": "o",
                            "Total Cost": 119.0,
                            "Plan Rows": 50,
                            "Filter": "(day >= '2024-03-01'::date) AND (customer = c.\"customerId\")",
                        }
                    ],
                }
            ],
        }


_GROUPED_PLAN = {"Node Type": "Hash Join", "Total Cost": 21_000.0, "Plan Rows": 400}


@dataclass(slots=True)
class _Judge:
    """Knows which of the candidates is the one that is right."""

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        del original, seconds
        if ">= 1" in candidate:
            return Evidence("refuted", reason="they differ", counterexample=_EXAMPLE)
        return Evidence("tested", reason="no proof was found")


class _Shelf:
    """One unit of knowledge."""

    def search(self, sql: str, k: int, plan: object = None) -> Sequence[Unit]:
        del sql, k, plan
        unit = Unit(
            "Count per group once instead of once a row",
            "",
            "join",
            before="select t.a from t where (select count(*) from u where u.t = t.a and u.k = 7) > 3",
            after="select t.a from t join (select t from u where k = 7 group by t having count(*) > 3) g on "
            "g.t = t.a",
        )
        return (unit,)


@dataclass(slots=True)
class _Script:
    """A model that has its replies ready, and keeps what it was asked."""

    asked: list[Request] = field(default_factory=list)
    _turns: dict[str, int] = field(default_factory=dict)

    def available(self, role: Role) -> bool:
        return role in _REPLIES

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        replies, turn = _REPLIES[request.role], self._turns.get(request.role, 0)
        self._turns[request.role] = turn + 1
        return Reply(json.dumps(replies[min(turn, len(replies) - 1)]))


def conversation(share: Share = "schema") -> tuple[tuple[Role, tuple[Message, ...]], ...]:
    """What is asked in the example's run, in order: the role, the messages."""
    shop, script = _Shop(), _Script()
    ports = Ports(shop, _Judge(), model=script, knowledge=_Shelf(), inspector=shop)
    chosen = Settings(share=share, measure="run", budget=600.0)
    Rewriter(ports).optimise(QUERY, observed_seconds=4.2, settings=chosen)
    return tuple((request.role, request.messages) for request in script.asked)
