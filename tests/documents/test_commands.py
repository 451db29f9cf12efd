"""Every command of a shell in the documents is run, in its page's order, and succeeds."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from rewright.engines.postgres.scratch import free_port
from tests.documents.pages import Block, blocks, forms, lines
from tests.documents.world import World
from tests.proxy.waiting import until

pytestmark = [pytest.mark.server, pytest.mark.timeout(290), pytest.mark.long]
PAGES = sorted({block.page for block in (*blocks("sh"), *blocks("sh", "synopsis"))})
# commands that go on until they are stopped, and what shows that they have begun
LASTING = {
    r"rewright serve": r"^listening on",
    r"rewright log .*--follow": r"^",
    r"rewright mcp --http": r"/mcp",
}


@pytest.mark.parametrize("page", PAGES)
def test_commands_of(page: str, documents: World) -> None:
    own = {"p6432": free_port()} if any("rewright serve" in line for line in typed(page)) else {}
    environment = dict(os.environ)
    documents.begin_statistics()
    if own:
        environment["REWRIGHT_HTTP__ADDRESS"] = f"127.0.0.1:{free_port()}"
    with ExitStack() as lasting:
        for line in typed(page):
            command = documents.here(line, **own)
            sign = next((sign for start, sign in LASTING.items() if re.search(start, command)), None)
            if sign is not None:
                lasting.enter_context(going_on(command, sign, documents.home, environment))
            else:
                run(command, documents.home, environment)
    subprocess.run(["rewright", "resume"], cwd=documents.home, check=True, capture_output=True)


def typed(page: str) -> list[str]:
    found: list[Block] = [one for one in (*blocks("sh"), *blocks("sh", "synopsis")) if one.page == page]
    return [
        form
        for block in sorted(found, key=lambda one: one.line)
        for line in lines(block.text)
        # at the most: what is in brackets may be left out, as test_guides.py knows from the options themselves
        for form in (forms(line)[1:] if block.mark else [line])
    ]


def run(command: str, home: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"


@contextmanager
def going_on(command: str, sign: str, home: Path, environment: dict[str, str]) -> Iterator[None]:
    """Started, and stopped at the end of the page: it is there until then, and ends as it should."""
    with tempfile.NamedTemporaryFile("w", dir=home, delete=False) as output:
        said = Path(output.name)
        process = subprocess.Popen(
            ["bash", "-euc", f"exec env {command}"],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # a shell's background jobs, and what they start, ignore it
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        )
    try:
        until(lambda: process.poll() is not None or re.search(sign, said.read_text(), re.MULTILINE))
        assert process.poll() is None, f"{command}\n{said.read_text()}"
        yield
        assert process.poll() is None, f"{command}\n{said.read_text()}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert "Traceback" not in said.read_text(), f"{command}\n{said.read_text()}"
