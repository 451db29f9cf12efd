"""``rewright pin``."""

from __future__ import annotations

from rewright.cli.deciding import decide
from rewright.store.life import Action

command = decide(Action.PIN, "Serve a rewrite and do not retire it for slowness.")
