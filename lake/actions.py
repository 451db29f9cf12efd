"""The data lake actions of thesis 3.3, typed, each usable alone; the scratchpad keeps what they find.

Owns the actions' parameters and results. Must not decide when to use one (the drivers do).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz

from rewright.engines.duckdb.database import LakeDatabase, Rows
from rewright.engines.duckdb.errors import LakeError
from rewright.lake import names
from rewright.lake.catalog.model import VALUE_LIMIT, Column, Table
from rewright.lake.index import LakeIndex
from rewright.lake.joins.graph import JoinGraph
from rewright.lake.joins.keys import KeyFinder
from rewright.lake.joins.paths import JoinPath, find_paths
from rewright.lake.noise.clean import clean_cte, clean_expression
from rewright.lake.noise.values import fold
from rewright.lake.resolve.assignment import assign
from rewright.lake.retrieval import Retriever, query_snippet

_CTE_ROWS = 50
# of the union score (thesis 5.3), in the order in which they are added
_MEAN_WEIGHT, _COVERAGE_WEIGHT, _TYPE_BONUS = 0.6, 0.4, 0.1
_UNION_SIMILAR = 0.5
_EXACT_BONUS, _PART_BONUS = 0.5, 0.25


@dataclass(frozen=True, slots=True)
class SearchTable:
    """Tables like a described one."""

    domain: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchValue:
    """Where a table holds a value, or what is closest."""

    table: str
    value: str


@dataclass(frozen=True, slots=True)
class FindJoinPath:
    table_a: str
    table_b: str


@dataclass(frozen=True, slots=True)
class UnionSearch:
    """Tables that could be appended to this one."""

    table: str


@dataclass(frozen=True, slots=True)
class BuildCte:
    """A cleaned version of a table; `columns` empty: all that need it."""

    table: str
    columns: tuple[str, ...] = ()
    goal: str = ""


@dataclass(frozen=True, slots=True)
class EvictTable:
    """Keep a table out of basic retrieval; other actions still find it."""

    table: str


@dataclass(frozen=True, slots=True)
class OutputQuery:
    """End: the candidate with this index in the history is the answer."""

    index: int


Action = SearchTable | SearchValue | FindJoinPath | UnionSearch | BuildCte | EvictTable | OutputQuery


@dataclass(frozen=True, slots=True)
class TableHit:
    table: str
    score: float
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueHit:
    column: str
    value: str
    score: float
    rows: int


@dataclass(frozen=True, slots=True)
class UnionHit:
    """A table that could be appended, and which of its columns go under which."""

    table: str
    score: float
    columns: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, slots=True)
class CteResult:
    """A cleaning CTE with the first rows it gives."""

    name: str
    sql: str
    columns: tuple[str, ...]
    preview: Rows | None
    error: str = ""


class Actions:
    """The actions over one lake."""

    def __init__(self, index: LakeIndex, database: LakeDatabase, graph: JoinGraph) -> None:
        self._index = index
        self._database = database
        self._graph = graph
        self._keys = KeyFinder(index, database)
        self.retriever = Retriever(index, graph)

    def search_table(
        self, action: SearchTable, k: int = 5, *, evicted: Iterable[EvictTable] = ()
    ) -> list[TableHit]:
        """Cosine of `column column … table` with each table's schema snippet; without columns, words are
        searched.
        """
        gone = {self._table(e.table).name for e in evicted}
        if action.columns:
            sims = self._index.snippet_similarities(query_snippet(action.domain, action.columns))
            found = sorted(
                zip(self._index.tables, (float(s) for s in sims), strict=True), key=lambda ts: -ts[1]
            )
        else:
            found = self.retriever.search(action.domain, k + len(gone))
        ranked = [(t, s) for t, s in found if t not in gone][:k]
        return [
            TableHit(t, round(s, 4), tuple(c.name for c in self._index.tables[t].columns)) for t, s in ranked
        ]

    def search_value(self, action: SearchValue, top: int = 3) -> list[ValueHit]:
        """The closest values over the table's columns: meaning, with a bonus for the same text or a part of
        it.
        """
        table = self._table(action.table)
        wanted = fold(action.value)
        hits: list[ValueHit] = []
        for column in table.columns:
            # Its values are not all kept: only the index of values tells whether it holds this one.
            if column.distinct > VALUE_LIMIT:
                hits += [
                    ValueHit(column.name, action.value, 1.0, n)
                    for t, c, n in self._index.where(action.value)
                    if (t, c) == column.key
                ]
                continue
            counts = self._index.values(column).counts
            # Vectors of all values would take seconds: the twelve that are spelt most like it are compared.
            close = sorted(counts, key=lambda vn: -_closeness(wanted, fold(vn[0])))[:12]
            sims = (
                self._index.embedder.embed([names.normal(v)[:80] for v, _ in close])
                @ self._index.embedder.one(names.normal(action.value))
                if close
                else ()
            )
            hits += [
                ValueHit(column.name, v, round(_value_score(wanted, fold(v), float(s)), 4), n)
                for (v, n), s in zip(close, sims, strict=True)
            ]
        self._index.save_vectors()
        return sorted(hits, key=lambda h: (-h.score, h.column, h.value))[:top]

    def find_join_path(self, action: FindJoinPath, k: int = 3) -> list[JoinPath]:
        """The k cheapest join paths with previews."""
        return find_paths(
            self._graph,
            self._keys,
            self._database,
            self._table(action.table_a).name,
            self._table(action.table_b).name,
            k=k,
        )

    def union_search(self, action: UnionSearch, k: int = 5) -> list[UnionHit]:
        """0.6 · mean similarity + 0.4 · coverage + type bonus, columns matched one to one (thesis 5.3)."""
        base = self._table(action.table)
        others = (
            t
            for name, t in self._index.tables.items()
            if t.name != base.name and name not in self._index.unions
        )
        hits = [hit for other in others if (hit := self._union(base, other)) is not None]
        return sorted(hits, key=lambda h: (-h.score, h.table))[:k]

    def build_cte(self, action: BuildCte, written: Mapping[str, str] | None = None) -> CteResult:
        """The cleaned table as a CTE, from the vetted normalisers; ``written``: expressions that go before
        them, by column.
        """
        table = self._table(action.table)
        wanted = [c for c in table.columns if (c.name in action.columns if action.columns else c.noise)]
        found = {c.name: e for c in wanted if (e := clean_expression(c, self._index.values(c))) is not None}
        found |= written or {}
        sql = clean_cte(table.name, found) if found else ""
        name = f"clean_{table.name}"
        if not sql:
            return CteResult(name, "", (), None, "nothing to clean")
        try:
            return CteResult(name, sql, tuple(found), self._database.execute(f"{sql} LIMIT {_CTE_ROWS}"))
        except LakeError as error:
            return CteResult(name, sql, tuple(found), None, str(error))

    def preview(self, table: str, rows: int = 3) -> Rows:
        """The first rows of a table."""
        return self._database.execute(
            'SELECT * FROM "' + self._table(table).name.replace('"', '""') + f'" LIMIT {rows}'
        )

    def _union(self, base: Table, other: Table) -> UnionHit | None:
        # The assignment takes the smaller side as its rows.
        first, second = (base, other) if len(base.columns) <= len(other.columns) else (other, base)
        sims = [[self._like(a, b) for b in second.columns] for a in first.columns]
        pairs = [
            (first.columns[i], second.columns[j], sims[i][j])
            for i, j in enumerate(assign(sims))
            if sims[i][j] >= _UNION_SIMILAR
        ]
        if not pairs:
            return None
        if first is not base:
            pairs = [(b, a, s) for a, b, s in pairs]
        mean = sum(s for _, _, s in pairs) / len(pairs)
        coverage = len(pairs) / len(base.columns)
        typed = sum(a.meaning is b.meaning for a, b, _ in pairs) / len(pairs)
        score = _MEAN_WEIGHT * mean + _COVERAGE_WEIGHT * coverage + _TYPE_BONUS * typed
        return UnionHit(
            other.name, round(score, 4), tuple((a.name, b.name, round(s, 3)) for a, b, s in pairs)
        )

    def _like(self, a: Column, b: Column) -> float:
        vectors, at = self._index.name_vectors, self._index.position
        return float(vectors[at[a.key]] @ vectors[at[b.key]])

    def _table(self, name: str) -> Table:
        found = self._index.table(name)
        if found is None:
            raise LakeError(f"no table {name!r} in the lake", sqlstate="42P01")
        return found


def _closeness(wanted: str, value: str) -> float:
    return float(fuzz.WRatio(wanted, value))


def _value_score(wanted: str, value: str, similarity: float) -> float:
    if wanted == value:
        return 1.0 + _EXACT_BONUS
    part = min(len(wanted), len(value)) >= 2 and (wanted in value or value in wanted)
    return similarity + (_PART_BONUS if part else 0.0)
