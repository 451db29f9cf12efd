"""The configured language model, within its limits; or none."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from rewright.config.loading import load
from rewright.config.model import Config
from rewright.models.api import ROLES, Model, NoModel, Role
from rewright.models.budget import Ledger, Limits

# importing litellm takes seconds, on a busy machine a minute
_IMPORT_SECONDS = 120.0
LEDGER = "~/.local/state/rewright/tokens.json"


def model_of(config_path: Path | None) -> Model:
    """The model of a configuration file: for processes that are handed only a path.

    Its library is imported here, before anybody's clock runs: on a busy machine that takes longer than a
    reply.
    """
    return warmed(make_model(load(config_path)))


def warmed(model: Model) -> Model:
    """The same, with its library imported."""
    if (importing := warming(model)) is not None:
        importing.join(_IMPORT_SECONDS)
    return model


def warming(model: Model) -> Thread | None:
    """The thread in which its library is imported from now on, for whoever has other work meanwhile; None
    where there is nothing to import. What asks the model before the end waits for it, in its own time.
    """
    if isinstance(model, NoModel):
        return None
    from rewright.models.litellm_client import LiteLlm

    return model.warm() if isinstance(model, LiteLlm) else None


def named_models(config: Config) -> dict[str, Role]:
    """Each model that [models] names, with the first role it plays."""
    found: dict[str, Role] = {}
    for role in ROLES:
        if name := config.models.of(role):
            found.setdefault(name, role)
    return found


def make_model(config: Config) -> Model:
    """NoModel unless [models] names one; litellm is only imported when it is asked something."""
    section = config.models
    names = {role: section.of(role) for role in ROLES if section.of(role)}
    if not names:
        return NoModel()
    from rewright.models.litellm_client import LiteLlm

    path = Path(LEDGER).expanduser()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return LiteLlm(
        names,
        Ledger(limits_of(config), path),
        api_base=section.api_base or None,
        max_tokens=section.max_tokens or None,
        reasoning_effort=section.reasoning_effort,
        response_format=section.response_format,
    )


def limits_of(config: Config) -> Limits:
    """What may be spent, by [models]."""
    section = config.models
    return Limits(
        daily_tokens=section.daily_tokens,
        daily_money=section.daily_money or None,
        query_tokens=section.query_tokens,
        query_money=section.query_money or None,
    )


def spent_today(config: Config) -> str:
    """Tokens and money of today, and their limits, for people."""
    limits = limits_of(config)
    tokens, money = Ledger(limits, Path(LEDGER).expanduser()).spent()
    most = f" of {limits.daily_tokens:,}" if limits.daily_tokens is not None else ""
    dollars = f" of ${limits.daily_money:g}" if limits.daily_money is not None else ""
    return f"today {tokens:,}{most} tokens, ${money:.2f}{dollars}"
