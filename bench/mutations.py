"""Single small changes of a query, made on its syntax tree: what a careless rewrite gets wrong.

Some keep the meaning and most do not; which, is for the prover and for a real server to say. Owns the kinds
of change. Must not know provers, servers or schemas: a mutant may not even bind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast import parse_sql

from bench import mutations_of_looks, mutations_of_queries, mutations_of_values
from bench.mutation_trees import names_of, nodes, printed, put

_SETS = (mutations_of_queries.CHANGES, mutations_of_values.CHANGES, mutations_of_looks.CHANGES)
CHANGES = {kind: tuple(c for s in _SETS for c in s.get(kind, ())) for kind in {k for s in _SETS for k in s}}


@dataclass(frozen=True, slots=True)
class Mutant:
    """``sql`` is the query after one change of this ``kind``."""

    kind: str
    sql: str


def mutants(sql: str) -> Iterator[Mutant]:
    """Every query that one change makes of ``sql``, each text once. Raises pglast's ParseError."""
    root: Any = parse_sql(sql)[0].stmt
    seen = {printed(root)}
    names = names_of(root)
    for path, node in nodes(root):
        for change in CHANGES.get(type(node), ()):
            for kind, other in change(node, names):
                text = printed(put(root, path, other))
                if text is not None and text not in seen:
                    seen.add(text)
                    yield Mutant(kind, text)
