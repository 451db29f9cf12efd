"""Scores how well each imagined column fits each real one by names, types and values.

Owns the scores of single columns and tables. Must not choose (sources.py does).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.copies import version_of
from rewright.lake.index import LakeIndex, code_like, label, lettered
from rewright.lake.joins.codes import Codes
from rewright.lake.joins.scores import joinable
from rewright.lake.noise.months import month_of
from rewright.lake.noise.values import date_formats, plain_number, truth
from rewright.lake.opposites import of_one_side, opposed, without_sides
from rewright.lake.resolve.cut_columns import CutColumns
from rewright.lake.resolve.dimensions import counted_in, dimension_score, named_by_unit
from rewright.lake.resolve.imagined import ImaginedColumn, Relation, Site, Test, is_called
from rewright.lake.resolve.kinds import (
    CODES,
    DATE,
    NAMED,
    QUANTITY,
    TEXTUAL,
    YEAR,
    bare_key,
    is_flag,
    type_score,
)
from rewright.lake.resolve.likeness import (
    ACRONYM,
    completed,
    covered,
    head_of,
    initials,
    left_out,
    lexical,
)
from rewright.lake.resolve.literals import number_test, truth_score
from rewright.lake.resolve.spelt import spelt_tables
from rewright.lake.resolve.values import SURE, ValueMatcher

# sizes of the pool: by the whole query, by each relation's name, by each column; what all of them leave out
# is not looked at again, so they are generous
_POOL_SITE = 18
_POOL_RELATION = 10
_POOL_COLUMN = 4
# a value that more tables than this hold is a year or a code that is everywhere
_RARE = 12
_LEADERS = 4
_FAMILY = 14
# two columns that share half of their values hold the same things, in one's or the other's part
_SAME_VALUES = 0.5
# few values are shared by chance: `yes` and `no` teach nothing
_TAUGHT_FROM = 12
# a likeness that needs no other evidence
_WELL_NAMED = 0.7
# under this a column is not meant by name, and its values are not worth the search
_LIKELY = 0.42
_FLAG = 0.3
"""How much it speaks against a column of 0 and 1 that it is added up by another name."""
_ABOUT = 0.05
"""Columns this much less like what is asked are about as like."""
_OWN_REFERENCE = 0.3
_SAME_KEYS = 0.95
_HEAD = 0.85
_THING = 0.95
_TOTAL = 0.97
_NEUTRAL = frozenset({"total", "overall", "number", "count", "of", "all", "sum", "the"})
_ANOTHERS_NAME = 0.6
"""What is left of a likeness to a name that is another thing's."""
_OTHER_SIDE = 0.6
"""What is left of a likeness to the opposite: `destination` where the `origin` is asked for."""
_ONE_SIDE, _ONE_MEASURE = 0.7, 0.9
"""Likeness of a name to a word for the side that is asked for, alone and with what else is asked."""
_SAYS_IT, _SAID_BESIDE = 0.6, 0.75
"""Likeness to a column beside from which on that is meant, and what is left to a bare name there."""
_CALLED_BY_UNIT = 0.75
"""Likeness of a measure to a column that is called by its unit alone."""
_OF_EXPERTS, _EXPERTS = frozenset({"scientific", "botanical", "technical", "legal", "internal"}), 0.7
"""Whose names these are, and what is left of a likeness to them where nobody asks for theirs."""
_ITS_DAY = 0.8
"""Likeness of a thing's day to the only day that a table of such things has."""
_BY_LETTER = 0.7
"""Likeness of a name to a count that is called by its first letter."""
_UNSAID = 0.15
"""Share of a name from which on a word that is left out is missed."""
_SAID_IN_VALUES, _SAID_BY = 0.8, 2
"""Likeness of a name to a column each of whose values says it, and how many of them there must be."""
_OF_ONE_THING = 0.4
"""Likeness of two tables' words from which on they hold the same things."""
_RATHER = 0.95
_SPELT = 0.92
_COMPLETED = 0.95
"""How much of a likeness counts that rests on what a shortened word is taken for."""
_AS_NAMED = 0.9
"""Likeness of names from which on nothing was left unsaid."""
_SPELT_OTHERWISE = 0.36
"""What it is worth that a column holds the value that is asked for in another spelling."""
# above whatever names, types and values can add up to
_BOUND = 1.2
_AS_BEFORE = 0.25
"""A column named again in a subquery is the same column."""
_MARKED = 0.5
_UNMARKED = 0.2
"""Likeness of a name to what tells a union's parts apart where these say nothing of it."""
_BY_CHANCE = 0.1
"""Likeness of any two words that means nothing."""
_SAME_IN_ALL = 0.3
_NAMES_THINGS = 0.8
_HARDLY = 0.05
_TOLD = frozenset({"description", "text", "meaning"})
"""What the names of codes' things are called, too."""
_POOL_CUT = 6
# names of tables that tell another year: still the same thing, so not excluded
_OTHER_YEAR = 0.2
_CUT_SURELY = 0.7
_STANDS_FOR = 0.95
"""How much of a code's name is the name of what it stands for."""
_OTHER_CODES = 0.5
"""What is left of the likeness to a key for a label behind it that is called otherwise than both."""
_LABELS = NAMED | names.GENERIC | CODES
_CODES_FOR_NAMES = 0.4
"""Held against codes where names are asked for."""
_CODES_SHOWN = 0.45
"""Held against codes that are shown where a table says what they stand for."""
_CALLED_AS_ASKED, _AMOUNT = 0.8, 0.62
"""Likeness of a name to a column that has none: where it is the asked table's own, and where it says that it
is an amount.
"""
_COUNTED_SOMEHOW = 0.35
_AMOUNTS = frozenset({"amount", "value", "total", "sum", "count", "number", "quantity", "figure", "volume"})
_ONE_OF_MANY = 0.25
"""Held against one year's column of a table with many, where none is asked for."""
_EACH_ONCE = 0.95
_CALLED = 0.65
"""Likeness of a table's word to the column that names its things, at least."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence counts; the ablations set some to zero."""

    # an ablation sets one to 0 and leaves the code as it is
    values: float = 1.0
    types: float = 1.0


class Evidence:
    """Scores for one site over a pool of tables worth looking at."""

    def __init__(
        self,
        index: LakeIndex,
        site: Site,
        matcher: ValueMatcher,
        weights: Weights | None = None,
        seeds: Sequence[str] = (),
        *,
        unions: bool = True,
        chosen: Mapping[tuple[str, str], tuple[str, str]] | None = None,
    ) -> None:
        """`chosen`: which real column an imagined one (table, name) is in an enclosing SELECT."""
        self._chosen = chosen or {}
        self._unions = unions
        self._index = self.index = index
        self._matcher = matcher
        self._cut = CutColumns(index)
        self.codes = Codes(index)
        self._weights = weights or Weights()
        self.site = site
        # keys that are only joined on are found by the joins, and asked for by nobody
        self.columns = [c for c in site.columns() if not c.only_key]
        self._hits = self._value_hits()
        self.table_scores = {
            r.alias: self._relation_scores(r.name, [c.name for c in r.columns.values() if not c.only_key])
            for r in site.relations
        }
        self.pool = self._make_pool(seeds)
        self._score: dict[tuple[int, tuple[str, str]], float] = {}
        self._taught: dict[tuple[str, str], list[Column]] = {}
        self._blocks: dict[str, Any] = {}
        self._name: dict[tuple[str, str, tuple[str, str]], float] = {}
        self._across = {
            (name, held)
            for united in index.unions.values()
            for name in united.part_names()
            for spread in united.spreads.values()
            for held in spread.values()
        }
        self.classes = {r.name for r in site.relations if len(site.relations) > 1 and _is_class(r)}

    def table_score(self, alias: str, table: str) -> float:
        """How well a relation's name and columns fit a table's, 0 to 1."""
        return float(self.table_scores[alias][self._index.table_order[table]])

    def score(self, imagined: ImaginedColumn, real: Column) -> float:
        """The whole evidence for a pair, about 0 to 1.3."""
        key = (id(imagined), real.key)
        if key not in self._score:
            value = self.name_score(imagined.table, imagined.name, real)
            measured = dimension_score(imagined.name, real)
            if value >= _WELL_NAMED:
                # the malus stays: a name that fits says nothing where the unit is another's
                # a good name needs no unit to speak for it
                measured = min(measured, 0.0)
            if imagined.numeric and value < _WELL_NAMED and is_flag(real):
                # who adds up flags says so: nobody means `is_paid` by an amount
                value -= self._weights.types * _FLAG
            value += self._weights.types * (
                type_score(imagined, real) + self._kind_score(imagined, real) + measured
            )
            if self._one_of_many(imagined, real):
                value -= _ONE_OF_MANY
            if imagined.own_reference:
                value += self._weights.values * (
                    # a column that a subquery compares with its own table must refer to it, as `manager_id`
                    # does
                    _OWN_REFERENCE if self._of_own_reference(real) else -_OWN_REFERENCE
                )
            if self._chosen.get((imagined.table, imagined.name.lower())) == real.key:
                value += _AS_BEFORE
            if imagined.tests:
                likely = value >= _LIKELY
                told = [self._test_score(test, imagined.name, real, likely=likely) for test in imagined.tests]
                # the average of its tests: one that fails is not outweighed by how many there are
                value += self._weights.values * sum(told) / len(told)
            self._score[key] = max(value, _BOUND) if self._is_named(imagined, real) else value
        return self._score[key]

    def _one_of_many(self, imagined: ImaginedColumn, real: Column) -> bool:
        """Is it one year's or month's column of a table that has many, which the name does not ask for?"""
        # only tables that are spread over years or months have such columns
        if real.key not in self._across:
            return False
        # the digits of a name are its year, its words perhaps a month
        told = set(names.normal(real.name).split()) - set(names.normal(imagined.name).split())
        return any(word.isdigit() or month_of(word) is not None for word in told)

    def said(self, imagined: ImaginedColumn, real: Column) -> float:
        """How much of what the imagined column's name says the real one's says, too, or the names of the
        tables; 0 to 1.
        """
        return 1.0 - sum(self._left_out(imagined, real).values())

    def told(self, imagined: ImaginedColumn, real: Column) -> set[str]:
        """The words of the imagined column's name that the real one's says, too."""
        left = self._left_out(imagined, real)
        return {word for word in names.words(imagined.name) if left.get(word, 0.0) < _UNSAID}

    def _left_out(self, imagined: ImaginedColumn, real: Column) -> dict[str, float]:
        # a name about the same leaves no word unsaid, whatever its words are
        if self.name_score(imagined.table, imagined.name, real) >= _AS_NAMED:
            return {}
        if self._cut.likeness(imagined.name, real) >= _CUT_SURELY:
            return {}
        own = set(names.words(imagined.table))
        # the table's own words need not be said by its columns
        asked = tuple(w for w in names.words(imagined.name) if w not in own) or names.words(imagined.name)
        # `name` alone asks for the name of the table's things, so these are what must be said
        if set(asked) <= NAMED and own:
            # the name of what?
            asked = names.words(imagined.table)
        return left_out(asked, (*names.words(real.name), *names.words(real.table)))

    def said_elsewhere(self, imagined: ImaginedColumn, real: Column, others: Collection[Column]) -> float:
        """How much of what the imagined column's name says some other column says and the real one does not;
        0 to 1.
        """
        unsaid = self._left_out(imagined, real)
        told = (sum(unsaid.values()) * covered(tuple(unsaid), names.words(c.name)) for c in others)
        # what is left out here and said there was the reason to look there
        return max(told, default=0.0) if unsaid else 0.0

    def lookalikes(self, alias: str, home: str) -> int:
        """How many other tables have columns that fit what is asked of a relation about as well as its home's
        do.
        """
        rows = [i for i, c in enumerate(self.columns) if c.relation == alias]
        if not rows:
            return 0
        # a table's other halves hold the same rows: they are no rivals
        near = {*self._index.halves.get(home, ()), home}
        own = self._fit(home, rows)
        return sum(self._fit(table, rows) >= own - _ABOUT for table in self.pool if table not in near)

    def _fit(self, table: str, rows: list[int]) -> float:
        # the mean of the best fit of each column that is asked for
        return float(self.block(table)[rows].max(axis=1).mean())

    def _is_named(self, imagined: ImaginedColumn, real: Column) -> bool:
        """A name that exists binds: the column of that name in the table of that name, whatever its values
        look like.
        """
        # names of queries that were written for this lake: as SQL would take them
        own = self._index.table(imagined.table) if imagined.table else None
        return own is not None and own.name == real.table and is_called(imagined, real)

    def _of_own_reference(self, real: Column) -> bool:
        """Does the column refer to a key of its own table, or is it such a key?"""
        index = self._index
        for other in index.tables[real.table].columns:
            # key and reference differ in being unique, and are of one type
            if other is real or other.unique is real.unique or other.numeral is not real.numeral:
                continue
            # the one with each value once is the key, the other refers to it
            key, reference = (real, other) if real.unique else (other, real)
            if reference.distinct >= 2 and index.contained(reference, key, _SAME_KEYS) >= _SAME_KEYS:
                return True
        return False

    def _borrow(self, table: str) -> None:
        """Columns of the same values teach each other's names: `entity` full of countries is a `country`."""
        mine = [c for c in self._index.tables[table].columns if _teaching(c)]
        for other in self.pool if mine else ():
            # a union repeats its parts' columns: nothing is learned from it
            # what it repeats are its own names
            if other == table or other in self._index.unions:
                continue
            for column in mine:
                for teacher in self._index.tables[other].columns:
                    if (
                        _teaching(teacher)
                        and self._index.contained(column, teacher, _SAME_VALUES) >= _SAME_VALUES
                    ):
                        self._taught.setdefault(column.key, []).append(teacher)

    def name_score(self, table: str, name: str, real: Column) -> float:
        """Likeness of names, 0 to 1."""
        key = (table, name, real.key)
        if key not in self._name:
            # a taught name counts only where it fits well: half a likeness at second hand is none
            told = [0.9 * self._name_score(table, name, other) for other in self._taught.get(real.key, ())]
            best = max(
                [
                    self._name_score(table, name, real),
                    *(t for t in told if t >= _WELL_NAMED),
                    *self._scores_of_parts(table, name, real),
                    *self._scores_of_things(table, name, real),
                    *self._scores_of_codes(table, name, real),
                    *self._scores_of_unnamed(table, name, real),
                ]
            )
            if self._names_another(table, real):
                # one reason is enough: the names say that something else is meant
                best *= _ANOTHERS_NAME
            elif opposed(name, real.name) or _of_other_number(name, real):
                best *= _OTHER_SIDE
            elif self._said_beside(table, name, real):
                best *= _SAID_BESIDE
            elif _experts_name(name, real.name):
                best *= _EXPERTS
            self._name[key] = best
        return self._name[key]

    def _said_beside(self, table: str, name: str, real: Column) -> bool:
        """Is it a `name` where a `film_title` is asked for and a column beside it is the film?"""
        asked, held = set(names.words(name)), set(names.words(real.name))
        thing = tuple(w for w in names.words(name) if w not in NAMED)
        if (
            not held
            or not held <= NAMED
            or not thing
            or not asked & NAMED
            # the thing itself or its own table is asked for: `film_title` of `films` may be `title`
            or set(thing) & set(names.words(table))
        ):
            return False
        place = self._index.tables[real.table]
        # the table's own things are what is asked for: its name column is meant
        if covered(thing, (head_of(names.words(place.name)),)) >= _OF_ONE_THING:
            return False
        return any(
            c is not real
            and c.meaning is Family.TEXT
            and not code_like(c)
            and self._spelt("", " ".join(thing), c) >= _SAYS_IT
            for c in place.columns
        )

    def _scores_of_parts(self, table: str, name: str, real: Column) -> list[float]:
        """A union's column is called as its parts' are."""
        united = self._index.unions.get(real.table)
        # a union that spreads years over columns has columns that no part has
        if united is None or united.spreads:
            return []
        # parts of the same columns need not all be asked, those under other headings do
        told = dict(united.held_in(real.name))
        asked = [*united.part_names()[:2], *united.called]
        parts = [self._index.tables[name].column(told[name]) for name in asked if name in told]
        return [self._name_score(table, name, part) for part in parts if part is not None]

    def _scores_of_things(self, table: str, name: str, real: Column) -> list[float]:
        """`name` of `music_styles` is a music style, whatever table holds it."""
        thing = " ".join(names.words(table))
        # a bare name of a table whose rows are things: the table's word is the thing's
        if not thing or not set(names.words(name)) <= NAMED or real.meaning is not Family.TEXT:
            return []
        return [_THING * self._name_score("", thing, real)]

    def _scores_of_codes(self, table: str, name: str, real: Column) -> list[float]:
        """`descr` beside `cat` in a table of codes is the category."""
        told = self.codes.of(real.table)
        # a code is asked for, so what it stands for is not meant
        if told is None or told[1] is not real or set(names.words(name)) & CODES:
            return []
        return [_STANDS_FOR * self._name_score(table, name, told[0])]

    def _scores_of_unnamed(self, table: str, name: str, real: Column) -> list[float]:
        """Columns that are named by years or months hold values of one kind, whose name is nowhere: they
        match an amount, or the name of the table that is asked for.
        """
        united = self.index.unions.get(real.table)
        # only the column that holds the values of all the years
        if united is None or not united.spreads or {real.name} != {united.value, united.part_names()[0]}:
            return []
        told = set(names.words(name))
        if told and told <= set(names.words(table)):
            # of a table that is called otherwise nobody knows what it counts
            return [_CALLED_AS_ASKED] if self._of_one_thing(table, real) else [_COUNTED_SOMEHOW]
        return [_AMOUNT] if told & _AMOUNTS else []

    def _name_score(self, table: str, name: str, real: Column) -> float:
        if table in self.classes and not self._of_one_thing(table, real):
            # the name of a class is that class, in whatever table it stands
            return self._alike("", names.singular(names.expanded(table)), real)
        return self._alike(table, name, real)

    def _names_another(self, table: str, real: Column) -> bool:
        """Is it the name of what another relation's rows are, rather than the class's?"""
        known = table not in self.classes or self._of_one_thing(table, real)
        if known or not set(names.words(real.name)) <= NAMED:
            return False
        # another relation is likelier to be that table: then the name is of its things
        scores = {r.name: self.table_score(r.alias, real.table) for r in self.site.relations}
        return max(scores.values()) > scores[table]

    def _of_one_thing(self, table: str, real: Column) -> bool:
        """Do the tables hold the same things? `film_awards` holds no categories of `award_category`."""
        asked, held = names.words(table), names.words(real.table)
        # both the words as a whole and what they are about: `film_awards` shares a word with `films`
        heads = (head_of(asked),)
        return lexical(asked, held) >= _OF_ONE_THING and covered(heads, held) >= _OF_ONE_THING

    def _alike(self, table: str, name: str, real: Column) -> float:
        if names.normal(name) == names.normal(real.name):
            return 1.0
        # the same words in another order, or written as one
        if _same_words(name, real.name):
            return 0.98
        if (
            real.table in self._index.unions
            # a mark tells the parts of a union apart: its own name was made up here
            and self._index.unions[real.table].mark == real.name
            and real.family is Family.TEXT
        ):
            marks = self._index.unions[real.table].parts
            if all(str(mark) == part for part, mark in marks):
                # the names of files say nothing of what they are
                return _UNMARKED
            if all(truth(str(mark)) is not None for _, mark in marks):
                # nor do `true` and `false`
                return _BY_CHANCE
            # what tells the parts of a union apart has no name of its own: what they are may be told by their
            # values
            own = self._index.embedder.one(names.expanded(name))
            held = float(own @ self._index.value_vectors[self._index.position[real.key]])
            return min(0.5 + _MARKED * max(0.0, held), _UNMARKED + 2.0 * max(0.0, held - _BY_CHANCE))
        index = self._index
        if self._but_for_subject(table, name, real) or self._but_for_own_subject(table, name, real):
            return 0.93
        if self._names_its_table(table, name, real) or _is_own_name(table, name, real):
            return 0.9
        # the least that any of the rules below gives; the vectors may give more
        least = max(_CALLED if self._called_like(table, name, real) else 0.0, self._cut.likeness(name, real))
        if self._names_the_things(table, name, real) or self._says_what_it_names(name, real):
            least = max(least, _NAMES_THINGS)
        if self._names_its_code(name, real) or self._names_the_rows(name, real):
            least = max(least, _NAMES_THINGS)
        if self._is_own_key(table, name, real) or _is_id_of(name, real):
            least = max(least, _NAMES_THINGS)
        if real.meaning.numeric and named_by_unit(name, real.name):
            least = max(least, _CALLED_BY_UNIT)
        if counted_in(name, real):
            least = max(least, _CALLED_BY_UNIT)
        if _plain_name(table, name, real.name):
            least = max(least, _NAMES_THINGS)
        if _counts_by_letter(name, real):
            least = max(least, _BY_LETTER)
        if _said_in_values(name, real):
            least = max(least, _SAID_IN_VALUES)
        if self._is_its_day(table, name, real):
            least = max(least, _ITS_DAY)
        if of_one_side(name, real.name):
            least = max(least, self._as_side(name, real))
        if self._qualified(name, real):
            # not the maximum: the bare word before what only means about the same
            least = _HEAD
        i = index.position[real.key]
        embed = index.embedder.one
        if table and set(names.words(name)) <= NAMED:
            # the name of a thing: which thing it is says its table
            name = f"{table} {name}"
        own, told = embed(names.expanded(name)), embed(f"{names.expanded(table)} {names.expanded(name)}")
        # alone, under the table's name, and both under theirs: a name may rely on its table on either side
        alone = float(own @ self._index.name_vectors[i])
        labelled = float(own @ self._index.label_vectors[i])
        both = float(told @ self._index.label_vectors[i])
        spelt = words = self._spelt(table, name, real)
        if initials(name, real.name):
            spelt = max(spelt, ACRONYM)
        if self._is_head(name, real):
            spelt = max(spelt, _HEAD)
        # words that only say that a number is a count are left out of both names
        spelt = max(spelt, _TOTAL * lexical(_counted(name), _counted(real.name)))
        if measured := names.without_unit(name):
            spelt = max(spelt, _TOTAL * lexical(names.words(measured), names.words(real.name)))
        # a generic name says everything by its table
        generic = set(names.words(real.name)) <= names.GENERIC
        bare = float(embed(names.bare(name)) @ index.bare_vectors[i])
        held = float(own @ index.value_vectors[i])
        # each kind of likeness with what it is worth beside an equal name
        base = max(alone, bare, spelt * 0.95, labelled * (1.0 if generic else 0.8), held * 0.9)
        if generic:
            # "artist.name" is as good as "artist_name"
            spelt_label = lexical(names.words(name), names.words(label(self._index.tables[real.table], real)))
            base = max(base, 0.9 * spelt_label)
        if (whole := completed(name, real.name)) is not None:
            alike = max(float(own @ embed(whole)), lexical(names.words(name), names.words(whole)))
            # a word that the vectors do not know is tried as what it is likely short for
            base = max(base, _COMPLETED * alike)
        # of a name that is cut short the vectors know nothing
        # words that are written the same are surer than vectors, and less sure than the whole name
        return max(least, min(0.97, 0.7 * base + 0.3 * both), _SPELT * words)

    @staticmethod
    def _as_side(name: str, real: Column) -> float:
        """`money_pro` is the `money_for`; `origin` is the place that is asked for, and no time or number;
        `start` alone is no `start_airport`.
        """
        asked, held = names.words(name), names.words(real.name)
        if without_sides(asked) & set(held):
            # both name the same measure of one side
            return _ONE_MEASURE
        places = TEXTUAL | CODES | NAMED | names.KEY_WORDS
        named = real.meaning is Family.TEXT or bool(set(held) & (CODES | names.KEY_WORDS))
        return _ONE_SIDE if named and places.intersection(asked) else 0.0

    def _but_for_subject(self, table: str, name: str, real: Column) -> bool:
        """`title` and `book_title` of `books`: what one name has more is the table's own name, which goes
        without saying.
        """
        asked, held = set(names.words(name)), set(names.words(real.name))
        more, own = held - asked, names.words(self._index.tables[real.table].name)
        # something is asked for, less than is held, and the rest is the table's own name
        if not (asked and asked < held and more <= set(own)):
            return False
        if not table or not asked <= NAMED:
            return True
        # the name of what? A table of something else has names of something else
        thing = names.words(table)
        return max(lexical(thing, own), lexical(thing, tuple(more))) >= _OF_ONE_THING

    def _spelt(self, table: str, name: str, real: Column) -> float:
        """Shared words, the tables' own words left out of both names."""
        asked, held = names.words(name), names.words(real.name)
        subject = {*names.words(table), *names.words(self._index.tables[real.table].name)}
        rest = tuple(w for w in asked if w not in subject), tuple(w for w in held if not _among(w, subject))
        told = lexical(asked, held)
        as_written = names.written(name), names.written(real.name)
        if as_written != (asked, held):
            # `einw` is short for a word that was put into English, `stat` may be for another than usual
            pairs = (as_written, (as_written[0], held), (asked, as_written[1]))
            # pairs as written, as read, and one of each: the expansion may have gone wrong on either side
            told = max(told, *(_RATHER * lexical(*pair) for pair in pairs))
        # rests of generic words alone (`name`, `id`) are alike in every table
        if all(rest) and rest != (asked, held) and not any(set(words) <= names.GENERIC for words in rest):
            told = max(told, _RATHER * lexical(*rest))
        return told

    @staticmethod
    def _is_head(name: str, real: Column) -> bool:
        """`member_state` is a `state`; of words every table has that says nothing."""
        asked, held = names.words(name), names.words(real.name)
        return (
            len(asked) > 1
            and held == (head_of(asked),)
            # `place` of `birth_place`, but no `date`: of such words each table has its own
            and not set(held) & (names.GENERIC | YEAR | DATE | QUANTITY)
        )

    @staticmethod
    def _qualified(name: str, real: Column) -> bool:
        """`segment` is the `market_segment`, rather than what means about the same; of words every table has
        that says nothing.
        """
        asked, held = names.words(name), names.words(real.name)
        return (
            len(asked) == 1
            and len(held) > 1
            # the qualifier must qualify: the last word is the head, and the one that is asked for
            and held[-1] == asked[0] == head_of(held)
            and not set(asked) & (names.GENERIC | names.KEY_WORDS | YEAR | DATE | QUANTITY)
        )

    def _called_like(self, table: str, name: str, real: Column) -> bool:
        """`song` of `songs`: what the table's things are called."""
        return (
            names.words(name) == names.words(table)
            and self._index.label_column(real.table) is real
            and real.meaning is Family.TEXT
        )

    def _names_the_things(self, table: str, name: str, real: Column) -> bool:
        """`station_name` and `station` of `metro_stations`, and the `name` of whatever table they are in, or
        what is called by its own table, if that is about the likeliest: `cls_name` of `cls`.
        """
        own, asked = names.words(table), set(names.words(name))
        # `goals_by_player` are goals: such a table is not called by its last word
        # a name of other words is accepted only in the table that is meant anyway
        if not own or "by" in own or real.meaning is not Family.TEXT or not self._is_name_of_own(real):
            return False
        if not set(names.words(real.name)) <= NAMED and not self._about_likeliest(table, real.table):
            return False
        thing = head_of(own)
        return (
            # the thing and words for names, and nothing else, is asked for
            thing in asked
            and asked - {thing} <= NAMED
            and self._index.label_column(real.table) is real
            and not code_like(real)
        )

    def _about_likeliest(self, table: str, held: str) -> bool:
        """Is there hardly a table that is more like the one that is asked for?"""
        at = self._index.table_order[held]
        told = (self.table_scores[r.alias] for r in self.site.relations if r.name == table)
        # as good as the best, or nearly: which of several it is the columns decide
        return any(float(scores[at]) >= float(scores.max()) - _HARDLY for scores in told)

    def _is_name_of_own(self, real: Column) -> bool:
        """`name`, `cls_name` and `cls_desc` of `cls`, `stn_nm` beside the key `stn_cd`, `house` of
        `print_houses`: nothing but what its own table's things are called.
        """
        held = set(names.words(real.name))
        if held <= NAMED:
            return bool(held)
        if self._index.label_column(real.table) is not real:
            return False
        at = self._index.table_order[real.table]
        # without the schema's prefix, and what the key says that the rows are
        own, thing = names.words(self._index.own_names[at]), self._index.keyed_things[at]
        more = held - set(own) - set(thing)
        return more <= NAMED | _TOLD and bool(more or held == {head_of(own)})

    def _names_the_rows(self, name: str, real: Column) -> bool:
        """`lawsuit` and the `case_name` of `county_lawsuits`, where each row has another one."""
        if self._index.label_column(real.table) is not real or real.uniqueness < _EACH_ONCE:
            return False
        own = names.words(self._index.own_names[self._index.table_order[real.table]])
        called = set(names.words(real.name)) & NAMED
        return (
            "by" not in own and names.words(name) == (head_of(own),) and bool(called) and not code_like(real)
        )

    def _names_its_code(self, name: str, real: Column) -> bool:
        """`study_title` is the `title` beside the codes in `study`, or what else names the rows, whatever the
        table is called.
        """
        asked, held = set(names.words(name)), set(names.words(real.name))
        thing, place = asked - NAMED, self._index.tables[real.table]
        if not thing or not asked & NAMED or real.meaning is not Family.TEXT or code_like(real):
            return False
        if not held <= NAMED & asked and self._index.label_column(real.table) is not real:
            return False
        # beside an unambiguous code of that thing
        return any(
            thing == set(names.words(c.name)) - CODES and code_like(c) and c.unique for c in place.columns
        )

    def _is_own_key(self, table: str, name: str, real: Column) -> bool:
        """`crane_code` of `cranes` and the first column of `box_cranes`, whatever it is called."""
        told, own = set(names.words(name)), set(names.words(table))
        # a table's word and a word for keys, and nothing more
        if not told & own or not told - own or not told - own <= CODES | names.KEY_WORDS:
            return False
        first = real.position == 0 and real.unique and (code_like(real) or real.numeral)
        return first and self._of_one_thing(table, real)

    def _is_its_day(self, table: str, name: str, real: Column) -> bool:
        """`accident_date` of `accidents` and the only day of `acc_log`, whatever it is called."""
        told, own = set(names.words(name)), set(names.words(table))
        if real.meaning is not Family.DATE or not told & DATE or not told <= own | DATE:
            return False
        days = sum(c.meaning is Family.DATE for c in self._index.tables[real.table].columns)
        return days == 1 and self._of_one_thing(table, real)

    def _says_what_it_names(self, name: str, real: Column) -> bool:
        """`airport_name` and a `name` whose values are `Albany Airport` and the like."""
        thing, held = set(names.words(name)) - NAMED, set(names.words(real.name))
        if (
            len(thing) != 1
            or not held
            or not held <= NAMED
            or self._index.label_column(real.table) is not real
        ):
            return False
        # half of the values that were looked at, and at least one
        telling = sum(bool(thing & set(names.words(value))) for value in real.samples)
        return telling > 0 and 2 * telling >= len(real.samples)

    def _but_for_own_subject(self, table: str, name: str, real: Column) -> bool:
        """`manager_last` of `manager_awards` and `nameLast`; `episode_name` of `episodes` and the title
        beside the column `EPISODE`.
        """
        own = set(names.words(table))
        told = names.normal(name).split()
        left = [word for word in told if not set(names.words(word)) & own]
        # said of the subject or of its attribute: which is which must be clear
        # the name is all subject, or none of it
        if not left or len(left) == len(told):
            return False
        rest, held = set(names.words(" ".join(left))), set(names.words(real.name))
        subject = set(names.words(name)) - rest
        place = self._index.tables[real.table]
        if rest <= names.GENERIC | YEAR | DATE and not rest <= NAMED:
            # every table has a year
            return rest == held and subject <= set(names.words(place.name))
        if rest <= _AMOUNTS:
            # and many a count, of whatever they hold
            return rest == held and covered(tuple(subject), names.words(place.name)) >= _OF_ONE_THING
        if not rest <= NAMED:
            return rest == held
        if "by" in own:
            # `killings_by_state` are killings
            return False
        around = [place.name, *(c.name for c in place.columns if c is not real)]
        return (
            held <= NAMED
            and real.meaning is Family.TEXT
            and any(subject <= set(names.words(other)) for other in around)
        )

    def _names_its_table(self, table: str, name: str, real: Column) -> bool:
        """`name` of `clubs` and the texts in `club` of `fb_clubs`."""
        asked, held = set(names.words(name)), set(names.words(real.name))
        return (
            bool(held & set(names.words(table)))
            # the column is called by the table's word, which both tables share
            and asked <= NAMED
            and held <= set(names.words(self._index.tables[real.table].name))
            and real.meaning is Family.TEXT
            and not code_like(real)
        )

    def block(self, table: str) -> Any:
        """Scores of all imagined columns against a table's columns, in order: (imagined, columns)."""
        if table not in self._blocks:
            reals = self._index.tables[table].columns
            self._borrow(table)
            self._blocks[table] = np.array(
                [[self.score(c, real) for real in reals] for c in self.columns]
            ).reshape(len(self.columns), len(reals))
        return self._blocks[table]

    def referred_score(self, imagined: ImaginedColumn, real: Column, phrase: str) -> float:
        """The score of a label column reached by a key column that refers to `phrase`."""
        if not phrase or imagined.numeric:
            return 0.0
        embed = self._index.embedder.one
        own, told = names.bare(imagined.name), names.bare(phrase)
        # as in `_called` below: the likeness of names takes the place of the column's own
        likeness = max(float(embed(own) @ embed(told)), 0.95 * lexical(names.words(own), names.words(told)))
        # to `origin` over a key to the destination would give the other end
        if opposed(own, told):
            likeness *= _OTHER_SIDE
        elif of_one_side(own, told):
            likeness = max(likeness, _ONE_MEASURE)
        if self._is_called_otherwise(imagined, real, phrase):
            likeness *= _OTHER_CODES
        return self._called(imagined, real, min(0.9, 0.15 + 0.75 * likeness))

    def meaning_score(self, imagined: ImaginedColumn, real: Column, coded: Column) -> float:
        """The score of what a column's codes stand for, which is called as the codes are."""
        if imagined.numeric or set(names.words(imagined.name)) & CODES:
            return 0.0
        if names.normal(imagined.name) == names.normal(coded.name):
            # who writes the column's very name means the column
            return 0.0
        likeness = self.name_score(imagined.table, imagined.name, coded)
        if self._is_called_otherwise(imagined, real, coded.name):
            likeness *= _OTHER_CODES
        return self._called(imagined, real, _STANDS_FOR * likeness)

    def _is_called_otherwise(self, imagined: ImaginedColumn, label: Column, phrase: str) -> bool:
        """Has a label that a key leads to a name of its own, `grade_name`, where the state is asked for?"""
        own = tuple(word for word in names.words(label.name) if word not in _LABELS)
        if not own or self.name_score(imagined.table, imagined.name, label) >= _OF_ONE_THING:
            return False
        return all(lexical(own, names.words(name)) == 0.0 for name in (imagined.name, phrase))

    def _called(self, imagined: ImaginedColumn, real: Column, likeness: float) -> float:
        """The score of a column if its name were as like as this."""
        # the values and types count as they are; only the name is exchanged
        return likeness + self.score(imagined, real) - self.name_score(imagined.table, imagined.name, real)

    def _kind_score(self, imagined: ImaginedColumn, real: Column) -> float:
        """Codes where a code is asked for, labels where a label is."""
        told = set(names.words(imagined.name))
        coded = code_like(real)
        if told & CODES:
            # any code rather than a name where a code is asked for
            if coded:
                return 0.15
            return -0.15 if real.meaning is Family.TEXT and not set(names.words(real.name)) & CODES else 0.0
        if told & names.GENERIC & {"name", "title", "label"}:
            if imagined.shown and not imagined.tests and _same_in_all(imagined, real):
                # a column that says the same in all rows names none of them
                return -_SAME_IN_ALL
            return -_CODES_FOR_NAMES if coded or set(names.words(real.name)) & CODES else 0.0
        if (
            imagined.shown
            and not imagined.tests
            and not told & (QUANTITY | DATE | YEAR)
            and not imagined.numeric
        ):
            # what is simply shown is mostly what things are called
            if _same_in_all(imagined, real):
                return -_SAME_IN_ALL
            if self._index.label_column(real.table) is real:
                return 0.1
            if names.normal(imagined.name) == names.normal(real.name):
                # who writes a column's very name means the column
                return 0.0
            if coded:
                # a code is shown only where nothing says what it stands for, or by its very name
                if self.codes.meanings(real, self.pool):
                    return -_CODES_SHOWN
                return 0.0 if self._is_own_name(imagined.name, real) else -0.2
            return -0.2 if coded or bare_key(real) else 0.0
        return 0.0

    def _is_own_name(self, asked: str, real: Column) -> bool:
        """`stn` where the station is asked for: its own name, cut short; and `state` beside `seat`, where the
        seat's is asked for.
        """
        words, own = names.words(asked), names.words(real.name)
        if not own or words[-len(own) :] != own:
            return False
        beside = (c for c in self._index.tables[real.table].columns if c is not real)
        return set(words[: -len(own)]) <= {word for column in beside for word in names.words(column.name)}

    def _test_score(self, test: Test, name: str, real: Column, *, likely: bool) -> float:
        if isinstance(test.value, bool):
            return truth_score(self._index.cleaned(real), real)
        if isinstance(test.value, str):
            return self._text_test(test, test.value, real, likely=likely)
        return number_test(test, name, real, self._index, self._matcher if likely else None)

    def _text_test(self, test: Test, value: str, real: Column, *, likely: bool) -> float:
        if real.meaning is Family.DATE:
            # a day in some form, or a year alone
            return 0.1 if date_formats(value) or re.fullmatch(r"\d{4}", value) else -0.35
        # a number compared with text is not held at all, unless the text is one, or a table has both
        if real.meaning.numeric:
            told = likely and not plain_number(value) and self._matcher.translated(real, value)
            return 0.1 + 0.28 * told.score if told else 0.0 if plain_number(value) else -0.4
        # with any value of truth spelled in data: 1, `t`, `ja`
        if real.meaning is Family.BOOLEAN:
            return 0.1 if truth(value) is not None else -0.4
        # a pattern of LIKE is matched as such: no index of values helps
        if test.op == "like":
            return self._like(value, real)
        if real.key in self._hits.get(value, ()):
            return 0.4
        if self._matcher.spelt(real, value):
            return _SPELT_OTHERWISE
        # looking for what else could have been meant is expensive: only where the name fits
        match = self._matcher.best(real, value) if likely else self._matcher.decoded(real, value)
        if match is not None and match.score >= SURE:
            return 0.1 + 0.28 * match.score
        # all its values are known and this is none of them, or only some were looked at
        # the cheap looks above found nothing
        return -0.3 if self._index.values(real).complete else -0.15

    def _like(self, pattern: str, real: Column) -> float:
        # only % and _ mean something in LIKE, so all else is escaped
        regex = re.compile("".join({"%": ".*", "_": "."}.get(ch, re.escape(ch)) for ch in pattern), re.DOTALL)
        loose = re.compile(regex.pattern, re.DOTALL | re.IGNORECASE)
        values = [value for value, _ in self._index.cleaned(real)]
        if any(regex.fullmatch(v) for v in values):
            return 0.3
        return 0.2 if any(loose.fullmatch(v) for v in values) else -0.3

    def _value_hits(self) -> dict[str, set[tuple[str, str]]]:
        hits: dict[str, set[tuple[str, str]]] = {}
        for column in self.columns:
            for test in column.tests:
                if isinstance(test.value, str) and test.op != "like" and test.value not in hits:
                    spelt = (where for form in _spellings(test.value) for where in self._index.where(form))
                    # the value as it may be spelt otherwise
                    hits[test.value] = {(t, c) for t, c, _ in spelt}
        return hits

    def _relation_scores(self, name: str, columns: list[str]) -> Any:
        index = self._index
        spoken = index.table_name_vectors @ index.embedder.one(names.expanded(name))
        # columns that are asked for count twice: tables are told by what they hold
        repeated = " ".join(f"{names.expanded(c)} {names.expanded(c)}" for c in columns)
        snippet = index.snippet_similarities(f"{repeated} {names.expanded(name)}".strip())
        scores = 0.5 * np.maximum(spoken, 0.95 * spelt_tables(index).like(name)) + 0.5 * snippet
        if names.tells_year(name):
            scores -= _OTHER_YEAR * np.array([names.of_another_year(name, table) for table in index.tables])
        for older, newer in index.copies.items():
            # a copy is called by its base name, unless its year is asked for
            if version_of(older).base != version_of(newer).base and not (
                names.tells_year(name) and names.tells_year(older)
            ):
                # what an older state is called, the table is called, too: `wards_bak` of `WD_REF`
                at, own = index.table_order[newer], index.table_order[older]
                scores[at] = max(scores[at], scores[own])
        # an existing name is meant, however like others are
        if (exact := index.table(name)) is not None:
            scores[index.table_order[exact.name]] = 1.0
        return np.clip(scores, 0.0, 1.0)

    def _make_pool(self, seeds: Sequence[str]) -> list[str]:
        """Tables worth scoring in detail."""
        tables = list(self._index.tables)
        pool: dict[str, None] = dict.fromkeys(s for s in seeds if s in self._index.tables)
        for scores in self.table_scores.values():
            pool.update(dict.fromkeys(tables[i] for i in np.argsort(-scores)[:_POOL_RELATION]))
        if self.columns:
            sims = self._best_per_table()
            whole = sims.mean(axis=0) + 0.5 * np.max(list(self.table_scores.values()), axis=0)
            # a table may hold little of the query and still be named by it
            pool.update(dict.fromkeys(tables[i] for i in np.argsort(-whole)[:_POOL_SITE]))
            for row in sims:
                # and may hold the one column that no other has
                pool.update(dict.fromkeys(tables[i] for i in np.argsort(-row)[:_POOL_COLUMN]))
        for found in self._hits.values():
            # a value that many tables hold speaks for none of them
            if len({table for table, _ in found}) <= _RARE:
                pool.update(dict.fromkeys(sorted({table for table, _ in found})))
        pool.update(dict.fromkeys(self._cut.tables([c.name for c in self.columns], _POOL_CUT)))
        pool.update(dict.fromkeys(self._siblings(list(pool)[:_LEADERS])))
        pool.update(dict.fromkeys(half for name in list(pool) for half in self._index.halves.get(name, ())))
        # unions may be looked at or not as a whole: `unions` is what the trial of parts sets
        return [name for name in pool if self._unions or name not in self._index.unions]

    def _siblings(self, leaders: Sequence[str]) -> list[str]:
        """Tables exported together with likely ones: what joins those may have nothing else of the query."""
        out: list[str] = []
        for prefix in dict.fromkeys(names.prefix(t) for t in leaders):
            family = self._index.by_prefix.get(prefix, []) if prefix else []
            # a large family is a folder, no tables that belong together
            if 2 <= len(family) <= _FAMILY:
                out += family
        return out

    def _best_per_table(self) -> Any:
        """(imagined columns, tables): the best cosine of any column of the table."""
        index = self._index
        # where each table's columns begin in the vectors of all columns
        starts = np.cumsum([0, *(len(table.columns) for table in index.tables.values())])[:-1]
        mine = index.embedder.embed([names.expanded(c.name) for c in self.columns])
        told = index.embedder.embed(
            [f"{names.expanded(c.table)} {names.expanded(c.name)}" for c in self.columns]
        )
        cosines = np.maximum(mine @ index.name_vectors.T, told @ index.label_vectors.T)
        # each table's slice of the columns gives its best one
        return np.maximum.reduceat(cosines, starts, axis=1)


def _same_words(one: str, two: str) -> bool:
    return set(names.words(one)) == set(names.words(two)) or names.solid(one) == names.solid(two)


def _plain_name(table: str, name: str, held: str) -> bool:
    """`common`, beside what experts call it, is the name that is asked for, and no `last_name`."""
    asked = set(names.words(name)) - set(names.words(table))
    return names.words(held) == ("common", "name") and bool(asked) and asked <= NAMED


def _experts_name(name: str, held: str) -> bool:
    """Is it what only experts call a thing, where its name is asked for? A spruce is no `Picea abies`."""
    asked, told = set(names.words(name)), set(names.words(held))
    return bool(told & _OF_EXPERTS and told <= _OF_EXPERTS | NAMED and not asked & _OF_EXPERTS)


def _same_in_all(imagined: ImaginedColumn, real: Column) -> bool:
    """Is it the same in all rows? Nobody asks for that by another name."""
    return real.distinct <= 1 < real.rows and names.normal(imagined.name) != names.normal(real.name)


def _of_other_number(name: str, real: Column) -> bool:
    """`gwp_20yr` is not the potential of 100 years, nor `line2` the first one; `75` may be 1975."""
    asked, held = (re.findall(r"\d+", text) for text in (name, real.name))
    # 75 and 1975: one ends with the other
    # years of two digits and of four are the same year
    return bool(asked and held) and not any(a.endswith(h) or h.endswith(a) for a in asked for h in held)


def _said_in_values(name: str, real: Column) -> bool:
    """`phase`, and values that are `Phase 1`, `Phase 2`: each of them says what it is."""
    told = names.words(name)
    if len(told) != 1 or real.meaning is not Family.TEXT or len(set(real.samples)) < _SAID_BY:
        return False
    # two values are equal by chance; each of several has to say it
    spoken = (names.words(value) for value in real.samples)
    return all(len(words) > 1 and told[0] in {words[0], words[-1]} for words in spoken)


def _counts_by_letter(name: str, real: Column) -> bool:
    """`n_f` of `females`: how many there are of what begins with the letter."""
    held, asked = names.normal(real.name).split(), names.words(name)
    return (
        len(held) == 2
        and held[0] in {"n", "no", "nr", "num"}
        and len(asked) == 1
        # the letter stands for the word, so the word must be longer than it
        and held[1] == asked[0][:1] != asked[0]
        and real.meaning.numeric
    )


def _is_id_of(name: str, real: Column) -> bool:
    """`contract_id` is the column `Contract` that holds codes, each once."""
    told, held = set(names.words(name)), set(names.words(real.name))
    keyed = told - (CODES | names.KEY_WORDS)
    # the name's only other words are the column's, and it is a key
    return bool(keyed) and keyed == held != told and real.unique and (code_like(real) or real.numeral)


def _counted(name: str) -> tuple[str, ...]:
    """`number_of_bags` and `total_bags` are bags: words that say of a number only that it is one are left
    out.
    """
    told = names.words(name)
    return tuple(word for word in told if word not in _NEUTRAL) or told


def _is_class(relation: Relation) -> bool:
    """A table joined by its key, of which only the name is asked: what it names is mostly a column of the
    other table.
    """
    keys = [c for c in relation.columns.values() if c.only_key]
    rest = [c for c in relation.columns.values() if not c.only_key]
    # the `town_name` of `towns` is their name
    called = NAMED.union(names.words(relation.name))
    # only a key to join on, with nothing in its name but that, and only names of its rows are shown
    return (
        len(keys) == 1
        and bool(keys[0].joined)
        and set(names.words(keys[0].name)) <= names.KEY_WORDS
        and bool(rest)
        and all(set(names.words(c.name)) <= called and set(names.words(c.name)) & NAMED for c in rest)
    )


def _is_own_name(table: str, name: str, real: Column) -> bool:
    """`stadium_name` of `stadiums`, or `name`, and `vname` of `venues`."""
    asked = set(names.words(name))
    rest = asked - set(names.words(table)) if table else asked
    # the first letter of the table before `name`: that table's name
    return bool(lettered(real)) and real.meaning is Family.TEXT and bool(rest) and rest <= NAMED


def _among(word: str, subject: Collection[str]) -> bool:
    """Is it, perhaps shortened, one of the words?"""
    return word in subject or any(names.skeleton_of(word, other) for other in subject)


def _spellings(value: str) -> list[str]:
    """`Hip Hop`, `hip-hop`, `hip_hop`, `hiphop`: words of a value may be joined in any way, and `rodents` may
    be one `Rodent`.
    """
    # any mark between words is as good, as data is written by many hands
    parts = re.split(r"[\s_-]+", value.strip())
    # a capital or a digit at the end is no plural
    one = names.singular(parts[-1]) if parts[-1].isalpha() and parts[-1].islower() else parts[-1]
    counts = [[*parts[:-1], one]] if one != parts[-1] else []
    joined = (mark.join(words) for words in (parts, *counts) for mark in (" ", "-", "_", ""))
    return list(dict.fromkeys([value, *joined]))


def real_columns(index: LakeIndex, tables: Sequence[str]) -> list[Column]:
    """All columns of some tables, in order."""
    return [c for name in tables for c in index.tables[name].columns]


def _teaching(column: Column) -> bool:
    """Texts of many values: shared ones say that two columns mean the same."""
    return (
        column.meaning is Family.TEXT
        and not column.digits
        and column.distinct >= _TAUGHT_FROM
        and joinable(column)
    )
