r"""A user's views over a lake as psql's ``\d`` and other tools list them: names and columns on the shadow.

Owns when the shadow's list changes; a failure here keeps nobody from using a view. Must not know the wire, or
what views mean. docs/decisions/1190-views-of-augment-are-listed.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial

import psycopg
from psycopg.conninfo import make_conninfo

from rewright import logs
from rewright.proxy.ports import ResultColumn, SqlError

log = logs.logger()
Columns = Callable[[str], Awaitable[Sequence[ResultColumn]]]
"""The columns of one of a role's views."""


class ListedViews:
    """The list of one lake. ``shadow``: its address; empty: there is none."""

    def __init__(self, shadow: str) -> None:
        from rewright.engines.postgres.scratch import SUPERUSER

        self._shadow = make_conninfo(shadow, user=SUPERUSER) if shadow else ""
        self._compared: set[str] = set()

    async def compare(self, role: str, views: Mapping[str, str], columns: Columns) -> None:
        """List what a role has, once: the shadow is made anew with each start."""
        if role in self._compared:
            return
        self._compared.add(role)
        for name in views:
            await self.show(role, name, columns)

    async def show(self, role: str, name: str, columns: Columns) -> None:
        """List a view that was made."""
        from rewright.engines.duckdb.shadow_views import show_view

        if not self._shadow:
            return
        try:
            told = [(one.name, one.type_oid, one.typmod) for one in await columns(name)]
        except SqlError as error:
            # its tables are not what they were: it is listed once it is made again
            log.info("lake.view_not_listed", reason=error.message)
            return
        await self._do(partial(show_view, self._shadow, role, name, told))

    async def hide(self, role: str, names: Collection[str]) -> None:
        """List views that were dropped no longer."""
        from rewright.engines.duckdb.shadow_views import hide_views

        if self._shadow:
            await self._do(partial(hide_views, self._shadow, role, [name.lower() for name in names]))

    async def _do(self, change: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(change)
        except psycopg.Error as error:
            log.warning("lake.view_not_listed", reason=str(error).split("\n")[0])
