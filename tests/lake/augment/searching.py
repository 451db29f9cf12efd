"""Lakes of a few tables given as rows, opened or searched for what helps a target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Report, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import CachedEmbedder
from tests.lake.small_lakes import write

# by name: the header and the rows
Tables = dict[str, tuple[Sequence[str], Sequence[Sequence[object]]]]


def written(folder: Path, tables: Tables) -> Path:
    """The folder of a lake of these tables, made in ``folder``."""
    where = folder / "lake"
    where.mkdir()
    for name, (header, rows) in tables.items():
        write(where / f"{name}.csv", list(header), [list(row) for row in rows])
    return where


@contextmanager
def indexed(folder: Path, embedder: CachedEmbedder, tables: Tables) -> Iterator[Lake]:
    """A lake of these tables with its joins found and its rows kept."""
    with open_lake(written(folder, tables), catalog=folder / "c.db", embedder=embedder) as lake:
        lake.graph()
        keep_rows(lake)
        yield lake


def searched(folder: Path, embedder: CachedEmbedder, tables: Tables, spec: BaseSpec) -> Report:
    """What is found in a lake of these tables that nobody has indexed."""
    with open_lake(written(folder, tables), catalog=folder / "c.db", embedder=embedder) as lake:
        return augment(lake, spec)
