"""The fenced blocks of README, CONTRIBUTING and every page below docs, and who runs which of them.

A block's info string is its language and at most one mark. What cannot be run by a test is marked with one of
REASONS; every other kind has a test that takes all blocks of it. Must not run anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

TREE = Path(__file__).resolve().parents[2]
PAGES = [TREE / "README.md", TREE / "CONTRIBUTING.md", *sorted((TREE / "docs").rglob("*.md"))]
# why a block is not run; what of it is checked all the same is in test_marked.py
REASONS = {
    "setup": "gets packages from an index, or makes, starts or tests a whole checkout",
    "long": "a benchmark, or other people's test suites: minutes to hours, over data that is not here",
    "spark": "needs Spark and a Java runtime, which are several gigabytes",
}
# (language, mark): the module that runs all blocks of the kind
RUN_BY = {
    ("sh", ""): "test_commands.py",
    ("sh", "synopsis"): "test_commands.py",
    ("sql", ""): "test_statements.py",
    ("sql", "synopsis"): "test_statements.py",
    ("psql", ""): "test_statements.py",
    ("toml", ""): "test_configurations.py",
    ("toml", "users"): "test_configurations.py",
    ("ini", ""): "test_configurations.py",
    ("text", "ident"): "test_configurations.py",
    ("text", "logrotate"): "test_deployed.py",
    ("python", ""): "test_clients.py",
    ("yaml", ""): "test_clients.py",
    ("text", "url"): "test_clients.py",
    ("json", ""): "test_clients.py",
    ("text", ""): "test_marked.py",
    ("{toctree}", ""): "../rewright/test_documents.py",
}
# pages whose blocks of a language are run, in their order, by a test of their own
ALONE = {
    ("docs/guide/tutorial.md", "sh"): "../rewright/test_tutorial.py",
    ("docs/guide/asking.md", "sql"): "../rewright/test_asking_guide.py",
    ("docs/guide/grants.md", "sql"): "../rewright/test_grants.py",
    ("docs/guide/agents.md", "sql conversation"): "../mcp/test_conversation.py",
    ("docs/guide/agents.md", "json call"): "../mcp/test_conversation.py",
    ("docs/guide/agents.md", "json answer"): "../mcp/test_conversation.py",
    # made from the code, and the queries in them are asked of nobody
    ("docs/reference/prompts.md", "sql"): "../rewright/test_reference.py",
}


@dataclass(frozen=True)
class Block:
    """``mark`` is what stands behind the language, ``line`` the number of its first line in the page."""

    page: str
    line: int
    language: str
    mark: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def alone(self) -> str:
        """The test that runs it with its page; empty: none."""
        kind = f"{self.language} {self.mark}".strip()
        return ALONE.get((self.page, kind), "") or (
            ALONE.get((self.page, self.language), "") if self.mark == "refused" else ""
        )


@cache
def all_blocks() -> tuple[Block, ...]:
    """Of every page, in order. Blocks that are only indented are none: they are shown, not typed."""
    return tuple(block for page in PAGES for block in _blocks(page))


def _blocks(page: Path) -> Iterator[Block]:
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and token.map is not None:
            language, _, mark = token.info.strip().partition(" ")
            yield Block(str(page.relative_to(TREE)), token.map[0] + 2, language, mark, token.content)


def blocks(language: str, mark: str = "") -> list[Block]:
    """All of a kind but those that a test of their page runs; there is at least one."""
    found = [one for one in all_blocks() if (one.language, one.mark) == (language, mark) and not one.alone]
    assert found, f"no block is marked {language} {mark}: is its kind still needed?"
    return found


def lines(text: str) -> list[str]:
    """The commands of a block of a shell, continued lines joined, without comments."""
    joined = re.sub(r"\\\n\s*|\n\s+(?=\[)", " ", text)
    plain = (re.sub(r"(^|\s+)#.*$", "", line) for line in joined.splitlines())
    return [" ".join(line.split()) for line in plain if line.strip()]


def forms(synopsis: str) -> list[str]:
    """What a synopsis stands for at the least and at the most: without what is in brackets, and with all of it; of
    alternatives the first.
    """
    least, inner = synopsis, re.compile(r"\[[^\[\]]*\]")
    while inner.search(least):
        least = inner.sub("", least)
    most = synopsis.replace("[", " ").replace("]", " ").replace("...", "")
    return [_first(form.replace("...", "")) for form in (least, most)]


def _first(line: str) -> str:
    return " ".join(word.split("|")[0] for word in re.sub(r" \| \S+", "", line).split())
