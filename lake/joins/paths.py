"""Join paths: the k cheapest ways between two tables over the graph (thesis 5.2.2), with executed previews.

Owns path cost C(P) and its parameters. Must not know queries.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rewright.engines.duckdb.database import LakeDatabase, Rows
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.quoting import quoted
from rewright.lake.catalog.model import Column
from rewright.lake.joins.graph import JoinGraph
from rewright.lake.joins.keys import JoinKey, KeyFinder, comparison

HOP_PENALTY = 0.5
"""λ: what each further table costs."""
# so that a join without any evidence is expensive, not infinite
EPSILON = 1e-3
_MOST_OMEGA = 2.0
"""S is a sum of two similarities: halved, a product of them cannot grow with the path."""


@dataclass(frozen=True, slots=True)
class JoinPath:
    """Tables from one end to the other, the key of each step, C(P), fan-out and S_join of each key, and some
    rows.
    """

    tables: tuple[str, ...]
    keys: tuple[JoinKey, ...]
    cost: float
    fan_outs: tuple[float, ...]
    s_joins: tuple[float, ...]
    sql: str
    preview: Rows | None

    def to_json(self) -> dict[str, Any]:
        return {
            "tables": list(self.tables),
            "cost": round(self.cost, 4),
            "keys": [[[x.name, y.name] for x, y in key.pairs] for key in self.keys],
            "fan_out": [round(f, 3) for f in self.fan_outs],
            "s_join": [round(s, 4) for s in self.s_joins],
            "sql": self.sql,
        }


def edge_cost(omega: float) -> float:
    """−log max(Ω, ε) + λ of one edge, Ω scaled to 0..1."""
    return -math.log(max(min(omega / _MOST_OMEGA, 1.0), EPSILON)) + HOP_PENALTY


def find_paths(
    graph: JoinGraph, keys: KeyFinder, database: LakeDatabase, a: str, b: str, *, k: int = 3, rows: int = 3
) -> list[JoinPath]:
    """The k cheapest loopless paths (Yen 1971), each step on the key with the best S_join times its squared
    quality (fan-out alone would prefer two serial numbers to a reference); unjoinable ones are left out.
    """
    # a table does not join itself here: nothing says on which column it would
    if a not in graph or b not in graph or a == b:
        return []
    # here and not above: see JoinGraph
    import networkx as nx

    edges = nx.Graph(graph.adj)
    if not nx.has_path(edges, a, b):
        return []
    found = nx.shortest_simple_paths(edges, a, b, weight=lambda u, v, data: edge_cost(data["omega"]))  # noqa: ARG005 - networkx passes both nodes, too
    out: list[JoinPath] = []
    # Some of the cheapest may not be joinable; how many are tried must end.
    for tables in itertools.islice(found, 4 * k):
        path = _path(graph, keys, database, tables, rows)
        if path is not None:
            out.append(path)
        if len(out) == k:
            break
    return out


def _path(
    graph: JoinGraph, keys: KeyFinder, database: LakeDatabase, tables: list[str], rows: int
) -> JoinPath | None:
    chosen: list[JoinKey] = []
    # one step without a key breaks the whole path; the next cheapest may have one for each
    for left, right in itertools.pairwise(tables):
        candidates = keys.keys(left, right)
        if not candidates:
            return None
        chosen.append(max(candidates, key=lambda key: keys.s_join(key) * key.quality**2))
    cost = sum(edge_cost(graph.adj[left][right]["omega"]) for left, right in itertools.pairwise(tables))
    sql = join_sql(tables, chosen, keys.spelt_otherwise)
    try:
        preview = database.execute(sql, limit=rows, seconds=10.0)
    except LakeError:
        # a preview that fails does not unmake the path
        preview = None
    return JoinPath(
        tuple(tables),
        tuple(chosen),
        cost,
        tuple(keys.fan_out(c) for c in chosen),
        tuple(keys.s_join(c) for c in chosen),
        sql,
        preview,
    )


def join_sql(
    tables: list[str], chosen: list[JoinKey], folded: Callable[[Column, Column], bool] | None = None
) -> str:
    """SELECT * over the tables of a path. `folded`: is a pair compared whatever its case?"""
    text = f"SELECT * FROM {quoted(tables[0])}"
    for key in chosen:
        on = " AND ".join(
            comparison(x, y, key.a, key.b, folded=folded is not None and folded(x, y)) for x, y in key.pairs
        )
        text += f" JOIN {quoted(key.b)} ON {on}"
    return text
