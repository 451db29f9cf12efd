"""The ``rewright.*`` settings of a session whose server connection is shared with other sessions.

A pooler gives each transaction another connection of the server, or several clients one connection: what the
server says of a setting may then be another client's. Owns what this session's client itself has set, in the
order of its transactions, and where nothing is certain any more. Must not know messages, and must not do I/O.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rewright.proxy.serving.guard import parse_array
from rewright.proxy.serving.settings import BLANK, LITERAL, NAME
from rewright.sql.own_words import servers_own

# a text that may change a setting of ours in a way that SetCommand does not read
_MAY_SET = re.compile(rb"\bset(?:_config)?\b.*?\brewright\"?\s*\.", re.IGNORECASE | re.DOTALL)
_DEFINITION = re.compile(rb"\s*(?:alter|create|comment|grant|revoke)\b", re.IGNORECASE)
_ALL = re.compile(rf"{BLANK}*(?:reset|discard){BLANK}+all{BLANK}*;?{BLANK}*", re.IGNORECASE)
_RESET = re.compile(rf"{BLANK}*reset{BLANK}+{NAME}{BLANK}*;?{BLANK}*", re.IGNORECASE)
_SET = re.compile(
    rf"{BLANK}*set{BLANK}+(?:(?P<scope>session|local){BLANK}+)?{NAME}{BLANK}*(?:=|to\b){BLANK}*(?P<value>.*?){BLANK}*;?{BLANK}*",
    re.IGNORECASE | re.DOTALL,
)
_SET_CONFIG = re.compile(
    rf"{BLANK}*select{BLANK}+(?:pg_catalog\.)?set_config{BLANK}*\({BLANK}*'rewright\.(?P<name>\w+)'{BLANK}*,{BLANK}*"
    rf"'(?P<value>(?:[^']|'')*)'{BLANK}*,{BLANK}*(?P<local>true|false){BLANK}*\){BLANK}*;?{BLANK}*",
    re.IGNORECASE,
)
# columns: whether the process is another than the login said ($1); what ALTER ROLE and ALTER DATABASE
# say of our settings (the most particular first), from the catalog: current_setting() may be what another
# client has left
WHO_SERVES = servers_own("""
  (pg_catalog.pg_backend_pid()::text <> $1)::text,
  array(select c from pg_catalog.pg_db_role_setting s, pg_catalog.unnest(s.setconfig) c
         where pg_catalog.starts_with(c, 'rewright.')
           and s.setdatabase = any (array[0, (select d.oid from pg_catalog.pg_database d
                                      where d.datname = pg_catalog.current_database())]::oid[])
           and s.setrole = any (array[0, (select r.oid from pg_catalog.pg_roles r
                                               where r.rolname = session_user)]::oid[])
         order by s.setrole = 0, s.setdatabase = 0)::text
""")


@dataclass(frozen=True, slots=True)
class SetCommand:
    """What one statement does to settings. ``name`` "": to all; ``text`` None: it takes the default again."""

    name: str
    text: str | None
    local: bool = False


# changes something, nobody knows what
UNREAD = SetCommand("?", None, local=True)


def read_command(sql: bytes) -> SetCommand | None:
    """The one SET, RESET, DISCARD ALL or ``select set_config(...)`` that the text is; None: it changes
    nothing of ours.
    """
    return _read(sql) or (UNREAD if _may_set(sql) else None)


def _read(sql: bytes) -> SetCommand | None:
    text = sql.decode("utf-8", "replace")
    if _ALL.fullmatch(text):
        return SetCommand("", None)
    if found := _RESET.fullmatch(text):
        return SetCommand((found["name"] or found["quoted"]).lower(), None)
    if found := _SET_CONFIG.fullmatch(text):
        return SetCommand(
            found["name"].lower(), found["value"].replace("''", "'"), found["local"].lower() == "true"
        )
    if found := _SET.fullmatch(text):
        return _set(found)
    return None


def _set(found: re.Match[str]) -> SetCommand | None:
    name = (found["name"] or found["quoted"]).lower()
    local = (found["scope"] or "").lower() == "local"
    if found["value"].lower() == "default":
        return SetCommand(name, None, local)
    literal = LITERAL.fullmatch(found["value"])
    if literal is None:
        return None
    single, double, plain = literal.groups()
    return SetCommand(name, single.replace("''", "'") if single is not None else double or plain, local)


def _may_set(sql: bytes) -> bool:
    """Whether a text that is not a plain command may still change settings of ours."""
    return _MAY_SET.search(sql) is not None and not _DEFINITION.match(sql)


_NO_DOUBT, _DOUBT_HERE, _DOUBT_FOR_GOOD = range(3)


@dataclass(frozen=True, slots=True)
class _State:
    """``lasting``: by SET; ``local``: to the end of the transaction, by SET LOCAL. None: the default again.

    ``doubt``: what holds can't be told, to the end of the transaction or for good.
    """

    lasting: Mapping[str, str | None] = field(default_factory=dict)
    local: Mapping[str, str | None] = field(default_factory=dict)
    doubt: int = _NO_DOUBT


class KeptSettings:
    """What the client of this session has set. ``startup``: with its startup packet.

    ``pooled``: the server's connections are shared behind us (None: not known yet). ``shared``: this session
    is itself shared, by the clients of a pooler before us: nothing that one of them sets outlasts its
    transaction.
    """

    def __init__(self, names: Sequence[str], startup: Mapping[str, str] | None = None) -> None:
        self._names = tuple(names)
        self._startup = dict(startup or {})
        self._defined: dict[str, str] = {}
        self._state = _State()
        self._before: _State | None = None  # when the transaction began that has changed something
        self._ending = b""
        self._failed = False
        self.pooled: bool | None = None
        self.shared = False

    @property
    def in_force(self) -> bool:
        """Whether these count, and not what the server says."""
        return self.shared or bool(self.pooled)

    @property
    def open(self) -> bool:
        """Whether it depends on the end of the transaction what holds."""
        return self._before is not None

    def answered(self, pooled: bool, defined: str) -> None:
        """The server's row for ``WHO_SERVES``."""
        self.pooled = pooled
        # The most particular come first: written last, they count.
        for entry in reversed(parse_array(defined)):
            name, _, text = entry.partition("=")
            self._defined[name.removeprefix("rewright.").lower()] = text

    def share(self, texts: Sequence[str | None]) -> None:
        """From here on the session is shared; what was set before holds for all its clients. Nothing takes it
        back.
        """
        if not self.shared:
            self.shared = True
            self._defined = {name: text for name, text in zip(self._names, texts, strict=True) if text}
            self._startup.clear()

    def texts(self) -> tuple[str | None, ...]:
        """In the order of the names; None: unset. Where nothing is certain, nothing may be served: ``mode``
        is off.
        """
        state = self._state
        return tuple("off" if state.doubt and name == "mode" else self._text(name) for name in self._names)

    def text(self, name: str) -> str | None:
        """One of ``texts``."""
        return dict(zip(self._names, self.texts(), strict=True)).get(name)

    def _text(self, name: str) -> str | None:
        for layer in (self._state.local, self._state.lasting):
            if name in layer and layer[name] is not None:
                return layer[name]
            # Set to DEFAULT in this layer: what the layer below says does not count either.
            if name in layer:
                break
        return self._startup.get(name) or self._defined.get(name)

    # --- what the client does -----------------------------------------------------------------------

    def begin(self) -> None:
        """Something is about to change in the transaction that is open, or in one of its own."""
        if self._before is None:
            self._before = self._state

    def change(self, command: SetCommand) -> None:
        """The server has run it."""
        self.begin()
        state = self._state
        if command is UNREAD:
            self.doubt()
        # RESET ALL and DISCARD ALL end doubt, too: all is as it was at the start.
        elif not command.name:
            self._state = _State()
        elif command.local:
            self._state = replace(state, local={**state.local, command.name: command.text})
        else:
            # As in PostgreSQL, a SET after a SET LOCAL in the same transaction replaces it.
            local = {name: text for name, text in state.local.items() if name != command.name}
            self._state = replace(state, lasting={**state.lasting, command.name: command.text}, local=local)

    def doubt(self) -> None:
        """What holds can't be told any more, until all is reset or the transaction is rolled back."""
        self.begin()
        self._state = replace(self._state, doubt=_DOUBT_FOR_GOOD)

    def _partly_undone(self) -> None:
        """Back to a savepoint, or ROLLBACK AND CHAIN: which of the changes still hold is not followed."""
        assert self._before is not None
        lasting = self._state.lasting != self._before.lasting
        self._state = replace(
            self._state, doubt=max(self._state.doubt, _DOUBT_FOR_GOOD if lasting else _DOUBT_HERE)
        )

    # --- transactions -------------------------------------------------------------------------------

    def tag(self, tag: bytes) -> None:
        """A command tag: only what stands behind a change says what becomes of it."""
        if self.open and tag in {b"COMMIT", b"ROLLBACK"}:
            self._ending = tag

    def failed(self) -> None:
        """An error."""
        self._failed = self.open

    def cycle_ended(self, *, idle: bool) -> bool:
        """Whether anything may have changed."""
        if self._before is None:
            return False
        ending, failed = self._ending, self._failed
        self._ending, self._failed = b"", False
        # A transaction that has failed ends with the tag ROLLBACK, whatever the client said: with the tag
        # COMMIT the changes hold.
        if idle and (ending == b"ROLLBACK" or (failed and ending != b"COMMIT")):
            self._state = self._before
        elif not idle and ending == b"ROLLBACK":
            self._partly_undone()
        if idle or ending == b"COMMIT":
            self._over()
        return True

    def _over(self) -> None:
        self._before, state = None, self._state
        doubt = state.doubt if state.doubt == _DOUBT_FOR_GOOD else _NO_DOUBT
        self._state = _State() if self.shared else _State(state.lasting, {}, doubt)
