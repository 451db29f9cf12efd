"""The small interface behind which every language model stands: a request, a reply, what can go wrong.

Owns the words (roles, messages, usage, errors) and the `Model` protocol. Must not know SQL, databases,
prompts of any agent, nor which library talks to a provider.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

Role = Literal["default", "reasoning", "rewrite", "assistant", "decision", "hint", "lake", "ask"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    speaker: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model.

    ``schema`` is a JSON schema the reply should follow (it is validated by `rewright.models.typed`, never
    trusted). ``seconds`` is the time the caller can wait, all retries included. ``scope`` names what the
    tokens are charged to (a query's digest); it does not change what is asked and is not part of the digest.
    ``temperature`` above 0 asks for another reply each time.
    """

    role: Role
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 2000
    seconds: float = 60.0
    scope: str = field(default="", compare=False)
    temperature: float = 0.0

    def digest(self) -> str:
        """Identity of what is asked: a recording is found by it, so a changed prompt finds none."""
        asked: dict[str, Any] = {
            "role": self.role,
            "messages": [[m.speaker, m.text] for m in self.messages],
            "schema": self.schema,
            "max_tokens": self.max_tokens,
        }
        if self.temperature:
            asked["temperature"] = self.temperature
        text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def characters(self) -> int:
        return sum(len(m.text) for m in self.messages)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money (US dollars; None when the price is unknown) of one or more calls."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        unknown = self.money is None or other.money is None
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if unknown else (self.money or 0.0) + (other.money or 0.0),
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. ``text`` is hostile until checked."""

    text: str
    usage: Usage = Usage()
    model: str = ""
    seconds: float = 0.0


class ModelError(Exception):
    """A model gave no usable answer. ``usage`` is what was spent anyway; ``condition`` says in a word or two
    what is the matter with the model, for people.
    """

    condition = "failed"

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class NoModelConfigured(ModelError):
    """There is no model for the role."""

    condition = "not configured"


class ModelTimeout(ModelError):
    """The deadline passed."""

    condition = "slow"


class BudgetExceeded(ModelError):
    """The tokens or the money of the query or of the day are spent; nothing was sent."""

    condition = "over its budget"


class ProviderError(ModelError):
    """The provider refused, failed or could not be reached. ``transient``: asking again may help."""

    condition = "down"

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient


class Starved(ModelError):
    """All tokens that a reply may have went by without an answer: a model that thinks at length needs more of
    them.
    """

    condition = "starved"


class BadReply(ModelError):
    """The reply is not what was asked for, also after retries."""

    condition = "babbling"


class Unrecorded(ModelError):
    """A replay was asked something that is not in the recording: the prompt has changed."""


def complaint(role: Role, error: ModelError) -> str:
    """What an outcome says of a model that was of no use."""
    return f"the {role} model is {error.condition}: {error}"[:300]


class Model(Protocol):
    """A language model, several behind one interface, or none."""

    def available(self, role: Role) -> bool:
        """Whether a request of this role has any chance of an answer."""
        ...

    def complete(self, request: Request) -> Reply:
        """The answer to ``request``; raises `ModelError`."""
        ...


class NoModel:
    """What is there when nothing is configured."""

    def available(self, role: Role) -> bool:
        del role
        return False

    def complete(self, request: Request) -> Reply:
        raise NoModelConfigured(f"no model is configured for the role {request.role}")
