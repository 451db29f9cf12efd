"""Proofs in several threads of one process, as an optimiser with several workers makes them."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rewright.equivalence.proof import Proof
from rewright.equivalence.prover.entail import Engine
from rewright.equivalence.prover.prove import prove
from rewright.equivalence.solving import Busy, in_a_hurry, solver_alone
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.proxy.waiting import Stopwatch

TREE = Path(__file__).resolve().parents[2]

PROVING = """
import gc, threading
from rewright.equivalence.prover.prove import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.proxy.waiting import Stopwatch

catalog = catalog_from_ddl("create table a (id int primary key, x int not null, y text); create table b (id int primary key, a_id int references a, z numeric)")
pairs = [
    ("select a.id from a where a.x > 3 and exists (select 1 from b where b.a_id = a.id and b.z > 1)",
     "select a.id from a where a.x > 3 and a.id in (select b.a_id from b where b.z > 1)"),
    ("select a.id, (select max(b.z) from b where b.a_id = a.id) m from a",
     "select a.id, g.m from a left join (select a_id, max(z) m from b group by a_id) g on g.a_id = a.id"),
    ("select x from a where id < 5 and x + 1 > 2", "select x from a where x > 1 and id < 5"),
]
bound = [(bind(one, catalog), bind(other, catalog)) for one, other in pairs]
found = []

def work():
    for _ in range(4):
        for one, other in bound:
            found.append(type(prove(one, other, catalog, deadline_seconds=60)).__name__)
            gc.collect()

threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert found == ["Proof"] * 48, found
assert gc.isenabled()
"""


def test_proofs_in_several_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROVING],
        env={"PYTHONPATH": str(TREE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, (done.returncode, done.stderr)


def test_who_waits_too_long_goes_without() -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with solver_alone(1.0):
            inside.set()
            leave.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    assert inside.wait(20)
    with Stopwatch() as watch, pytest.raises(Busy), solver_alone(0.1):
        pass
    assert watch.seconds < 10
    assert not gc.isenabled()
    leave.set()
    holder.join()
    with solver_alone(1.0), solver_alone(0.0):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_is_in_a_hurry_gets_the_solver_from_a_proof_that_goes_on_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The long proof lets go in the middle, starts again and ends as it would have."""
    catalog = catalog_from_ddl(
        "create table a (id int primary key, x int not null); create table b (id int primary key, a_id int references a, z int)"
    )
    original = "select a.id from a where a.x > 3 and exists (select 1 from b where b.a_id = a.id and b.z > 1)"
    other = "select a.id from a where a.x > 3 and a.id in (select b.a_id from b where b.z > 1)"
    pair = bind(original, catalog), bind(other, catalog)
    calm = prove(*pair, catalog, deadline_seconds=60.0)
    in_the_middle, asked, told = threading.Event(), threading.Event(), list[str]()
    usual = Engine.tick

    def tick(engine: Engine) -> None:
        if engine.yields and not in_the_middle.is_set():
            in_the_middle.set()
            assert asked.wait(20)
            time.sleep(0.2)  # the other one waits for the lock now
        usual(engine)

    monkeypatch.setattr(Engine, "tick", tick)

    def hurry() -> None:
        assert in_the_middle.wait(20)
        with in_a_hurry():
            asked.set()
            with solver_alone(20.0):
                told.append("hurried")

    hurried = threading.Thread(target=hurry)
    hurried.start()
    found = prove(*pair, catalog, deadline_seconds=60.0)
    told.append("patient")
    hurried.join()
    assert told == ["hurried", "patient"]
    assert found == calm
    assert isinstance(found, Proof)
