"""Names say what a thing is in the words of the field, not in a figure of speech."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rewright.test_import_circles import modules

FIGURES = frozenset(
    """
    arena book books butler clerk court courtesy dearest desk door doors doorman doorstep house houses kitchen
    knowing lakeside mind minds notebook referee sieve waiter
    """.split()  # noqa: SIM905 - a list of this length is read more easily as text
)
"""Words that were used for parts of the program."""

MEANT = {
    "lake/files/sheets.py": {"book"},  # openpyxl's word is workbook
}
"""Where such a word is the thing itself."""


def words(name: str) -> set[str]:
    """The words of an identifier or a file's name.

    >>> sorted(words("_HouseRows")), sorted(words("house_rows2"))
    (['house', 'rows'], ['house', 'rows'])
    """
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def identifiers(text: str) -> Iterator[str]:
    """Every name that a module gives or uses; not its texts and comments."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield from (name, asname or "")
            case ast.keyword(arg=str(name)):
                yield name
            case _:
                pass


def figures(path: str, text: str) -> set[str]:
    """The figures of speech among the names of a module."""
    # reading the syntax of a file takes long: only where such a word stands anywhere in it
    named = identifiers(text) if any(word in text.lower() for word in FIGURES) else ()
    used = {word for name in (path, *named) for word in words(name)}
    return (used & FIGURES) - MEANT.get(path, set())


def test_no_name_is_a_figure_of_speech() -> None:
    package = Path(__file__).parents[2]
    found = {}
    for path in modules().values():
        name = path.relative_to(package).as_posix().removeprefix("rewright/")
        name = name if (package / name).exists() else f"rewright/{name}"
        if bad := figures(name, path.read_text(encoding="utf-8")):
            found[name] = bad
    assert found == {}


@pytest.mark.parametrize(
    ("path", "text", "bad"),
    [
        ("proxy/desk.py", "", {"desk"}),
        ("proxy/a.py", "class DoorMat: ...", {"door"}),
        ("proxy/a.py", "def house_rows(): ...", {"house"}),
        ("proxy/a.py", "from x import y as mind", {"mind"}),
        ("proxy/a.py", "f(books=1)", {"books"}),
        ("proxy/a.py", "a.sieve", {"sieve"}),
        ("proxy/a.py", "x = 'house'  # the mind", set()),
        ("proxy/a.py", "remind = warehouse = 1", set()),
    ],
)
def test_where_one_is_found(path: str, text: str, bad: set[str]) -> None:
    assert figures(path, text) == bad
