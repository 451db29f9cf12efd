"""Which files make a table, and what tables are called.

A table's name is its path in the lake, so that adding a file elsewhere never changes what a name means. Files
below `key=value` folders, and files whose names only number them (`logs/2024-01.csv`) or give the month
(`orders/jan.csv` beside `orders/feb.csv`), are parts of the folder's table when most of their columns are the
same. Must not know how files are read. docs/decisions/0348-names-are-paths.md.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from urllib.parse import unquote

from rewright.engines.duckdb.reading import SUFFIXES
from rewright.lake import names
from rewright.lake.files.pieces import Mark, Piece, Unit
from rewright.lake.noise.months import month_of

_HIVE = re.compile(r"([^=/]+)=([^/]*)")
_NUMBER = re.compile(r"\d{1,4}(?:[-_.]?\d{1,2}){0,2}")
_SAYS_NOTHING = frozenset(
    {
        "part",
        "data",
        "chunk",
        "file",
        "page",
        "batch",
        "export",
        "dump",
        "block",
        "shard",
        "q",
        "w",
        "t",
        "z",
        "c",
        "of",
    }
)
# share of the smaller file's columns that both have, and share of the files that must be so alike
_ALIKE = 0.5
_MOST_SHARE = 0.8
_SUFFIXES = (
    ".gz",
    ".bz2",
    ".xz",
    *SUFFIXES,
    ".geojson",
    ".zip",
    ".xlsx",
    ".xlsm",
    ".sqlite3",
    ".sqlite",
    ".db",
    ".feather",
    ".arrow",
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece and its file's path inside the lake."""

    inside: PurePath
    piece: Piece


@dataclass(frozen=True, slots=True)
class Named:
    """Units by table name; names that several files could claim, and what those are called instead."""

    units: dict[str, Unit]
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def name_tables(placed: Sequence[Placed], root: Path, columns: Callable[[Piece], list[str]]) -> Named:
    """The lake's tables. `columns` tells the names of a piece's columns; it is asked only of files that could
    be parts.
    """
    groups: dict[tuple[bool, tuple[str, ...]], list[Placed]] = defaultdict(list)
    for one in placed:
        groups[_is_part(one), _table_path(one)].append(one)
    claimed: list[tuple[tuple[str, ...], Unit, str]] = []
    for (is_part, key), members in groups.items():
        parts, rest = _alike(members, columns) if is_part else ([], members)
        if parts:
            claimed.append((key, _united(parts, root), ".folder"))
        claimed += [
            (_own_path(one), Unit(one.piece.original, (one.piece,)), _suffix(one.inside.name)) for one in rest
        ]
    return _without_clashes(claimed)


def stem_of(name: str) -> str:
    """A file's name without what says its kind; empty: nothing is left."""
    while (suffix := _suffix(name)) and len(name) > len(suffix):
        name = name[: -len(suffix)]
        # Below a packing suffix there is one more, which says the kind of what is packed.
        if suffix not in (".gz", ".bz2", ".xz"):
            break
    return name


def _suffix(name: str) -> str:
    return next((suffix for suffix in _SUFFIXES if name.lower().endswith(suffix)), "")


def _own_path(one: Placed) -> tuple[str, ...]:
    """The path that names a file's table when it is no part of another."""
    folders = [unquote(part) for part in one.inside.parts[:-1]]
    return (*folders, stem_of(one.inside.name), *filter(None, (one.piece.label,)))


def _is_part(one: Placed) -> bool:
    folders = one.inside.parts[:-1]
    if any(_HIVE.fullmatch(part) for part in folders):
        return _root_of(folders) > 0
    return bool(folders) and _numbered(stem_of(one.inside.name), folders)


def _root_of(folders: Sequence[str]) -> int:
    """How many folders stand before the first `key=value`."""
    return next((i for i, part in enumerate(folders) if _HIVE.fullmatch(part)), len(folders))


def _numbered(stem: str, folders: Sequence[str]) -> bool:
    """Does the file's name say nothing but which one of several it is?"""
    plain = [part for part in folders if not _NUMBER.fullmatch(part)]
    if not plain:
        return False
    own = {*names.words(plain[-1]), *names.normal(plain[-1]).split()}
    words = re.findall(r"[a-zA-Z]+|\d+", names.strip_marks(stem))
    digits = [word for word in words if word.isdigit() or month_of(word) is not None]
    told = [w.lower() for w in words if w not in digits]
    # a UUID, as Spark and Iceberg name their parts
    if re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", stem.lower()):
        return True
    silent = all(word in _SAYS_NOTHING or word in own or names.singular(word) in own for word in told)
    return silent and bool(words) and bool(digits or _NUMBER.fullmatch(folders[-1]))


def _table_path(one: Placed) -> tuple[str, ...]:
    folders = one.inside.parts[:-1]
    label = tuple(filter(None, (one.piece.label,)))
    if not _is_part(one):
        return _own_path(one)
    if (start := _root_of(folders)) < len(folders):
        kept = [part for part in folders[start:] if not _HIVE.fullmatch(part)]
        return (*map(unquote, folders[:start]), *kept, *label)
    last = len(folders)
    # Folders of years and months say which part it is, not what the table is.
    while last > 1 and _NUMBER.fullmatch(folders[last - 1]):
        last -= 1
    return (*folders[:last], *label)


def _alike(members: list[Placed], columns: Callable[[Piece], list[str]]) -> tuple[list[Placed], list[Placed]]:
    """The files whose columns are the same, mostly, and the others; no table of several where too few are."""
    if len(members) == 1:
        # a month alone may be a word: `out`, `set`, `march`
        stem = stem_of(members[0].inside.name)
        named = stem.isalpha() and month_of(stem) is not None
        return ([], members) if named else (members, [])
    seen = {id(one): frozenset(columns(one.piece)) for one in members}
    usual = Counter(found for found in seen.values() if found).most_common(1)
    if not usual:
        return [], members
    alike = [one for one in members if _similar(seen[id(one)], usual[0][0])]
    if len(alike) < _MOST_SHARE * len(members):
        return [], members
    return alike, [one for one in members if one not in alike]


def _similar(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared > 0 and shared >= _ALIKE * min(len(one), len(other))


def _united(parts: list[Placed], root: Path) -> Unit:
    parts = sorted(parts, key=lambda one: one.inside.parts)
    folders = parts[0].inside.parts[:-1]
    start = _root_of(folders)
    if start < len(folders):
        marks = [_hive_marks(one) for one in parts]
        return Unit(root.joinpath(*folders[:start]), tuple(one.piece for one in parts), tuple(marks))
    while len(folders) > 1 and _NUMBER.fullmatch(folders[-1]):
        folders = folders[:-1]
    told = [_told(one, len(folders)) for one in parts]
    years = all(re.fullmatch(r"(?:1[5-9]|20|21)\d\d", value) for value in told)
    mark = "year" if years else "part"
    return Unit(
        root.joinpath(*folders), tuple(one.piece for one in parts), tuple(((mark, value),) for value in told)
    )


def _told(one: Placed, depth: int) -> str:
    """What the path below the table's folder says of a part: `2024/01.csv` is `2024/01`."""
    inner = one.inside.parts[depth:]
    stem = stem_of(inner[-1])
    words = [*inner[:-1], *([] if stem.lower() in _SAYS_NOTHING and len(inner) > 1 else [stem])]
    return "/".join(words)


def _hive_marks(one: Placed) -> tuple[Mark, ...]:
    found = [match for part in one.inside.parts[:-1] if (match := _HIVE.fullmatch(part))]
    return tuple((unquote(match[1]), unquote(match[2])) for match in found)


def _without_clashes(claimed: Sequence[tuple[tuple[str, ...], Unit, str]]) -> Named:
    """Names of files whose paths read the same, as `t.csv` and `t.parquet`: each gets a longer name, and the
    short one names none of them.
    """
    by_name: dict[str, list[tuple[str, Unit, str]]] = defaultdict(list)
    for path, unit, suffix in claimed:
        name = _plain("_".join(path))
        by_name[name.lower()].append((name, unit, suffix))
    taken = set(by_name)
    units: dict[str, Unit] = {}
    ambiguous: dict[str, tuple[str, ...]] = {}
    for lower, members in sorted(by_name.items()):
        if len(members) == 1:
            units[members[0][0]] = members[0][1]
            continue
        told = []
        for name, unit, suffix in sorted(members, key=lambda m: str(m[1].place)):
            longer = _plain(name + suffix.replace(".", "_"))
            longer = next(
                n for n in (longer, *(f"{longer}_{i}" for i in range(2, 10_000))) if n.lower() not in taken
            )
            taken.add(longer.lower())
            units[longer] = unit
            told.append(longer)
        ambiguous[lower] = tuple(told)
    return Named(units, ambiguous)


def _plain(name: str) -> str:
    """A name that looks like a file's or a pattern could not be asked for."""
    return re.sub(r"[*?/\\]", "_", name)
