"""Progress of a benchmark: a bar on stderr where that is a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TypeVar

from tqdm import tqdm

T = TypeVar("T")


def bar(items: Iterable[T], what: str, *, total: int | None = None) -> Iterable[T]:
    """The items, with a bar that tells how many of them are done; ``total`` where they have no length."""
    # None: disabled where stderr is no terminal
    return tqdm(items, desc=what, total=total, disable=None, dynamic_ncols=True)  # type: ignore[no-any-return] # tqdm has no types


def say(*parts: Any, to_stderr: bool = False) -> None:
    """A line of output, at once and above the bar."""
    stream = sys.stderr if to_stderr else sys.stdout
    tqdm.write(" ".join(map(str, parts)), file=stream)
    stream.flush()
