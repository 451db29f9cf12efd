"""What the admin database shows and does, over the store, the configuration and the other processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright import version
from rewright.config.model import Config
from rewright.config.reloading import moment_of
from rewright.config.showing import effective
from rewright.proxy.admin.commands import Commands
from rewright.proxy.answers.calls import Killer
from rewright.proxy.answers.relations import stored_rows
from rewright.proxy.ports import LocalAnswers, SessionView, SqlError
from rewright.proxy.upstream import DsnError, parse_dsn
from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.wiring.answers import tell_pause

# reads the configuration again in every process; what was wrong with it, or nothing
Reloader = Callable[[], Awaitable[str]]


def make(
    store: Store, config: Config, others: LocalAnswers | None, kill: Killer, reload: Reloader
) -> Commands:
    return Commands(_Actions(store, config, kill, reload), others)


@dataclass(frozen=True, slots=True)
class _Actions:
    store: Store
    of_now: Config
    killer: Killer
    reloader: Reloader

    @property
    def version(self) -> str:
        return version()

    def rows(self, relation: str, session: SessionView) -> Sequence[Mapping[str, Any]]:
        try:
            return stored_rows(relation, self.store, session) or ()
        except StoreError as error:
            raise SqlError("58030", f"the store of Rewright cannot be read: {error}") from error

    def config(self) -> Sequence[tuple[str, str, str, str, str]]:
        # the defaults as they are without a file or a variable
        usual = {key: value for key, value, _ in effective(Config())}
        return tuple(
            (key, value, usual.get(key, ""), origin, moment_of(key))
            for key, value, origin in effective(self.of_now)
        )

    def databases(self) -> Sequence[tuple[str, str, str, int]]:
        return tuple(
            (name, one.engine, _hosts(one.dsn), one.max_connections)
            for name, one in sorted(self.of_now.databases.items())
        )

    def pause(self, paused: bool, by: str) -> None:
        tell_pause(self.store, self.of_now, paused, by)

    async def reload(self) -> None:
        problem = await self.reloader()
        if problem:
            raise SqlError("F0000", "the configuration is wrong; nothing has changed", detail=problem)

    async def kill(self, pid: int, database: str) -> bool:
        return await self.killer(pid, database)


def _hosts(dsn: str) -> str:
    if not dsn:
        return ""
    try:
        return ",".join(f"{host.name}:{host.port}" for host in parse_dsn(dsn).hosts)
    except DsnError:
        return ""
