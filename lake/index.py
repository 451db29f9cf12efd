"""The opened catalog in memory: tables, columns, vectors, value look-ups, join scores, retrieval.

Owns what every action and the resolver ask of the catalog. Must not know files or queries' texts.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family, Table, Values
from rewright.lake.catalog.storage import Storage
from rewright.lake.copies import copies
from rewright.lake.cut import letters_of
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.joins.halves import halves
from rewright.lake.joins.scores import Overlap, PairScore, comparable, joinable, overlap, own_key, pair_score
from rewright.lake.noise.clean import clean_expression, cleaned_counts
from rewright.lake.noise.detect import meaning_of, noise_of
from rewright.lake.unions import UnitedTable, families, merged_values

T = TypeVar("T")
_PAIRS_KEPT = 8
_KEPT = 8192
"""Columns whose values are held in memory at once."""
_VECTORS = (
    "name_vectors",
    "bare_vectors",
    "value_vectors",
    "label_vectors",
    "table_vectors",
    "table_name_vectors",
)


def label(table: Table, column: Column) -> str:
    """A column's words together with its table's."""
    return f"{names.expanded(table.name)} {names.expanded(column.name)}"


class LakeIndex:
    """Read-only view of a storage; vectors are made on first need and written back by `save_vectors`."""

    def __init__(self, storage: Storage, embedder: CachedEmbedder) -> None:
        self.storage = storage
        self.embedder = embedder
        embedder.preload(storage.vectors(embedder.name))
        self.tables: dict[str, Table] = {table.name: table for table in storage.tables()}
        self.unions: dict[str, UnitedTable] = {}
        self._values: dict[tuple[str, str], Values] = {}
        self._sets: dict[tuple[str, str], frozenset[int]] = {}
        self._held: dict[tuple[str, str], Any] = {}
        self._sketched: dict[tuple[str, str], Any] = {}
        self._owned: dict[str, set[str]] = {}
        self._keyable: dict[str, list[Column]] = {}
        self._labels: dict[str, Column | None] = {}
        self._soiled: dict[tuple[str, str], Column] = {}
        self._cleanings: dict[tuple[str, str], str | None] = {}
        self._pairs: dict[tuple[str, str], tuple[PairScore, ...]] = {}
        self.copies = copies(list(self.tables.values()), self.contained, self.values)
        """Tables that are copies or older states of another one, and which."""
        # Copies are left out first: beside its original a copy would look like a part.
        for united in families(
            [t for t in self.tables.values() if t.name not in self.copies], self.contained
        ):
            # a file may have that name already
            if united.table.name not in self.tables:
                self.unions[united.table.name] = united
                self.tables[united.table.name] = united.table
        self._folded = {name.lower(): name for name in self.tables}

    def table(self, name: str) -> Table | None:
        """By name, whatever its case."""
        found = self._folded.get(name.lower())
        return self.tables[found] if found else None

    @cached_property
    def columns(self) -> list[Column]:
        return [column for table in self.tables.values() for column in table.columns]

    @cached_property
    def position(self) -> dict[tuple[str, str], int]:
        return {column.key: i for i, column in enumerate(self.columns)}

    @cached_property
    def name_vectors(self) -> Any:
        """(columns, width): the columns' names alone."""
        return self._embed([names.expanded(c.name) for c in self.columns])

    @cached_property
    def bare_vectors(self) -> Any:
        """(columns, width): the names without `name`, `title`, `label`."""
        return self._embed([names.bare(c.name) for c in self.columns])

    @cached_property
    def value_vectors(self) -> Any:
        """(columns, width): what text columns hold, by their most frequent values; zero for others."""
        told = [_spoken_values(c) for c in self.columns]
        vectors = self._embed([text or "-" for text in told])
        vectors[[i for i, text in enumerate(told) if not text]] = 0.0
        return vectors

    @cached_property
    def label_vectors(self) -> Any:
        """(columns, width): the columns' names behind their tables'."""
        return self._embed([label(self.tables[c.table], c) for c in self.columns])

    @cached_property
    def table_vectors(self) -> Any:
        """(tables, width): schema snippets (thesis 5.1.1)."""
        return self._embed([table.snippet() for table in self.tables.values()])

    @cached_property
    def table_name_vectors(self) -> Any:
        return self._embed([names.expanded(name) for name in self.tables])

    @cached_property
    def table_order(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.tables)}

    @cached_property
    def by_prefix(self) -> dict[str, list[str]]:
        """Source prefix (`ch` of `ch_track`) → real tables that have it."""
        found: dict[str, list[str]] = {}
        for name in self.tables:
            if name not in self.unions:
                found.setdefault(names.prefix(name), []).append(name)
        return found

    @cached_property
    def own_names(self) -> list[str]:
        """Tables' names without a first word that others have, too: the folder or system they lie in."""
        apart = [names.without_place(name) for name in self.tables]
        real = (place for (_, place), name in zip(apart, self.tables, strict=True) if name not in self.unions)
        shared = Counter(real)
        return [
            own if place and shared[place] > 1 else name
            for (own, place), name in zip(apart, self.tables, strict=True)
        ]

    @cached_property
    def keyed_things(self) -> list[tuple[str, ...]]:
        """For each table what its rows are by the name of its own key: `case_no` tells cases; empty where its
        first column is no key.
        """
        parts = {name: united.part_names()[0] for name, united in self.unions.items() if not united.spreads}
        return [_keyed_thing(self.tables[parts.get(name, name)]) for name in self.tables]

    @cached_property
    def letters(self) -> dict[str, list[str]]:
        """Letters that columns' names were cut to → the tables that have such a column."""
        found: dict[str, list[str]] = {}
        for letters, table in letters_of(list(self.tables.values())):
            found.setdefault(letters, []).append(table)
        return found

    def with_table(self, table: Table, values: Mapping[str, Values]) -> LakeIndex:
        """This index with one more table, which is in no storage; the index itself is not changed."""
        found = copy.copy(self)
        found.tables = {**self.tables, table.name: table}
        found._folded = {**self._folded, table.name.lower(): table.name}
        found._values = dict(self._values) | {(table.name, name): one for name, one in values.items()}
        # whatever was worked out of the tables as they were; vectors of texts stay with the embedder, which
        # both share
        for kept in (
            "_sets",
            "_sketched",
            "_owned",
            "_keyable",
            "_labels",
            "_pairs",
            "_soiled",
            "_cleanings",
        ):
            setattr(found, kept, {})
        # made anew when asked for: they hold a place for each column or table
        for made in (
            "columns",
            "position",
            "table_order",
            "by_prefix",
            "own_names",
            "keyed_things",
            "letters",
            "halves",
            "_owners",
            *_VECTORS,
        ):
            found.__dict__.pop(made, None)
        return found

    @cached_property
    def halves(self) -> dict[str, dict[str, tuple[Column, Column]]]:
        """For each table that was split its other halves, with the columns that join them."""
        return halves({name: table for name, table in self.tables.items() if name not in self.unions})

    def prepare(self) -> None:
        """Make all vectors and keep them, kind by kind: what is broken off goes on where it was."""
        for kind in _VECTORS:
            getattr(self, kind)
            self.save_vectors()

    def save_vectors(self) -> None:
        if self.embedder.fresh:
            self.storage.put_vectors(self.embedder.name, self.embedder.fresh.items())
            self.storage.commit()
            self.embedder.fresh.clear()

    def noted(self, table: str) -> tuple[str, ...]:
        """What was noted of a table, or of all parts of a union, each once."""
        parts = self.unions[table].part_names() if table in self.unions else [table]
        return tuple(dict.fromkeys(note for part in parts for note in self.tables[part].notes))

    def values(self, column: Column) -> Values:
        def make() -> Values:
            united = self.unions.get(column.table)
            if united is not None:
                return self._united_values(united, column)
            return self.storage.values(*column.key)

        return _looked_up(self._values, column.key, make)

    def frequent(self, column: Column, most: int) -> tuple[tuple[str, int], ...]:
        """A column's most frequent values and how many rows have each, at most so many."""
        # Unions are in no storage: their counts are merged from those of their parts.
        if column.key in self._values or column.table in self.unions:
            return self.values(column).counts[:most]
        return self.storage.frequent(*column.key, most)

    def _united_values(self, united: UnitedTable, column: Column) -> Values:
        if column.name == united.mark:
            return Values(
                tuple((str(value), self.tables[name].rows) for name, value in united.parts),
                complete=True,
                sketch=np.zeros(0, dtype=np.uint64),
            )
        found = [
            part
            for name, held in united.held_in(column.name)
            if (part := self.tables[name].column(held)) is not None
        ]
        return merged_values([self.values(part) for part in found])

    def cleaned(self, column: Column) -> tuple[tuple[str, int], ...]:
        """Distinct values with counts as they read after cleaning."""
        return cleaned_counts(self.soiled(column), self.values(column))

    def cleaning(self, column: Column) -> str | None:
        """SQL of a column of the lake cleaned, or None where there is nothing to clean."""
        return _looked_up(
            self._cleanings,
            column.key,
            lambda: clean_expression(column, self.values(column)) if column.noise else None,
        )

    def soiled(self, column: Column) -> Column:
        """The column with the noise it shows: of a union, that of all parts together (`Paid` in one, `paid`
        in another).
        """
        united = self.unions.get(column.table)
        if united is None or column.family is not Family.TEXT or column.name == united.mark:
            return column
        if column.key not in self._soiled:
            noise = noise_of(self.values(column).counts, column.rows - column.nulls)
            self._soiled[column.key] = replace(column, noise=noise, meaning=meaning_of(column.family, noise))
        return self._soiled[column.key]

    def where(self, value: str) -> list[tuple[str, str, int]]:
        # the storage may still have hits of tables that are gone
        found = [hit for hit in self.storage.where(value) if hit[0] in self.tables]
        # a value of a part is one of the whole; the mark's values are the parts' own names
        for name, united in self.unions.items():
            parts = dict(united.parts)
            found += [
                (name, column, n) for table, column, n in found if table in parts and column != united.mark
            ]
            found += [(name, united.mark, 1) for mark in parts.values() if str(mark).lower() == value.lower()]
        return found

    def schema_similarity(self, a: Column, b: Column) -> float:
        """Cosine of two column names. Of keys only what they refer to is compared; a bare `id` refers to its
        table.
        """
        # one name says the same, unless it says nothing, as `id` does
        if names.normal(a.name) == names.normal(b.name) and not set(names.words(a.name)) <= names.GENERIC:
            return 1.0
        # `id` and `customer_id` are near as words and say nothing: what they refer to is compared
        keyed = [bool(set(names.words(c.name)) & names.KEY_WORDS) for c in (a, b)]
        generic = [set(names.words(c.name)) <= names.GENERIC for c in (a, b)]
        if any(keyed) or any(generic):
            texts = [self._subject(c, generic[i]) for i, c in enumerate((a, b))]
            return self.embedder.similarity(*texts)
        return float(self.name_vectors[self.position[a.key]] @ self.name_vectors[self.position[b.key]])

    def _subject(self, column: Column, generic: bool) -> str:
        told = names.referred(column.name)
        if not told:
            return names.expanded(column.table)
        return f"{names.expanded(column.table)} {told}" if generic else told

    def _joinable(self, table: str) -> list[Column]:
        if table not in self._keyable:
            self._keyable[table] = [c for c in self.tables[table].columns if joinable(c)]
        return self._keyable[table]

    @contextmanager
    def holding_sketches(self) -> Iterator[None]:
        """All columns' sketches in memory meanwhile: comparing most columns with many others need not look
        each up.
        """
        self._held = dict(self.storage.sketches())
        try:
            yield
        finally:
            self._held = {}

    def sketches(self) -> dict[tuple[str, str], Any]:
        """All columns' sketches by table and name, read at once; where they are not too many none of them is
        looked up again.
        """
        found = dict(self.storage.sketches())
        if len(found) + len(self._sketched) < _KEPT:
            self._sketched.update(found)
        return found

    def overlapping(self, a: Column, b: Column) -> PairScore | None:
        """The pair's score, or None where no value is shared."""
        # ranges that do not meet, or no hash in common
        if _apart(a, b) or (not self._held and self._hashes(a).isdisjoint(self._hashes(b))):
            return None
        found = overlap(self.sketch(a), self.sketch(b), a.distinct, b.distinct)
        return self.scored(a, b, found) if found.jaccard > 0 else None

    def contained(self, a: Column, b: Column, at_least: float = 0.0) -> float:
        """The share of a's values that b holds, by their sketches; 0 where it is surely below `at_least`."""
        # b has not values enough
        if b.distinct < at_least * a.distinct:
            return 0.0
        one, two = self._hashes(a), self._hashes(b)
        if not one or one.isdisjoint(two):
            return 0.0
        return overlap(self.sketch(a), self.sketch(b), a.distinct, b.distinct).a_in_b

    def spelt_otherwise(self, a: Column, b: Column) -> bool:
        """Do two columns of texts share values only, or more of them, apart from case and blanks around? Not
        where these tell values of one of them apart.
        """
        if a.family is not Family.TEXT or b.family is not Family.TEXT:
            return False
        one, two = ({value for value, _ in self.values(c).counts} for c in (a, b))
        folded = [{value.strip().lower() for value in told} for told in (one, two)]
        apart = len(folded[0]) == len(one) and len(folded[1]) == len(two)
        return apart and len(folded[0] & folded[1]) > len(one & two)

    def _hashes(self, column: Column) -> frozenset[int]:
        return _looked_up(self._sets, column.key, lambda: frozenset(self.sketch(column).tolist()))

    def sketch(self, column: Column) -> Any:
        """The column's bottom-k sketch, without its values where those are not at hand."""
        if (held := self._held.get(column.key)) is not None:
            return held
        # those of unions and of tables made on the way are in no storage
        if column.key in self._values or column.table in self.unions:
            return self.values(column).sketch
        return _looked_up(self._sketched, column.key, lambda: self.storage.sketch(*column.key))

    def score_pair(self, a: Column, b: Column) -> PairScore:
        """The pair's score, whatever its overlap."""
        return self.scored(a, b, overlap(self.sketch(a), self.sketch(b), a.distinct, b.distinct))

    def scored(self, a: Column, b: Column, found: Overlap) -> PairScore:
        """The pair's score where this much of its values is shared."""
        claimed = self._claimed(a, b) or self._claimed(b, a)
        return pair_score(
            a,
            b,
            (self.tables[a.table], self.tables[b.table]),
            self.schema_similarity(a, b),
            found,
            claimed=claimed,
        )

    @cached_property
    def _owners(self) -> dict[str, set[str]]:
        """Word of a serial key (`artist` of `ArtistId`) → tables that have it as their own."""
        owners: dict[str, set[str]] = {}
        for column in self.columns:
            if own_key(column, self.tables[column.table]) and names.referred(column.name):
                owners.setdefault(names.referred(column.name), set()).add(column.table)
        return owners

    def _claimed(self, reference: Column, key: Column) -> bool:
        """Does the reference's name belong to the serial key of another table?"""
        phrase = names.referred(reference.name)
        if phrase not in self._owned:
            told = set(phrase.split())
            self._owned[phrase] = {
                t for own, tables in self._owners.items() if set(own.split()) <= told for t in tables
            }
        owners = self._owned[phrase]
        return (
            bool(owners)
            and key.table not in owners
            and own_key(key, self.tables[key.table])
            and reference.table not in owners
        )

    def label_column(self, table: str) -> Column | None:
        """The column that names a table's rows for people, if one clearly does."""
        if table not in self._labels:
            ranked = sorted(
                (
                    (_labelling(c, self.tables[table]), -c.position, c)
                    for c in self.tables[table].columns
                    if c.meaning.value == "text"
                ),
                key=lambda x: x[:2],
                reverse=True,
            )
            self._labels[table] = ranked[0][2] if ranked and ranked[0][0] > 0 else None
        return self._labels[table]

    def pairs(self, a: str, b: str) -> tuple[PairScore, ...]:
        """The best column pairs of two tables, by quality, computed from the sketches."""
        # Each pair of tables is scored once, from the side of the name that comes first.
        if a > b:
            if (a, b) not in self._pairs:
                self._pairs[a, b] = tuple(pair.flipped() for pair in self.pairs(b, a))
            return self._pairs[a, b]
        if (a, b) not in self._pairs:
            found: list[PairScore] = []
            candidates = ((x, y) for x in self._joinable(a) for y in self._joinable(b) if comparable(x, y))
            found.extend(pair for x, y in candidates if (pair := self.overlapping(x, y)) is not None)
            found.sort(key=lambda p: (-p.quality, -p.s, p.a.position, p.b.position))
            # Columns of one name may complete a key, however little they say alone.
            rest = [p for p in found[_PAIRS_KEPT:] if names.normal(p.a.name) == names.normal(p.b.name)]
            self._pairs[a, b] = (*found[:_PAIRS_KEPT], *rest)
        return self._pairs[a, b]

    def joinability(self, a: str, b: str) -> float:
        """Ω: the strongest S of any column pair."""
        return max((pair.s for pair in self.pairs(a, b)), default=0.0) if a != b else 0.0

    def snippet_similarities(self, snippet: str) -> Any:
        """Cosine of a text with every table's schema snippet, in table order."""
        return self.table_vectors @ self.embedder.one(snippet)

    def _embed(self, texts: Sequence[str]) -> Any:
        # the embedder keeps them: the same name in ten tables is embedded once
        return self.embedder.embed(texts)


def _apart(a: Column, b: Column) -> bool:
    """Integers of ranges that do not meet."""
    if a.family is not Family.INTEGER or b.family is not Family.INTEGER:
        return False
    one, two = a.bounds(), b.bounds()
    return one is not None and two is not None and (one[1] < two[0] or two[1] < one[0])


def _make_room(kept: dict[Any, Any]) -> None:
    """Drop the oldest half of what is kept once there is too much: memory stays flat however many columns a
    lake has.
    """
    if len(kept) >= _KEPT:
        for key in list(kept)[: _KEPT // 2]:
            # another thread, which reads another table, may have dropped it meanwhile
            kept.pop(key, None)


def _looked_up(kept: dict[Any, T], key: Any, make: Callable[[], T]) -> T:
    """What is kept under a key, else what `make` gives, kept from then on. Several threads may ask: one of
    them may drop what another has just put there.
    """
    try:
        return kept[key]
    except KeyError:
        _make_room(kept)
        found = kept[key] = make()
        return found


def _spoken_values(column: Column) -> str:
    """A few values as words; empty where they are no words."""
    if column.meaning.value != "text" or column.digits or code_like(column):
        return ""
    told = [v for v in column.samples if v.strip() and len(v) <= 40][:3]
    return names.normal(" ".join(told))[:90] if told else ""


def _keyed_thing(table: Table) -> tuple[str, ...]:
    first = table.columns[0] if table.columns else None
    # a first column of words (`name`) tells no kind of thing
    if first is None or not first.unique or not (code_like(first) or first.numeral):
        return ()
    told = tuple(word for word in names.words(first.name) if word not in names.KEY_WORDS)
    # `year` and `date` tell no rows of a kind of thing
    return () if set(told) & {"year", "date", "day", "month", "name"} else told


def code_like(column: Column) -> bool:
    """Are a text column's values codes: short, without blanks, upper case or mixed with digits?"""
    told = [v.strip() for v in column.samples if v.strip()]
    if column.meaning.value != "text" or not told:
        return False
    # a blank means words: `New York` is no code, however short
    if any(" " in v for v in told):
        return False
    coded = sum(
        1
        for v in told
        if (len(v) <= 5 and v.upper() == v)
        or (any(ch.isdigit() for ch in v) and any(ch.isalpha() for ch in v))
    )
    return coded >= 0.8 * len(told)


def lettered(column: Column) -> str:
    """`name` of `vname` in `venues`, `title` of `btitle` in `books`: the word behind the first letter of the
    table's; empty where there is none.
    """
    told = names.normal(column.name)
    own = told[:1] in {word[:1] for word in names.normal(column.table).split()}
    return told[1:] if own and told[1:] in {"name", "title", "label"} else ""


def _labelling(column: Column, table: Table) -> float:
    if code_like(column) or column.distinct == 0:
        return 0.0
    parts = {*names.words(column.name), lettered(column)}
    score = 0.0
    if parts & {"name", "title", "label"}:
        score += 1.0
    if parts & set(names.words(table.name)):
        score += 0.6
    # names stand at the front of most tables
    if column.position <= 1:
        score += 0.3
    # long texts are descriptions, whatever they are called
    if column.samples and sum(map(len, column.samples)) / len(column.samples) > 80:
        score -= 1.0
    # what many rows share names none of them, whatever it is called
    return score * (0.4 + 0.6 * column.uniqueness) if score >= 0.6 or column.uniqueness > 0.9 else 0.0
