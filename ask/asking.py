"""The model calls of one question: their cost, their deadline, and whether calling again makes sense.

Owns the deadline, the sum of what was spent, the events and the second try after an unusable reply. Must not
know prompts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from rewright.ask.forms import form_of, read
from rewright.ask.outcome import Event, EventKind
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.tokens import tokens_in, tokens_of
from rewright.models.api import (
    BadReply,
    BudgetExceeded,
    Message,
    Model,
    ModelError,
    ModelTimeout,
    NoModelConfigured,
    ProviderError,
    Reply,
    Request,
    Unrecorded,
    Usage,
)
from rewright.models.typed import WrongShape

T = TypeVar("T")
_ATTEMPTS = 2
_QUOTED_REPLY = 1_500
# after these, another call would fail alike
_FINAL = (ProviderError, NoModelConfigured, BudgetExceeded, Unrecorded)


@dataclass(slots=True)
class Asking:
    """One question's way to the model. Several threads may ask at once."""

    model: Model
    settings: PipelineSettings
    scope: str = ""
    events: list[Event] = field(default_factory=list)
    tokens: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    _began: float = field(default_factory=time.monotonic)
    _stopped: ModelError | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def usable(self) -> bool:
        """Whether another call has any chance."""
        return self._stopped is None

    def left(self) -> float:
        """Seconds until the question's deadline."""
        return self.settings.seconds - (time.monotonic() - self._began)

    def note(self, kind: EventKind, stage: str, text: str = "", sql: str = "") -> None:
        """Keeps an event that is no call."""
        with self._lock:
            self.events.append(Event(kind, stage, text, sql))

    def reply(
        self,
        stage: str,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> str:
        """The text of one reply, not empty. Raises ModelError."""
        if self._stopped is not None:
            raise self._stopped
        left = min(self.left(), self.settings.call_seconds)
        if left <= 0:
            raise ModelTimeout(f"the question's {self.settings.seconds:g} s are over")
        request = Request(
            "ask",
            tuple(messages),
            max_tokens=max_tokens or self.settings.reply_tokens,
            seconds=left,
            scope=self.scope,
            temperature=temperature,
        )
        try:
            reply = self.model.complete(request)
        except ModelError as error:
            self._failed(stage, error)
            raise
        self._spent(stage, request, reply)
        if not reply.text.strip():
            raise BadReply("the reply is empty")
        return reply.text

    def form(
        self,
        stage: str,
        messages: Sequence[Message],
        kind: type[T],
        *,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> T:
        """A reply in the form of ``kind``, asked for again once with the complaint. Raises ModelError."""
        said = list(messages)
        wanted = f"\n\nReply with one JSON object of this form and nothing else:\n{form_of(kind)}"
        said[-1] = Message(said[-1].speaker, said[-1].text + wanted)
        complaint, asked = "", list(said)
        for _ in range(_ATTEMPTS):
            try:
                text = self.reply(stage, said, temperature=temperature, max_tokens=max_tokens)
                return read(text, kind)
            except WrongShape as error:
                complaint = str(error)
                said = [*asked, Message("assistant", text[:_QUOTED_REPLY])]
            except BadReply as error:
                complaint = str(error)
                said = [*asked, Message("assistant", "(nothing)")]
            said.append(Message("user", f"That is not usable: {complaint}. Reply with the JSON object only."))
        self.note("failed", stage, complaint)
        raise BadReply(f"{stage}: no usable reply in {_ATTEMPTS} attempts: {complaint}")

    def _spent(self, stage: str, request: Request, reply: Reply) -> None:
        used = reply.usage
        # some models do not say what they used
        tokens = used.tokens or tokens_in(request.messages) + tokens_of(reply.text)
        with self._lock:
            self.usage = self.usage + used
            self.tokens += tokens
            self.calls += 1
            self.events.append(
                Event("asked", stage, tokens=tokens, money=used.money, seconds=round(reply.seconds, 3))
            )

    def _failed(self, stage: str, error: ModelError) -> None:
        with self._lock:
            self.usage = self.usage + error.usage
            self.tokens += error.usage.tokens
            self.calls += 1
            self.events.append(Event("failed", stage, f"{error.condition}: {error}"[:300]))
            if isinstance(error, _FINAL):
                self._stopped = error
