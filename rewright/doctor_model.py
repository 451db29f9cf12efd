"""Does a configured language model answer? Owns one short call to each that [models] names, and what to do
where it fails.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal, NamedTuple

from rewright.config.model import Config
from rewright.models.api import (
    BudgetExceeded,
    Message,
    Model,
    ModelError,
    ProviderError,
    Request,
    Role,
    Starved,
)
from rewright.wiring.modelling import make_model, named_models, spent_today, warmed

KEYS_OF_MODELS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
)
# one word needs a second, a model that is loaded first some more
SECONDS = 20.0
_TOKENS = 200
_QUESTION = "Answer with the word ready."


class Answered(NamedTuple):
    """What to say about one model."""

    status: Literal["ok", "note", "failed"]
    message: str
    remedy: tuple[str, ...] = ()


def contact(config: Config, seconds: float = SECONDS) -> Iterator[Answered]:
    """Ask each configured model a word and wait at most ``seconds`` for each. Costs some tokens of today's
    budget.
    """
    model = warmed(make_model(config))
    for name, role in named_models(config).items():
        yield _asked(config, model, name, role, seconds)


def _asked(config: Config, model: Model, name: str, role: Role, seconds: float) -> Answered:
    request = Request(
        role, (Message("user", _QUESTION),), max_tokens=_TOKENS, seconds=seconds, scope="doctor"
    )
    try:
        reply = model.complete(request)
    except BudgetExceeded as error:
        remedy = ("wait for tomorrow, or set daily_tokens, daily_money in [models]",)
        return Answered("note", f"{name} was not asked: {error}", remedy)
    except Starved as error:
        return Answered("note", f"{name} answers, but {error}", ("set max_tokens in [models]",))
    except ModelError as error:
        return Answered("failed", f"{name} does not answer: {error}", _remedy(config, error))
    return Answered("ok", f"{name} answered in {reply.seconds:.1f} s; {spent_today(config)}")


def _remedy(config: Config, error: ModelError) -> tuple[str, ...]:
    if "is not installed" in str(error):
        return ("pip install 'rewright[models]'",)
    # no key at all, and no server of the user's own that may need none
    if "AuthenticationError" in str(error) or not (config.models.api_base or _keys()):
        return tuple(f"export {name}=...  -- where the model is this provider's" for name in KEYS_OF_MODELS)
    # an error that will not pass: the name is wrong
    if isinstance(error, ProviderError) and not error.transient:
        return ("set default in [models]: PROVIDER/NAME as litellm writes it, such as openai/gpt-4.1-mini",)
    where = config.models.api_base or "the provider's address"
    return (f"curl {where}  -- is it reached from here?", "rewright works without a model meanwhile")


def _keys() -> bool:
    return any(os.environ.get(name) for name in KEYS_OF_MODELS)
