"""Foreign keys of several columns: read, told, and joined on all of them, by every form of question; on a lake
as found in the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.ask.api import Asker
from rewright.ask.context import Context
from rewright.ask.context_reading import read_context
from rewright.ask.describe import Description
from rewright.ask.sources.lake import LakeSource
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.lake.api import open_lake
from rewright.wiring.lake_answers import session_answers

pytestmark = pytest.mark.server

# numbers of branches and of desks begin anew in each company
SCHEMA = """
create table company (company_id int primary key, name text);
create table branch (company_id int references company, branch_no int, city text, primary key (company_id, branch_no));
create table clerk (clerk_id int primary key, name text, salary int, company_id int, branch_no int,
  foreign key (company_id, branch_no) references branch);
create table safe (safe_id int primary key, company_id int, branch_no int, weight int,
  unique (company_id, branch_no), foreign key (company_id, branch_no) references branch);
insert into company values (1, 'Alder'), (2, 'Birch');
insert into branch values (1, 1, 'Porto'), (1, 2, 'Lima'), (2, 1, 'Lima'), (2, 2, 'Quito'), (2, 3, 'Oslo');
insert into clerk values (1, 'Ann', 10, 1, 1), (2, 'Bo', 20, 1, 2), (3, 'Cy', 30, 1, 2), (4, 'Di', 40, 2, 1), (5, 'Ed', 50, 2, 2);
insert into safe values (1, 1, 1, 100), (2, 1, 2, 200), (3, 2, 1, 300);
"""
ON = "on clerk.branch_no = branch.branch_no and clerk.company_id = branch.company_id"


@pytest.fixture(scope="module")
def connection(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA.encode())
        yield made


@pytest.fixture(scope="module")
def context(connection: psycopg.Connection[Any]) -> Context:
    return read_context(connection, snapshot(connection))


@pytest.fixture(scope="module")
def asker(connection: psycopg.Connection[Any]) -> Asker:
    return Asker(connection)


def test_all_pairs_are_read(context: Context) -> None:
    (join,) = [j for j in context.joins if (j.many.table.name, j.one.table.name) == ("clerk", "branch")]
    assert [(a.name, b.name) for a, b in join.pairs] == [
        ("company_id", "company_id"),
        ("branch_no", "branch_no"),
    ]
    assert (join.likelihood, join.single) == (1.0, False)
    (safe,) = [j for j in context.joins if (j.many.table.name, j.one.table.name) == ("safe", "branch")]
    assert safe.single
    branch = next(t for t in context.tables if t.ref.name == "branch")
    assert [c.name for c in branch.composed] == ["company_id", "branch_no"]


def test_prompts_tell_them(context: Context) -> None:
    described = Description(context)
    text = described.text()
    assert "clerk.company_id = branch.company_id and clerk.branch_no = branch.branch_no" in text
    assert "table branch [key company_id, branch_no]:" in text
    chosen = described.connected({"clerk": ["name"], "branch": ["city"]})
    assert {"company_id", "branch_no"} <= set(chosen["clerk"]) & set(chosen["branch"])


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which clerks work at the branch in Lima?", [("Bo",), ("Cy",), ("Di",)]),
        ("How many clerks are there in each city?", [("Lima", 3), ("Porto", 1), ("Quito", 1)]),
        ("What is the average salary of the clerks in Lima?", [(30.0,)]),
        ("Which branches have no clerks?", [(2, 3)]),
        ("Which cities have a branch with more than one clerk?", [("Lima",)]),
    ],
)
def test_questions_join_on_all_of_them(asker: Asker, question: str, rows: list[tuple[Any, ...]]) -> None:
    answer = asker.ask(question)
    assert sorted(answer.rows) == rows, answer.sql or answer.refused


def test_branches_of_one_number_stay_apart(asker: Asker) -> None:
    answer = asker.ask("How many clerks does each branch have?")
    assert sorted(row[-1] for row in answer.rows) == [1, 1, 1, 2], answer.sql or answer.refused


def test_a_lake_finds_them_in_the_data(tmp_path: Path) -> None:
    rooms = [(h, r, f"{'abcde'[(h * 7 + r) % 5]}{h}{r}") for h in range(1, 9) for r in range(101, 113)]
    (tmp_path / "room.csv").write_text(
        "hotel_id,room_no,view\n"
        + "".join(f"{h},{r},{'sea' if (h + r) % 3 else 'yard'}\n" for h, r, _ in rooms)
    )
    (tmp_path / "stay.csv").write_text(
        "guest,hotel_id,room_no,nights\n"
        + "".join(f"guest {n % 37},{h},{r},{n % 9 + 1}\n" for n, (h, r, _) in enumerate(rooms * 2))
    )
    with (
        open_lake(tmp_path, catalog=tmp_path / "x.db") as lake,
        session_answers(lake) as answers,
    ):
        source = LakeSource(lake, "hotels", answers)
        (join,) = source.context.joins
        assert (join.many.table.name, join.one.table.name) == ("stay", "room")
        assert {(a.name, b.name) for a, b in join.pairs} == {("hotel_id", "hotel_id"), ("room_no", "room_no")}
        assert not join.single
        answer = Asker(source, threshold=0.5).ask(
            "What is the sum of nights of stays in rooms with the view sea?"
        )
        expected = sum(n % 9 + 1 for n, (h, r, _) in enumerate(rooms * 2) if (h + r) % 3)
        assert answer.rows == ((expected,),), answer.sql or answer.refused
