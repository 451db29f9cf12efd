"""Choosing the real tables of a site and which of their columns each imagined one is: jointly, by beam
search.

Owns the choice. A candidate is a set of real tables joined in a tree with an assignment of all imagined
columns; one imagined table may become several (missing table), several one (obsolete table). Must not know
SQL text.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import JoinKey, KeyFinder
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.edges import MIN_JOIN, EdgeFinder
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.placing import Placer

# sets of tables that are extended in each round of the search, and those that it gives
_BEAM = 12
_KEEP = 10
# tables beyond those that the query names, to join over
_EXTRA_TABLES = 2


class _Edges:
    """The best keys from one candidate's tables to others, each found once."""

    def __init__(self, finder: EdgeFinder, state: Candidate) -> None:
        self._finder = finder
        self._state = state
        self._found: dict[str, JoinKey | None] = {}

    def to(self, table: str) -> JoinKey | None:
        if table not in self._found:
            self._found[table] = self._finder.edge(self._state, table)
        return self._found[table]


class SourceFinder:
    """Searches candidates for one site."""

    def __init__(
        self,
        index: LakeIndex,
        evidence: Evidence,
        keys: KeyFinder,
        prior: dict[str, str] | None = None,
        *,
        join_search: bool = True,
    ) -> None:
        self._index = index
        self._evidence = evidence
        self._keys = keys
        self._join_search = join_search
        self._relations = evidence.site.relations
        halves = index.halves if join_search else {}
        self._edges = EdgeFinder(index, evidence, keys, halves)
        self._placer = Placer(index, evidence, prior or {}, halves)

    def candidates(self) -> list[Candidate]:
        """The best candidates, best first."""
        limit = len(self._relations) + (_EXTRA_TABLES if self._join_search else 0)
        seen: dict[frozenset[str], Candidate] = {}
        layer = [self._placer.evaluate((table,), ()) for table in self._evidence.pool]
        layer = self._best(layer, seen)
        for _ in range(limit - 1):
            # each round joins one table more to the sets of the round before
            grown = [c for state in layer for c in self._grow(state, seen)]
            layer = self._best(grown, seen)
            if not layer:
                break
        ranked = sorted(seen.values(), key=lambda c: (-c.score, c.tables))[: 2 * _KEEP]
        lean = [self._leaner(c) for c in ranked]
        # In reverse, so that of equal sets of tables the best one is written last and stays.
        unique = {
            frozenset(c.tables): c for c in sorted(lean, key=lambda c: (-c.score, c.tables), reverse=True)
        }
        return sorted(unique.values(), key=lambda c: (-c.score, c.tables))[:_KEEP]

    def _leaner(self, candidate: Candidate) -> Candidate:
        """Without tables that only repeat the key they are joined on: the other side holds it, and loses no
        rows.
        """
        for key in candidate.joins:
            for leaf, rest in ((key, key.a), (key.flipped(), key.b)):
                drop = leaf.b
                others = tuple(k for k in candidate.joins if k is not key)
                if (
                    # Only a leaf of the join tree can go without parting the others.
                    any(drop in {k.a, k.b} for k in others)
                    or len(leaf.pairs) != 1
                    or self._named_exactly(drop)
                ):
                    continue
                mine, theirs = leaf.pairs[0]
                used = [i for i, c in candidate.columns.items() if c.table == drop]
                # the leaf gives more than its key (or nothing, which costs it), or the other side is taken
                # already
                if (
                    not used
                    or any(candidate.columns[i] is not theirs for i in used)
                    or mine in candidate.columns.values()
                ):
                    continue
                columns = {i: mine if i in used else c for i, c in candidate.columns.items()}
                homes = {alias: rest if home == drop else home for alias, home in candidate.homes.items()}
                tables = tuple(t for t in candidate.tables if t != drop)
                # Once more, since another table may have become a leaf.
                return self._leaner(
                    replace(candidate, tables=tables, joins=others, columns=columns, homes=homes)
                )
        return candidate

    def _named_exactly(self, table: str) -> bool:
        return any(r.name.lower() == table.lower() for r in self._relations)

    def _best(self, found: list[Candidate], seen: dict[frozenset[str], Candidate]) -> list[Candidate]:
        for candidate in found:
            key = frozenset(candidate.tables)
            if key not in seen or seen[key].score < candidate.score:
                seen[key] = candidate
        # of each set of tables the best tree of joins found so far
        unique = {frozenset(c.tables): seen[frozenset(c.tables)] for c in found}
        ranked = sorted(unique.values(), key=lambda c: (-c.score, c.tables))
        # each relation's favourite stays, so that a join can bring the rest
        kept = ranked[:_BEAM]
        for relation in self._relations:
            own = sorted(
                ranked, key=lambda c: -max(self._evidence.table_score(relation.alias, t) for t in c.tables)
            )[:4]
            kept += [c for c in own if c not in kept]
        return kept

    def _grow(self, state: Candidate, seen: dict[frozenset[str], Candidate]) -> list[Candidate]:
        out = []
        edges = _Edges(self._edges, state)
        for table in self._evidence.pool:
            if (
                table in state.tables
                or self._same_rows(table, state.tables)
                or frozenset((*state.tables, table)) in seen
                or not self._helps(state, table)
            ):
                continue
            key = edges.to(table)
            found = (
                self._placer.evaluate((*state.tables, table), (*state.joins, key))
                if key is not None
                else self._bridged(state, table, edges)
            )
            if found is not None:
                out.append(found)
        return out

    def _same_rows(self, table: str, others: tuple[str, ...]) -> bool:
        """A union and one of its parts: joined they would only say the same twice."""
        unions = self._index.unions
        pairs = [(table, other) for other in others] + [(other, table) for other in others]
        return any(
            part in {name for name, _ in unions[whole].parts} for whole, part in pairs if whole in unions
        )

    def _helps(self, state: Candidate, table: str) -> bool:
        """Would the table serve some column clearly better, or is it some relation's likely self?"""
        tops = self._evidence.block(table).max(axis=1) if self._evidence.columns else ()
        for column, best in zip(self._evidence.columns, tops, strict=True):
            # a column that is only shown may be another table's label for a reference
            if (
                not column.tests
                and not column.numeric
                and (label := self._index.label_column(table)) is not None
            ):
                best = max(
                    [
                        best,
                        *(
                            self._evidence.referred_score(column, label, phrase)
                            for phrase in self._referring(state, table)
                        ),
                        *(
                            self._evidence.meaning_score(column, label, coded)
                            for coded in self._coded(state, table)
                        ),
                    ]
                )
            if best > state.scores.get(id(column), 0.0) + 0.08:
                return True
        return len(self._relations) > len(state.tables) and any(
            self._evidence.table_score(r.alias, table) > 0.45 for r in self._relations
        )

    def _coded(self, state: Candidate, table: str) -> list[Column]:
        """Columns of the state's tables whose codes the table explains."""
        keys = (self._evidence.codes.between(other, table) for other in state.tables)
        return [key.pairs[0][0] for key in keys if key is not None]

    def _referring(self, state: Candidate, table: str) -> list[str]:
        found = [
            pair.a.name
            for other in state.tables
            for pair in self._index.pairs(other, table)[:2]
            if pair.quality >= MIN_JOIN
        ]
        return [names.referred(name) for name in found]

    def _bridged(self, state: Candidate, table: str, edges: _Edges) -> Candidate | None:
        """Join through one table in between."""
        # the state has a table in between already
        if not self._join_search or len(state.tables) > len(self._relations):
            return None
        best: Candidate | None = None
        for middle in self._evidence.pool:
            if middle in state.tables or middle == table or self._same_rows(middle, (*state.tables, table)):
                continue
            # what the tables at hand join to is known from before; what else does would have to be measured
            first = edges.to(middle)
            if first is None or first.quality < 0.4 or not self._edges.strongly(middle, table):
                continue
            second = max((k for k in self._keys.keys(middle, table)), key=lambda k: k.quality, default=None)
            if (
                # in and out by one column of the middle: the two ends could be joined without it
                second is None
                or second.quality < 0.4
                or {x.key for x, _ in second.pairs} & {y.key for _, y in first.pairs}
            ):
                continue
            found = self._placer.evaluate((*state.tables, middle, table), (*state.joins, first, second))
            if best is None or found.score > best.score:
                best = found
        return best
