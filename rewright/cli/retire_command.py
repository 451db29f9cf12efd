"""``rewright retire``."""

from __future__ import annotations

from rewright.cli.deciding import decide
from rewright.store.life import Action

command = decide(Action.RETIRE, "Stop serving a rewrite until it is found again.")
