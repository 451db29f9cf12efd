"""How clients are configured in the documents: connected with what each says, as that client would."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
import yaml
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from psycopg import sql

from tests.documents.pages import Block, blocks
from tests.documents.world import PASSWORD, World

pytestmark = pytest.mark.server


def shown(port: int, database: str, options: str = "", **settings: str) -> str:
    """`rewright.min_duration` of a session with those options in which those parameters were set."""
    with psycopg.connect(
        host="127.0.0.1",
        port=port,
        user="postgres",
        password=PASSWORD,
        dbname=database,
        options=options,
        autocommit=True,
    ) as connection:
        for name, value in settings.items():
            connection.execute(sql.SQL("set session {} to {}").format(sql.SQL(name), sql.Literal(value)))
        row = connection.execute("show rewright.min_duration").fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_django(block: Block, documents: World) -> None:
    """Its backend gives psycopg what OPTIONS say, as they are."""
    names: dict[str, Any] = {}
    exec(compile(block.text, str(block), "exec"), names)
    told = names["DATABASES"]["default"]
    assert told.keys() >= {"ENGINE", "HOST", "NAME"}
    assert told["PORT"] == "6432"
    assert shown(documents.proxy, told["NAME"], **told["OPTIONS"]) == "500ms"


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_rails(block: Block, documents: World) -> None:
    """Active Record's adapter sends ``SET SESSION name TO 'value'`` for each variable."""
    told = yaml.safe_load(block.text)["production"]
    assert told["port"] == 6432
    assert shown(documents.proxy, told["database"], **told["variables"]) == "500ms"


@pytest.mark.parametrize("block", blocks("text", "url"), ids=str)
def test_jdbc(block: Block, documents: World) -> None:
    """pgjdbc sends ``options`` as the parameter of that name at connect."""
    address = urlsplit(block.text.strip().removeprefix("jdbc:"))
    assert address.port == 6432
    (options,) = parse_qs(address.query)["options"]
    assert shown(documents.proxy, address.path.strip("/"), options) == "500ms"


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_an_agents_client(block: Block, documents: World) -> None:
    """The server is started as the client would; its tools are there, and one of them reaches the database."""
    (told,) = json.loads(documents.here(block.text))["mcpServers"].values()
    parameters = StdioServerParameters(**(told | {"env": documents.environment | told["env"]}))

    async def asked() -> Any:
        async with Client(stdio_client(parameters)) as client:
            assert "verify" in {tool.name for tool in (await client.list_tools()).tools}
            return await client.call_tool("plan", {"query": "select * from museum"})

    answer = asyncio.run(asked())
    assert not answer.is_error, answer.content
