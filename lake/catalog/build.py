"""Bringing the catalog up to date with the folder: new, changed, gone and broken files.

Owns discovery and incremental building. Must not know queries.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from rewright.engines.duckdb.locked import Limits, open_locked
from rewright.engines.duckdb.reading import Unreadable, file_literal
from rewright.lake.catalog.model import Broken, Table, Values
from rewright.lake.catalog.profile import digest_of, profile
from rewright.lake.catalog.storage import Storage
from rewright.lake.catalog.unserved import ILLEGIBLE, OUTSIDE, format_of, legible, reason_of, reason_of_format
from rewright.lake.files.pieces import Unit, Unserved
from rewright.lake.files.preparing import ENDINGS, FORMATS, Preparer
from rewright.lake.files.tables import Placed, name_tables, stem_of

# several smaller files are read side by side, larger ones one after the other, with more memory and threads
# each
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
    """Table name → what it is made of; what is not served with the reason; names that several files could
    claim.
    """

    units: dict[str, Unit]
    unserved: Mapping[Path, str] = field(default_factory=dict)
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def lake_files(folder: Path) -> list[Path]:
    """The files that could hold tables, without a look into them."""
    return [path for path in _files(folder.resolve(), [folder.resolve()], {}) if _candidate(path)]


def discover(folder: Path, over: Path | None, preparer: Preparer) -> Found:
    """The tables of a lake by name; those of `over` replace tables of the same name.

    Links are followed as long as they stay inside the lake's folders; one that leads out is reported and not
    read, as are files of other kinds and tables of other formats.
    """
    roots = [root.resolve() for root in (folder, over) if root is not None]
    units: dict[str, Unit] = {}
    ambiguous: dict[str, tuple[str, ...]] = {}
    unserved: dict[Path, str] = {}
    for root in roots:
        named = name_tables(_placed(root, roots, preparer, unserved), root, preparer.columns)
        units.update(named.units)
        ambiguous.update(named.ambiguous)
        _add_formats(root, preparer, units, unserved)
    preparer.close()
    return Found(units, unserved, {name: told for name, told in ambiguous.items() if name not in units})


def _add_formats(root: Path, preparer: Preparer, units: dict[str, Unit], unserved: dict[Path, str]) -> None:
    """Tables of formats whose log can be read, by the paths of their folders."""
    told = {one: format_of(one) for one in unserved if one.is_relative_to(root)}
    for folder, format_ in told.items():
        if format_ not in FORMATS:
            continue
        name = "_".join(folder.relative_to(root).parts) or root.name
        try:
            # names of tables are compared without their case
            if name.lower() in {other.lower() for other in units}:
                raise Unserved(
                    f"not served: a table of the format {format_}, and another table is also called {name}"
                )
            units[name] = preparer.of_format(format_, folder)
        except Unserved as error:
            unserved[folder] = str(error)
        else:
            del unserved[folder]


def _placed(root: Path, roots: Sequence[Path], preparer: Preparer, unserved: dict[Path, str]) -> list[Placed]:
    """What the files below a folder hold; a file reached twice counts once."""
    found: list[Placed] = []
    seen: set[Path] = set()
    for path in sorted(_files(root, roots, unserved)):
        real = path.resolve()
        if not _candidate(path):
            if (reason := reason_of(path)) is not None:
                unserved[path] = reason
            continue
        if real in seen:
            continue
        seen.add(real)
        try:
            found += [Placed(path.relative_to(root), piece) for piece in preparer.pieces(real)]
        except (Unserved, OSError) as error:
            unserved[real] = str(error)
    return found


def _candidate(path: Path) -> bool:
    """Does the file's name say that it holds tables, and is it one?"""
    return (
        stem_of(path.name) not in {"", path.name} and path.name.lower().endswith(ENDINGS) and path.is_file()
    )


def _files(root: Path, roots: Sequence[Path], unserved: dict[Path, str]) -> Iterator[Path]:
    """Files below a folder, hidden ones left out. A folder reached twice, or from inside itself, is entered
    once.
    """
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
            if (told := legible(path)) != path:
                unserved[told] = ILLEGIBLE
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
    units = found.units
    known = {table.name: table for table in storage.tables()}
    failed = {broken.path: broken for broken in storage.broken()}
    todo = [
        (name, unit)
        for name, unit in units.items()
        if not _current(known.get(name), failed.get(unit.place), unit)
    ]
    removed = tuple(name for name in known if name not in units)
    for name in removed:
        storage.remove(name)
    # of files that are gone nothing is told
    for path in failed.keys() - {unit.place for unit in units.values()}:
        storage.drop_broken(path)
    for path, reason in found.unserved.items():
        storage.put_broken(Broken(path, reason))
    storage.set_meta("ambiguous", json.dumps(found.ambiguous))
    added: list[str] = []
    changed: list[str] = []
    looked = _look_all(todo, known, folders)
    for done, (name, seen) in enumerate(_bar(looked, len(todo), progress)):
        outcome = _keep(storage, name, known.get(name), seen)
        (added if outcome == "added" else changed if outcome == "changed" else []).append(name)
        # A run that is broken off has not to begin again, and a commit for each table costs as much as its
        # profile.
        if done % 50 == 49:
            storage.commit()
    storage.commit()
    return Update(tuple(added), tuple(changed), removed, tuple(storage.broken()))


@dataclass(frozen=True, slots=True)
class _Same:
    """The content is as it was; the stamp is new."""

    bytes: int
    changed: int


_Seen = tuple[Table, dict[str, Values]] | Broken | _Same
"""What became of a file: profiled, broken, or the same content under another stamp."""


def _look_all(
    todo: Sequence[tuple[str, Unit]], known: dict[str, Table], folders: Sequence[Path]
) -> Iterator[tuple[str, _Seen]]:
    """Profile files: small ones several at once, each worker with a connection of its own; then large ones
    singly.
    """
    sizes = {name: _size(unit) for name, unit in todo}
    small = [(name, unit) for name, unit in todo if sizes[name] <= _SMALL_BYTES]
    large = [(name, unit) for name, unit in todo if sizes[name] > _SMALL_BYTES]
    for units, workers, limits in (
        (small, min(_WORKERS, len(small)), Limits(memory="2GB", threads=1)),
        (large, min(1, len(large)), Limits(memory="4GB")),
    ):
        if workers:
            yield from _look_at(units, known, [open_locked(folders, limits) for _ in range(workers)])


def _look_at(
    units: Sequence[tuple[str, Unit]], known: dict[str, Table], connections: list[Any]
) -> Iterator[tuple[str, _Seen]]:
    free: SimpleQueue[Any] = SimpleQueue()
    for connection in connections:
        free.put(connection)

    def look(name: str, unit: Unit) -> _Seen:
        connection = free.get()
        try:
            return _look(connection, name, unit, known.get(name))
        finally:
            free.put(connection)

    waiting: deque[tuple[str, Future[_Seen]]] = deque()
    with ThreadPoolExecutor(len(connections), thread_name_prefix="profile") as pool:
        try:
            for name, unit in units:
                waiting.append((name, pool.submit(look, name, unit)))
                # a few ahead: what is profiled and not yet kept stays in memory
                if len(waiting) > 4 * len(connections):
                    first, future = waiting.popleft()
                    yield first, future.result()
            for first, future in waiting:
                yield first, future.result()
        finally:
            # whoever stopped reading wants no more of them
            for _, future in waiting:
                future.cancel()
    for connection in connections:
        connection.close()


def _look(connection: Any, name: str, unit: Unit, before: Table | None) -> _Seen:
    stamp = (0, 0)
    try:
        stamp = unit.stamp()
        digest = unit.digest(digest_of)
        if before is not None and before.digest == digest and before.path == unit.place:
            return _Same(*stamp)
        return profile(connection, name, unit, digest)
    except (Unreadable, OSError, ValueError) as error:
        return Broken(unit.place, str(error), *stamp)


def _keep(storage: Storage, name: str, before: Table | None, seen: _Seen) -> str:
    if isinstance(seen, Broken):
        storage.remove(name)
        storage.put_broken(seen)
        return "broken"
    if isinstance(seen, _Same):
        assert before is not None
        storage.touch(before, seen.bytes, seen.changed)
        return "same"
    storage.put(*seen)
    return "changed" if before is not None else "added"


def _size(unit: Unit) -> int:
    try:
        return unit.stamp()[0]
    except OSError:
        return 0


def _current(table: Table | None, failed: Broken | None, unit: Unit) -> bool:
    try:
        stamp = unit.stamp()
    except OSError:
        return False
    # It was broken, and is the same file: it is not read again each time.
    if failed is not None and (failed.bytes, failed.mtime_ns) == stamp:
        return True
    return (
        table is not None
        and table.path == unit.place
        and table.files == unit.files
        and (table.bytes, table.mtime_ns) == stamp
        # A converted copy that was made anew has another path, which the stored scan must name.
        and all(file_literal(piece.path) in table.scan for piece in unit.pieces if piece.copied)
    )


def _bar(items: Iterator[_Item], total: int, progress: bool) -> Iterable[_Item]:
    if not (progress and sys.stderr.isatty()):
        return items
    from tqdm import tqdm

    bar: Iterable[_Item] = tqdm(items, total=total, unit="table", desc="profiling", file=sys.stderr)
    return bar
