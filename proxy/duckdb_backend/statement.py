"""What a session keeps of a statement that a lake answers. Must not know how it is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewright.proxy.duckdb_backend.commands import Copy, Declare
from rewright.proxy.duckdb_backend.ports import Prepared, SqlPrepared
from rewright.proxy.duckdb_backend.prepare_texts import ExecutePrepared, Prepare
from rewright.proxy.ports import ResultColumn, SqlError


@dataclass(frozen=True, slots=True)
class LakeStatement:
    """A prepared lake query in the place of an ``Answer``.

    ``command``: what it does, where it is no query of its own; a ``SqlPrepared`` is one whose names are found
    with the values of an EXECUTE.
    """

    prepared: Prepared
    command: Declare | Copy | Prepare | ExecutePrepared | SqlPrepared | None = None
    token: str = ""
    redirects: bool = False
    rights: bool = False

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        """None where the statement gives no rows as a query does."""
        return self.prepared.columns if isinstance(self.command, ExecutePrepared | None) else ()

    @property
    def parameters(self) -> tuple[int, ...]:
        return self.prepared.param_types

    async def run(self, session: object, parameters: Sequence[object] = ()) -> Any:
        """Never asked: ``execute_exchange`` stands in its place."""
        del session, parameters
        raise SqlError("XX000", "internal error: a lake statement was run as a local answer")
