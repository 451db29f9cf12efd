"""What lies in a lake's folders and is not served: kinds of files, and tables of formats with a log of their
own.

Owns the reasons, told by `lake index`. A folder of Delta, Iceberg or Hudi is never read file by file: its
files hold rows that its log took out (Delta's and Iceberg's are read: `files/delta.py`, `files/iceberg.py`).
Must not know how files are read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

ILLEGIBLE = "not served: its name is not UTF-8 (renamed, it is)"
OUTSIDE = "it links to a place outside the lake, or to none"
_KINDS: Mapping[str, str] = {
    ".xls": "Excel of before 2007", ".ods": "OpenDocument",
    ".duckdb": "DuckDB", ".mdb": "Access", ".tar": "a tar archive", ".tgz": "a tar archive",
    ".7z": "a 7z archive",
    ".bz2": "packed by bzip2", ".xz": "packed by xz", ".zst": "packed by zstd", ".lz4": "packed by lz4",
    ".avro": "Avro",
    ".orc": "ORC", ".shp": "a shapefile", ".gpkg": "GeoPackage", ".xml": "XML", ".yaml": "YAML",
    ".yml": "YAML",
    ".sas7bdat": "SAS", ".dta": "Stata", ".sav": "SPSS", ".pkl": "a Python pickle", ".h5": "HDF5",
    ".pdf": "PDF", ".html": "HTML", ".htm": "HTML", ".docx": "Word", ".pptx": "PowerPoint", ".rtf": "RTF",
    ".xlsb": "Excel's binary workbooks", ".numbers": "Numbers", ".accdb": "Access", ".dbf": "dBase",
    ".rds": "R", ".rdata": "R", ".mat": "MATLAB", ".npy": "NumPy", ".npz": "NumPy", ".kml": "KML",
    ".gpx": "GPX", ".sql": "SQL", ".rar": "a rar archive", ".gz": "packed by gzip",
    ".dat": "its suffix does not say of what kind it is",
    ".data": "its suffix does not say of what kind it is",
    ".psv": "its suffix is not one of a text with delimiters (.csv, .tsv, .txt)",
    ".tab": "its suffix is not one of a text with delimiters (.csv, .tsv, .txt)",
}  # fmt: skip


def legible(file: Path) -> Path:
    """The same path, or where its name is not UTF-8 one to show in its place."""
    return file.with_name(os.fsencode(file.name).decode("utf-8", "replace"))


def reason_of(file: Path) -> str | None:
    """Why a file that could hold a table is not served; None: nothing is said of it."""
    kind = _KINDS.get(file.suffix.lower())
    return None if kind is None else f"not served: {kind}"


def format_of(folder: Path) -> str | None:
    """The name of the table format whose log a folder holds, or None."""
    if (folder / "_delta_log").is_dir():
        return "Delta"
    if (folder / ".hoodie").is_dir():
        return "Hudi"
    metadata = folder / "metadata"
    # a folder may be called so by chance
    if metadata.is_dir() and next(metadata.glob("*.metadata.json*"), None) is not None:
        return "Iceberg"
    return None


def reason_of_format(name: str) -> str:
    return f"not served: a table of the format {name}, whose log says which rows of its files count"
