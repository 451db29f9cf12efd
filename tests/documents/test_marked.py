"""Blocks that are not run are right as far as that can be seen without running them."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import click
import pytest

from rewright.cli import rewright as program
from rewright.config.loading import ConfigError, load
from tests.documents.pages import REASONS, TREE, Block, all_blocks, blocks, forms, lines

MAKEFILE = (TREE / "Makefile").read_text()
EXTRAS = tomllib.loads((TREE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
# words that begin something to type
TYPED = re.compile(
    r"^\s*[$>]?\s*(?:rewright|make|pip|psql|python3?|curl|docker|kubectl|systemctl|uv|select|call|set|show|create|alter|grant|ask)\s",
    re.IGNORECASE,
)
MARKED = [
    pytest.param(block, line, id=f"{block}-{line[:40]}")
    for block in all_blocks()
    if block.language == "sh" and block.mark in REASONS and not block.alone
    for line in lines(block.text)
]


@pytest.mark.parametrize(("block", "line"), MARKED)
def test_what_is_not_run_is_there(block: Block, line: str) -> None:
    for form in forms(line):
        words = [word for word in shlex.split(form) if not re.match(r"[A-Z_]+=", word)]
        assert known(words), f"{block}: {form}"


def known(words: list[str]) -> bool:
    """Whether targets, extras, modules, commands and options of it exist."""
    match words:
        case ["make", *targets]:
            return all(
                re.search(rf"^(?:{target}|{_family(target)}):", MAKEFILE, re.MULTILINE) for target in targets
            )
        case ["pip", "install", wanted] if wanted.startswith("rewright"):
            return set(re.findall(r"\w+", wanted)) - {"rewright"} <= set(EXTRAS)
        case ["python", "-m", module, *options]:
            assert importlib.util.find_spec(module) is not None
            return _options(options) <= told(module)
        case ["uv", "tool", "install", "rewright"]:
            return True
        case ["python3", "-m", "venv", *_] | [".venv/bin/uv", "pip", "compile", *_] | ["export", *_]:
            return True
        case ["rewright", "bench", name, *options]:
            return _options(options) <= told("rewright", "bench", name)
        case ["rewright", *rest]:
            return _command(rest)
    return False


def _family(target: str) -> str:
    return f"{target.split('-')[0]}-%"


def _options(words: list[str]) -> set[str]:
    return {word.split("=")[0] for word in words if word.startswith("--")}


@cache
def told(*words: str) -> set[str]:
    """The options in what ``--help`` says."""
    done = subprocess.run(
        [sys.executable, "-m", *words, "--help"], cwd=TREE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"--[a-z][\w-]*", done.stdout))


def _command(words: list[str]) -> bool:
    command: click.Command = program
    context = click.Context(program)
    while isinstance(command, click.Group):
        found = command.get_command(context, words.pop(0))
        if found is None:
            return False
        command = found
    return _options(words) <= {name for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("block", blocks("toml", "spark"), ids=str)
def test_configurations_of_spark_load(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "rewright.toml"
    file.write_text(block.text)
    wrong: list[str] = []
    try:
        load(file, environment={})
    except ConfigError as error:
        wrong = [one for one in error.problems if "needs the Python packages" not in one]
    assert wrong == []


@pytest.mark.parametrize("block", blocks("text"), ids=str)
def test_a_text_is_nothing_to_type(block: Block) -> None:
    if block.page.startswith("docs/reference/"):
        return  # made from the code: what commands say of themselves, what models are told
    typed = [line for line in block.text.splitlines() if TYPED.match(line)]
    assert typed == [], "mark it sh or sql, so that it is run"
