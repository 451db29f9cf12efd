"""Where in a query something stands, so that what is counted there in two queries is compared place by place:
by the tables that are read there. Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import TypeVar

from rewright.sql import algebra as a
from rewright.sql.walk import QUERIES, conjuncts, walk

from .pulling import spelled

W = TypeVar("W", bound=Hashable)
# tables, those of them that are read here alone, and what is asked where one is read elsewhere, too
Place = tuple[tuple[str, ...], frozenset[str], tuple[str, ...]]


def more(theirs: Counter[tuple[W, Place]], ours: Counter[tuple[W, Place]]) -> list[tuple[W, Place]]:
    """What is counted in the second query, and in the first not, or not as often: at the same place, or one
    that reads a table which is read nowhere else.
    """
    left = ours - theirs
    missing = []
    for word, place in (theirs - ours).elements():
        fit = next((x for x in left if x[0] == word and place[1] & x[1][1]), None)
        if fit is None:
            missing.append((word, place))
        else:
            left = left - Counter([fit])
    return missing


class Places:
    """The places of one query. Two places that read one table are told apart by their conditions as they are
    spelled, in both queries of a pair.
    """

    def __init__(self, query: a.Query, other: a.Query) -> None:
        self.ctes = {c.cte: c.query for n in walk(query) if isinstance(n, QUERIES) for c in n.ctes}
        self.twice = {table for q in (query, other) for table in _read_twice(q)}

    def of(self, *parts: a.Node, block: a.Select | None = None) -> Place:
        """The place of what these parts of the query make together, CTEs that they read among them.
        ``block``: that reads the parts, and asks conditions of them.
        """
        whole = self._whole(parts)
        tables = {str(n.table) for part in whole for n in walk(part) if isinstance(n, a.Scan)}
        within = whole if block is None else self._whole((block,))
        asked = sorted(set(_asked(within))) if tables & self.twice else ()
        return tuple(sorted(tables)), frozenset(tables - self.twice), tuple(asked)

    def _whole(self, parts: tuple[a.Node, ...]) -> list[a.Node]:
        whole, met = list(parts), set[int]()
        for part in whole:
            read = {n.cte for n in walk(part) if isinstance(n, a.CteScan) and n.cte in self.ctes}
            # the loop goes on with what it has found
            whole += [self.ctes[cte] for cte in sorted(read - met)]
            met |= read
        return whole


def _read_twice(query: a.Query) -> Iterator[str]:
    """The tables that a query names more than once, and those of CTEs that it reads more than once."""
    scans, reads = Counter[str](), Counter[int]()
    for node in walk(query):
        match node:
            case a.Scan(table=table):
                scans[str(table)] += 1
            case a.CteScan(cte=cte):
                reads[cte] += 1
    yield from (table for table, n in scans.items() if n > 1)
    ctes = (c for n in walk(query) if isinstance(n, QUERIES) for c in n.ctes if reads[c.cte] > 1)
    yield from (str(n.table) for c in ctes for n in walk(c.query) if isinstance(n, a.Scan))


def _asked(parts: list[a.Node]) -> Iterator[str]:
    """The conditions of parts, and from which end they are read: by which first key, for which aggregates."""
    for node in (n for part in parts for n in walk(part)):
        match node:
            case a.Join(on=on):
                yield from map(spelled, conjuncts(on))
            case a.Select(where=where, having=having):
                yield from (spelled(c) for x in (where, having) for c in conjuncts(x))
            case a.Quantified(query=a.Select(targets=targets)):
                yield from (spelled(t.expr) for t in targets)
            case a.Aggregate(func=func):
                yield func.name
        if isinstance(node, a.Select | a.SetOp) and node.limit is not None and node.order_by:
            first = node.order_by[0]
            key = spelled(first.expr) if isinstance(first, a.SortKey) else f"output {first.pos}"
            yield f"{key} {first.descending}"
