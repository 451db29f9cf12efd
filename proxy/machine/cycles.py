"""What was sent to the server for the client and has not been answered yet: see ``Cycles``."""

from __future__ import annotations

from rewright.proxy.machine.core import Cycles
from rewright.proxy.machine.hot import CYCLES, FAILED, IDLE, IN_BLOCK, REPLIED, unpack

__all__ = ["CYCLES", "FAILED", "IDLE", "IN_BLOCK", "REPLIED", "Cycles", "unpack"]
