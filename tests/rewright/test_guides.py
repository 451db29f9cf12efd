"""The documents say what is there: configurations load, commands and their options exist, settings and events
are real.
"""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rewright.cli import rewright as program
from rewright.config.loading import ConfigError, load
from rewright.settings import REGISTRY

TREE = Path(__file__).resolve().parents[2]
PAGES = sorted([TREE / "README.md", *(TREE / "docs").glob("*.md"), *(TREE / "docs" / "guide").glob("*.md")])
TOLD = {"debug", "info", "warning", "error", "exception", "critical", "event"}
# commands whose options are declared in their own packages
ELSEWHERE = {"ask": "rewright.ask.command", "augment": "rewright.lake.augment.command"}
# parts of the product; a text between them is not ours to check
PARTS = [
    "ask",
    "console",
    "engines",
    "equivalence",
    "hints",
    "knowledge",
    "lake",
    "models",
    "proxy",
    "rewrite",
    "rewright",
    "sql",
    "store",
]


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for number, text in enumerate(
            re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        ):
            yield f"{page.relative_to(TREE)}-{number}", text


def test_configurations_load(tmp_path: Path) -> None:
    """Keys and values are right; files that they name need not exist here."""
    seen = 0
    for name, text in blocks("toml"):
        if "upstream_user" in text and "[auth]" not in text:
            continue  # users.toml
        tomllib.loads(text)
        path = tmp_path / "rewright.toml"
        path.write_text(re.sub(r'(\w+)_file = ".*"', rf'\1_file = "{tmp_path}/secret"', text))
        (tmp_path / "secret").write_text("postgresql://db.internal/app")
        try:
            load(path, environment={})
        except ConfigError as error:
            # what a page says of Spark is right also where Spark is not installed
            wrong = [one for one in error.problems if "needs the Python packages" not in one]
            assert wrong == [], name
        seen += 1
    assert seen > 8


def lines() -> Iterator[tuple[str, str]]:
    """Commands of ours in blocks of a shell, and between backticks in sentences."""
    for page in PAGES:
        for command in re.findall(r"`(rewright [a-z][^`\n]*)`", page.read_text()):
            if command != "rewright optimiser":  # an application_name
                yield str(page.relative_to(TREE)), command
    for kind in ("sh", "sh synopsis", "sh setup"):
        for name, text in blocks(kind):
            for line in text.replace("\\\n", " ").splitlines():
                found = re.match(r"(?:\.venv/bin/|[A-Z_]+=\S+ )*(rewright [a-z].*)", line.strip())
                if found:
                    yield name, found[1]


def option_names(command: click.Command) -> set[str]:
    names = {"--help", "-h"}
    for parameter in command.params:
        names |= {*parameter.opts, *parameter.secondary_opts}
    return names


def test_commands_and_options_exist() -> None:
    seen = 0
    for name, line in lines():
        # brackets and ellipses of a synopsis; comments; what a shell does with the output
        plain = re.sub(r"[\[\]|]|\.\.\.", " ", re.sub(r"\s+(#|[0-9]?>|&).*$", "", line))
        words = shlex.split(plain.replace("'", "").replace('"', ""))[1:]
        command: click.Command = program
        context = click.Context(program)
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = command.get_command(context, words.pop(0))
            assert found is not None, f"{name}: {line}"
            command = found
        if line.startswith("rewright bench"):
            continue  # each benchmark has options of its own
        if command.name in ELSEWHERE:
            command = importlib.import_module(ELSEWHERE[command.name]).command
        for word in words:
            if re.match(r"--[a-z]", word):
                assert word.split("=")[0] in option_names(command), f"{name}: {line}"
        seen += 1
    assert seen > 80


def test_settings_that_pages_set_exist() -> None:
    known = {one.full_name for one in REGISTRY}
    for page in PAGES:
        for name in re.findall(
            r"(?i)\b(?:set|reset|show) (?:local |session )?(rewright\.\w+)", page.read_text()
        ):
            assert name in known | {"rewright.last"}, f"{page.name}: {name}"


def events() -> set[str]:
    """The first argument of each call that logs, where it is a name with a point in it."""
    found = set()
    for part in PARTS:
        for path in (TREE / part).rglob("*.py"):
            text = path.read_text()
            # reading the syntax of a file takes long, and most do not log
            for node in ast.walk(ast.parse(text)) if any(f".{one}" in text for one in TOLD) else ():
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                    continue
                if node.func.attr in TOLD:
                    for one in ast.walk(node.args[0]):
                        if isinstance(one, ast.Constant) and isinstance(one.value, str):
                            found |= set(re.findall(r"^[a-z_]+\.[a-z_]+$", one.value))
    return found


def test_every_event_is_documented_and_no_other() -> None:
    told = re.findall(r"^\| `([a-z_.]+)` \|", (TREE / "docs/reference/events.md").read_text(), re.MULTILINE)
    assert sorted(told) == sorted(events())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_relations_that_pages_name_exist(page: Path) -> None:
    from rewright.proxy.answers.relations import RELATIONS

    known = {one.name for one in RELATIONS}
    for name in re.findall(r"(?i)\b(?:from|join) rewright\.(\w+)", page.read_text()):
        assert name in known, name
