"""Bringing the catalog up to date with the folder: new, changed, gone and broken files.

Owns discovery and incremental building. Must not know queries.
"""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from rewright.engines.duckdb.locked import Limits, open_locked
from rewright.engines.duckdb.reading import SUFFIXES, Unreadable
from rewright.lake.catalog.model import Broken, Table, Values
from rewright.lake.catalog.profile import digest_of, profile
from rewright.lake.catalog.storage import Storage
from rewright.lake.catalog.unserved import OUTSIDE, format_of, reason_of, reason_of_format

_SMALL_BYTES = 64 << 20
_WORKERS = max(1, min(4, os.cpu_count() or 1))
_Item = TypeVar("_Item")


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


@dataclass(frozen=True, slots=True)
class Found:
    """Table name → file, and what is not served with the reason."""

    files: dict[str, Path]
    unserved: Mapping[Path, str] = field(default_factory=dict)


def discover(folder: Path, over: Path | None = None) -> Found:
    """The files of a lake by table name. A file below a subfolder is named `folder_file` when its stem is taken; files of
    `over` replace tables of the same name.

    Links are followed as long as they stay inside the lake's folders; one that leads out is reported and not read, as are
    files of other kinds and tables of other formats.
    """
    roots = [root.resolve() for root in (folder, over) if root is not None]
    found: dict[str, Path] = {}
    unserved: dict[Path, str] = {}
    for root in roots:
        mine: dict[str, Path] = {}
        seen: set[Path] = set()
        for path in sorted(_files(root, roots, unserved)):
            stem, real = _stem(path), path.resolve()
            if stem is None and (reason := reason_of(path)) is not None:
                unserved[path] = reason
            if stem is None or real in seen:
                continue
            seen.add(real)
            name = (
                stem
                if stem not in mine
                else "_".join([*path.relative_to(root).parts[:-1], stem]) or path.name
            )
            # a name that looks like a file's or a pattern could not be asked for
            plain = re.sub(r"[*?/\\]", "_", name)
            mine[plain if plain not in mine else _free(path.name.replace(".", "_"), mine)] = real
        found.update(mine)
    return Found(found, unserved)


def _free(name: str, taken: Collection[str]) -> str:
    """The name, or with a number where it is taken."""
    return next(n for n in (name, *(f"{name}_{i}" for i in range(2, len(taken) + 3))) if n not in taken)


def _files(root: Path, roots: Sequence[Path], unserved: dict[Path, str]) -> Iterator[Path]:
    """Files below a folder, hidden ones left out. A folder reached twice, or from inside itself, is entered once."""
    entered: set[Path] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        real = folder.resolve()
        if real in entered:
            continue
        entered.add(real)
        if (name := format_of(real)) is not None:
            unserved[folder] = reason_of_format(name)
            continue
        # real folders before links to them
        for path in sorted(_listed(folder), key=lambda p: (p.is_symlink(), p.name)):
            if path.name.startswith("."):
                continue
            if path.is_symlink() and not _inside(path, roots):
                unserved[path] = OUTSIDE
            elif path.is_dir():
                waiting.insert(0 if path.is_symlink() else len(waiting), path)
            else:
                yield path


def _inside(link: Path, roots: Sequence[Path]) -> bool:
    try:
        real = link.resolve(strict=True)
    except (OSError, RuntimeError):
        # to nowhere, or round in circles
        return False
    return any(real.is_relative_to(root) for root in roots)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        # not ours to read: what is in it is not in the lake
        return []


def refresh(storage: Storage, found: Found, folders: Sequence[Path], *, progress: bool = False) -> Update:
    """Profile what is new or changed, forget what is gone."""
    files = found.files
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
    for path, reason in found.unserved.items():
        storage.put_broken(Broken(path, reason))
    added: list[str] = []
    changed: list[str] = []
    looked = _look_all(todo, known, folders)
    for done, (name, seen) in enumerate(_bar(looked, len(todo), progress)):
        outcome = _keep(storage, name, known.get(name), seen)
        (added if outcome == "added" else changed if outcome == "changed" else []).append(name)
        if done % 50 == 49:
            storage.commit()
    storage.commit()
    return Update(tuple(added), tuple(changed), removed, tuple(storage.broken()))


_Seen = tuple[Table, dict[str, Values]] | Broken | os.stat_result
"""What became of a file: profiled, broken, or the same content under another stamp."""


def _look_all(
    todo: Sequence[tuple[str, Path]], known: dict[str, Table], folders: Sequence[Path]
) -> Iterator[tuple[str, _Seen]]:
    """Profile files: small ones several at once, each worker with a connection of its own; then large ones singly."""
    sizes = {name: _size(path) for name, path in todo}
    small = [(name, path) for name, path in todo if sizes[name] <= _SMALL_BYTES]
    large = [(name, path) for name, path in todo if sizes[name] > _SMALL_BYTES]
    for files, workers, limits in (
        (small, min(_WORKERS, len(small)), Limits(memory="2GB", threads=1)),
        (large, min(1, len(large)), Limits(memory="4GB")),
    ):
        if workers:
            yield from _look_at(files, known, [open_locked(folders, limits) for _ in range(workers)])


def _look_at(
    files: Sequence[tuple[str, Path]], known: dict[str, Table], connections: list[Any]
) -> Iterator[tuple[str, _Seen]]:
    free: SimpleQueue[Any] = SimpleQueue()
    for connection in connections:
        free.put(connection)

    def look(name: str, path: Path) -> _Seen:
        connection = free.get()
        try:
            return _look(connection, name, path, known.get(name))
        finally:
            free.put(connection)

    waiting: deque[tuple[str, Future[_Seen]]] = deque()
    with ThreadPoolExecutor(len(connections), thread_name_prefix="profile") as pool:
        try:
            for name, path in files:
                waiting.append((name, pool.submit(look, name, path)))
                # a few ahead: what is profiled and not yet kept stays in memory
                if len(waiting) > 4 * len(connections):
                    first, future = waiting.popleft()
                    yield first, future.result()
            for first, future in waiting:
                yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
    for connection in connections:
        connection.close()


def _look(connection: Any, name: str, path: Path, before: Table | None) -> _Seen:
    stat = None
    try:
        stat = path.stat()
        digest = digest_of(path)
        if before is not None and before.digest == digest and before.path == path:
            return stat
        return profile(connection, name, path, digest)
    except (Unreadable, OSError, ValueError) as error:
        return Broken(path, str(error), stat.st_size if stat else 0, stat.st_mtime_ns if stat else 0)


def _keep(storage: Storage, name: str, before: Table | None, seen: _Seen) -> str:
    if isinstance(seen, Broken):
        storage.remove(name)
        storage.put_broken(seen)
        return "broken"
    if isinstance(seen, os.stat_result):
        assert before is not None
        storage.touch(before, seen.st_size, seen.st_mtime_ns)
        return "same"
    storage.put(*seen)
    return "changed" if before is not None else "added"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


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


def _bar(items: Iterator[_Item], total: int, progress: bool) -> Iterable[_Item]:
    if not (progress and sys.stderr.isatty()):
        return items
    from tqdm import tqdm

    bar: Iterable[_Item] = tqdm(items, total=total, unit="table", desc="profiling", file=sys.stderr)
    return bar
