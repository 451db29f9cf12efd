"""Which imagined column is which of some joined tables' columns, which relation is which table, and what that
is worth.

Owns the assignment and its score. Must not search tables (sources.py does).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import JoinKey
from rewright.lake.opposites import opposed
from rewright.lake.resolve.assignment import assign
from rewright.lake.resolve.candidate import (
    Candidate,
    Halves,
    away_cost,
    scale_of,
    table_weight,
    weight_of,
    worth,
)
from rewright.lake.resolve.evidence import Evidence, real_columns
from rewright.lake.resolve.imagined import ImaginedColumn, Relation, Test
from rewright.lake.resolve.kinds import DATE, NAMED, is_year

# what each table costs beyond those that the query names: the fewer explain it, the better
# measured on lakes with known answers: below it strangers are joined for one column, above it parts of a
# split table are not
_EXTRA = 0.13
_HALF = 0.03
"""What joining the other half of a table that was split costs: something, where nothing is gained."""
# for each relation of the query that is the same table as another one
_DROPPED = 0.1
# for what a join's quality lacks to 1, and much more for what it lacks to 0.5
_WEAK_JOIN = 0.35
_DOUBTFUL_JOIN = 2.5
# a whole is likelier to be meant than a part that is as alike
_UNITED = 0.04
_ONE_PART = 0.2
"""Held against one part of a union of which nothing in the query speaks."""
_ALL_PARTS = 0.2
"""Held against a union of which the table's name tells one part, where its mark is not asked for."""
_COPIED = 0.2
"""Held against a copy or an older state of a table, where it is not asked for by its name."""
_NOT_ITS_KEY = 0.3
"""Held against a table joined by what should tell its rows apart and does not."""
_OF_A_JOIN = 0.3
"""Held against a key that joins two tables, where it would be calculated with."""
_NAMED_TABLE = 0.45
_SURELY_NAMED = 0.6
_CODES_ASKED = 0.6
"""Likeness of a column of codes to what is asked from which on their table is no table more."""
_SURELY_THERE, _ONLY_DAY = 0.75, 0.65
"""Likeness of a column from which on a table is what is asked for, and what that is worth to its only day."""
_CHASM = 0.25
_MANY_FOR_ONE = 0.25
"""Held against a day or number of which each row of what is asked for has many."""
_OTHER_SIDE = 0.4
"""Held against what is reached over a reference to the opposite of what is asked for."""
# a whole point and a half is more than a good column can bring
_STRANGE_YEAR = 1.5
"""Not even where nothing else gives rows."""
_ONE = 0.9
"""A column this unique has one row for each value."""
_COUNTS_ONE = 1.0
"""Held against a column of different values held to one value where rows are counted: there is one."""
_TWO_OF_ONE = 0.3
"""Held against two relations that are halves of one table."""
_GROUPS_OF_ONE = 0.5
_ALONE, _FEW = 0.95, 2
# tables so much less alike than the best are not tried as what a lone relation is
# a name by one word in three is still possible; less is chance
_HOME_BELOW = 0.35
_SAME_AS_BEFORE = 0.6
"""A table named again in a subquery is the same table."""


class Placer:
    """Evaluates sets of tables for one site. `prior`: which tables relations are in enclosing SELECTs."""

    def __init__(self, index: LakeIndex, evidence: Evidence, prior: dict[str, str], halves: Halves) -> None:
        self._index = index
        self._evidence = evidence
        self._prior = prior
        self._relations = evidence.site.relations
        self._aliases = {r.alias: r for r in self._relations}
        self._halves = halves
        self._unasked = self._parts_unasked()
        self._named = self._parts_named()
        self._called = {r.name.lower() for r in self._relations}
        # keys of relations are looked at once, as every set of tables asks for them
        self._keyed = [r.alias for r in self._relations if self._joined_by_its_key(r)]

    def _joined_by_its_key(self, relation: Relation) -> bool:
        """Is it joined by its own key, which another table refers to: `wards.id` or `wards.ward_id`?"""
        own = names.KEY_WORDS.union(names.words(relation.name))
        for column in relation.columns.values():
            told = set(names.words(column.name))
            # no key at all, or another table's
            if not told & names.KEY_WORDS or not told <= own:
                continue
            for alias, name in column.joined:
                other = self._aliases.get(alias)
                if other is not None and not set(names.words(name)) <= names.KEY_WORDS.union(
                    names.words(other.name)
                ):
                    return True
        return False

    def _parts_unasked(self) -> frozenset[str]:
        """Parts of unions that neither a table's name nor a literal of the query tells from the others."""
        # what a test holds a column to may be the part's mark: `season = 2016`
        said = {r.name for r in self._relations}
        said |= {str(t.value) for c in self._evidence.columns for t in c.tests}
        spoken = {word for text in said for word in names.words(text)}
        named = {r.name.lower() for r in self._relations}
        return frozenset(
            part
            for united in self._index.unions.values()
            if not united.spreads
            for part, mark in united.parts
            # marks that are the files' own names tell nothing that could be asked for
            if str(mark) != part and part.lower() not in named and not spoken & set(names.words(str(mark)))
        )

    def _parts_named(self) -> dict[str, str]:
        """Unions of which a relation's name tells one part: `standings_2016` is not all years' standings."""
        found: dict[str, str] = {}
        for united in self._index.unions.values():
            if united.spreads:
                continue
            for r in self._relations:
                said = set(names.words(r.name))
                told = [part for part, mark in united.parts if set(names.words(str(mark))) <= said]
                # of several parts that are called so none is told
                if len(told) == 1:
                    found[united.table.name] = united.mark
        return found

    def evaluate(self, tables: tuple[str, ...], joins: tuple[JoinKey, ...]) -> Candidate:
        reals = real_columns(self._index, tables)
        # a query without columns counts rows: its tables are told by their names
        fit = self._fitness(tables, reals, joins) if self._evidence.columns else None
        homes = self._possible_homes(tables, joins)
        # each way of taking the tables is placed on its own, as what is away depends on it
        found = [self._placed(tables, joins, reals, fit, home) for home in homes]
        return max(found, key=lambda c: c.score)

    def _possible_homes(self, tables: tuple[str, ...], joins: tuple[JoinKey, ...]) -> list[dict[str, str]]:
        """Which real tables the relations may be: of a lone relation every table that its name does not speak
        against.
        """
        if len(self._relations) > 1 or len(tables) == 1:
            # with several relations the best order is found by `_homes`; of a single one all likely tables
            # count
            return [self._homes(tables, joins)]
        alias = self._relations[0].alias
        best = max(self._evidence.table_score(alias, t) for t in tables)
        likely = [t for t in tables if self._evidence.table_score(alias, t) >= best - _HOME_BELOW]
        # at least the best itself is left
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
            # an imagined column may be nowhere at all, at no gain: better than at a loss
            matrix = np.zeros((len(imagined), len(reals) + len(imagined)))  # the last columns mean: not there
            # weighed before the assignment, so that a column that is tested beats one that is only shown
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

    def _homes(self, tables: tuple[str, ...], joins: tuple[JoinKey, ...]) -> dict[str, str]:
        """Which real table each relation chiefly is: names and columns together,
        each table once if possible.
        """
        # any real order is better than -1: scores are sums of likenesses, less a few penalties
        best: tuple[float, dict[str, str]] = (-1.0, {})
        relations = self._relations
        if len(tables) == 1:
            return {r.alias: tables[0] for r in relations}
        options = (
            itertools.permutations(tables, min(len(relations), len(tables)))
            # The number of orders grows as the factorial: of more tables only the order at hand is tried.
            if len(tables) <= 5
            else [tables[: len(relations)]]
        )
        for option in options:
            # more relations than tables: the rest are the first table, at a cost in `_total`
            homes = {r.alias: option[i] if i < len(option) else tables[0] for i, r in enumerate(relations)}
            value = sum(self._home_score(r.alias, homes[r.alias]) for r in relations)
            value -= _NOT_ITS_KEY * sum(self._repeats_its_key(homes[a], joins) for a in self._keyed)
            if value > best[0]:
                best = (value, homes)
        return best[1]

    def _home_score(self, alias: str, table: str) -> float:
        relation = self._aliases[alias]
        # the best column each finds there: the assignment itself would be exact, and too slow for all orders
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
                    # the referred table's rows are told apart, or the column says its name: `winner_id` to
                    # `winners`
                    if label is not None and (other.uniqueness > end.uniqueness or owner):
                        out[label.key] = names.referred(end.name)
        return out

    def _fitness(self, tables: tuple[str, ...], reals: list[Column], joins: tuple[JoinKey, ...]) -> Any:
        """(imagined, real columns): evidence, with what the joins and the grouping add."""
        fit = np.hstack([self._evidence.block(t) for t in tables])
        phrases = self._phrases(joins)
        grouped = [i for i, c in enumerate(self._evidence.columns) if c.grouped]
        held = [i for i, c in enumerate(self._evidence.columns) if any(_one_value(t) for t in c.tests)]
        summed = [i for i, c in enumerate(self._evidence.columns) if c.numeric]
        # years join tables as well, and are calculated with all the same
        keys = {end.key for key in joins for pair in key.pairs for end in pair if not is_year(end)}
        # a table that is joined to itself may give several rows for each of its own
        doubled = any(r.twins for r in self._evidence.site.relations)
        for j, real in enumerate(reals):
            if (phrase := phrases.get(real.key)) is not None:
                told = [self._evidence.referred_score(c, real, phrase) for c in self._evidence.columns]
                fit[:, j] = np.maximum(fit[:, j], told) - [
                    _OTHER_SIDE * opposed(_asked_for(c), phrase) for c in self._evidence.columns
                ]
                if (coded := self._coded_by(real, joins)) is not None:
                    told = [
                        self._meant(c, real, coded, own)
                        for c, own in zip(self._evidence.columns, fit[:, j], strict=True)
                    ]
                    fit[:, j] = told
            elif grouped and not phrases and not doubled and real.uniqueness > 0.8 and real.rows > 20:
                # groups of one row each are not what grouping is for
                fit[grouped, j] -= 0.15
            if grouped and self._evidence.site.counted and real.uniqueness > 0.95 and real.rows > 2:
                # counting them least of all, unless a join brings more rows
                fit[grouped, j] -= 0.0 if doubled or real.table in self._multiplied(joins) else 0.25
            if self._evidence.site.counted and real.uniqueness > 0.95 and real.rows > 2 and not joins:
                # nobody counts the one row that a value is found in
                fit[held, j] -= _COUNTS_ONE
            if summed and real.key in keys and real.meaning is not Family.DATE:
                # nobody calculates with what tables are joined on
                fit[summed, j] -= _OF_A_JOIN
            if grouped:
                # of equally likely groups the fewer
                fit[grouped, j] -= 0.04 * math.log10(max(real.distinct, 1))
        self._only_days(fit, reals)
        return fit

    def _only_days(self, fit: Any, reals: list[Column]) -> None:
        """What else a relation is asked for stands in a table with a single day: that day is meant, whatever
        it is called. `in_dienst` of the keepers is their `hire_date`.
        """
        asked = self._evidence.columns
        for j, real in enumerate(reals):
            beside = [k for k, c in enumerate(reals) if c.table == real.table and c is not real]
            # with a second day beside it nothing tells which is meant
            if real.meaning is not Family.DATE or any(reals[k].meaning is Family.DATE for k in beside):
                continue
            for i, c in enumerate(asked):
                if not DATE & set(names.words(c.name)) or not beside:
                    continue
                others = (k for k, o in enumerate(asked) if o.relation == c.relation and o is not c)
                # the relation's other columns are surely here, so its day is, too
                if max((fit[k, beside].max() for k in others), default=0.0) >= _SURELY_THERE:
                    fit[i, j] = max(fit[i, j], _ONLY_DAY)

    def _coded_by(self, label: Column, joins: tuple[JoinKey, ...]) -> Column | None:
        """The column whose codes a joined table's label stands for."""
        for key in joins:
            for one, other, (x, y) in ((key.a, key.b, key.pairs[0]), (key.b, key.a, key.pairs[0][::-1])):
                told = self._evidence.codes.between(one, other) if other == label.table else None
                # the join goes by the code itself, and not by another column of the table of codes
                if told is not None and told.pairs[0] == (x, y):
                    return x
        return None

    def _meant(self, imagined: ImaginedColumn, label: Column, coded: Column, own: float) -> float:
        """What a code stands for is called as the code; `label` or `name` alone says nothing, unless the
        table of codes is the one that is asked for.
        """
        meant = self._evidence.meaning_score(imagined, label, coded)
        named = (
            not imagined.relation
            or self._evidence.table_score(imagined.relation, label.table) >= _SURELY_NAMED
            # a label with words of its own says what it is, whoever asks
            or not set(names.words(label.name)) <= names.GENERIC | NAMED
        )
        return max(own, meant) if named else meant

    @staticmethod
    def _multiplied(joins: tuple[JoinKey, ...]) -> set[str]:
        """Tables of which one row meets many of the other side."""
        out: set[str] = set()
        for key in joins:
            for x, y in (key.pairs[0], key.pairs[0][::-1]):
                # the many side is the less unique end
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
                # a fault of a column that is asked for by no relation is none
                cost = self._cost_away(t, homes.get(c.relation), taken) if c.relation else 0.0
                # the table of an enclosing SELECT: a subquery mostly speaks of the same
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
        weight = table_weight(self._evidence)
        value += weight * sum(self._evidence.table_score(r.alias, homes[r.alias]) for r in self._relations)
        value -= sum(
            _WEAK_JOIN * (1.0 - min(1.0, k.quality)) + _DOUBTFUL_JOIN * max(0.0, 0.5 - k.quality)
            for k in joins
        )
        aside = self._split(tables) + self._explaining(joins, columns)
        value -= _HALF * aside
        extra = max(0, len(tables) - len(self._relations) - aside)
        value -= _EXTRA * extra * (1.0 + 0.5 * max(0, extra - 1))
        value -= _DROPPED * (len(self._relations) - len(set(homes.values())))
        value -= 0.8 * self._idle(tables, joins, columns, homes)
        value -= _TWO_OF_ONE * self._halves_of_one(homes)
        value -= _GROUPS_OF_ONE * groups_of_one(self._evidence.columns, columns, joins)
        value += _SAME_AS_BEFORE * sum(self._is_prior(r.name, tables) for r in self._relations)
        value -= _CHASM * self._chasms(tables, joins)
        value -= _MANY_FOR_ONE * self._of_many(joins, columns, homes)
        value -= _NOT_ITS_KEY * sum(self._repeats_its_key(homes[a], joins) for a in self._keyed)
        value -= _STRANGE_YEAR * self._strange_years(tables, columns, homes)
        value += _UNITED * sum(t in self._index.unions for t in tables)
        value -= _ONE_PART * sum(t in self._unasked for t in tables)
        value -= _COPIED * sum(t in self._index.copies and not self._asked_for_copy(t) for t in tables)
        marks = {c.key for c in columns.values()}
        value -= _ALL_PARTS * sum((t, mark) not in marks for t, mark in self._named.items() if t in tables)
        return value / scale_of(self._evidence)

    def _asked_for_copy(self, table: str) -> bool:
        """Is a copy asked for by its name, or by the year that its name tells?"""
        # `sales_2019` may be a copy of `sales`; who says 2019 means it
        years = {word for word in names.normal(table).split() if names.tells_year(word)}
        return table.lower() in self._called or any(
            years & set(names.normal(name).split()) for name in self._called
        )

    def _cost_away(self, table: str, home: str | None, taken: Collection[str]) -> float:
        """`away_cost`, except that the other half of a split table is not another place."""
        return 0.0 if table in self._halves.get(home or "", {}) else away_cost(table, home, taken)

    def _is_prior(self, name: str, tables: tuple[str, ...]) -> bool:
        """Is one of the tables what the relation is in an enclosing SELECT, or its other half?"""
        before = self._prior.get(name)
        return before is not None and any(t == before or t in self._halves.get(before, {}) for t in tables)

    def _halves_of_one(self, homes: dict[str, str]) -> int:
        """Pairs of relations that would be two halves of one table, which nobody who has not seen them tells
        apart.
        """
        # a table that is named by its own name was meant as itself
        told = [homes[r.alias] for r in self._relations if r.name.lower() != homes[r.alias].lower()]
        pairs = itertools.combinations(told, 2)
        return sum(b in self._halves.get(a, {}) for a, b in pairs)

    def _split(self, tables: tuple[str, ...]) -> int:
        """How many of the tables are there only as another's other half."""
        return sum(
            any(t in self._halves.get(before, {}) for before in tables[:i]) for i, t in enumerate(tables)
        )

    def _explaining(self, joins: tuple[JoinKey, ...], columns: dict[int, Column]) -> int:
        """How many tables say what another's codes stand for, where these are called as what is asked."""
        codes, asked = self._evidence.codes, self._evidence.columns
        found = 0
        for key in joins:
            for table, other in ((key.a, key.b), (key.b, key.a)):
                told, meant = codes.between(table, other), codes.of(other)
                if told is None or meant is None or set(told.pairs[0]) != set(key.pairs[0]):
                    continue
                # the code's column, which must be called as what is asked: else the label stands for itself
                coded = told.pairs[0][0]
                found += any(
                    columns.get(id(c)) is meant[1]
                    and self._evidence.name_score(c.table, c.name, coded) >= _CODES_ASKED
                    for c in asked
                )
        return found

    def _chasms(self, tables: tuple[str, ...], joins: tuple[JoinKey, ...]) -> int:
        """Tables that stand for one imagined one, and of which more than one side has many rows for each of
        theirs: their rows multiply.
        """
        if len(tables) <= len(self._relations):
            return 0
        many: dict[str, int] = {}
        for key in joins:
            for x, y, one in ((*key.pairs[0], key.a), (*key.pairs[0][::-1], key.b)):
                # several pairs tell the rows apart together, so that neither side need be many
                if len(key.pairs) == 1 and x.uniqueness > _ONE and y.uniqueness < _ONE:
                    many[one] = many.get(one, 0) + 1
        return sum(max(0, n - 1) for n in many.values())

    def _of_many(self, joins: tuple[JoinKey, ...], columns: dict[int, Column], homes: dict[str, str]) -> int:
        """Columns that stand in a table which nobody asked for, with several rows for each of the
        relation's: a person has one day of entry, not one for each journey. What is summed may be the sum of
        the parts, and a text one of many labels.
        """
        found, asked_for = 0, set(homes.values())
        for c in self._evidence.columns if joins else ():
            real, home = columns.get(id(c)), homes.get(c.relation)
            # sums add up over parts, and texts may be one of many labels
            if real is None or home is None or c.numeric or real.meaning is Family.TEXT:
                continue
            found += real.table not in asked_for and real.table in _many_for_one(home, joins)
        return found

    @staticmethod
    def _repeats_its_key(home: str, joins: tuple[JoinKey, ...]) -> bool:
        """Has a table several rows for each value that it is joined on, in all its joins?"""
        ends = [
            side
            for key in joins
            for table, side in ((key.a, [x for x, _ in key.pairs]), (key.b, [y for _, y in key.pairs]))
            if table == home
        ]
        # a table that is joined once by its key is told apart there
        return bool(ends) and all(len(side) == 1 and side[0].uniqueness < _ONE for side in ends)

    def _strange_years(
        self, tables: tuple[str, ...], columns: dict[int, Column], homes: dict[str, str]
    ) -> int:
        """Tables joined for their year alone beside one that has a year of its own: it would be the year of
        something else.
        """
        found = 0
        for table in set(tables) - set(homes.values()):
            used = [c for c in columns.values() if c.table == table]
            # the table gives only its year, and a year is there already
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
            if self._evidence.site.counted
            or (
                all(c.only_key for c in r.columns.values())
                and self._evidence.table_score(r.alias, homes[r.alias]) >= _NAMED_TABLE
            )
        }
        used = {c.table for c in columns.values()} | counted
        degree = {t: sum(t in {k.a, k.b} for k in joins) for t in tables}
        # at the rim: a table between two others joins them, though it gives nothing itself
        return sum(1 for t in tables if t not in used and degree[t] <= 1 and len(tables) > 1)


def _many_for_one(home: str, joins: tuple[JoinKey, ...]) -> set[str]:
    """Tables that have, as these joins lead to them, several rows for one of ``home``."""
    many: dict[str, bool] = {home: False}
    left = [*joins, *(key.flipped() for key in joins)]
    # As many rounds as there are joins: each brings the walk at least one table further.
    for _ in joins:
        for key in left:
            if key.a in many and key.b not in many:
                # a join over several columns is taken to find one row
                repeated = len(key.pairs) == 1 and key.pairs[0][1].uniqueness < _ONE
                many[key.b] = many[key.a] or repeated
    return {table for table, several in many.items() if several}


def _asked_for(imagined: ImaginedColumn) -> str:
    """What is asked for: of a bare `name` that of its table."""
    # names ask for their table's things
    bare = imagined.table and set(names.words(imagined.name)) <= NAMED
    return imagined.table if bare else imagined.name


def groups_of_one(
    imagined: Sequence[ImaginedColumn], columns: Mapping[int, Column], joins: Sequence[JoinKey]
) -> bool:
    """Would rows be grouped by what is different in each of them, and nothing else be asked of them? A list
    of what codes stand for looks like the column that is grouped by, and holds nothing to count.
    """
    groups = [real for c in imagined if c.grouped and (real := columns.get(id(c))) is not None]
    # other columns beside the groups are something to be counted or shown
    if joins or len({real.key for real in groups}) < len({real.key for real in columns.values()}):
        return False
    return any(c.uniqueness > _ALONE and c.rows > _FEW for c in groups)


def _one_value(test: Test) -> bool:
    return test.op == "=" and isinstance(test.value, str)
