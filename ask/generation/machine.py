"""The state machine of generation: which action may follow which, what it has used up, what of its history is
kept.

Pure: it is given replies and results and gives messages and commands; no model, no database. Owns the
transitions, the budgets (APEX-SQL, section 4.3.4: 40 actions and 56,000 tokens, the query forced at 38 and
52,000) and consolidation. Must not know prompts' words about the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rewright.ask.generation.actions import Action, Tag, action_of
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.tokens import tokens_in
from rewright.models.api import Message

State = Literal["start", "explored", "refined", "ran", "failed", "done"]
TRANSITIONS: Mapping[State, frozenset[Tag]] = {
    "start": frozenset({"EXPLORE", "REFINE", "SQL"}),
    "explored": frozenset({"EXPLORE", "REFINE", "SQL"}),
    "refined": frozenset({"EXPLORE", "REFINE", "SQL"}),
    # a query that ran may be confirmed; one that failed may not
    "ran": frozenset({"EXPLORE", "REFINE", "SQL", "CONFIRM"}),
    "failed": frozenset({"EXPLORE", "REFINE", "SQL"}),
    "done": frozenset(),
}
FORCED = "Your budget is used up. Reply with [SQL] and the query now; nothing else is read."
ONE = "There are {} statements in that reply. Reply with [SQL] and one SELECT; look first with [EXPLORE]."
# replies without a usable action before it is given up: a model that does not follow will not begin to
_UNUSABLE = 3
# longer replies are explanations; what matters of them are queries, which stand at their ends rarely
_KEPT_REPLY = 3_000


@dataclass(frozen=True, slots=True)
class Look:
    """Command: run these and give the results."""

    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Try:
    """Command: run this as the query."""

    sql: str


@dataclass(frozen=True, slots=True)
class Again:
    """Command: ask once more; the machine has said why."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Command: it is over. ``sql`` is empty where there is no query that ran; ``why`` then says so."""

    sql: str
    reading: str = ""
    why: str = ""


Command = Look | Try | Again | Finish


@dataclass(slots=True)
class _Turn:
    tag: Tag | None
    said: str
    answer: str = ""


@dataclass(slots=True)
class Machine:
    """The making of one query. ``first``: the system's message and the task; ``explores``: whether EXPLORE is
    offered.
    """

    first: tuple[Message, Message]
    settings: PipelineSettings
    explores: bool = True
    state: State = "start"
    actions: int = 0
    tokens: int = 0
    sql: str = ""
    ran: str = ""
    _unusable: int = 0
    _turns: list[_Turn] = field(default_factory=list)

    # -- what is asked

    def messages(self) -> tuple[Message, ...]:
        """The conversation so far; consolidated when it has grown too long."""
        whole = (*self.first, *self._dialogue())
        # only the dialogue counts: the first messages stay whole whatever they cost
        if tokens_in(whole) - tokens_in(self.first) > self.settings.history_tokens:
            whole = (*self.first[:-1], Message("user", f"{self.first[-1].text}\n\n{self._consolidated()}"))
        if self.forced:
            whole = (*whole[:-1], Message("user", f"{whole[-1].text}\n\n{FORCED}"))
        return whole

    @property
    def forced(self) -> bool:
        return self.actions >= self.settings.forced_actions or self.tokens >= self.settings.forced_tokens

    @property
    def spent(self) -> bool:
        return self.actions >= self.settings.actions or self.tokens >= self.settings.tokens

    def _dialogue(self) -> list[Message]:
        said: list[Message] = []
        for turn in self._turns:
            said += [Message("assistant", turn.said), Message("user", turn.answer)]
        return said

    def _consolidated(self) -> str:
        """Queries, results, and the latest plan; everything else is dropped, the oldest results first when it
        is still too much.
        """
        plans = [turn.said for turn in self._turns if turn.tag == "REFINE"]
        shown: list[str] = []
        # in characters, about three a token
        room = self.settings.history_tokens * 3
        for turn in reversed(self._turns):
            if turn.tag in {"EXPLORE", "SQL"}:
                text = f"{turn.said}\n{turn.answer}"
                # one result at least is kept, however long: without any the model would begin again
                if room - len(text) < 0 and shown:
                    break
                room -= len(text)
                shown.append(text)
        parts = ["So far:", *reversed(shown)]
        if plans:
            parts.append(f"Your latest plan:\n{plans[-1]}")
        return "\n\n".join([*parts, "Go on with one action."])

    # -- what is said

    def take(self, reply: str, tokens: int) -> Command:
        """One reply and the tokens of its call."""
        self.actions += 1
        self.tokens += tokens
        action = action_of(reply)
        if action is None:
            return self._refuse(None, reply, "There is no action in that reply. Begin with one of the tags.")
        # behind a query that ran nothing more need be asked
        if self.forced and action.tag == "CONFIRM" and self.state == "ran":
            return self._confirm(action)
        if self.forced and action.tag != "SQL":
            return self._refuse(action.tag, reply, FORCED)
        if action.tag not in TRANSITIONS[self.state]:
            return self._refuse(action.tag, reply, "[CONFIRM] may only follow a query that ran.")
        if action.tag == "EXPLORE" and not self.explores:
            return self._refuse(action.tag, reply, "[EXPLORE] is not available here.")
        return self._follow(action, reply)

    def _follow(self, action: Action, reply: str) -> Command:
        if action.tag == "CONFIRM":
            return self._confirm(action)
        # which of several statements is the query is not for the machine to choose
        if action.tag == "SQL" and len(action.queries) > 1:
            self._turns.append(_Turn(None, reply[:_KEPT_REPLY], ONE.format(len(action.queries))))
            return self._end() if self.spent else Again()
        self._turns.append(_Turn(action.tag, reply[:_KEPT_REPLY]))
        if action.tag == "EXPLORE":
            self.state = "explored"
            return Look(action.queries)
        if action.tag == "REFINE":
            self.state = "refined"
            self._turns[-1].answer = "Go on with [EXPLORE] or [SQL]."
            return self._end() if self.spent else Again()
        self.sql = action.queries[0]
        return Try(self.sql)

    def _confirm(self, action: Action) -> Finish:
        self.state = "done"
        return Finish(self.ran, action.text)

    def _refuse(self, tag: Tag | None, reply: str, why: str) -> Command:
        self._unusable += 1
        # a query that was refused never ran: consolidation leaves it out
        self._turns.append(_Turn(tag if tag != "SQL" else None, reply[:500], why))
        if self._unusable >= _UNUSABLE or self.spent:
            return self._end("its replies hold no usable action")
        return Again()

    # -- what came of it

    def looked(self, results: str) -> Command:
        """The results of Look."""
        self._turns[-1].answer = f"{results}\n\nGo on."
        return self._end() if self.spent else Again()

    def tried(self, result: str, *, worked: bool) -> Command:
        """The result of Try: rows, or an error."""
        if worked:
            self.state, self.ran = "ran", self.sql
            follow = "If this answers the question, [CONFIRM]; else go on."
        else:
            self.state = "failed"
            follow = "Mend it."
        self._turns[-1].answer = f"{result}\n\n{follow}"
        # a forced query that ran is the last
        if self.spent or (worked and self.forced):
            return self._end()
        return Again()

    def _end(self, why: str = "its budget is used up") -> Finish:
        self.state = "done"
        return Finish(self.ran, "", "" if self.ran else why)
