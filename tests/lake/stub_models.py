"""Models for child processes: importable by name."""

from __future__ import annotations

import os
import time

from rewright.models.api import ModelTimeout, Reply, Request, Role


class Awkward:
    """Hangs, or kills its process, where the prompt says so; else gives no answer."""

    def available(self, role: Role) -> bool:
        return role == "lake"

    def complete(self, request: Request) -> Reply:
        told = request.messages[1].text
        if "hang_here" in told:
            time.sleep(600)
        if "die_here" in told:
            os._exit(3)
        raise ModelTimeout("no answer")
