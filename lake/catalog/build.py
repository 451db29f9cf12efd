"""Bringing the catalog up to date with the folder: new, changed, gone and broken files.

Owns discovery and incremental building. Must not know queries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.duckdb.locked import Limits, open_locked
from engines.duckdb.reading import SUFFIXES, Unreadable
from lake.catalog.model import Broken, Table
from lake.catalog.profile import digest_of, profile
from lake.catalog.storage import Storage


@dataclass(frozen=True, slots=True)
class Update:
    """What a refresh did: names of tables."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    broken: tuple[Broken, ...]

    @property
    def any(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def discover(folder: Path, over: Path | None = None) -> dict[str, Path]:
    """Table name → file. A file below a subfolder is named `folder_file` when its stem is taken; files of `over`
    replace tables of the same name.
    """
    found: dict[str, Path] = {}
    for root in (folder, over) if over is not None else (folder,):
        mine: dict[str, Path] = {}
        for path in sorted(root.rglob("*")):
            stem = _stem(path)
            if stem is None or any(part.startswith(".") for part in path.relative_to(root).parts):
                continue
            name = (
                stem
                if stem not in mine
                else "_".join([*path.relative_to(root).parts[:-1], stem]) or path.name
            )
            mine[name if name not in mine else path.name] = path
        found.update(mine)
    return found


def refresh(
    storage: Storage, files: dict[str, Path], folders: Sequence[Path], *, progress: bool = False
) -> Update:
    """Profile what is new or changed, forget what is gone."""
    known = {table.name: table for table in storage.tables()}
    failed = {broken.path: broken for broken in storage.broken()}
    todo = [
        (name, path) for name, path in files.items() if not _current(known.get(name), failed.get(path), path)
    ]
    removed = tuple(name for name in known if name not in files)
    for name in removed:
        storage.remove(name)
    for path in failed.keys() - set(files.values()):
        storage.drop_broken(path)
    added: list[str] = []
    changed: list[str] = []
    if todo:
        connection = open_locked(folders, Limits(memory="4GB"))
        try:
            for done, (name, path) in enumerate(_bar(todo, progress)):
                outcome = _one(storage, connection, name, path, known.get(name))
                (added if outcome == "added" else changed if outcome == "changed" else []).append(name)
                if done % 200 == 199:
                    storage.commit()
        finally:
            connection.close()
    storage.commit()
    return Update(tuple(added), tuple(changed), removed, tuple(storage.broken()))


def _one(storage: Storage, connection: Any, name: str, path: Path, before: Table | None) -> str:
    stat = None
    try:
        stat = path.stat()
        digest = digest_of(path)
        if before is not None and before.digest == digest and before.path == path:
            storage.touch(before, stat.st_size, stat.st_mtime_ns)
            return "same"
        table, values = profile(connection, name, path, digest)
    except (Unreadable, OSError, ValueError) as error:
        storage.remove(name)
        storage.put_broken(
            Broken(path, str(error), stat.st_size if stat else 0, stat.st_mtime_ns if stat else 0)
        )
        return "broken"
    storage.put(table, values)
    return "changed" if before is not None else "added"


def _current(table: Table | None, failed: Broken | None, path: Path) -> bool:
    try:
        stat = path.stat()
    except OSError:
        return False
    stamp = (stat.st_size, stat.st_mtime_ns)
    if failed is not None and (failed.bytes, failed.mtime_ns) == stamp:
        return True
    return table is not None and table.path == path and (table.bytes, table.mtime_ns) == stamp


def _stem(path: Path) -> str | None:
    name = path.name
    plain = name[:-3] if name.lower().endswith(".gz") else name
    for suffix in SUFFIXES:
        if plain.lower().endswith(suffix) and path.is_file():
            return plain[: -len(suffix)] or None
    return None


def _bar(items: Sequence[Any], progress: bool) -> Iterable[Any]:
    if not (progress and sys.stderr.isatty()):
        return items
    from tqdm import tqdm

    bar: Iterable[Any] = tqdm(items, unit="table", desc="profiling", file=sys.stderr)
    return bar
