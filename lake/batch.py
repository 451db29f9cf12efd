"""Answers many queries over one lake: one line out for each line in, even on errors. Resumes where it
stopped.

Owns the line format {id, sql, columns, rows, resolution, confidence, refused, seconds, error}.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake, Mode
from rewright.lake.resolve.resolution import Answer

# as rewright.lake_confidence by default
REFUSE_BELOW = 0.7


Answerer = Callable[[Any, Any], dict[str, Any]]
"""(id, query) → the line."""
AnsweredBy = Callable[[Lake, str, str, Mode, float], Answer]
"""`Lake.query` by a server that says what expressions mean: lake, the server's address, query, mode,
threshold.
"""


def run_batch(
    answer: Answerer, pairs: Path, out: Path, *, report: Callable[[int], None] | None = None
) -> int:
    """Answer every `user_query` of a JSON-lines file; append to `out`, skipping ids already there. Returns
    lines written.

    A line that is no JSON object is answered, too, under its number. A last line cut short by a killed run is
    made anew.
    """
    _mend(out)
    done = {_known(line.get("id")) for line in _lines(out)} if out.exists() else set()
    written = 0
    with out.open("a", encoding="utf-8") as file:
        for number, record in enumerate(_lines(pairs)):
            name = record.get("id", number)
            if _known(name) in done:
                continue
            done.add(_known(name))
            line = answer(name, record.get("user_query"))
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            # What is written survives a kill: the next run goes on behind it.
            file.flush()
            written += 1
            if report is not None:
                report(written)
    return written


def empty_line(name: Any) -> dict[str, Any]:
    """The line of a query that has no answer yet."""
    return {
        "id": name,
        "sql": None,
        "columns": None,
        "rows": None,
        "resolution": None,
        "confidence": 0.0,
        "refused": True,
        "seconds": 0.0,
        "error": None,
    }


def answer_line(
    lake: Lake,
    name: Any,
    query: Any,
    *,
    refuse_below: float = REFUSE_BELOW,
    ask: Callable[[str], Answer] | None = None,
) -> dict[str, Any]:
    """One query's line; never raises. `ask`: answers it instead of the lake itself."""
    started = time.monotonic()
    line = empty_line(name)
    try:
        if not isinstance(query, str) or not query.strip():
            raise LakeError("no user_query", sqlstate="42601")
        answer = ask(query) if ask is not None else lake.query(query, "resolve")
        resolution = answer.resolution
        line.update(
            sql=resolution.sql,
            resolution=resolution.to_json(),
            confidence=round(resolution.confidence, 4),
            refused=resolution.confidence < refuse_below,
        )
        line["error"] = resolution.error or None
        if answer.rows is not None:
            line.update(
                columns=list(answer.rows.columns), rows=[[plain(v) for v in row] for row in answer.rows.rows]
            )
    except LakeError as error:
        line["error"] = f"{error.sqlstate}: {error}"
    except Exception as error:  # noqa: BLE001 - a batch answers every line; what broke is in it
        line["error"] = f"XX000: {type(error).__name__}: {error}"
    line["seconds"] = round(time.monotonic() - started, 4)
    return line


def plain(value: Any) -> Any:
    """A DuckDB value as JSON: NaN and infinities null, dates and times ISO texts, decimals numbers."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)


def _known(name: Any) -> str:
    """An id of any JSON type as something that can be looked up."""
    return json.dumps(name, sort_keys=True)


def _mend(out: Path) -> None:
    """Cut off a last line that a killed run left unfinished."""
    if not out.exists():
        return
    text = out.read_bytes()
    if text and not text.endswith(b"\n"):
        out.write_bytes(text[: text.rfind(b"\n") + 1])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except ValueError:
                record = {}
            yield record if isinstance(record, dict) else {}
