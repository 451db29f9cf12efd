"""Drives the state machine: passes its commands to the agents, times them and records an event for each step.

Failures of agents end here: whatever an agent raises, the run terminates with the best verified candidate so
far, or with the original. `replay` runs the machine again on recorded events. Must not know how agents work.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, assert_never

from rewright.models.api import Usage
from rewright.rewrite.machine import codec
from rewright.rewrite.machine.states import (
    Command,
    Decide,
    Decided,
    Finish,
    Reason,
    Reasoned,
    Result,
    Run,
    State,
    Stopped,
    Verified,
    Verify,
    advance,
    begin,
)
from rewright.rewrite.model import Deadline, digest
from rewright.rewrite.ports import DatabaseError, Journal

DECIDING = 0.5
"""Seconds that Decision has at least, also when the time is up."""


class Reasoner(Protocol):
    usage: Usage

    def act(self, command: Reason, deadline: Deadline) -> Reasoned: ...


class Verifier(Protocol):
    usage: Usage

    def act(self, command: Verify, deadline: Deadline) -> Verified: ...


class Decider(Protocol):
    usage: Usage

    def act(self, command: Decide, deadline: Deadline) -> Decided: ...


@dataclass(frozen=True, slots=True)
class Trace:
    """A finished run: the last state, the command that ended it, the events, and the model's usage."""

    run: Run
    finish: Finish
    events: tuple[Mapping[str, Any], ...]
    usage: Usage


@dataclass(slots=True)
class Driver:
    """Runs one query through the machine. ``job`` identifies the run in the journal."""

    job: str
    reasoning: Reasoner
    verification: Verifier
    decision: Decider
    journal: Journal
    usage: Usage = field(default_factory=Usage)
    events: list[Mapping[str, Any]] = field(default_factory=list)

    def drive(self, rounds: int, deadline: Deadline) -> Trace:
        run, command = begin(rounds)
        while not isinstance(command, Finish):
            started = time.monotonic()
            state = run.state
            result, used = self._act(command, deadline)
            event = self._event(run, command, result, time.monotonic() - started, used)
            run, command = advance(run, result)
            # before and after: the event says in which state the agent acted
            self._keep({**event, "next": run.state.value, "state": state.value})
        self._keep(self._end(run, command))
        return Trace(run, command, tuple(self.events), self.usage)

    def _act(self, command: Reason | Verify | Decide, deadline: Deadline) -> tuple[Result, Usage]:
        # an agent that has begun watches the deadline itself; none begins after it but Decision: what is
        # verified would be lost, and has mostly been run already
        if deadline.passed and not isinstance(command, Decide):
            return Stopped("out of time"), Usage()
        if isinstance(command, Decide) and deadline.left() < DECIDING:
            deadline = Deadline.after(DECIDING, deadline.clock)
        agent = self._agent(command)
        try:
            result = self._dispatch(command, deadline)
        # the server's failure and our own read differently to an operator
        except (DatabaseError, OSError) as error:
            result = Stopped(f"the database: {error}"[:500])
        except Exception as error:  # noqa: BLE001 - principle 1: no failure of ours reaches a client
            result = Stopped(f"{type(error).__name__} in {command_name(command)}: {error}"[:500])
        # tokens of a failed agent were spent, too
        self.usage = self.usage + agent.usage
        return result, agent.usage

    def _dispatch(self, command: Reason | Verify | Decide, deadline: Deadline) -> Result:
        match command:
            case Reason():
                return self.reasoning.act(command, deadline)
            case Verify():
                return self.verification.act(command, deadline)
            case Decide():
                return self.decision.act(command, deadline)
            case _:
                assert_never(command)

    def _agent(self, command: Reason | Verify | Decide) -> Reasoner | Verifier | Decider:
        match command:
            case Reason():
                return self.reasoning
            case Verify():
                return self.verification
            case Decide():
                return self.decision
            case _:
                assert_never(command)

    def _event(
        self, run: Run, command: Command, result: Result, seconds: float, used: Usage
    ) -> dict[str, Any]:
        return {
            "job": self.job,
            "seq": len(self.events) + 1,
            "round": run.round,
            "agent": command_name(command),
            # the command itself may be long, and holds the candidates: its digest tells two runs apart
            "input_digest": digest(repr(command)),
            "output": codec.encode(result),
            "cost": _cost(result),
            "seconds": round(seconds, 6),
            "tokens": used.tokens,
            "money": used.money,
        }

    def _end(self, run: Run, finish: Finish) -> dict[str, Any]:
        return {
            "job": self.job,
            "seq": len(self.events) + 1,
            "state": State.TERMINATION.value,
            "round": run.round,
            "agent": "machine",
            "input_digest": digest(repr(finish)),
            "output": {"rewritten": finish.best is not None, "reason": finish.reason},
            "cost": finish.best.cost_after if finish.best else None,
            "seconds": 0.0,
            "tokens": self.usage.tokens,
            "money": self.usage.money,
        }

    def _keep(self, event: Mapping[str, Any]) -> None:
        self.events.append(event)
        self.journal.record(event)


def command_name(command: Command) -> str:
    """The agent's name for a command."""
    match command:
        case Reason():
            return "reasoning"
        case Verify():
            return "assistant"
        case Decide():
            return "decision"
        case Finish():
            return "machine"
        case _:
            assert_never(command)


def replay(events: Sequence[Mapping[str, Any]], rounds: int) -> Finish:
    """Run the machine on recorded events instead of agents, and return the command that ends it.

    Raises ValueError where an event does not fit the machine's state or the events end too early: either the
    recording or the machine has changed.
    """
    run, command = begin(rounds)
    for event in events:
        # through JSON, as a store would give it
        event = json.loads(json.dumps(event))
        if event["agent"] == "machine":
            break
        if event["state"] != run.state.value or event["agent"] != command_name(command):
            raise ValueError(f"event {event['seq']}: {event['agent']} acted where {run.state.value} was due")
        run, command = advance(run, codec.decode(event["output"]))
    if not isinstance(command, Finish):
        raise ValueError("the recording ends before the run does")  # noqa: TRY004 - a value is missing, no type is wrong
    return command


def _cost(result: Result) -> float | None:
    match result:
        case Reasoned():
            costs = [c.cost for c in result.candidates]
        case Verified():
            costs = [c.candidate.cost for c in result.passed]
        case Decided():
            costs = [w.cost_after for w in result.weighed]
        case Stopped():
            costs = []
        case _:
            assert_never(result)
    known = [c for c in costs if c is not None]
    return min(known, default=None)
