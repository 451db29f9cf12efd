"""The tools' work, without the protocol: commands that run in processes of their own.

Owns what each tool runs and what a client may read of its failure. Must not know the protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from rewright.mcp import meaning
from rewright.mcp.children import CallFailed, Children
from rewright.mcp.summaries import summary_of


@dataclass(frozen=True, slots=True)
class Targets:
    """What the tools work on, chosen by who starts the server and not by the client.
    ``lake``: a directory.
    """

    dsn: str = ""
    lake: str = ""
    config: str = ""


class Tools:
    """The tools' work, without the protocol. Each raises ToolError for what a client should read."""

    def __init__(self, targets: Targets, children: Children) -> None:
        self.targets = targets
        self.children = children

    async def verify(
        self, original: str, candidate: str, schema_sql: str | None, seconds: float
    ) -> dict[str, Any]:
        texts = {"original.sql": original, "candidate.sql": candidate}
        words = ["verify", "original.sql", "candidate.sql", "--json", "--timeout", f"{seconds}s"]
        if schema_sql is not None:
            texts["schema.sql"] = schema_sql
            words += ["--schema", "schema.sql"]
        else:
            self._needs_database("give schema_sql, or start the server with --dsn")
        # the scratch server starts and ends beside the check
        document: dict[str, Any] = await self._call(words, texts, seconds + 30)
        return document | {"meaning": meaning.of_verdict(document)}

    async def rewrite(self, query: str, trust: str, measure: str, seconds: float) -> dict[str, Any]:
        self._needs_database("rewrite needs a database: start the server with --dsn")
        words = [
            "rewrite",
            "query.sql",
            "--trust",
            trust,
            "--measure",
            measure,
            "--budget",
            f"{seconds}s",
            "--json",
        ]
        # the budget is the search's; beginning and ending come on top
        document: dict[str, Any] = await self._call(words, {"query.sql": query}, seconds + 60, heavy=True)
        return document

    async def hint(self, query: str, seconds: float) -> dict[str, Any]:
        self._needs_database("hint needs a database: start the server with --dsn")
        words = ["hint", "query.sql", "--budget", f"{seconds}s", "--json"]
        # the search ends by its budget, and tells what it has found so far
        document: dict[str, Any] = await self._call(words, {"query.sql": query}, seconds + 60, heavy=True)
        return document

    async def plan(self, query: str, analyze: bool, seconds: float) -> dict[str, Any]:
        self._needs_database("plan needs a database: start the server with --dsn")
        words = ["plan", "query.sql", "--timeout", f"{seconds}s", *["--analyze"] * analyze]
        document: dict[str, Any] = await self._call(
            words, {"query.sql": query}, seconds + 20, reading=True, heavy=analyze
        )
        return document

    async def top_queries(self, limit: int) -> list[dict[str, Any]]:
        self._needs_database("top_queries needs a database: start the server with --dsn")
        words = ["top", "--limit", str(limit), *self._config()]
        found: list[dict[str, Any]] = await self._call(words, {}, 30, reading=True)
        return found

    async def lake_tables(self, search: str, tables: int) -> dict[str, Any]:
        found: list[dict[str, Any]] = await self._call(["lake", "tables", self._lake(), "--json"], {}, 300)
        return summary_of(found, self._lake(), search, tables)

    async def lake_query(self, query: str, rows: int, seconds: float) -> dict[str, Any]:
        # no model: the client is one itself, and pays for its own
        words = ["lake", "query", self._lake(), "--json", "--model", "off", "-"]
        document: dict[str, Any] = await self._call(words, {}, seconds, told=query, heavy=True)
        everything = document["rows"]
        return document | {
            "rows": everything[:rows],
            "row_count": len(everything),
            "truncated": len(everything) > rows,
        }

    async def augment(
        self, table: str, target: str, tables: int, hops: int, seconds: float
    ) -> dict[str, Any]:
        words = [
            "augment", "--json", "--no-history", f"--lake={self._lake()}", f"--table={table}",
            f"--target={target}", f"--tables={tables}", f"--hops={hops}", f"--budget={seconds}s",
        ]  # fmt: skip
        # indexing a lake that nobody has looked at before is not part of the search
        document: dict[str, Any] = await self._call(words, {}, seconds + 300, heavy=True)
        return document

    async def ask(self, question: str, rows: int, seconds: float) -> dict[str, Any]:
        """Of the lake where there is no database. A refused question is an answer, too: it says what was
        unclear.
        """
        # a database goes before a lake where there are both
        of = [] if self.targets.dsn else ["--lake", self._lake()]
        words = [
            "ask", *self._config(), "--json", "--model", "off", "--rows", str(rows), "--seconds",
            str(seconds), *of, "-",
        ]  # fmt: skip
        document: dict[str, Any] = await self._call(
            words, {}, seconds + 60, told=question, answers_anyway=True, heavy=True
        )
        return document

    async def log(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = await self._call(["log", "--json", *self._config()], {}, 30)
        return entries

    async def one_rewrite(self, identifier: int) -> dict[str, Any]:
        found: dict[str, Any] = await self._call(["show", str(identifier), "--json", *self._config()], {}, 30)
        return found

    async def _call(
        self,
        words: list[str],
        texts: dict[str, str],
        seconds: float,
        *,
        told: str = "",
        reading: bool = False,
        answers_anyway: bool = False,
        heavy: bool = False,
    ) -> Any:
        module = "rewright.mcp.reading" if reading else "rewright"
        try:
            return await self.children.document(
                words,
                texts=texts,
                told=told,
                seconds=seconds,
                module=module,
                answers_anyway=answers_anyway,
                heavy=heavy,
            )
        except CallFailed as error:
            raise ToolError(str(error)) from error

    def _needs_database(self, otherwise: str) -> None:
        if not self.targets.dsn:
            raise ToolError(otherwise)

    def _lake(self) -> str:
        if not self.targets.lake:
            raise ToolError("there is no lake: start the server with --lake DIR")
        return self.targets.lake

    def _config(self) -> list[str]:
        return ["--config", self.targets.config] if self.targets.config else []
