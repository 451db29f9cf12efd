"""Reopening a lake whose files changed, without holding up those who query it.

Owns the thread and how long callers wait for it. Must not know when a lake is reopened.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from rewright.wiring.opening import Home, opened

RENEWAL_PATIENCE = 5.0
"""How long statements wait for a lake whose files changed; after that they get the one that was opened
before.
"""


class Renewal:
    """A lake that is opened again in a thread of its own; callers wait a little for it meanwhile."""

    def __init__(self, home: Home) -> None:
        self._began = time.monotonic()
        self._done = threading.Event()
        self._lake: Any = None
        self._error: BaseException | None = None
        threading.Thread(target=self._open, args=(home,), name="lake renewal", daemon=True).start()

    def _open(self, home: Home) -> None:
        try:
            self._lake = opened(home)
        except BaseException as error:  # noqa: BLE001 - it is raised where the lake is asked for
            self._error = error
        self._done.set()

    def ready(self) -> bool:
        """Whether it is open; waits for it for as long as is left of the patience."""
        return self._done.wait(max(0.0, self._began + RENEWAL_PATIENCE - time.monotonic()))

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._lake
