"""``rewright approve``."""

from __future__ import annotations

from rewright.cli.deciding import decide
from rewright.store.life import Action

command = decide(
    Action.APPROVE, "Serve a rewrite on a person's word, whatever its evidence (a refuted one never)."
)
