"""Every statement of the documents is run in psql through the proxy, and shows what its page says."""

from __future__ import annotations

import re
import subprocess

import psycopg
import pytest

from rewright.lake.augment.statement import statement_of
from tests.documents.pages import Block, blocks, forms
from tests.documents.world import PASSWORD, World

pytestmark = pytest.mark.server
VALUES = {
    "n": "3",
    "time": "5s",
    "condition": "wind > 1",
    "SELECTOR name": "SELECTOR exhaustive",
    "STRATEGY name": "STRATEGY bfs",
}


def psql(documents: World, database: str, script: str) -> subprocess.CompletedProcess[str]:
    dsn = f"host=127.0.0.1 port={documents.proxy} user=postgres dbname={database}"
    return subprocess.run(
        ["psql", "-X", "-v", "ON_ERROR_STOP=on", dsn],
        cwd=documents.home, input=script, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("block", blocks("sql"), ids=str)
def test_statements_run(block: Block, documents: World) -> None:
    done = psql(documents, "app", block.text)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("block", blocks("psql"), ids=str)
def test_transcripts_are_what_is_said(block: Block, documents: World) -> None:
    """Each line that is told is there, in this order; an ellipsis stands for anything."""
    prompt = re.compile(r"^(\w+)=> (.*)$", re.MULTILINE)
    ((database, _), *_) = prompt.findall(block.text)
    script = "\n".join(text for _, text in prompt.findall(block.text))
    done = psql(documents, database, script)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    came = [" ".join(line.split()) for line in (done.stderr + done.stdout).splitlines()]
    for told in (line for line in block.text.splitlines() if not prompt.match(line)):
        pattern = re.escape(" ".join(told.split())).replace("…", ".*")
        found = [number for number, line in enumerate(came) if re.fullmatch(pattern, line)]
        assert found, f"{told}\n{done.stderr}\n{done.stdout}"
        del came[: found[0] + 1]


@pytest.mark.parametrize("block", blocks("sql", "synopsis"), ids=str)
def test_synopses_are_the_grammar(block: Block) -> None:
    """At the least, at the most, and with each part alone."""
    synopsis = " ".join(block.text.split())
    least, most = forms(synopsis.replace("EXPLAIN | ", ""))
    parts = re.findall(r"\[([A-Z][^\[\]]*)\]", synopsis.split("TARGET column")[1])
    assert len(parts) > 8
    for form in (least, most, f"EXPLAIN {least}", *(f"{least} {part}" for part in parts)):
        text = re.sub(r",\s*\.\.\.|,\s*(?=\))", "", form)
        for word, value in VALUES.items():
            text = re.sub(rf"(?<![\w.]){word}(?!\w)", value, text)
        statement_of(text)


def test_what_was_called_is_done(documents: World) -> None:
    """The statements on pages that decide do decide."""
    with psycopg.connect(
        f"host=127.0.0.1 port={documents.proxy} user=postgres password='{PASSWORD}' dbname=app",
        autocommit=True,
    ) as connection:
        connection.execute("call rewright.reject(7)")
        state = connection.execute("select state from rewright.rewrites where id = 7").fetchone()
    assert state == ("rejected",)
