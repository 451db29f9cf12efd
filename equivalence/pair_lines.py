"""Pairs of a file of JSON lines, and which of them have been written already.

Reads only ``id``, ``schema_sql``, ``q1`` and ``q2``. Must not know who judges them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of input; ``problem`` when it cannot be worked on."""

    id: Any
    schema_sql: str = ""
    q1: str = ""
    q2: str = ""
    problem: str = ""

    @property
    def schema_key(self) -> str:
        return hashlib.sha256(self.schema_sql.encode(errors="replace")).hexdigest()


def read_pairs(lines: Iterable[str]) -> Iterator[Pair]:
    """A Pair for each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _pair(line, f"line {number}")


def _pair(line: str, name: str) -> Pair:
    if any("\udc80" <= char <= "\udcff" for char in line):  # as bytes that are no text are read
        return Pair(name, problem="no text in UTF-8")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return Pair(name, problem="not JSON")
    if not isinstance(record, dict):
        return Pair(name, problem="not a JSON object")
    id_ = record.get("id", name)
    fields = [record.get(key) for key in ("schema_sql", "q1", "q2")]
    if not all(isinstance(value, str) for value in fields):
        return Pair(id_, problem="schema_sql, q1 and q2 must be texts")
    return Pair(id_, *[str(value) for value in fields])


def finished(out: Path) -> Counter[str]:
    """Ids already written to ``out`` (as JSON); a torn last line is cut off."""
    done: Counter[str] = Counter()
    if not out.exists():
        return done
    data = out.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with out.open("r+b") as file:
            file.truncate(whole)
    for line in data[:whole].decode(errors="replace").splitlines():
        try:
            done[json.dumps(json.loads(line)["id"])] += 1
        except (ValueError, KeyError, TypeError):
            continue
    return done
