"""What a query with several grouping sets reads of its keys: two keys that become one expression are one key.

    SELECT d.a, d.b FROM (SELECT x AS a, x AS b FROM t) d GROUP BY GROUPING SETS ((d.a), (d.b))
    SELECT x, x FROM t GROUP BY GROUPING SETS ((x), (x))        shows no NULL at all

A key is NULL in the sets that are without it, and is told from other keys by how it is written. Must not know
what changes a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.walk.blocks import outer_exprs
from rewright.sql.walk.memory import remembered
from rewright.sql.walk.nodes import parts, walk

# which keys each set has, and which each expression over the groups reads
_Reading = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]


def keeps_keys_apart(before: a.Query, after: a.Query) -> bool:
    """Whether blocks with several grouping sets read the same of their keys in both queries."""
    return before is after or _readings(before) == _readings(after)


@remembered
def _readings(query: a.Node) -> Counter[_Reading]:
    several = (n for n in walk(query) if isinstance(n, a.Select) and len(n.group_by or ()) > 1)
    return Counter(map(_reading, several))


def _reading(block: a.Select) -> _Reading:
    sets = block.group_by or ()
    keys = {key: i for i, key in enumerate(dict.fromkeys(k for one in sets for k in one))}
    exprs = (*outer_exprs(block), *(block.distinct or ()))
    return (
        tuple(tuple(keys[k] for k in one) for one in sets),
        tuple(tuple(sorted(_read(e, keys))) for e in exprs),
    )


def _read(node: Any, keys: dict[a.Expr, int]) -> Iterator[int]:
    """The keys in an expression; what is aggregated reads rows, not groups."""
    if isinstance(node, a.Expr) and node in keys:
        yield keys[node]
    elif not isinstance(node, a.Aggregate):
        for part in parts(node):
            yield from _read(part, keys)
