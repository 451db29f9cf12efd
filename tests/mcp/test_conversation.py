"""The conversation on the page for agents, played over stdin and stdout as an agent's client does."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from rewright.engines.postgres.scratch import ScratchServer

pytestmark = [pytest.mark.server, pytest.mark.long]
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "agents.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def missing(told: Any, found: Any, where: str = "") -> list[str]:
    """Where ``found`` lacks what ``told`` says; objects may hold more than is told."""
    if isinstance(told, dict) and isinstance(found, dict):
        return [m for key, value in told.items() for m in missing(value, found.get(key), f"{where}.{key}")]
    if isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        return [
            m for n, pair in enumerate(zip(told, found, strict=True)) for m in missing(*pair, f"{where}[{n}]")
        ]
    return [] if told == found else [f"{where}: {told!r} is told, {found!r} came"]


def test_the_conversation(scratch_server: ScratchServer, module_database: str) -> None:
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(blocks("sql conversation")[0].encode())
    calls = [json.loads(text) for text in blocks("json call")]
    answers = [json.loads(text) for text in blocks("json answer")]
    assert len(calls) == len(answers) == 4

    async def played() -> list[Any]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "rewright", "mcp"], env=os.environ | {"REWRIGHT_DSN": dsn}
        )
        async with Client(stdio_client(server)) as client:
            return [await client.call_tool(call["tool"], call["arguments"]) for call in calls]

    for told, came in zip(answers, asyncio.run(played()), strict=True):
        assert not came.is_error, came.content
        assert not missing(told, json.loads(came.content[0].text))
