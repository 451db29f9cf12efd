"""Workbooks of Excel: each sheet a table, its header found below titles, its footer left out.

Owns what a sheet's table is. Needs openpyxl (the extra `excel`); formulas are read by the values that were
saved with them.
"""

from __future__ import annotations

import itertools
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewright.lake.files.bounds import MOST_BYTES, MOST_CELLS, Allowance
from rewright.lake.files.footers import summing_rows
from rewright.lake.files.pieces import Piece, Unserved
from rewright.lake.files.rows import write_rows
from rewright.lake.files.text import told_footer

_UNNAMED = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|planilha)\s?1", re.IGNORECASE)
"""What Excel calls the first sheet of a new workbook: the table is called like the workbook."""

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]{0,40}ref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"')
_CHUNK, _LONGEST = 1 << 20, 100
_TITLE = 120
"""Characters of the title above a header that are kept."""
_MOST_MERGED = 100_000
"""Further ones are read as they are."""


def tables_of_workbook(path: Path, out: Path) -> list[Piece]:
    """One piece for each sheet that has rows.

    :raises Unserved: no workbook, or openpyxl is not installed.
    """
    try:
        import openpyxl
    except ImportError as error:
        raise Unserved("not served: Excel needs the extra excel: pip install 'rewright[excel]'") from error
    try:
        with zipfile.ZipFile(path) as packed:
            allowance = Allowance(path.stat().st_size, MOST_BYTES)
            for member in packed.infolist():
                # no more than this is ever read of it
                allowance.take(member.file_size, member.filename)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            return [
                piece
                for i, sheet in enumerate(book.worksheets)
                if (piece := _table(path, sheet, out / f"{i}.jsonl", _merged(path, sheet)))
            ]
        finally:
            book.close()
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, SyntaxError) as error:
        raise Unserved(f"not served: Excel, but it cannot be read ({type(error).__name__})") from error


def _merged(path: Path, sheet: Any) -> dict[int, list[tuple[int, int]]]:
    """Cells merged downwards, by their first row: (column, last row)."""
    found: dict[int, list[tuple[int, int]]] = {}
    left, rest = _MOST_MERGED, b""
    with zipfile.ZipFile(path) as packed, packed.open(sheet._worksheet_path) as file:
        while left > 0 and (chunk := file.read(_CHUNK)):
            told = rest + chunk
            for match in itertools.islice(_MERGED.finditer(told), left):
                column, first, last = (part.decode() for part in match.groups())
                left -= 1
                if int(last) > int(first):
                    found.setdefault(int(first), []).append((_number(column), int(last)))
            # one that the chunk cut is whole in the next one
            rest = told[-_LONGEST:]
    return found


def _number(letters: str) -> int:
    """The number of a column, from 0: of `AA` 26."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _table(path: Path, sheet: Any, target: Path, merged: dict[int, list[tuple[int, int]]]) -> Piece | None:
    rows = list(_filled_rows(sheet, merged))
    if len(rows) < 2:
        return None
    start = header_row(rows)
    used = [i for i in range(max(map(len, rows))) if any(i < len(r) and _filled(r[i]) for r in rows[start:])]
    header, *data = [[row[i] if i < len(row) else None for i in used] for row in rows[start:]]
    notes = [f"sheet {sheet.title} of {path.name}"]
    if start:
        notes.append(f"{start} lines above the header left out: {_told_above(rows[:start])}")
    texts = [["" if cell is None else str(cell) for cell in row] for row in data]
    if found := summing_rows(texts):
        notes.append(told_footer([texts[i] for i in found]))
        data = [row for i, row in enumerate(data) if i not in set(found)]
    sql = write_rows(["" if cell is None else str(cell) for cell in header], _without_blanks(data), target)
    label = "" if _UNNAMED.fullmatch(sheet.title) else sheet.title
    return Piece(path, target, label, sql, tuple(notes))


def _told_above(rows: Sequence[Sequence[Any]]) -> str:
    """What stands above a header, as it may say in what its numbers are counted."""
    return " / ".join(str(cell).strip()[:_TITLE] for row in rows for cell in row if _filled(cell))[:_TITLE]


def _filled_rows(sheet: Any, merged: dict[int, list[tuple[int, int]]]) -> Iterator[tuple[Any, ...]]:
    """Rows that hold something; what stands in a cell that is merged downwards stands in each of its rows.

    :raises Unserved: a cell in a far corner makes rows and columns of nothing.
    """
    # what the sheet says of its own size is not believed
    sheet.reset_dimensions()
    left = MOST_CELLS
    down: dict[int, tuple[int, Any]] = {}
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        row = list(cells)
        left -= max(1, len(row))
        if left < 0:
            raise Unserved(f"not served: sheet {sheet.title} has more than {MOST_CELLS} cells")
        if any(_filled(cell) for cell in row):
            for column, (last, value) in down.items():
                if number <= last and column < len(row) and row[column] is None:
                    row[column] = value
            down.update({c: (last, row[c]) for c, last in merged.get(number, ()) if c < len(row)})
            yield tuple(row)


def header_row(rows: Sequence[Sequence[Any]]) -> int:
    """The first row that is as wide as most and all of texts; titles above have a cell or two. 0 where none
    is.
    """
    widths = [sum(_filled(cell) for cell in row) for row in rows[:50]]
    usual = sorted(widths)[len(widths) // 2]
    for i, row in enumerate(rows[:20]):
        filled = [cell for cell in row if _filled(cell)]
        if len(filled) >= max(1, 0.7 * usual) and all(isinstance(cell, str) for cell in filled):
            return i
    return next((i for i, width in enumerate(widths[:20]) if width >= 0.7 * usual), 0)


def _without_blanks(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[cell if _filled(cell) else None for cell in row] for row in rows]


def _filled(cell: Any) -> bool:
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))
