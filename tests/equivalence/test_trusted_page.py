"""The page of what a proof rests on lists every module that the replay of a proof imports, and no other, with
its size.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "trusted.md").read_text()
ROW = re.compile(r"^\| `([\w/]+\.py)` \| (\d+) \|", re.MULTILINE)
# reading both texts, also such as look at the rows first, replaying a proof by parts or of the whole, joining steps, opening literals
ROOTS = (
    "sql/binder/__init__.py",
    "equivalence/proof.py",
    "equivalence/prover/replay.py",
    "equivalence/decomposition/parts.py",
    "equivalence/decomposition/refinement.py",
    "equivalence/decomposition/steps.py",
    "equivalence/decomposition/templates.py",
    "equivalence/gates.py",
    "equivalence/settled.py",
)
TRUSTED = ("sql", "equivalence")
# a listed size may be off by this share before the page must be brought up to date
_SLACK = 0.2


def trusted_files() -> set[str]:
    """All files of the trusted packages that are imported from the roots, whether at once or when they are
    needed.
    """
    found: set[str] = set()
    left = list(ROOTS)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += _imported(path)
    return found


def _imported(path: str) -> Iterator[str]:
    own = ("rewright", *Path(path).parts[:-1])
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            modules = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = own[: len(own) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            modules = [module, *((*module, alias.name) for alias in node.names)]
        else:
            continue
        for module in modules:
            yield from _files(module)


def _files(module: tuple[str, ...]) -> Iterator[str]:
    """The file of a module of ours and those of the packages that it lies in, which are imported first."""
    if module[:1] != ("rewright",) or (module[1:2] and module[1] not in TRUSTED):
        return
    for end in range(2, len(module) + 1):
        place = Path(*module[1:end])
        for candidate in (place.with_suffix(".py"), place / "__init__.py"):
            if (ROOT / candidate).exists():
                yield candidate.as_posix()


def test_every_module_of_the_proof_path_is_listed() -> None:
    listed = [name for name, _ in ROW.findall(PAGE)]
    assert len(listed) == len(set(listed))
    assert set(listed) == trusted_files()


def test_the_rewriter_is_not_among_them() -> None:
    assert not [name for name in trusted_files() if not name.startswith(tuple(f"{t}/" for t in TRUSTED))]


def test_sizes_are_about_right() -> None:
    for name, lines in ROW.findall(PAGE):
        actual = len((ROOT / name).read_text().splitlines())
        assert abs(int(lines) - actual) <= max(_SLACK * actual, 10), f"{name} has {actual} lines"
