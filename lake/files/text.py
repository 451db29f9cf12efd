"""Text files: which encoding, prose or a table, and a footer that is left out.

Owns what is decided before a delimited text is read as one. A file in UTF-8 without a footer is read where it
is; of any other a copy in UTF-8 is written. Must not know DuckDB.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from pathlib import Path

from rewright.engines.duckdb.reading import lines_of
from rewright.lake.files import fixed_width
from rewright.lake.files.bounds import opened
from rewright.lake.files.encodings import MARKED, WESTERN, guessed, is_mostly_utf8
from rewright.lake.files.footers import looks_like_footer, summing_rows
from rewright.lake.files.pieces import Unserved

_CHUNK = 1 << 20
# enough lines to tell a delimiter, prose and an encoding by
_HEAD = 65536
# the last line is looked for in so many bytes
_TAIL = 4096
_FOOTER_BYTES = 64 << 20
"""Larger files are not parsed for the sake of a footer."""
_MOST_BYTES = 8 << 30
_UTF8 = "utf-8-sig"
_WORDS = 5000
"""So many different words tell an encoding."""
PROSE = re.compile(
    r"\s*(readme|licen[cs]e|notice|copying|authors|changelog|changes|todo|install|requirements)\b",
    re.IGNORECASE,
)


def table_copy(path: Path, target: Path) -> tuple[str, ...] | None:
    """Write `target`, the table of a text in UTF-8, and say what was done; None: the file can be read as it
    is.

    :raises Unserved: prose, or an encoding that is not known, or packed too tightly.
    :raises OSError: it cannot be read, as a torn gzip file.
    """
    with opened(path) as file:
        head = file.read(_HEAD)
    if not head:
        return None
    encoding, notes = encoding_of(path, head)
    if encoding is None:
        return None
    text = head.decode(encoding, errors=WESTERN)
    if (spans := _fixed_width(path, text)) is not None:
        fixed_width.write_csv(path, target, encoding, spans)
        notes = (*notes, fixed_width.NOTE)
    else:
        _require_table(path, text)
    if not target.exists() and encoding != _UTF8:
        _transcode(path, target, encoding)
    if left_out := _footer(target if target.exists() else path, target):
        return (*notes, left_out)
    return notes if target.exists() else None


def encoding_of(path: Path, head: bytes) -> tuple[str | None, tuple[str, ...]]:
    """Python's name of the encoding; None: the file is binary."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32", ("read as UTF-32",)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", ("read as UTF-16",)
    if (wide := _wide(head)) is not None:
        return wide, ("read as UTF-16 (without a mark)",)
    if b"\0" in head:
        return None, ()
    if _is_utf8(path):
        return _UTF8, ()
    words = _marked(path)
    if is_mostly_utf8(words):
        return "utf-8", ("not all UTF-8: other bytes read as Windows-1252",)
    if (found := guessed(words)) is None:
        raise Unserved("its encoding is not known")
    return found.name, (f"not UTF-8: read as {found.told}",)


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: every other byte is a zero, mostly."""
    if len(head) < 8 or (len(head) % 2 and len(head) < _HEAD):
        return None
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 * half and odd < 0.1 * half else None


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened(path) as file:
        try:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _marked(path: Path) -> Counter[bytes]:
    """Words with bytes beyond ASCII, from all of the file, since they may be rare."""
    found: Counter[bytes] = Counter()
    rest = b""
    with opened(path) as file:
        while len(found) < _WORDS and (chunk := file.read(_CHUNK)):
            # whole lines: a portion may end within a character
            data = rest + chunk
            end = data.rfind(b"\n") + 1 or len(data)
            found.update(MARKED.findall(data[:end]))
            rest = data[end:]
    found.update(MARKED.findall(rest))
    return found


def _fixed_width(path: Path, text: str) -> list[fixed_width.Span] | None:
    """The places of a `.txt`'s columns, where no delimiter splits its lines."""
    if not _is_txt(path) or PROSE.match(path.name):
        return None
    # the last line of a head is cut somewhere
    whole = text.rpartition("\n")[0] if len(text) >= _HEAD // 4 else text
    _, rows = lines_of(whole, path)
    width, count = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
    is_split = width > 1 and count >= 0.8 * len(rows)
    if is_split and not fixed_width.has_ruler(whole):
        return None
    return fixed_width.layout_of(whole)


def _is_txt(path: Path) -> bool:
    return ".txt" in (path.suffix.lower(), Path(path.stem).suffix.lower())


def _require_table(path: Path, text: str) -> None:
    """A `.txt` of sentences is no table; what is called a table by its suffix is taken for one.

    :raises Unserved: it is prose.
    """
    if not _is_txt(path):
        return
    if PROSE.match(path.name) or is_prose(text, path):
        raise Unserved("not served: prose, not a table")


def is_prose(text: str, path: Path) -> bool:
    """Lines that no delimiter splits evenly, of several words each."""
    _, rows = lines_of(text, path)
    if not rows:
        return False
    if len(rows) == 1 and len(" ".join(rows[0]).split()) > 3 * len(rows[0]):
        # commas of a sentence
        return True
    widths = Counter(len(row) for row in rows)
    width, count = widths.most_common(1)[0]
    if width > 1 and count >= 0.8 * len(rows):
        return False
    words = sum(len(" ".join(row).split()) for row in rows) / len(rows)
    return words > 3


def _transcode(path: Path, target: Path, encoding: str) -> None:
    decoder = codecs.getincrementaldecoder(encoding)(errors=WESTERN)
    written = 0
    with opened(path) as file, target.open("w", encoding="utf-8", newline="") as out:
        while chunk := file.read(_CHUNK):
            written += out.write(decoder.decode(chunk))
            if written > _MOST_BYTES:
                raise Unserved("not served: too large to be converted to UTF-8")
        out.write(decoder.decode(b"", final=True))


def _footer(path: Path, target: Path) -> str | None:
    """Leave a footer out of `target` and say so; None: there is none."""
    if path.stat().st_size > _FOOTER_BYTES or not _ends_as_footer(path):
        return None
    with opened(path) as file:
        data = file.read(_FOOTER_BYTES + 1)
    if len(data) > _FOOTER_BYTES:
        return None
    text = data.decode("utf-8-sig", errors="replace")
    delimiter, _ = lines_of(text[:_HEAD], path)
    lines = io.StringIO(text, newline="").readlines()
    reader = csv.reader(lines, delimiter=delimiter or ",")
    # each row with the line behind it: a cell may go over several
    rows = [(row, reader.line_num) for row in reader if any(row)]
    if not (found := summing_rows([row for row, _ in rows[1:]])):
        return None
    for i in reversed(found):
        # the empty lines above a row go with it
        del lines[rows[i][1] : rows[i + 1][1]]
    target.write_text("".join(lines), encoding="utf-8", newline="")
    return told_footer([rows[i + 1][0] for i in found])


def told_footer(rows: list[list[str]]) -> str:
    """How a footer that was left out is said."""
    return "left out as a footer: " + "; ".join(" ".join(cell for cell in row if cell) for row in rows)[:200]


def _ends_as_footer(path: Path) -> bool:
    packed = path.name.lower().endswith(".gz")
    with opened(path) as file:
        # a packed file has no end to begin at: it is read to it
        if not packed:
            file.seek(max(0, path.stat().st_size - _TAIL))
        tail = b""
        while chunk := file.read(_CHUNK):
            tail = (tail + chunk)[-_TAIL:]
    lines = [line for line in tail.decode("utf-8", errors="replace").splitlines() if line.strip()]
    return bool(lines) and looks_like_footer([cell.strip(' "') for cell in re.split(r"[,;\t|]", lines[-1])])
