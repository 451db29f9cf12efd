"""Choosing the real tables of a site and which of their columns each imagined one is: jointly, by beam
search.

Owns the choice. A candidate is a set of real tables joined in a tree with an assignment of all imagined
columns; one imagined table may become several (missing table), several one (obsolete table). Must not know
SQL text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import JoinKey, KeyFinder
from rewright.lake.resolve.assignment import assign
from rewright.lake.resolve.evidence import Evidence, real_columns
from rewright.lake.resolve.imagined import ImaginedColumn
from rewright.lake.resolve.kinds import is_year

_BEAM = 12
_KEEP = 10
_EXTRA_TABLES = 2
_SPLIT = 0.10
_MERGED = 0.06
_EXTRA = 0.13
_HALF = 0.03
"""What joining the other half of a table that was split costs: something, where nothing is gained."""
_GOOD = 0.75
_DROPPED = 0.1
_TABLE_WEIGHT = 1.2
_COUNTED_WEIGHT = 1.8
_WEAK_JOIN = 0.35
_DOUBTFUL_JOIN = 2.5
_UNITED = 0.04
_CHASM = 0.25
_STRANGE_YEAR = 1.5
"""Not even where nothing else gives rows."""
_ONE = 0.9
"""A column this unique has one row for each value."""
_HOME_BELOW = 0.35
_SAME_AS_BEFORE = 0.6
"""A table named again in a subquery is the same table."""
_MIN_JOIN = 0.3
_MIN_LINK = 0.2
_TOLD = 0.5
_ASKED = 0.4
"""What it adds to a key that its columns are called as in the join the user wrote."""
_TEST_WEIGHT = 1.25
POOR = 0.3
"""A column score below this means: the imagined column is not there."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Real tables in join order, the keys that join each to an earlier one, and the columns' assignment."""

    tables: tuple[str, ...]
    joins: tuple[JoinKey, ...]
    columns: dict[int, Column]
    scores: dict[int, float]
    score: float
    homes: dict[str, str] = field(default_factory=dict)
    table_fit: float = 0.0

    def column_of(self, imagined: ImaginedColumn) -> Column | None:
        return self.columns.get(id(imagined))


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
        self._prior = prior or {}
        self._join_search = join_search
        self._relations = evidence.site.relations
        self._aliases = {r.alias: r for r in self._relations}
        self._halves = index.halves if join_search else {}

    def candidates(self) -> list[Candidate]:
        """The best candidates, best first."""
        limit = len(self._relations) + (_EXTRA_TABLES if self._join_search else 0)
        seen: dict[frozenset[str], Candidate] = {}
        layer = [self._evaluate((table,), ()) for table in self._evidence.pool]
        layer = self._best(layer, seen)
        for _ in range(limit - 1):
            grown = [c for state in layer for c in self._grow(state, seen)]
            layer = self._best(grown, seen)
            if not layer:
                break
        ranked = sorted(seen.values(), key=lambda c: (-c.score, c.tables))[: 2 * _KEEP]
        lean = [self._leaner(c) for c in ranked]
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
                    any(drop in {k.a, k.b} for k in others)
                    or len(leaf.pairs) != 1
                    or self._named_exactly(drop)
                ):
                    continue
                mine, theirs = leaf.pairs[0]
                used = [i for i, c in candidate.columns.items() if c.table == drop]
                if (
                    not used
                    or any(candidate.columns[i] is not theirs for i in used)
                    or mine in candidate.columns.values()
                ):
                    continue
                columns = {i: mine if i in used else c for i, c in candidate.columns.items()}
                homes = {alias: rest if home == drop else home for alias, home in candidate.homes.items()}
                tables = tuple(t for t in candidate.tables if t != drop)
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
        for table in self._evidence.pool:
            if (
                table in state.tables
                or self._same_rows(table, state.tables)
                or frozenset((*state.tables, table)) in seen
                or not self._helps(state, table)
            ):
                continue
            key = self._edge(state, table)
            found = (
                self._evaluate((*state.tables, table), (*state.joins, key))
                if key is not None
                else self._bridged(state, table)
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
                    ]
                )
            if best > state.scores.get(id(column), 0.0) + 0.08:
                return True
        return len(self._relations) > len(state.tables) and any(
            self._evidence.table_score(r.alias, table) > 0.45 for r in self._relations
        )

    def _referring(self, state: Candidate, table: str) -> list[str]:
        found = [
            pair.a.name
            for other in state.tables
            for pair in self._index.pairs(other, table)[:2]
            if pair.quality >= _MIN_JOIN
        ]
        return [names.referred(name) for name in found]

    def _edge(self, state: Candidate, table: str) -> JoinKey | None:
        """The best key between the table and one of the state's."""
        for other in state.tables:
            if (split := self._halves.get(other, {}).get(table)) is not None:
                return JoinKey(other, table, (split,), 1.0)
        found = [
            k for other in state.tables if self._linked(other, table) for k in self._keys.keys(other, table)
        ]
        found = [k for k in found if k.quality >= _MIN_JOIN]
        return max(found, key=lambda k: self._fit(k, state), default=None)

    def _linked(self, a: str, b: str) -> bool:
        """Could the two join at all? Cheap, before keys are completed and measured."""
        pairs = self._index.pairs(a, b)
        return bool(pairs) and (pairs[0].quality >= _MIN_LINK or len(pairs) > 1)

    def _strongly(self, a: str, b: str) -> bool:
        pairs = self._index.pairs(a, b)
        return bool(pairs) and pairs[0].quality >= 0.4

    def _fit(self, key: JoinKey, state: Candidate) -> float:
        """A key's quality, corrected by what the query says of its columns: the user's own keys, filters,
        outputs.
        """
        value = key.quality
        first_a, first_b = key.pairs[0]
        taken = {
            real.key: imagined
            for imagined in self._evidence.columns
            if (real := state.column_of(imagined)) is not None
        }
        for end in (first_a, first_b):
            imagined = taken.get(end.key)
            if imagined is not None and imagined.shown:
                value += 0.04
            if imagined is not None and any(t.op == "=" for t in imagined.tests) and len(imagined.tests) == 1:
                # joined on a column held to one value, the join would say nothing
                value -= 0.25
        if self._keys_asked() and any(set(names.words(c.name)) & names.KEY_WORDS for c in (first_a, first_b)):
            value += 0.12
        return value + _ASKED * self._asked(first_a, first_b)

    def _keys_asked(self) -> bool:
        """Did the user join on something called a key?"""
        joined = [c for r in self._relations for c in r.columns.values() if c.joined]
        return any(set(names.words(c.name)) & names.KEY_WORDS for c in joined)

    def _asked(self, a: Column, b: Column) -> float:
        """How well a pair fits a join the user wrote."""
        best = 0.0
        for relation in self._relations:
            for column in relation.columns.values():
                for alias, name in column.joined:
                    other = self._aliases.get(alias)
                    if other is None:
                        continue
                    for x, y in ((a, b), (b, a)):
                        fit = self._evidence.name_score(
                            relation.name, column.name, x
                        ) + self._evidence.name_score(other.name, name, y)
                        best = max(
                            best, fit / 2 + _TOLD * told_role(column.name, x, (relation.name, other.name))
                        )
        return best

    def _bridged(self, state: Candidate, table: str) -> Candidate | None:
        """Join through one table in between."""
        if not self._join_search or len(state.tables) > len(self._relations):
            return None
        best: Candidate | None = None
        for middle in self._evidence.pool:
            if middle in state.tables or middle == table or self._same_rows(middle, (*state.tables, table)):
                continue
            if not self._strongly(middle, table):
                continue
            first = self._edge(state, middle)
            if first is None or first.quality < 0.4:
                continue
            second = max((k for k in self._keys.keys(middle, table)), key=lambda k: k.quality, default=None)
            if (
                second is None
                or second.quality < 0.4
                or {x.key for x, _ in second.pairs} & {y.key for _, y in first.pairs}
            ):
                continue
            found = self._evaluate((*state.tables, middle, table), (*state.joins, first, second))
            if best is None or found.score > best.score:
                best = found
        return best

    def _evaluate(self, tables: tuple[str, ...], joins: tuple[JoinKey, ...]) -> Candidate:
        reals = real_columns(self._index, tables)
        fit = self._fitness(tables, reals, joins) if self._evidence.columns else None
        found = [self._placed(tables, joins, reals, fit, homes) for homes in self._possible_homes(tables)]
        return max(found, key=lambda c: c.score)

    def _possible_homes(self, tables: tuple[str, ...]) -> list[dict[str, str]]:
        """Which real tables the relations may be: of a lone relation every table that its name does not speak
        against.
        """
        if len(self._relations) > 1 or len(tables) == 1:
            return [self._homes(tables)]
        alias = self._relations[0].alias
        best = max(self._evidence.table_score(alias, t) for t in tables)
        likely = [t for t in tables if self._evidence.table_score(alias, t) >= best - _HOME_BELOW]
        return [{alias: t} for t in likely]

    def _placed(
        self,
        tables: tuple[str, ...],
        joins: tuple[JoinKey, ...],
        reals: list[Column],
        fit: Any,
        homes: dict[str, str],
    ) -> Candidate:
        """The best assignment of columns, given which table each relation is."""
        imagined = self._evidence.columns
        columns: dict[int, Column] = {}
        scores: dict[int, float] = {}
        if imagined:
            matrix = np.zeros((len(imagined), len(reals) + len(imagined)))  # the last columns mean: not there
            matrix[:, : len(reals)] = (fit - self._away(tables, homes)) * np.array(
                [[weight_of(c)] for c in imagined]
            )
            for row, col in enumerate(assign(matrix)):
                if col >= len(reals):
                    scores[id(imagined[row])] = 0.0
                    continue
                columns[id(imagined[row])] = reals[col]
                scores[id(imagined[row])] = float(fit[row, col])
        score = self._total(tables, joins, columns, scores, homes)
        fit_tables = sum(self._evidence.table_score(r.alias, homes[r.alias]) for r in self._relations) / len(
            self._relations
        )
        return Candidate(tables, joins, columns, scores, score, homes, fit_tables)

    def _homes(self, tables: tuple[str, ...]) -> dict[str, str]:
        """Which real table each relation chiefly is: names and columns together,
        each table once if possible.
        """
        best: tuple[float, dict[str, str]] = (-1.0, {})
        relations = self._relations
        if len(tables) == 1:
            return {r.alias: tables[0] for r in relations}
        options = (
            itertools.permutations(tables, min(len(relations), len(tables)))
            if len(tables) <= 5
            else [tables[: len(relations)]]
        )
        for option in options:
            homes = {r.alias: option[i] if i < len(option) else tables[0] for i, r in enumerate(relations)}
            value = sum(self._home_score(r.alias, homes[r.alias]) for r in relations)
            if value > best[0]:
                best = (value, homes)
        return best[1]

    def _home_score(self, alias: str, table: str) -> float:
        relation = self._aliases[alias]
        tops = self._evidence.block(table).max(axis=1) if self._evidence.columns else ()
        told = [
            float(top)
            for c, top in zip(self._evidence.columns, tops, strict=True)
            if c.relation == relation.alias
        ]
        return self._evidence.table_score(alias, table) + (sum(told) / len(told) if told else 0.0)

    def _phrases(self, joins: tuple[JoinKey, ...]) -> dict[tuple[str, str], str]:
        """Label columns reached over a reference, and what the referring column calls them."""
        out: dict[tuple[str, str], str] = {}
        for key in joins:
            for x, y in key.pairs[:1]:
                for end, other in ((x, y), (y, x)):
                    label = self._index.label_column(other.table)
                    owner = set(names.words(names.referred(other.name))) & set(names.words(other.table))
                    if label is not None and (other.uniqueness > end.uniqueness or owner):
                        out[label.key] = names.referred(end.name)
        return out

    def _fitness(self, tables: tuple[str, ...], reals: list[Column], joins: tuple[JoinKey, ...]) -> Any:
        """(imagined, real columns): evidence, with what the joins and the grouping add."""
        fit = np.hstack([self._evidence.block(t) for t in tables])
        phrases = self._phrases(joins)
        grouped = [i for i, c in enumerate(self._evidence.columns) if c.grouped]
        for j, real in enumerate(reals):
            if (phrase := phrases.get(real.key)) is not None:
                told = [self._evidence.referred_score(c, real, phrase) for c in self._evidence.columns]
                fit[:, j] = np.maximum(fit[:, j], told)
            elif grouped and not phrases and real.uniqueness > 0.8 and real.rows > 20:
                # groups of one row each are not what grouping is for
                fit[grouped, j] -= 0.15
            if grouped and self._evidence.site.counted and real.uniqueness > 0.95 and real.rows > 2:
                # counting them least of all, unless a join brings more rows
                fit[grouped, j] -= 0.0 if real.table in self._multiplied(joins) else 0.25
            if grouped:
                # of equally likely groups the fewer
                fit[grouped, j] -= 0.04 * math.log10(max(real.distinct, 1))
        return fit

    @staticmethod
    def _multiplied(joins: tuple[JoinKey, ...]) -> set[str]:
        """Tables of which one row meets many of the other side."""
        out: set[str] = set()
        for key in joins:
            for x, y in (key.pairs[0], key.pairs[0][::-1]):
                if x.uniqueness > y.uniqueness:
                    out.add(x.table)
        return out

    def _away(self, tables: tuple[str, ...], homes: dict[str, str]) -> Any:
        """(imagined, real columns): what it costs to find a column away from its relation's home; into
        another's home more.
        """
        widths = [len(self._index.tables[t].columns) for t in tables]
        taken = set(homes.values())
        rows: list[Any] = []
        for c in self._evidence.columns:
            costs = []
            for t in tables:
                cost = self._cost_away(t, homes.get(c.relation), taken) if c.relation else 0.0
                costs.append(cost - (0.1 if self._prior.get(c.table) == t else 0.0))
            rows.append(np.repeat(costs, widths))
        return np.array(rows)

    def _total(
        self,
        tables: tuple[str, ...],
        joins: tuple[JoinKey, ...],
        columns: dict[int, Column],
        scores: dict[int, float],
        homes: dict[str, str],
    ) -> float:
        weights = {id(c): weight_of(c) for c in self._evidence.columns}
        value = sum(weights[i] * worth(s) for i, s in scores.items())
        for c in self._evidence.columns:
            real = columns.get(id(c))
            if real is not None and c.relation:
                value -= self._cost_away(real.table, homes.get(c.relation), homes.values()) * 0.5
        # whose rows are counted is told by the table's name alone
        weight = _table_weight(self._evidence)
        value += weight * sum(self._evidence.table_score(r.alias, homes[r.alias]) for r in self._relations)
        value -= sum(
            _WEAK_JOIN * (1.0 - min(1.0, k.quality)) + _DOUBTFUL_JOIN * max(0.0, 0.5 - k.quality)
            for k in joins
        )
        value -= _HALF * self._split(tables)
        extra = max(0, len(tables) - len(self._relations) - self._split(tables))
        value -= _EXTRA * extra * (1.0 + 0.5 * max(0, extra - 1))
        value -= _DROPPED * (len(self._relations) - len(set(homes.values())))
        value -= 0.8 * self._idle(tables, joins, columns, homes)
        value += _SAME_AS_BEFORE * sum(self._is_prior(r.name, tables) for r in self._relations)
        value -= _CHASM * self._chasms(tables, joins)
        value -= _STRANGE_YEAR * self._strange_years(tables, columns, homes)
        value += _UNITED * sum(t in self._index.unions for t in tables)
        return value / scale_of(self._evidence)

    def _cost_away(self, table: str, home: str | None, taken: Collection[str]) -> float:
        """`away_cost`, but for a table that was split its other half is no other place."""
        return 0.0 if table in self._halves.get(home or "", {}) else away_cost(table, home, taken)

    def _is_prior(self, name: str, tables: tuple[str, ...]) -> bool:
        """Is one of the tables what the relation is in an enclosing SELECT, or its other half?"""
        before = self._prior.get(name)
        return before is not None and any(t == before or t in self._halves.get(before, {}) for t in tables)

    def _split(self, tables: tuple[str, ...]) -> int:
        """How many of the tables are there only as another's other half."""
        return sum(
            any(t in self._halves.get(before, {}) for before in tables[:i]) for i, t in enumerate(tables)
        )

    def _chasms(self, tables: tuple[str, ...], joins: tuple[JoinKey, ...]) -> int:
        """Tables that stand for one imagined one, and of which more than one side has many rows for each of
        theirs: their rows multiply.
        """
        if len(tables) <= len(self._relations):
            return 0
        many: dict[str, int] = {}
        for key in joins:
            for x, y, one in ((*key.pairs[0], key.a), (*key.pairs[0][::-1], key.b)):
                if len(key.pairs) == 1 and x.uniqueness > _ONE and y.uniqueness < _ONE:
                    many[one] = many.get(one, 0) + 1
        return sum(max(0, n - 1) for n in many.values())

    def _strange_years(
        self, tables: tuple[str, ...], columns: dict[int, Column], homes: dict[str, str]
    ) -> int:
        """Tables joined for their year alone beside one that has a year of its own: it would be the year of
        something else.
        """
        found = 0
        for table in set(tables) - set(homes.values()):
            used = [c for c in columns.values() if c.table == table]
            if used and all(is_year(c) for c in used):
                found += any(is_year(c) for c in real_columns(self._index, [t for t in tables if t != table]))
        return found

    def _idle(
        self,
        tables: tuple[str, ...],
        joins: tuple[JoinKey, ...],
        columns: dict[int, Column],
        homes: dict[str, str],
    ) -> int:
        """Tables at the rim of the join tree that give no column and stand for none that is only joined or
        counted.
        """
        counted = {
            homes[r.alias]
            for r in self._relations
            if self._evidence.site.counted or all(c.only_key for c in r.columns.values())
        }
        used = {c.table for c in columns.values()} | counted
        degree = {t: sum(t in {k.a, k.b} for k in joins) for t in tables}
        return sum(1 for t in tables if t not in used and degree[t] <= 1 and len(tables) > 1)


def told_role(name: str, real: Column, tables: tuple[str, str]) -> float:
    """The share of a key's words beyond those of its tables that a real column has: `manager_id` and
    `mgrEmpNo`.
    """
    plain = names.KEY_WORDS.union(*(names.words(table) for table in tables))
    told = set(names.words(name)) - plain
    return len(told & set(names.words(real.name))) / len(told) if told else 0.0


def weight_of(imagined: ImaginedColumn) -> float:
    """How much an imagined column counts among the others."""
    return _TEST_WEIGHT if imagined.tests else 1.0


def _table_weight(evidence: Evidence) -> float:
    return _COUNTED_WEIGHT if evidence.site.counted else _TABLE_WEIGHT


def scale_of(evidence: Evidence) -> float:
    """What a candidate's evidence is divided by, so that scores of queries of any size compare."""
    return sum(weight_of(c) for c in evidence.columns) + _table_weight(evidence) * len(
        evidence.site.relations
    )


def away_cost(table: str, home: str | None, taken: Collection[str]) -> float:
    """What it costs to find a column of a relation elsewhere than in its home; in another relation's home
    more.
    """
    return 0.0 if table == home else _SPLIT + (_MERGED if table in taken else 0.0)


def worth(score: float) -> float:
    """What a column's score adds: poor ones hurt more than good ones help."""
    return min(score, 1.2) - 0.5 * max(0.0, 0.6 - score) - 0.4 * max(0.0, min(score, 1.2) - _GOOD)


def named(relation_name: str, table: str) -> bool:
    """Do two table names share a telling word?"""
    return bool(set(names.words(relation_name)) & set(names.words(table)))
