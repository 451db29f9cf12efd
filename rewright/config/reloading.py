"""When a change of each key of the configuration counts, once the running proxy has read it again (SIGHUP,
RELOAD).

Owns the answer key by key; the documentation's table and SHOW CONFIG are made of it. Must not know how
processes are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from rewright.config.model import SECTIONS, Database
from rewright.config.options import options_of

Moment = Literal["at once", "new connections", "the next query to optimise", "the next start"]

AT_ONCE: Moment = "at once"
NEW_CONNECTIONS: Moment = "new connections"
OPTIMISER: Moment = "the next query to optimise"
NEXT_START: Moment = "the next start"

# of a section, where no key of it says otherwise
_SECTIONS: Mapping[str, Moment] = {
    "listen": NEW_CONNECTIONS,
    "http": NEXT_START,
    "store": NEXT_START,
    "databases": NEW_CONNECTIONS,
    "auth": NEW_CONNECTIONS,
    "defaults": NEW_CONNECTIONS,
    "optimiser": OPTIMISER,
    "models": OPTIMISER,
    "verify": OPTIMISER,
    "ask": AT_ONCE,
    "serve": NEW_CONNECTIONS,
    "admins": AT_ONCE,
    "limits": NEW_CONNECTIONS,
    "log": AT_ONCE,
    "tracing": NEXT_START,
}
_KEYS: Mapping[str, Moment] = {
    # sockets and processes are made once; rewright serve --takeover changes them without an interruption
    "listen.address": NEXT_START,
    "listen.workers": NEXT_START,
    "serve.run_dir": NEXT_START,
    "databases.optimiser_dsn": OPTIMISER,
    "databases.admins": AT_ONCE,
    "databases.lakes": AT_ONCE,
    # lakes are opened once
    "databases.engine": NEXT_START,
    "databases.path": NEXT_START,
    "databases.beside": NEXT_START,
    "databases.spark_master": NEXT_START,
    "limits.lake_memory": NEXT_START,
    "limits.lake_total_memory": NEXT_START,
    "limits.lake_timeout": NEXT_START,
    "limits.lake_processes": NEXT_START,
    "ask.enabled": NEW_CONNECTIONS,
    # looked at again and again
    "optimiser.queue": NEXT_START,
    "limits.idle_timeout": AT_ONCE,
    "limits.total_buffer": AT_ONCE,
    "limits.drain_grace": AT_ONCE,
    "verify.accept": AT_ONCE,
    "serve.hold": AT_ONCE,
}


def moment_of(key: str) -> Moment:
    """``key``: as ``rewright config`` spells it, ``databases.NAME.dsn`` included. Raises KeyError for no key.

    >>> moment_of("listen.workers"), moment_of("databases.app.dsn")
    ('the next start', 'new connections')
    """
    section, _, rest = key.partition(".")
    # NAME itself may hold dots
    name = rest.rpartition(".")[2] if section == "databases" else rest
    if section == "databases" and ".defaults." in rest:
        return _SECTIONS["defaults"]
    return _KEYS.get(f"{section}.{name}", _SECTIONS[section])


def all_keys() -> Iterator[tuple[str, str, Moment]]:
    """Section, key and moment of everything that can be configured."""
    for section, kind in SECTIONS.items():
        for option in options_of(kind):
            yield section, option.name, moment_of(f"{section}.{option.name}")
    for option in options_of(Database):
        yield "databases.NAME", option.name, moment_of(f"databases.NAME.{option.name}")
    yield "defaults", "all", _SECTIONS["defaults"]
