"""Functions and files stay as short as they are: what grows is divided, or this is raised with a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from statistics import median

from tests.rewright.test_import_circles import modules

# lines of a function, and the share of functions that may be longer
LONG, SHARE = 40, 0.0075
LONGEST = 90
MEDIAN = 8
# lines of a file, and the share of files that may be longer
LONG_FILE, SHARE_OF_FILES = 300, 0.11


@cache
def functions() -> dict[str, int]:
    """The lines of each function of the package, by module, name and first line."""
    return {
        f"{name}.{node.name}:{node.lineno}": (node.end_lineno or node.lineno) - node.lineno + 1
        for name, path in modules().items()
        for node in _defined(ast.parse(path.read_text(encoding="utf-8")))
    }


def _defined(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_few_functions_are_long() -> None:
    longer = {name: lines for name, lines in functions().items() if lines > LONG}
    assert len(longer) <= SHARE * len(functions()), sorted(longer)
    assert {name: lines for name, lines in longer.items() if lines > LONGEST} == {}


def test_most_functions_are_short() -> None:
    assert median(functions().values()) <= MEDIAN


def test_few_files_are_long() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules().items()}
    longer = sorted(name for name, count in lines.items() if count > LONG_FILE)
    assert len(longer) <= SHARE_OF_FILES * len(lines), longer
