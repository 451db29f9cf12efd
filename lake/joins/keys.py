"""Join keys of two tables: one pair, or as many as make one side unique; fan-out measured on the data.

Owns composite keys and the executed fan-out f and S_join of thesis 5.2.2. Must not know queries.
"""

from __future__ import annotations

from dataclasses import dataclass

from rewright.engines.duckdb.database import LakeDatabase
from rewright.engines.duckdb.quoting import quoted
from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.joins.scores import NO_KEYS, USELESS, PairScore, selective, year_like

ALPHA = 0.5
"""How strongly fan-out is held against a key (the thesis leaves α open)."""

_UNIQUE = 0.95
_MOST_PAIRS = 3
_PER_PAIR = 0.93


@dataclass(frozen=True, slots=True)
class JoinKey:
    """Column pairs that join table `a` to table `b`; `quality` 0 to 1."""

    a: str
    b: str
    pairs: tuple[tuple[Column, Column], ...]
    quality: float

    def flipped(self) -> JoinKey:
        return JoinKey(self.b, self.a, tuple((y, x) for x, y in self.pairs), self.quality)


class KeyFinder:
    """Finds keys; remembers distinct counts it has measured."""

    def __init__(self, index: LakeIndex, database: LakeDatabase) -> None:
        self._index = index
        self._database = database
        self._keys: dict[tuple[str, str], list[JoinKey]] = {}
        self._distinct: dict[tuple[str, tuple[str, ...]], int] = {}

    def keys(self, a: str, b: str, *, top: int = 4) -> list[JoinKey]:
        """Candidate keys of two tables, best first."""
        pairs = self._index.pairs(a, b)
        # per direction: `pairs` of (b, a) are the flipped ones, and fan-out is told from the left side
        if (a, b) not in self._keys:
            found: dict[frozenset[tuple[str, str]], JoinKey] = {}
            for pair in pairs:
                if pair.quality > USELESS:
                    key = self._key(a, b, pair, pairs)
                    # two pairs may be completed to the same key; the better of them came first
                    found.setdefault(frozenset((x.name, y.name) for x, y in key.pairs), key)
            self._keys[a, b] = sorted(found.values(), key=lambda k: -k.quality)
        return self._keys[a, b][:top]

    def _key(self, a: str, b: str, pair: PairScore, pairs: tuple[PairScore, ...]) -> JoinKey:
        completed = self._completed(pair, pairs)
        if len(completed) == 1:
            return JoinKey(a, b, completed, pair.quality)
        # a completed key is worth what its parts are worth, were they as selective as all of them together
        sharp = self._sharpness(list(completed))
        parts = {(p.a.name, p.b.name): p for p in pairs}
        told = [parts[x.name, y.name] for x, y in completed]
        worth = [min(1.0, p.quality / selective(max(p.a.uniqueness, p.b.uniqueness))) for p in told]
        worth = [
            # one name on both sides is worth a key, whatever share of the values meets
            max(w, 0.9) if names.referred(p.a.name) == names.referred(p.b.name) else w
            for w, p in zip(worth, told, strict=True)
        ]
        quality = sum(worth) / len(worth) * selective(sharp + 0.03) * _PER_PAIR ** (len(completed) - 1)
        # what tells most stands first
        ordered = sorted(
            completed,
            key=lambda xy: (year_like(xy[0]) or year_like(xy[1]), -parts[xy[0].name, xy[1].name].quality),
        )
        return JoinKey(a, b, tuple(ordered), quality)

    def spelt_otherwise(self, x: Column, y: Column) -> bool:
        """Do two columns meet only apart from case and blanks?"""
        return self._index.spelt_otherwise(x, y)

    def fan_out(self, key: JoinKey) -> float:
        """f: joined rows per distinct key value of the left table."""
        # counted by running the join: estimates from distinct counts miss how skewed the values are
        folded = self._index.spelt_otherwise
        on = " AND ".join(comparison(x, y, "l", "r", folded=folded(x, y)) for x, y in key.pairs)
        distinct = self.distinct(key.a, tuple(x.name for x, _ in key.pairs))
        self._database.load([key.a, key.b])
        rows = self._database.trusted(
            f"SELECT count(*) FROM {quoted(key.a)} AS l JOIN {quoted(key.b)} AS r ON {on}"
        )[0][0]
        return float(rows) / max(distinct, 1)

    def s_join(self, key: JoinKey) -> float:
        """S / (1 + f)^α of the key's first pair."""
        # the first pair is the one that tells most (`_key` puts years last)
        x, y = key.pairs[0]
        return float(self._index.score_pair(x, y).s / (1.0 + self.fan_out(key)) ** ALPHA)

    def rows(self, table: str) -> int:
        """How many rows a table has."""
        return self._index.tables[table].rows

    def distinct(self, table: str, columns: tuple[str, ...]) -> int:
        if (table, columns) not in self._distinct:
            self._database.load([table])
            listed = ", ".join(quoted(c) for c in columns)
            row = self._database.trusted(
                f"SELECT count(*) FROM (SELECT DISTINCT {listed} FROM {quoted(table)})"
            )
            self._distinct[table, columns] = int(row[0][0])
        return self._distinct[table, columns]

    def _completed(self, first: PairScore, pairs: tuple[PairScore, ...]) -> tuple[tuple[Column, Column], ...]:
        """Add fitting pairs while neither side is nearly unique and the pair sharpens the key; then drop
        needless ones.
        """
        key = [(first.a, first.b)]
        # one column that tells rows apart needs no companion
        if max(first.a.uniqueness, first.b.uniqueness) >= _UNIQUE:
            return tuple(key)
        for pair in sorted((p for p in pairs if _companion(p)), key=lambda p: -p.schema):
            # a column stands in one pair at most: `a.x = b.x AND a.x = b.y` would ask two columns of b to
            # agree
            if len(key) >= _MOST_PAIRS or any(pair.a is x or pair.b is y for x, y in key):
                continue
            # what sharpens the key by less adds only chances to miss rows
            if self._sharpness([*key, (pair.a, pair.b)]) > self._sharpness(key) + 0.1:
                key.append((pair.a, pair.b))
            if self._sharpness(key) >= _UNIQUE:
                break
        # A column that was needed when it was added may say nothing more beside those that came later.
        for part in list(key):
            rest = [other for other in key if other is not part]
            if rest and self._sharpness(rest) >= max(_UNIQUE, self._sharpness(key) - 0.02):
                key = rest
        return tuple(key)

    def _sharpness(self, key: list[tuple[Column, Column]]) -> float:
        """How close the key is to identifying rows on one side."""
        # of the sides the better: a key need identify the rows of one table only, the other may refer to it
        # often
        a, b = key[0][0].table, key[0][1].table
        left = self.distinct(a, tuple(x.name for x, _ in key)) / max(self._index.tables[a].rows, 1)
        right = self.distinct(b, tuple(y.name for _, y in key)) / max(self._index.tables[b].rows, 1)
        return max(left, right)


def _companion(pair: PairScore) -> bool:
    """May the pair complete a key: the same thing under the same name, or texts that agree."""
    # notes, amounts and the like agree by chance and identify nothing
    if set(names.words(pair.a.name)) & NO_KEYS:
        return False
    contained = max(pair.overlap.a_in_b, pair.overlap.b_in_a)
    same = names.referred(pair.a.name) == names.referred(pair.b.name)
    if pair.a.numeral:
        keyed = bool(set(names.words(pair.a.name)) & names.KEY_WORDS) or year_like(pair.a)
        return same and keyed and contained >= 0.2
    # texts of many values do not agree by chance
    texts = min(pair.a.distinct, pair.b.distinct) >= 12
    return (same and contained >= 0.3) or (texts and contained >= 0.6)


def comparison(x: Column, y: Column, left: str, right: str, *, folded: bool = False) -> str:
    """The condition that joins two columns of these tables or aliases: as texts, where one holds numbers and
    the other texts. `folded`: whatever the case and the blanks around.
    """
    sides = f"{quoted(left)}.{quoted(x.name)}", f"{quoted(right)}.{quoted(y.name)}"
    # by text: an identifier read as a number here and as text there is compared as it was written
    one, other = sides if x.family is y.family else (f"CAST({side} AS VARCHAR)" for side in sides)
    if folded:
        return f"lower(trim({one})) = lower(trim({other}))"
    return f"{one} = {other}"


def mixed(x: Column, y: Column) -> bool:
    """Must the two be compared as texts?"""
    return (x.family is Family.TEXT) != (y.family is Family.TEXT)
