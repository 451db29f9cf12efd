"""Accepted resolutions: views under the imagined names, so that later queries bind at once.

Owns the SQL of those views. Must not know where they are kept.
"""

from __future__ import annotations

from typing import Any

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.resolve.resolution import Resolution


def views_of(resolution: Resolution, cleaned: dict[str, str]) -> dict[str, str]:
    """Imagined table → SELECT giving its columns under their imagined names; values the query called
    otherwise, too.

    `cleaned`: table → SELECT of it with cleaned columns, for those the resolution cleaned.
    """
    out: dict[str, str] = {}
    for imagined, tables in resolution.tables.items():
        # a view must not hide the real table of its name
        if imagined.lower() in {t.lower() for t in tables}:
            continue
        columns = {
            m.column: m
            for m in resolution.columns
            if m.table in {imagined, ""} and m.real_column is not None and m.real_table in tables
        }
        items = [
            f"{_value(m.real_table or '', m.real_column or '', resolution)} AS {quoted(name)}"
            for name, m in columns.items()
        ]
        items += [
            f"{_key(reals)} AS {quoted(column)}"
            for table, column, reals in resolution.keys
            if table == imagined and column not in columns
        ]
        source = _joined(tables, resolution, cleaned)
        if items and source is not None:
            out[imagined] = f"SELECT {', '.join(items)} FROM {source}"
    return out


def _value(table: str, column: str, resolution: Resolution) -> str:
    ref = f"{quoted(table)}.{quoted(column)}"
    told: list[dict[str, Any]] = [
        c
        for c in resolution.corrections
        if c["column"] == f"{table}.{column}" and c["how"] not in {"unit", "case"}
    ]
    if any(isinstance(c["from"], bool) for c in told):
        # the query took for a truth value what the column says in words
        true = next((c["to"] for c in told if c["from"] is True), None)
        return f"({ref} = {_text(true)})" if true is not None else ref
    arms = " ".join(
        f"WHEN {_text(c['to'])} THEN {_text(c['from'])}" for c in told if isinstance(c["from"], str)
    )
    return f"CASE {ref} {arms} ELSE {ref} END" if arms else ref


def _key(reals: tuple[tuple[str, str], ...]) -> str:
    # a key of several columns is one text
    refs = [f"{quoted(t)}.{quoted(c)}" for t, c in reals]
    return refs[0] if len(refs) == 1 else f"concat_ws('|', {', '.join(refs)})"


def _joined(tables: tuple[str, ...], resolution: Resolution, cleaned: dict[str, str]) -> str | None:
    """FROM text of an imagined table's real tables."""

    def item(name: str) -> str:
        return f"({cleaned[name]}) AS {quoted(name)}" if name in cleaned else quoted(name)

    placed, text = {tables[0]}, item(tables[0])
    left = set(tables[1:])
    edges = list(resolution.joins)
    while left:
        for join in edges:
            # joins in any order: each needs one end that stands already
            ends = {join.left, join.right}
            if len(ends & placed) == 1:
                new = next(iter(ends - placed))
                on = " AND ".join(
                    f"{quoted(join.left)}.{quoted(a)} = {quoted(join.right)}.{quoted(b)}"
                    for a, b in join.pairs
                )
                text += f" JOIN {item(new)} ON {on}"
                placed.add(new)
                left.discard(new)
                break
        else:
            return None
    return text


def _text(value: Any) -> str:
    return (
        str(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else "'" + str(value).replace("'", "''") + "'"
    )
