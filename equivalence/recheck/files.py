"""Certificates in files: one, or one a line with the id of its pair.

Owns what is read from a file and what is said of it. Must not know how certificates are checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.recheck.document import MOST_BYTES
from rewright.equivalence.recheck.outcome import Outcome

# the key of a certificate in a line of `verify --batch --certificate`
_CERTIFICATE = "certificate"


@dataclass(frozen=True, slots=True)
class Rechecked:
    """``id``: that of the line's pair, null where the file is one certificate."""

    file: str
    id: Any
    outcome: Outcome

    def to_json(self) -> dict[str, Any]:
        return {"file": self.file, "id": self.id, **self.outcome.to_json()}

    def line(self) -> str:
        """As a person reads it."""
        name = self.file if self.id is None else f"{self.file}: {self.id}"
        steps = sum(count for _, count in self.outcome.laws)
        return f"{name}: {self.outcome.word}" + (
            f" ({steps} steps)" if not self.outcome.reason else f": {self.outcome.reason}"
        )


def recheck_file(path: Path, seconds: float) -> list[Rechecked]:
    """What becomes of each certificate in a file. Raises OSError."""
    return [Rechecked(str(path), name, recheck(data, seconds)) for name, data in _certificates(path)]


def exit_code(found: Sequence[Rechecked]) -> int:
    """1 where one is refused, else 3 where one is not rechecked, else 0."""
    codes = {r.outcome.exit_code for r in found}
    return next((code for code in (1, 3) if code in codes), 0)


def _certificates(path: Path) -> Iterator[tuple[Any, bytes]]:
    with path.open("rb") as file:
        first = file.readline(MOST_BYTES + 1)
        if not first.startswith(b'{"id":'):
            # what is larger is refused by its size
            yield None, first + file.read(MOST_BYTES + 1 - len(first))
            return
        line = first
        while line:
            yield _of_line(line)
            line = file.readline(MOST_BYTES + 1)


def _of_line(line: bytes) -> tuple[Any, bytes]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return "", line
    name = found.get("id")
    return (name if isinstance(name, str | int) else ""), json.dumps(found.get(_CERTIFICATE)).encode()
