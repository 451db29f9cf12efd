"""Commands that run beside the MCP server: what they are told, and how much of what they say is kept."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from rewright.mcp import children as module
from rewright.mcp.children import CallFailed, Children
from rewright.mcp.tools import Targets, Tools

ECHO = "import json, sys; print(json.dumps([sys.argv[1:], sys.stdin.buffer.read().decode()]))"
ENDLESS = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
LOUD = "import sys\nfor n in range(20000): print('warning', n, file=sys.stderr)\nsys.exit('the last word')"


@pytest.fixture
def programs(tmp_path: Path) -> Children:
    for name, text in (("echo", ECHO), ("endless", ENDLESS), ("loud", LOUD)):
        (tmp_path / f"told_{name}.py").write_text(text)
    return Children(environment={"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})


def document(programs: Children, name: str, words: list[str], **more: Any) -> Any:
    return asyncio.run(programs.document(words, module=f"told_{name}", seconds=60, **more))


def test_what_a_client_wrote_goes_by_stdin(programs: Children) -> None:
    """Longer than a command line may be, and with what looks like an option."""
    text = "--help 'Zürich' " * 10_000
    assert document(programs, "echo", ["-"], told=text) == [["-"], text]


def test_a_document_without_end_is_not_read_to_its_end(
    programs: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int | None] = []
    real = module._end

    async def end(process: asyncio.subprocess.Process) -> None:
        await real(process)
        ended.append(process.returncode)

    monkeypatch.setattr(module, "_end", end)
    with pytest.raises(CallFailed, match="the answer is larger than 2000000 bytes"):
        document(programs, "endless", [])
    assert ended
    assert ended[0] is not None


def test_of_many_words_about_a_failure_the_last_line_is_told(programs: Children) -> None:
    with pytest.raises(CallFailed, match=r"\Athe last word\Z"):
        document(programs, "loud", [])


@pytest.mark.parametrize("where", ["told", "texts"])
def test_half_a_character_is_refused_in_words(programs: Children, where: str) -> None:
    more: dict[str, Any] = {"told": "a\ud800"} if where == "told" else {"texts": {"a.sql": "a\ud800"}}
    with pytest.raises(CallFailed, match="half of a character"):
        document(programs, "echo", [], **more)


def test_no_command_line_holds_what_a_client_wrote() -> None:
    calls: list[tuple[list[str], dict[str, Any]]] = []

    class Noting:
        async def document(self, words: list[str], **more: Any) -> Any:
            calls.append((words, more))
            return {"rows": []}

    noting: Any = Noting()
    tools = Tools(Targets(lake="lake"), noting)
    asyncio.run(tools.lake_query("select 'secret'", 10, 10))
    asyncio.run(tools.ask("who is 'secret'?", 10, 10))
    assert all("secret" not in " ".join(words) for words, _ in calls)
    assert [more["told"] for _, more in calls] == ["select 'secret'", "who is 'secret'?"]
