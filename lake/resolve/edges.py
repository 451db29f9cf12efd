"""Keys by which a further table is joined to those of a candidate: the best by its quality and by what the
query says.

Owns the choice between keys. Must not choose tables.
"""

from __future__ import annotations

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex
from rewright.lake.joins.keys import JoinKey, KeyFinder
from rewright.lake.opposites import of_one_side, opposed
from rewright.lake.resolve.candidate import Candidate, Halves
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.imagined import Relation

# under it keys are chance even between related tables
# below, two tables share values by chance
MIN_JOIN = 0.3
# before keys are completed by further columns, which may make a weak pair a good key
_MIN_LINK = 0.2
_TOLD = 0.5
_ASKED = 0.4
"""What it adds to a key that its columns are called as in the join the user wrote."""
# what the query says must be strong where values say nothing
_WRITTEN, _CALLED, _CALLED_KEY, _ALL = 0.4, 0.5, 0.7, 0.99
"""Quality of a key that only the query tells; likeness of its table and of the table's key to what is asked
for there, and the share of its values that are found, at least.
"""
_SIDE = 0.15
"""What it adds to a key that one of its columns is of the side that is asked for."""


LOOKED_AT = 16
"""Keys of two tables that are looked at: what the query says may speak for one that is not the strongest."""


class EdgeFinder:
    """Finds them for one site."""

    def __init__(self, index: LakeIndex, evidence: Evidence, keys: KeyFinder, halves: Halves) -> None:
        self._index = index
        self._evidence = evidence
        self._keys = keys
        self._relations = evidence.site.relations
        self._aliases = {r.alias: r for r in self._relations}
        self._halves = halves

    def edge(self, state: Candidate, table: str) -> JoinKey | None:
        """The best key between the table and one of the state's."""
        for other in state.tables:
            # Two halves of one table have one row each for a key: no other join of them can be meant.
            if (split := self._halves.get(other, {}).get(table)) is not None:
                return JoinKey(other, table, (split,), 1.0)
        found = [
            k
            for other in state.tables
            if self._linked(other, table)
            for k in self._keys.keys(other, table, top=LOOKED_AT)
        ]
        found += [k for other in state.tables if (k := self._coded(other, table)) is not None]
        # what shares values is looked for first; the user's own words only where nothing does
        found = [k for k in found if k.quality >= MIN_JOIN]
        if not found:
            found = [k for other in state.tables if (k := self._written(other, table)) is not None]
        return max(found, key=lambda k: self._fit(k, state), default=None)

    def _written(self, a: str, b: str) -> JoinKey | None:
        """The key that the user wrote, between columns that have nothing but their values to show for it: few
        of many serial numbers say little, yet all of `ED_NO` are a `Staff no`.
        """
        for relation in self._relations:
            for column in relation.columns.values():
                for alias, name in column.joined:
                    if (other := self._aliases.get(alias)) is None:
                        continue
                    # a foreign key may lead either way
                    for from_, to in ((a, b), (b, a)):
                        told = self._referring((relation.name, column.name), from_, (other, name), to)
                        if told is not None:
                            # the key is told from the first of the two tables on
                            key = JoinKey(from_, to, (told,), _WRITTEN)
                            return key if from_ == a else key.flipped()
        return None

    def _referring(
        self, asked: tuple[str, str], from_: str, other: tuple[Relation, str], to: str
    ) -> tuple[Column, Column] | None:
        """A key column all of whose values a table's own key holds, where that table and its key are called
        as they are asked for.
        """
        relation, name = other
        # a table by another name could have a key of any kind
        if self._evidence.table_score(relation.alias, to) < _CALLED:
            return None
        keys = [
            c
            # the referred side is told apart by its key
            for c in self._index.tables[to].columns
            if c.unique and self._evidence.name_score(relation.name, name, c) >= _CALLED_KEY
        ]
        found = [
            (self._evidence.name_score(*asked, c), c, key)
            for key in keys
            for c in self._index.tables[from_].columns
            # one key is called as asked: numbers from 1 on are contained in any other such
            if not c.unique
            and c.family is key.family
            and set(names.words(c.name)) & names.KEY_WORDS
            and self._index.contained(c, key, _ALL) >= _ALL
        ]
        return max(found, key=lambda f: f[0])[1:] if found else None

    def _coded(self, a: str, b: str) -> JoinKey | None:
        """The key where one of the two says what the other's codes stand for."""
        codes = self._evidence.codes
        if (key := codes.between(a, b)) is not None:
            return key
        back = codes.between(b, a)
        return None if back is None else back.flipped()

    def _linked(self, a: str, b: str) -> bool:
        """Whether the two could join at all: a cheap check, before keys are completed and measured."""
        pairs = self._index.pairs(a, b)
        # two weak columns may be strong together
        return bool(pairs) and (pairs[0].quality >= _MIN_LINK or len(pairs) > 1)

    def strongly(self, a: str, b: str) -> bool:
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
            # several tests are a list of values, which leaves rows to join
            if imagined is not None and any(t.op == "=" for t in imagined.tests) and len(imagined.tests) == 1:
                # joined on a column held to one value, the join would say nothing
                value -= 0.25
        # where the user joined by keys, keys go before names
        if self._keys_asked() and any(set(names.words(c.name)) & names.KEY_WORDS for c in (first_a, first_b)):
            value += 0.12
        # the side of what is asked tells which of two keys: `origin`, not `destination`
        value += _SIDE * sum(self._sides(end) for end in (first_a, first_b))
        return value + _ASKED * max(self._asked(x, y) for x, y in key.pairs)

    def _sides(self, end: Column) -> int:
        # one column of this side is enough
        """1: some column that is asked for is of this end's side; -1: only of the opposite one."""
        told = {side(c.name, end) for c in self._evidence.columns if not c.numeric}
        return 1 if 1 in told else min(told, default=0)

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
                    # the pair may be told in either order
                    for x, y in ((a, b), (b, a)):
                        fit = self._evidence.name_score(
                            relation.name, column.name, x
                        ) + self._evidence.name_score(other.name, name, y)
                        role = told_role(column.name, x, (relation.name, other.name)) + side(name, y)
                        # half for each end's name, and the role on top: it tells keys of one table apart
                        best = max(best, fit / 2 + _TOLD * role)
        return best


def told_role(name: str, real: Column, tables: tuple[str, str]) -> float:
    """The share of a key's words beyond those of its tables that a real column has: `manager_id` and
    `mgrEmpNo`; -1 where the column is of the opposite side: `from_city` and `dest`.
    """
    # a side that is told decides before words that are shared
    if (told := side(name, real)) != 0:
        return told
    plain = names.KEY_WORDS.union(*(names.words(table) for table in tables))
    asked = set(names.words(name)) - plain
    # nothing beyond the tables' own words was asked, so no role is told
    return len(asked & set(names.words(real.name))) / len(asked) if asked else 0.0


def side(name: str, real: Column) -> int:
    """1: the column is of the side that is asked for (`from_city` and `origin`), -1: of the opposite one."""
    if opposed(name, real.name):
        return -1
    return 1 if of_one_side(name, real.name) else 0
