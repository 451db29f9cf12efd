"""One query made by a model: the prompt, and the loop around the machine.

Owns the words of the prompt and the running of what the machine commands. Must not judge the query's meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from rewright.ask.asking import Asking
from rewright.ask.compression import WITHHELD, compress
from rewright.ask.disclosure import Disclosure
from rewright.ask.execution import ExecutionError, Rows
from rewright.ask.exploring import explore
from rewright.ask.generation.machine import Again, Command, Finish, Look, Machine, Try
from rewright.ask.ports import Runner
from rewright.ask.quoting import one_line
from rewright.ask.safety import Refused
from rewright.ask.subject import Subject, prompt
from rewright.ask.tokens import tokens_in, tokens_of
from rewright.models.api import BadReply, Message, ModelError

_INSTRUCTIONS = """Write one PostgreSQL SELECT that answers the question. Begin each reply with one tag:
{explore}[REFINE] a few lines: what you found, what is open, the plan of the query.
[SQL] the query in a ```sql block. It is run; you see its first rows or its error.
[CONFIRM] only after a query that ran and answers the whole question: one plain sentence, what it returns and
how ambiguous words were taken.
If the schema and the plan tell enough, begin with [SQL]. One SELECT (WITH is fine) with built-in functions;
nothing else runs."""
_EXPLORE = """[EXPLORE] up to 5 SELECTs, each ended by ";", to see what you must know first: spelling of
values, formats, keys, NULLs.
"""
_EXPLORE_HIDDEN = f"""[EXPLORE] up to 5 SELECTs, each ended by ";". {WITHHELD}
"""
# rows shown of a query that ran: more would only fill the conversation
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Task:
    """What a query is made from. ``former`` is a query that was found wrong, with what is wrong."""

    subject: Subject
    schema: str
    observations: str = ""
    plan: str = ""
    guidance: str = ""
    learnt: str = ""
    examples: str = ""
    former: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A query as it ran, or why there is none."""

    sql: str = ""
    reading: str = ""
    rows: Rows | None = None
    error: str = ""


def generate(
    asking: Asking, runner: Runner, disclosure: Disclosure, task: Task, *, temperature: float = 0.0
) -> Made:
    """Never raises: an error of the model is the query's."""
    explores = asking.settings.uses("exploration")
    offered = (_EXPLORE_HIDDEN if disclosure.hides else _EXPLORE) if explores else ""
    machine = Machine(_first(task, offered), asking.settings, explores)
    maker = _Maker(asking, runner, disclosure, machine, temperature)
    try:
        return maker.made()
    except ModelError as error:
        return Made(*maker.best(), error=str(error))


@dataclass(slots=True)
class _Maker:
    asking: Asking
    runner: Runner
    disclosure: Disclosure
    machine: Machine
    temperature: float
    rows: Rows | None = None
    ran: str = ""

    def best(self) -> tuple[str, str, Rows | None]:
        return self.ran, "", self.rows

    def made(self) -> Made:
        command: Command = Again()
        while not isinstance(command, Finish):
            match command:
                case Again():
                    command = self._ask()
                case Look(queries):
                    command = self.machine.looked(self._look(queries))
                case Try(sql):
                    command = self._try(sql)
                case _:
                    assert_never(command)
        # a query that never ran is no result, whatever the model says of it
        if not self.ran:
            return Made(error=command.why)
        return Made(self.ran, one_line(command.reading, 500), self.rows)

    def _ask(self) -> Command:
        messages = self.machine.messages()
        try:
            text = self.asking.reply("generation", messages, temperature=self.temperature)
        except BadReply:
            # a reply without an action, which the machine counts
            text = ""
        return self.machine.take(text, tokens_in(messages) + tokens_of(text))

    def _look(self, queries: tuple[str, ...]) -> str:
        lines = []
        for query in queries:
            finding = explore(self.runner, self.disclosure, query, seconds=min(10.0, self.asking.left()))
            self.asking.note("explored", "generation", finding.told, finding.sql)
            lines.append(finding.told)
        return "\n".join(f"Result {i}: {line}" for i, line in enumerate(lines, 1))

    def _try(self, sql: str) -> Command:
        query = self.disclosure.restore(sql)
        # hidden values go back in only here, right before the query runs
        try:
            self.rows = self.runner.run(query)
        except Refused as refused:
            # the reason is told to the model without values, and kept in full in the notes
            self.asking.note("executed", "generation", f"refused: {refused}", query)
            return self.machine.tried(
                f"It may not run: {self.disclosure.refusal(str(refused))}.", worked=False
            )
        except ExecutionError as error:
            self.asking.note("executed", "generation", f"error: {error}", query)
            told = self.disclosure.error(error.sqlstate or "XX000", str(error))
            return self.machine.tried(f"The server says: {told}.", worked=False)
        self.ran = query
        shown = compress(self.rows, self.disclosure, whole=_SHOWN)
        self.asking.note("executed", "generation", shown, query)
        return self.machine.tried(f"It ran: {shown}", worked=True)


def _first(task: Task, offered: str) -> tuple[Message, Message]:
    """``offered``: what is said of explorations, empty where there are none."""
    instructions = _INSTRUCTIONS.format(explore=offered)
    return prompt(
        "write the query",
        instructions,
        f"Schema:\n{task.schema}",
        task.observations,
        task.guidance,
        f"Learnt here: {task.learnt}" if task.learnt else "",
        task.examples,
        f"Plan:\n{task.plan}" if task.plan else "",
        task.former,
        task.subject.text(),
    )
