"""Texts whose columns have fixed places: reports of old programs, and what `psql` or `sqlcmd` prints.

Owns telling such a text by the blanks that all its lines have at the same places, or by the line of dashes
below its names, and writing it as CSV. Must not know encodings, or what a lake makes of the table.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from rewright.lake.files.bounds import opened
from rewright.lake.files.encodings import WESTERN
from rewright.lake.files.pieces import Unserved

Span = tuple[int, int | None]
"""Where a column begins, and where the next one does; None: it goes on to the end of the line."""
NOTE = "columns of fixed width"
_CHUNK = 1 << 20
# of fewer lines any blanks stand at the same place by chance
_LEAST_LINES = 4
_LOOKED_AT = 400
_RULED = frozenset("-+| ")
_COUNT = re.compile(r"\(\d+ rows?(?: affected)?\)", re.IGNORECASE)
# a longer header is a line of prose
_MOST_WORDS = 3.0


def layout_of(text: str) -> list[Span] | None:
    r"""The places of the columns; None: it is no such table.

    >>> layout_of("ID  NAME     KG\n 1  Ash tree  9\n 2  Birch    11\n 3  Elm      12\n")
    [(0, 4), (4, 13), (13, None)]
    >>> layout_of("A fine day\nto be out, and\nnot a table at all,\nas all can see.\n") is None
    True
    """
    seen = (line.rstrip() for line in text.splitlines()[:_LOOKED_AT])
    lines = [line for line in seen if line and not _COUNT.fullmatch(line.strip())]
    if len(lines) < _LEAST_LINES or any("\t" in line for line in lines):
        return None
    if _is_ruler(lines[1]):
        return _over(lines[1])
    spans = _named(_between_blanks(lines), lines[0])
    cells = [cells_of(line, spans) for line in lines]
    return spans if len(spans) > 1 and _is_table(cells) else None


def has_ruler(text: str) -> bool:
    """Whether a line of dashes stands below the first one."""
    return any(map(_is_ruler, text.splitlines()[1:2]))


def write_csv(path: Path, target: Path, encoding: str, spans: Sequence[Span]) -> None:
    """Write the table of ``path`` to ``target``, in UTF-8.

    :raises Unserved: a line has something where the others have a blank between columns.
    """
    with opened(path) as file, target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        for number, line in enumerate(_lines(file, encoding), 1):
            if not line.strip() or (number == 2 and _is_ruler(line)) or _COUNT.fullmatch(line.strip()):
                continue
            # the place in front of a column has to be blank in every line, also in those that were not looked
            # at
            if any(line[begin - 1 : begin].strip(" |") for begin, _ in spans if begin):
                raise Unserved(f"not served: columns of fixed width, which line {number} does not fit")
            writer.writerow(cells_of(line, spans))


def cells_of(line: str, spans: Iterable[Span]) -> list[str]:
    return [line[begin:end].strip(" |") for begin, end in spans]


def _is_ruler(line: str) -> bool:
    return _RULED.issuperset(line) and "--" in line and len(line.split()) + line.count("+") > 1


def _over(ruler: str) -> list[Span]:
    """A column for each run of dashes; what stands between two belongs to the one before it."""
    begins = [found.start() for found in re.finditer(r"-+", ruler)]
    return _spans([0, *begins[1:]])


def _between_blanks(lines: Sequence[str]) -> list[Span]:
    width = max(map(len, lines))
    filled = [False] * width
    for line in lines:
        for place, letter in enumerate(line):
            filled[place] = filled[place] or letter != " "
    # a column begins behind a blank that all lines have
    return _spans([place for place in range(width) if filled[place] and (not place or not filled[place - 1])])


def _named(spans: Sequence[Span], header: str) -> list[Span]:
    """Without parts that no name stands above: words of a text may happen to end at the same place."""
    begins = [begin for begin, end in spans if header[begin:end].strip()]
    return _spans([0, *begins[1:]]) if begins else []


def _spans(begins: Sequence[int]) -> list[Span]:
    return [(begin, end) for begin, end in zip(begins, [*begins[1:], None], strict=True)]


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Short names above columns that are mostly filled, of which one at least has no words."""
    header, *below = rows
    words = sum(len(name.split()) for name in header) / len(header)
    filled = [sum(bool(row[i]) for row in below) / len(below) for i in range(len(header))]
    numbers = [
        all(re.search(r"\d", row[i]) for row in below if row[i]) and filled[i] > 0 for i in range(len(header))
    ]
    return words <= _MOST_WORDS and all(share >= 0.5 for share in filled) and any(numbers)


def _lines(file: IO[bytes], encoding: str) -> Iterator[str]:
    """Decoded a portion at a time: what counts how much a packed file gives has no lines."""
    decoder = codecs.getincrementaldecoder(encoding)(errors=WESTERN)
    rest = ""
    while chunk := file.read(_CHUNK):
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from (line.rstrip("\r") for line in whole)
    yield rest + decoder.decode(b"", final=True)
