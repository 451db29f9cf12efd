"""The settings in force in one session: read back from the server, or kept here where the server can't know
them.

Owns when they must be read again. Must not know messages, nor what the settings are used for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rewright.proxy.serving.guard import named_path, visible_path
from rewright.proxy.serving.kept_settings import KeptSettings, SetCommand
from rewright.proxy.serving.settings import Settings
from rewright.proxy.session import IDLE, Session
from rewright.proxy.wire.backend import notice

# in these a session wants no rewrites
UNWANTED = frozenset({"off", "observe"})


class SettingsInForce:
    """``view``: what they come to. ``stale``: they may have changed since they were read. ``reads``: somebody
    needs them; ``reports``: somebody is told of slow queries.

    ``on_change`` is called when what may be served is another than before, ``on_read`` when what must be
    watched may be.
    """

    def __init__(
        self,
        session: Session,
        rules: Settings,
        startup: Mapping[str, str],
        *,
        reads: bool,
        reports: bool,
        knows_server: bool,
        on_change: Callable[[], None],
        on_read: Callable[[], None],
    ) -> None:
        self._session = session
        self._reports = reports
        self._knows_server = knows_server
        self._on_change = on_change
        self._on_read = on_read
        self.rules = rules
        self.view = rules.default_view
        self._user = startup.get("user", "")
        self._path: tuple[str, ...] = ()
        self._said_path = ""  # as the server wrote it last: mostly the same, and then not read again
        self.kept = KeptSettings(rules.names, startup)
        self.stale = bool(rules.names) and reads
        self.unread = True  # what the server says of them is read before the client changes any
        self._warned: set[tuple[str, str]] = set()  # wrong ones, by name and text
        self._warnings = b""
        self._set_slow_after()

    @property
    def unknown(self) -> bool:
        """Whether it has not been found out whose settings the server tells."""
        return bool(self.rules.names and self._knows_server) and self.kept.pooled is None

    @property
    def search_path(self) -> tuple[str, ...]:
        """The schemas that names are looked up in (``current_schemas(true)`` without pg_temp); empty: not
        known.

        Where it may have changed since it was read, as PostgreSQL 18 reports it: schemas that do not exist
        are then among them.
        """
        if not self.stale:
            return self._path
        said = self._session.server.parameters.get(b"search_path")
        return () if said is None else named_path(said.decode("utf-8", "replace"), self._user)

    @property
    def told_path(self) -> bytes | None:
        """What the server last reported of a path that may have changed; None: nothing, or it is known."""
        return self._session.server.parameters.get(b"search_path") if self.stale else None

    @property
    def offered_path(self) -> tuple[str, ...]:
        """As ``search_path``, and empty where another session's may be that of the next statement."""
        return () if self.kept.pooled else self.search_path

    def must_refresh(self) -> bool:
        """They are stale, and may be read now: nothing of the client's is under way."""
        session, cycles = self._session, self._session.cycles
        return (
            self.stale
            and cycles.status == IDLE
            and cycles.pending == 0
            and not cycles.since
            and not session.replies
        )

    def stale_after(self) -> None:
        """What the client sends may change them."""
        self.stale = bool(self.rules.names)
        self._on_change()  # statements of a session that wanted no rewrites may have one again

    def read_path(self, text: str) -> None:
        """``text``: current_schemas(true), as the server writes arrays; empty: it can't be asked."""
        if text == self._said_path:
            return
        self._said_path = text
        before, self._path = self._path, visible_path(text)
        # The first path that is read changes nothing: nothing was looked up with another.
        if before and before != self._path:
            self._on_change()  # another rewrite of the same text may be meant

    def read(self, texts: tuple[str | None, ...]) -> tuple[str, ...]:
        """What the server says they are; returns the names whose value is wrong and counts as the default."""
        before = self.view.mode, self.stale
        if self.kept.in_force:
            texts = self.kept.texts()
        self.view, wrong = self.rules.view(texts)
        self._warn(dict(zip(self.rules.names, texts, strict=True)), wrong)
        if self.view.pooled:
            self.kept.share(texts)
        # A rollback would take back what a SET in the open block has done: they are read again after it.
        self.stale = self._session.cycles.status != IDLE and not self.kept.in_force
        self._set_slow_after()
        if before != (self.view.mode, self.stale):
            self._on_change()
        return wrong

    def kept_changes(self, command: SetCommand) -> None:
        """A statement has changed settings of a session that keeps its own."""
        self.kept.change(command)
        self._session.cycles.unusual = True
        self.kept_changed()

    @property
    def kept_text(self) -> Callable[[str], str | None] | None:
        """What to show of a setting, where not the server's value counts."""
        return self.kept.text if self.kept.in_force else None

    def kept_changed(self) -> None:
        """What a session's own settings come to now."""
        self.read(self.kept.texts())
        self._on_read()

    def take_warnings(self) -> bytes:
        """What to tell the client about its settings."""
        told, self._warnings = self._warnings, b""
        return told

    def _warn(self, texts: Mapping[str, str | None], wrong: tuple[str, ...]) -> None:
        """Each wrong value is reported once, as long as it is set."""
        found = {(name, texts[name] or "") for name in wrong}
        for name, text in sorted(found - self._warned):
            said = f'invalid value for parameter "rewright.{name}": "{text}"; its default counts'
            self._warnings += notice(said, severity="WARNING", sqlstate="22023")
        self._warned = found

    def _set_slow_after(self) -> None:
        tells = self._reports and self.view.mode != "off"
        self._session.server.slow_after = self.view.min_duration if tells else float("inf")
