"""The checker's scratch server in the life of one process: started when first needed, shared, stopped at the
end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rewright.engines.postgres.external import ExternalScratch
from rewright.engines.postgres.installation import ServerUnavailable
from rewright.engines.postgres.scratch import ScratchServer


class Scratch:
    """The checker's scratch server, started once; None when it can't be."""

    def __init__(self, url: str = "embedded", on_error: Callable[[str], None] = lambda _: None) -> None:
        self._url = url
        self._on_error = on_error
        self._server: ScratchServer | ExternalScratch | None = None
        self._failed = False
        self._lock = threading.Lock()

    def server(self) -> Any:
        """A running server (``rewright.engines.postgres.scratch.ScratchServer``), or None."""
        with self._lock:
            if self._server is None and not self._failed:
                self._start()
            return self._server

    def at_once(self) -> Any:
        """As ``server``, for who can't wait: None while it is being started."""
        # a lock that is held means that it is being started
        if self._server is None and not self._failed and not self._lock.locked():
            threading.Thread(target=self.server, name="scratch", daemon=True).start()
        return self._server

    def close(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None

    def _start(self) -> None:
        try:
            if self._url == "embedded":
                server = ScratchServer()
                server.start()
                self._server = server
            else:
                self._server = ExternalScratch(self._url)
        except ServerUnavailable as error:
            # not tried again in this process: each try would cost a job its time
            self._failed = True
            self._on_error(str(error))
