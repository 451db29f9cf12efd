"""Packed files: what bzip2 and xz hold, and each member of a zip archive that could be a table.

Owns how many members there may be. What is unpacked gets names of ours; the members' own
name no place.
"""

from __future__ import annotations

import bz2
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from rewright.engines.duckdb.reading import SUFFIXES
from rewright.lake.files.bounds import MOST_BYTES, Allowance, unpack
from rewright.lake.files.pieces import Unserved
from rewright.lake.files.text import PROSE

# each member may become a table of its own
_MOST_MEMBERS = 1000


def unpack_stream(path: Path, out: Path) -> Path:
    """What a `.bz2` or `.xz` holds.

    :raises Unserved: it is damaged, or too large.
    """
    opener = bz2.open if path.suffix.lower() == ".bz2" else lzma.open
    target = out / Path(path.stem).name
    try:
        with opener(path, "rb") as file:
            unpack(file, target, Allowance(path.stat().st_size, MOST_BYTES))
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise Unserved(f"not served: it cannot be unpacked ({error})") from error
    return target


def unpack_members(path: Path, out: Path) -> Iterator[tuple[str, Path]]:
    """The members of a zip archive that could be tables: name in the archive without suffix, and file.

    :raises Unserved: damaged, encrypted, too large.
    """
    allowance = Allowance(path.stat().st_size, MOST_BYTES)
    try:
        with zipfile.ZipFile(path) as packed:
            members = [m for m in packed.infolist() if _suffix(m.filename) and not m.is_dir()]
            if len(members) > _MOST_MEMBERS:
                raise Unserved(f"not served: a zip archive of more than {_MOST_MEMBERS} files")
            for number, member in enumerate(sorted(members, key=lambda m: m.filename)):
                if member.flag_bits & 1:
                    raise Unserved("not served: an encrypted zip archive")
                suffix = _suffix(member.filename)
                target = out / f"{number}{suffix}"
                with packed.open(member) as file:
                    unpack(file, target, allowance, member.filename)
                plain = PurePosixPath(member.filename)
                yield "_".join([*plain.parent.parts, plain.name[: -len(suffix)]]), target
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise Unserved(f"not served: the archive cannot be read ({error})") from error


def _suffix(name: str) -> str:
    lower = PurePosixPath(name).name.lower()
    if lower.startswith(".") or name.startswith("__MACOSX"):
        return ""
    if lower.endswith(".txt") and PROSE.match(lower):
        return ""
    return next((s for s in SUFFIXES if lower.endswith(s) and lower != s), "")
