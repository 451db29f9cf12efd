"""A store with a little of everything, some of it hostile, and the console over it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.console.access import Rules
from rewright.console.app import Ports, create_app
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level
from rewright.store.records import (
    AskLesson,
    AskSeen,
    Event,
    LogEntry,
    NewRewrite,
    QuerySeen,
    QuestionValidated,
    Resolution,
    Timing,
)

# the characters at the end turn the direction of writing, hide, and end a line
TURNING = "\u202e\u2066\u200b\u2028\x1b"
SCRIPT = f"<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>{TURNING}"
SECRET = "marked-literal-4711"
RULES = Rules(
    admin_password="correct horse", viewer_password="look only", token="for-programs", hosts=("db.example",)
)
UNIT = {
    "id": "join/one", "category": "join", "title": f"Unit {SCRIPT}", "question": SCRIPT, "answer": SCRIPT,
    "helps": SCRIPT, "hurts": SCRIPT, "versions": "14-18", "source": SCRIPT, "schema": "shop", "own": True,
    "before": f"select a from t where b = '{SECRET}'", "after": f"select a from u where b = '{SECRET}'",
    "verdict": "proved", "gain": 3.0, "preconditions": [SCRIPT],
    "evidence": {"verdict": "proved", "gain": 3.0, "seconds_before": 0.3, "seconds_after": 0.1},
}  # fmt: skip
PROFILE = {
    "name": SCRIPT, "type": "VARCHAR", "family": "text", "meaning": "integer", "rows": 4711, "nulls": 2,
    "distinct": 3, "minimum": SECRET, "maximum": SECRET + SCRIPT, "noise": [SCRIPT],
}  # fmt: skip
UNDERSTOOD = {
    "columns": [{"table": "shops", "column": SCRIPT, "real": f"t.{SCRIPT}", "score": 0.71}],
    "readings": [{"told": "a", "sql": "b"}, {"told": SCRIPT, "sql": f"select '{SECRET}'"}],
    "closest": [SCRIPT],
}
SUMMARY = ("id", "category", "title", "answer", "source", "own", "verdict", "gain")
TREE = {
    "Node Type": "Hash Join",
    "Join Type": "Semi",
    "Total Cost": 900.0,
    "Plan Rows": 10,
    "Hash Cond": f"(a.x = '{SECRET}'::text)",
    "Plans": [
        {"Node Type": "Seq Scan", "Relation Name": SCRIPT, "Total Cost": 100.0, "Plan Rows": 1000},
        {
            "Node Type": "Aggregate",
            "Parent Relationship": "SubPlan",
            "Subplan Name": "SubPlan 1",
            "Total Cost": 9.0,
        },
    ],
}


def proposal(number: int = 1, **changed: object) -> NewRewrite:
    """One that is proved, with a hostile table name and a marked literal."""
    fields: dict[str, object] = {
        "database": "app",
        "template_key": f"key {number}",
        "template": f'select a from "{SCRIPT}" where b = ⟦1:s⟧ and {number} = {number} limit 7',
        "original": f"select a from \"{SCRIPT}\" where b = '{SECRET}' and {number} = {number} limit 7",
        "replacement": f'select a from (select a, b from "{SCRIPT}") t where b = ⟦1:s⟧ limit 7',
        "scope": "any",
        "level": Level.PROVED,
        "modulo": ("tie-order",),
        "evidence": {
            "assumptions": ["not null public.t(a) (t_a_not_null)"],
            "steps": ["q1 redundant at 0.0 (0, 1)", "q1 redundant at 0.0 (0, 2)"],
        },
        "plans": {
            "other": [f"join: rule (a note about {SECRET})"],
            "plan": {"trees": {"before": TREE, "after": TREE}},
            "hints": {"reasons": [f"{SCRIPT} is expected to give 3 rows, {SECRET} came"]},
        },
        "sources": (f"model: {SCRIPT}",),
        "hints": "HashJoin(a b)",
        "cost_before": 1000.0,
        "cost_after": 10.0,
    }
    return NewRewrite(**{**fields, **changed})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with a little of everything: copied, which is a tenth of the work of filling it."""
    path = tmp_path_factory.mktemp("filled") / "store.db"
    with open_store(str(path)) as opened:
        fill(opened)
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Iterator[Store]:
    copy = shutil.copy(filled, tmp_path / "store.db")
    with open_store(str(copy)) as opened:
        yield opened


def fill(store: Store) -> None:
    """Three rewrites (1 proposed, 2 active, 3 refuted), queries, log, a resolution."""
    one = store.rewrites.add(proposal(1))
    two = store.rewrites.add(proposal(2, modulo=()))
    store.rewrites.act(two.id, Action.ACTIVATE, reason="proved evidence", by="optimiser")
    counterexample = {
        "kind": "rows",
        "setup": [
            "set enable_sort = off",
            "insert into t (a, b) values ('{}', 1), (NULL, 2)".format(SCRIPT.replace("'", "''")),
        ],
        "original": f"{SCRIPT} | 1\nNULL | 2",
        "candidate": "(no rows)",
        "script": f"-- {SCRIPT}",
    }
    store.rewrites.add(proposal(3, level=Level.REFUTED, evidence={"counterexample": counterexample}))
    store.rewrites.add_timings([Timing(two.id, "original", 900.0), Timing(two.id, "replacement", 9.0)])
    store.rewrites.add_served({two.id: 5})
    steps = (("verification", 0.4), ("decision", 1.2), (SCRIPT, 0.001))
    store.events.add(
        [Event(two.id, "job", name, {"agent": name, "round": 1, "seconds": took}) for name, took in steps]
    )
    text = f"select '{SECRET}' from \"{SCRIPT}\""
    store.queries.record(
        [QuerySeen("app", "alice", "k", "select $1 from t", text, total_ms=500.0, max_ms=500.0)]
    )
    store.log.add(
        [
            LogEntry(
                at=time.time(),
                database="app",
                role=SCRIPT,
                query=text,
                template="select $1 from t",
                rewrite_id=one.id,
            )
        ]
    )
    store.resolutions.add(Resolution("lake", f"select {SCRIPT}", f"select '{SECRET}'", UNDERSTOOD, None, 0.4))
    ask(store, text)


def ask(store: Store, sql: str) -> None:
    """Question 1 with steps, all of it hostile, a query that a person found right, a lesson."""
    told = f"{SCRIPT} {SECRET}"
    step = {"kind": "generated", "stage": "generation", "text": told, "sql": sql, "tokens": 40}
    store.asks.add(
        AskSeen("app", SCRIPT, told, sql, told, 0.75, tokens=120, money=None, seconds=2.5, trajectory=[step])
    )
    store.validated.add(QuestionValidated("app", told, sql, evidence=told, reading=told, validated_by=SCRIPT))
    store.ask_lessons.propose(AskLesson("app", "predicates", told, question=told, reason=told))


def app_of(store: Store, rules: Rules = RULES, *, literals: bool = False) -> object:
    """The console over a store."""
    ports = Ports(
        health=lambda: (True, {"status": "ok"}),
        metrics=lambda: b"rewright_up 1\n",
        settings=lambda: [
            {
                "key": "a.b",
                "value": SCRIPT,
                "default": SCRIPT + SCRIPT,
                "source": "default",
                "counts_from": "the next start",
            }
        ],
        lake_tables=lambda: [
            {"database": "lake", "name": SCRIPT, "path": "t.csv", "columns": SCRIPT, "row_count": 3}
        ],
        lake_joins=lambda: [
            {"database": "lake", "a": SCRIPT, "b": "t2", "strength": 0.9, "columns": [["id", SCRIPT, 0.9]]},
            {"database": "lake", "a": "t2", "b": "t3", "strength": 0.4, "columns": [["town", "town", 0.4]]},
        ],
        lake_profile=lambda _database, table: [PROFILE] if table == SCRIPT else [],
        optimiser=lambda: {"state": "running", "told": f"2 queries wait {SCRIPT}"},
        units=lambda words: [{name: UNIT[name] for name in SUMMARY} | {"why": [words]}],
        unit=lambda id_: UNIT if id_ == UNIT["id"] else None,
        pause=lambda paused, by: (store.switches.set_paused(paused, by=by), "the store")[1],
    )
    return create_app(store, ports, rules, literals=literals)
