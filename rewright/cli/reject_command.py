"""``rewright reject``."""

from __future__ import annotations

from rewright.cli.deciding import decide
from rewright.store.life import Action

command = decide(Action.REJECT, "Never serve a rewrite, even when it is found again.")
