"""Files that import each other in a circle can only be read, and changed, together: no circle has more than
three.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "rewright"
MOST = 3


def modules() -> dict[str, Path]:
    """All modules of the package by name; its folders are links to those beside it."""
    return dict(_modules(PACKAGE, "rewright"))


def _modules(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (path / "__init__.py").exists():
            yield from _modules(path, f"{name}.{path.name}")
        elif path.suffix == ".py":
            yield (name if path.stem == "__init__" else f"{name}.{path.stem}"), path


def imported(name: str, path: Path, known: Mapping[str, Path]) -> set[str]:
    """What a module imports: at once, in a function, or for the type checker, since readers follow types."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            below = {f"{module}.{alias.name}" for alias in node.names}
            found |= below & known.keys() or {module}
    return (found & known.keys()) - {name}


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Sets of modules of which each is reached from each other (Tarjan 1972), largest first."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            at = stack.index(name)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return sorted((one for one in found if len(one) > 1), key=lambda one: (-len(one), one))


def test_no_circle_is_large() -> None:
    known = modules()
    graph = {name: imported(name, path, known) for name, path in known.items()}
    assert len(graph) > 500
    assert [one for one in circles(graph) if len(one) > MOST] == []


def test_a_circle_is_seen_wherever_it_imports(tmp_path: Path) -> None:
    """At the top, in a function, relatively, for types alone."""
    for name, text in {
        "__init__": "",
        "a": "from p.b import x",
        "b": "def f():\n    from . import c",
        "c": "import p.d",
        "d": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.a\nfrom p import e",
        "e": "",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    known = dict(_modules(tmp_path, "p"))
    graph = {name: imported(name, path, known) for name, path in known.items()}
    assert circles(graph) == [["p.a", "p.b", "p.c", "p.d"]]
