"""The prompts of ASK, word for word, of two runs over a made-up database: for people who want to know before
they switch a model on.

Owns the example: a context made by hand, a runner that knows a few results, and a model that has its replies
ready and errs once. The pipeline is the real one. Must not know where the prompts are printed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.execution import ExecutionError, Rows
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.ports import Document, ValidatedQuestion
from rewright.ask.reflection.lessons import MemoryValidated
from rewright.models.api import Message, Reply, Request, Role
from rewright.models.redact import Share
from rewright.sql.algebra import TableRef

QUESTION = "Which teams of the North league scored more than 30 points at home?"
DOCUMENT = Document("rules.md", "A game won gives 3 points, a draw 1.")
_WRONG = (
    "select t.name from team t join game g on g.away = t.id where t.league = {north} group by t.id, t.name "
    "having sum(g.points) > 30"
)
_RIGHT = _WRONG.replace("g.away", "g.home")
ANSWERED = ValidatedQuestion(
    "Which teams of the South have points at home?",
    "select name from team where league = 'South' and id in (select home from game where points > 0)",
)
_FAULT = {
    "stage": "predicates",
    "criterion": "wrong join",
    "fragment": "g.away = t.id",
    "problem": "games at home join on g.home",
}


@dataclass(slots=True)
class _Results:
    """Answers from memory."""

    misspelt: bool = True

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        del rows, seconds
        if "distinct league" in sql:
            return Rows(("league",), (("North",), ("South",)), truncated=False)
        if "teams" in sql:
            raise ExecutionError('relation "teams" does not exist', "42P01")
        if "having" in sql:
            return Rows(("name",), (("Harbour",), ("Mill Road",)), truncated=False)
        return Rows(("count",), ((12,),), truncated=False)


@dataclass(slots=True)
class _Script:
    """A model that has its replies ready, and keeps what it was asked."""

    replies: dict[str, Sequence[Any]]
    asked: list[Request] = field(default_factory=list)
    _turns: dict[str, int] = field(default_factory=dict)

    def available(self, role: Role) -> bool:
        return role == "ask"

    def complete(self, request: Request) -> Reply:
        task = task_of(request.messages)
        self.asked.append(request)
        turn = self._turns.get(task, 0)
        self._turns[task] = turn + 1
        said = self.replies[task][min(turn, len(self.replies[task]) - 1)]
        return Reply(said if isinstance(said, str) else json.dumps(said))


def task_of(messages: Sequence[Message]) -> str:
    """What a prompt is for: its system message begins with it."""
    return messages[0].text.partition("\n")[0].removeprefix("Task: ").rstrip(".")


def _context() -> Context:
    team, game = TableRef("public", "team"), TableRef("public", "game")
    of = ColumnContext.of
    teams = TableContext.of(
        team,
        [
            of(team, "id", "int4", key=True, unique=True),
            of(team, "name", "text", comment="as printed on tickets", distinct=40),
            of(team, "league", "text", values=("North", "South"), distinct=2),
        ],
        rows=40,
    )
    games = TableContext.of(
        game,
        [
            of(game, "id", "int4", key=True, unique=True),
            of(game, "home", "int4"),
            of(game, "away", "int4"),
            of(game, "points", "int4", comment="of the home team", nulls=3),
        ],
        rows=760,
    )
    joins = [Join(games.columns[i], teams.columns[0], 1.0) for i in (1, 2)]
    return Context.of(tables=[teams, games], joins=joins)


def _replies(north: str) -> dict[str, Sequence[Any]]:
    planned = {
        "reading": "names of teams of one league with a sum of points at home above 30",
        "schema": {
            "tables": ["team", "game"],
            "columns": ["team.name", "team.league", "game.home", "game.points"],
            "outputs": ["team"],
        },
        "aggregation": {
            "one_row_is": "a team",
            "measures": ["sum(game.points) > 30"],
            "group_by": ["team.id"],
        },
        "predicates": {"joins": ["game.away = team.id"], "conditions": [f"team.league = {north}"]},
        "paths": ["condition on a sum: HAVING"],
    }
    wrong = _WRONG.format(north=north)
    return {
        "logical plan": [
            {"steps": ["find the teams of the league", "add up their points at home"]},
            {"steps": ["add up points at home by team", "keep sums above 30"]},
        ],
        "merge plans": [
            {
                "steps": [
                    "find the teams of the league",
                    "add up their points at home",
                    "keep sums above 30",
                ]
            }
        ],
        "table pruning (delete)": [{"tables": []}],
        "table pruning (keep)": [{"tables": ["team", "game"]}],
        "schema pruning (delete)": [{"columns": []}],
        "schema pruning (keep)": [{"tables": ["team", "game"]}],
        "semantic linking": [
            {
                "tables": [
                    {
                        "table": "team",
                        "role": "target",
                        "columns": ["id", "name", "league"],
                        "why": "names, league",
                    },
                    {
                        "table": "game",
                        "role": "target",
                        "columns": ["home", "points"],
                        "why": "points at home",
                    },
                ]
            }
        ],
        "profile a table": [
            {"queries": [{"sql": "select distinct league from team", "purpose": "spelling"}]}
        ],
        "choose columns": [
            {
                "keep": ["team.id", "team.name", "team.league", "game.home", "game.points"],
                "queries": ["select count(*) from game where points is null"],
            },
            {"keep": ["team.id", "team.name", "team.league", "game.home", "game.points"]},
        ],
        "plan the query": [planned],
        "plan the query (predicates)": [
            {"joins": ["game.home = team.id"], "conditions": [f"team.league = {north}"]}
        ],
        "write the query": [
            "[EXPLORE]\nselect distinct league from team;",
            f"[SQL]\n```sql\n{wrong.replace('from team t', 'from teams t')}\n```",
            f"[SQL]\n```sql\n{wrong}\n```",
            "[CONFIRM] teams of the league with more than 30 points",
            f"[SQL]\n```sql\n{_RIGHT.format(north=north)}\n```",
            "[CONFIRM] teams of the league with more than 30 points in their games at home",
        ],
        "judge the query": [
            {"faithful": False, "missing": ["points at home"], "invented": ["points away"]},
            {"faithful": True},
        ],
        "criticise the query": [{"violations": [_FAULT]}],
        "blame one stage": [
            {
                "stage": "predicates",
                "violations": [_FAULT],
                "lesson": "games at home join on home, others on away",
            }
        ],
    }


def conversation(
    share: Share = "schema", *, linked: bool = False
) -> tuple[tuple[str, tuple[Message, ...]], ...]:
    """What is asked, in order: the task, the messages. ``linked``: as for a database too large to be sent
    whole.
    """
    script = _Script(_replies("'North'" if share == "samples" else "$1"))
    settings = PipelineSettings(share=share, parallel=1)
    if linked:
        settings = replace(settings, small_tokens=0, tables_tokens=0)
    validated = MemoryValidated()
    validated.add("", ANSWERED)
    made = Pipeline(script, _Results(), _context(), settings, documents=[DOCUMENT], validated=validated)
    made.answer(QUESTION)
    return tuple((task_of(request.messages), request.messages) for request in script.asked)
