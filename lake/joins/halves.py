"""Tables that were split: `orders` and `orders_detail`, row for row the same things, with a key of one name
in both.

Owns finding such pairs in the catalog's profiles. Must not know queries. Joining them neither multiplies nor
loses rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from rewright.lake import names
from rewright.lake.catalog.model import Column, Table


def halves(tables: Mapping[str, Table]) -> dict[str, dict[str, tuple[Column, Column]]]:
    """For each table its other halves, with the columns that join them: its own, the other's."""
    out: dict[str, dict[str, tuple[Column, Column]]] = defaultdict(dict)
    by_rows: dict[int, list[tuple[str, Table]]] = defaultdict(list)
    for table in tables.values():
        if table.rows > 1:
            by_rows[table.rows].append((names.normal(table.name), table))
    for group in by_rows.values():
        for a, b in _of_one_stem(sorted(group, key=lambda entry: entry[0])):
            if (key := _key(a, b)) is not None:
                out[a.name][b.name] = key
                out[b.name][a.name] = key[::-1]
    return dict(out)


def _of_one_stem(group: list[tuple[str, Table]]) -> Iterator[tuple[Table, Table]]:
    """Pairs of which one's name is the other's and more words."""
    for i, (stem, table) in enumerate(group):
        for name, other in group[i + 1 :]:
            # sorted: what begins with the stem stands right behind it
            if not name.startswith(f"{stem} "):
                break
            yield table, other


def _key(a: Table, b: Table) -> tuple[Column, Column] | None:
    others = {names.normal(c.name): c for c in b.columns if c.unique}
    for x in a.columns:
        y = others.get(names.normal(x.name)) if x.unique else None
        if y is not None and _same_values(x, y):
            return x, y
    return None


def _same_values(x: Column, y: Column) -> bool:
    return x.family is y.family and (x.minimum, x.maximum, x.distinct) == (y.minimum, y.maximum, y.distinct)
