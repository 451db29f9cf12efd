"""A model that has its replies ready, by the task that the prompt names; and the sample database of the
pipeline's tests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewright.models.api import ModelError, Reply, Request, Usage

Scripted = str | Mapping[str, Any] | Sequence[Any] | ModelError | Callable[[Request], str]

SCHEMA = """
create table museum (museum_id int primary key, name text, city text, founded int);
create table artist (artist_id int primary key, name text, country text);
create table painting (painting_id int primary key, title text, artist_id int references artist,
  museum_id int references museum, price numeric, painted int);
create table loan (loan_id int primary key, painting_id int references painting, fee int);
insert into museum values (1, 'Old Hall', 'Porto', 1901), (2, 'Glass House', 'Porto', 1950), (3, 'Dock',
'Lima', 1988);
insert into artist values (1, 'Ana Reis', 'Portugal'), (2, 'Bo Lind', 'Sweden'), (3, 'Cy Ames', 'Peru');
insert into painting values (1, 'Sea', 1, 1, 100, 1990), (2, 'Hill', 1, 2, 300, 1995), (3, 'Rain', 2, 1, 50,
1990),
  (4, 'Night', 2, 3, 250, 2001);
"""


def task_of(request: Request) -> str:
    return request.messages[0].text.partition("\n")[0].removeprefix("Task: ").rstrip(".")


@dataclass
class ScriptedModel:
    """Replies by task, in turn, the last again. A task without any is a prompt nobody expected: KeyError."""

    replies: Mapping[str, Sequence[Scripted]]
    asked: list[Request] = field(default_factory=list)
    _turns: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def available(self, role: str) -> bool:
        return role == "ask"

    def complete(self, request: Request) -> Reply:
        task = task_of(request)
        with self._lock:
            self.asked.append(request)
            turn = self._turns.get(task, 0)
            self._turns[task] = turn + 1
            said = self.replies[task][min(turn, len(self.replies[task]) - 1)]
        if isinstance(said, ModelError):
            raise said
        if callable(said):
            said = said(request)
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(
            text,
            Usage(len("".join(m.text for m in request.messages)) // 4, len(text) // 4, 0.001),
            "scripted",
        )

    def tasks(self) -> list[str]:
        return [task_of(request) for request in self.asked]

    def prompts(self) -> str:
        return "\n".join(message.text for request in self.asked for message in request.messages)


def plan(*tables: str, outputs: Sequence[str] = (), missing: str = "", **more: Any) -> dict[str, Any]:
    """A reply to the plan's prompt."""
    return {
        "reading": "as asked",
        "schema": {"tables": list(tables), "columns": [], "outputs": list(outputs), "missing": missing},
        **more,
    }


def query(sql: str) -> str:
    return f"[SQL]\n```sql\n{sql}\n```"


FAITHFUL = {"faithful": True}
CONFIRM = "[CONFIRM] as the question says"
