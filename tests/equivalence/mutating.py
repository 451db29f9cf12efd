"""The prover without one of its side conditions: a patch of `tests/hazards/mutations` is applied to the
functions in memory.

A function keeps its identity and gets other code, so that whoever has imported it runs the mutant; afterwards
the code is put back. A patch that does not fit the source any more fails. Must not know which conditions
there are.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.equivalence.registry import LAWS, REGISTRY

ROOT = Path(__file__).parents[2]
PATCHES = ROOT / "tests" / "hazards" / "mutations"
_HUNK = re.compile(r"^@@ .*$", re.MULTILINE)


@contextmanager
def switched_off(*ids: str) -> Iterator[None]:
    """Work without these conditions. Raises KeyError for an id that is not in the registry, ValueError where
    a patch does not fit.
    """
    unknown = set(ids) - REGISTRY.keys() - LAWS.keys()
    if unknown:
        raise KeyError(min(unknown))
    undo: list[Callable[[], object]] = []
    try:
        for path, changes in _by_file(ids).items():
            undo += _mutated(path, changes)
        yield
    finally:
        for back in reversed(undo):
            back()


def _by_file(ids: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """For each file the texts that are changed and what to."""
    found: dict[str, list[tuple[str, str]]] = {}
    for id_ in ids:
        text = (PATCHES / f"{id_}.patch").read_text()
        for part in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]:
            names, _, hunks = part.partition("\n+++ ")
            for hunk in _HUNK.split(hunks)[1:]:
                lines = hunk.removeprefix("\n").splitlines()
                before = "\n".join(line[1:] for line in lines if line[:1] != "+")
                after = "\n".join(line[1:] for line in lines if line[:1] != "-")
                found.setdefault(names.strip(), []).append((before, after))
    return found


def _mutated(path: str, changes: list[tuple[str, str]]) -> Iterator[Callable[[], object]]:
    """Change a module's functions; what puts each back is given at once."""
    source = (ROOT / path).read_text()
    changed = source
    for before, after in changes:
        if changed.count(before) != 1:
            raise ValueError(f"{path}: a mutation does not fit any more:\n{before}")
        changed = changed.replace(before, after)
    name = "rewright." + path.removesuffix(".py").replace("/", ".")
    module = importlib.import_module(name)
    yield from _new_names(module, changed, path)
    old, new = (_codes(compile(text, path, "exec")) for text in (source, changed))
    for function in list(_functions(module)):
        was, will = (codes.get(function.__qualname__) for codes in (old, new))
        if was is not None and will is not None and not _alike(was, will):
            yield _swap(function, will)


def _swap(function: FunctionType, code: CodeType) -> Callable[[], None]:
    kept = function.__code__
    function.__code__ = code

    def back() -> None:
        function.__code__ = kept

    return back


def _new_names(module: ModuleType, changed: str, path: str) -> Iterator[Callable[[], object]]:
    """What only the mutant imports or defines."""
    space: dict[str, Any] = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(changed, path, "exec"), space)
    own = vars(module)
    for name in [n for n in space if n not in own and not n.startswith("__")]:
        value = space[name]
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            value = FunctionType(value.__code__, own, name, value.__defaults__)
        own[name] = value
        yield partial(own.pop, name)
    for name, made in space.items():
        if inspect.isclass(made) and made.__module__ == module.__name__ and name in own:
            for method, value in vars(made).items():
                if isinstance(value, FunctionType) and method not in vars(own[name]):
                    setattr(own[name], method, FunctionType(value.__code__, own, method, value.__defaults__))
                    yield partial(delattr, own[name], method)


def _codes(code: CodeType) -> dict[str, CodeType]:
    """The code of each function of a module and of its classes, by qualified name."""
    found: dict[str, CodeType] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and not inner.co_name.startswith("<"):
            found[inner.co_qualname] = inner
            found |= _codes(inner)
    return found


def _alike(one: CodeType, other: CodeType) -> bool:
    """The same but for the lines where it stands."""
    consts = zip(one.co_consts, other.co_consts, strict=False)
    return (
        (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames)
        and len(one.co_consts) == len(other.co_consts)
        and all(
            _alike(x, y) if isinstance(x, CodeType) and isinstance(y, CodeType) else x == y for x, y in consts
        )
    )


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions that a module and its classes define."""
    for owner in (module, *(c for c in vars(module).values() if inspect.isclass(c))):
        for value in list(vars(owner).values()):
            plain = (
                value.fget
                if isinstance(value, property)
                else inspect.unwrap(value)
                if callable(value)
                else value
            )
            if isinstance(plain, FunctionType) and plain.__module__ == module.__name__:
                yield plain
