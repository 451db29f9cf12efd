"""The configured language model, within its limits; or none."""

from __future__ import annotations

from pathlib import Path

from rewright.config.loading import load
from rewright.config.model import Config
from rewright.models.api import ROLES, Model, NoModel
from rewright.models.budget import Ledger, Limits

_IMPORT_SECONDS = 120.0
LEDGER = "~/.local/state/rewright/tokens.json"


def model_of(config_path: Path | None) -> Model:
    """The model of a configuration file: for processes that are handed only a path.

    Its library is imported here, before anybody's clock runs: on a busy machine that takes longer than a reply.
    """
    model = make_model(load(config_path))
    if not isinstance(model, NoModel):
        from rewright.models.litellm_client import LiteLlm

        if isinstance(model, LiteLlm):
            model.warm().join(_IMPORT_SECONDS)
    return model


def make_model(config: Config) -> Model:
    """NoModel unless [models] names one; litellm is only imported when it is asked something."""
    section = config.models
    names = {role: section.of(role) for role in ROLES if section.of(role)}
    if not names:
        return NoModel()
    from rewright.models.litellm_client import LiteLlm

    path = Path(LEDGER).expanduser()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return LiteLlm(names, Ledger(Limits(daily_tokens=section.daily_tokens), path))
