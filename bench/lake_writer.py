"""What the texts of `bench/strange` say of a lake, and the files that are written of it.

Owns the lines `source`, `clean`, `file` and `--` (a pair: see `lake_pairs`) and what a `file` line's options mean:
- or a comma list of semicolon, latin1, title (lines above the header), total (a row below); parquet; json, a line a row;
each=COLUMN, a file for each value; years=COLUMN, a folder for each value that holds a file of that name; hive=COLUMN, a
folder `COLUMN=value`; sqlite=BASE, a table of a database; sheet=BOOK, a sheet of a workbook. It must not know which lake
it writes: `strangers_*.py` do.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl

from bench.lake_pairs import Told as Pair
from bench.lake_pairs import told_lines, told_pair

TITLE = "Extract for the board||\nconfidential||\n"


@dataclass(slots=True)
class Told:
    """What a text tells."""

    sources: list[list[str]] = field(default_factory=list)
    clean: list[tuple[str, str]] = field(default_factory=list)
    files: list[tuple[str, str, str]] = field(default_factory=list)
    """(name, options, SQL over the clean tables)."""
    pairs: list[Pair] = field(default_factory=list)


def read(path: Path) -> Told:
    """The sources, tables, files and pairs of the text; raises ValueError at a line of another kind."""
    told = Told()
    lines = told_lines(path.read_text(encoding="utf-8"))
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "source":
            told.sources.append(rest.split())
        elif word == "clean":
            name, sql = rest.split(" ", 1)
            told.clean.append((name, sql))
        elif word == "file":
            name, options, sql = rest.split(" ", 2)
            told.files.append((name, options, sql))
        elif word == "--":
            told.pairs.append(told_pair(rest, lines))
        elif word != "lake":
            raise ValueError(line)
    return told


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes answers of ``db`` into ``folder``. ``title``: the lines above a header; `|` stands for what parts a file's columns."""

    db: Any
    folder: Path
    title: str = TITLE

    def write(self, name: str, options: str, sql: str) -> list[str]:
        """Write what one `file` line says; returns the names of the tables."""
        kind, _, base = options.partition("=")
        parts: dict[str, Callable[[Any], tuple[str, str]]] = {
            "each": lambda value: (f"{name}_{value}.csv", f"{name}_{value}"),
            "years": lambda value: (f"{value}/{name}.csv", name),
            "hive": lambda value: (f"{name}/{base}={value}/data.csv", name),
        }
        if kind in parts:
            return self._parted(base, sql, parts[kind])
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "sqlite":
            return self._sqlite(base, name, sql)
        if kind == "sheet":
            return self._sheet(base, name, sql)
        if kind in {"parquet", "json"}:
            ending = "jsonl" if kind == "json" else kind
            self.db.execute(f"COPY ({sql}) TO '{path}.{ending}' (FORMAT {kind})")
        else:
            self._csv(Path(f"{path}.csv"), options.split(","), sql)
        return [name]

    def _csv(self, path: Path, chosen: Sequence[str], sql: str) -> None:
        parted = ";" if "semicolon" in chosen else ","
        self.db.execute(f"COPY ({sql}) TO '{path}' (HEADER, DELIMITER '{parted}')")
        if not {"title", "total", "latin1"} & set(chosen):
            return
        text = path.read_text(encoding="utf-8")
        if "title" in chosen:
            text = self.title.replace("|", parted) + text
        if "total" in chosen:
            text += "Total" + parted * (text.splitlines()[-1].count(parted)) + "\n"
        path.write_bytes(text.encode("cp1252" if "latin1" in chosen else "utf-8", errors="replace"))

    def _parted(self, by: str, sql: str, place: Callable[[Any], tuple[str, str]]) -> list[str]:
        """A file of the rows with each value of ``by``, without that column."""
        names = []
        for (value,) in self.db.execute(f"SELECT DISTINCT {by} FROM ({sql}) ORDER BY 1").fetchall():
            where, name = place(value)
            path = self.folder / where
            path.parent.mkdir(parents=True, exist_ok=True)
            self._csv(path, (), f"SELECT * EXCLUDE ({by}) FROM ({sql}) WHERE {by} = {value!r}")
            names.append(name)
        return list(dict.fromkeys(names))

    def _sqlite(self, base: str, name: str, sql: str) -> list[str]:
        found = self.db.execute(sql)
        header = ", ".join(f'"{column[0]}"' for column in found.description)
        rows = [[str(v) if isinstance(v, dt.date) else v for v in row] for row in found.fetchall()]
        kept = sqlite3.connect(self.folder / f"{base}.sqlite")
        kept.execute(f'CREATE TABLE "{name}" ({header})')
        kept.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(found.description))})', rows)
        kept.commit()
        kept.close()
        return [f"{base}_{name}"]

    def _sheet(self, base: str, name: str, sql: str) -> list[str]:
        found = self.db.execute(sql)
        path = self.folder / f"{base}.xlsx"
        book = openpyxl.load_workbook(path) if path.exists() else openpyxl.Workbook()
        sheet = book.create_sheet(name) if path.exists() else book.active
        sheet.title = name.rsplit("/", 1)[-1]
        for row in ([column[0] for column in found.description], *found.fetchall()):
            sheet.append(row)
        book.save(path)
        return [f"{base}_{name}"]


def rows_as_table(db: Any, name: str, file: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Create a table of these rows, by way of ``file``, which stays."""
    flat = [{k: str(v) if isinstance(v, dt.date) else v for k, v in row.items()} for row in rows]
    file.write_text(json.dumps(flat), encoding="utf-8")
    db.execute(f"CREATE TABLE \"{name}\" AS SELECT * FROM read_json_auto('{file}', sample_size=-1)")


def keep_pairs(
    out: Path, lake: str, found: Sequence[dict[str, Any]], kept: Callable[[int], bool] | None = None
) -> dict[str, int]:
    """Write ``lake``.jsonl and, of the pairs whose number is ``kept`` unread, ``lake``_kept.jsonl; returns how many
    each has.
    """
    if kept is None:
        halves = {lake: list(found)}
    else:
        unread = {i for i in range(len(found)) if kept(i)}
        halves = {
            lake: [pair for i, pair in enumerate(found) if i not in unread],
            f"{lake}_kept": [pair for i, pair in enumerate(found) if i in unread],
        }
    for name, half in halves.items():
        text = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in half)
        (out / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return {name: len(half) for name, half in halves.items()}
