"""Records to rows and back. Must not know SQL or transactions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

from sqlalchemy import RowMapping

from rewright.store.life import Level, State
from rewright.store.records import NewRewrite, Rewrite

_PROPOSAL_FIELDS = tuple(field.name for field in fields(NewRewrite))
_LISTS = ("literals", "modulo", "sources")

R = TypeVar("R")


def identity(new: NewRewrite) -> str:
    """Two proposals with the same identity are one rewrite, found again."""
    parts = [new.database, new.template_key, new.scope, list(new.literals), new.search_path]
    parts += [new.replacement, new.hints]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


def proposal_row(new: NewRewrite) -> dict[str, Any]:
    row = asdict(new)
    for name in _LISTS:
        row[name] = list(row[name])
    row["level"] = new.level.value
    return row


def record_of(kind: type[R], row: Mapping[str, Any] | RowMapping) -> R:
    """A record of a dataclass whose fields are columns; columns that it has not are left out."""
    return kind(**{one.name: row[one.name] for one in fields(kind)})  # type: ignore[arg-type] # a row holds what its columns declare


def rewrite_of(row: RowMapping) -> Rewrite:
    values = {name: row[name] for name in _PROPOSAL_FIELDS}
    for name in _LISTS:
        values[name] = tuple(values[name] or ())
    values["level"] = Level(row["level"])
    return Rewrite(
        id=row["id"],
        proposal=NewRewrite(**values),
        state=State(row["state"]),
        approved=row["approved"],
        reason=row["reason"],
        changed_by=row["changed_by"],
        created_at=row["created_at"],
        changed_at=row["changed_at"],
        original_ms=row["original_ms"],
        replacement_ms=row["replacement_ms"],
        served=row["served"],
    )


def without_nul(value: str, limit: int) -> str:
    """Text that both databases accept: no NUL, no lone surrogates, at most ``limit`` characters."""
    clean = value.replace("\x00", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
