"""Copies and older states of tables: files that were saved again under the name of another with `old`,
`copy`, `v2` or a day added, and hold its rows.

Owns finding them by their names, keys and the counts of their values. Must not know queries. Rows of a copy
beside those of its original would count twice (docs/decisions/0790).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rewright.lake import names
from rewright.lake.catalog.model import Column, Table, Values

_OLDER = frozenset({
    # English
    "old", "backup", "bak", "draft", "orig", "original", "prev", "previous", "copy", "superseded",
    "obsolete", "outdated", "legacy", "archive", "archived", "arc", "arch",
    # German, Dutch, Scandinavian, Finnish
    "kopie", "archiv", "alt", "alte", "alter", "altes", "veraltet", "sicherung", "oud", "oude",
    "verouderd", "gammal", "gammel", "vanha",
    # French, Spanish, Italian, Portuguese
    "copie", "ancien", "ancienne", "sauvegarde", "copia", "antiguo", "antigua", "viejo", "vieja",
    "respaldo", "vecchio", "vecchia", "velho", "velha", "antigo", "antiga",
    # Polish, Czech
    "stary", "stara", "stare", "kopia", "zaloha",
})  # fmt: skip
_NEWER = frozenset({"new", "latest", "final", "current"})
_LITTLE = frozenset({"of", "von", "de", "di"})
_AS_OF = frozenset({
    "stand", "asof", "snapshot", "etat", "stato", "estado", "situacion", "situazione", "situation",
    "stav", "stan", "tilstand", "tila",
})  # fmt: skip
"""Before a day, month or year, words that say of when a table's rows are."""
_DAY = re.compile(r"(?:19|20)\d\d[-_. ]?(?:0[1-9]|1[0-2])[-_. ]?(?:0[1-9]|[12]\d|3[01])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FAR = 10**9
_HELD = 0.98
"""Share of a column's values from which on the other table's holds them; sketches are not exact."""
_KEY, _LEAST_KEYS, _SAME_KEYS = 0.95, 5, 0.5
_TELLING = 20
"""Different values from which on it is no chance that another table has them all, as often."""
_MOST = 60
"""Tables of one name from which on they are parts, whatever their names say."""
_LEAST_ALIKE = 3
"""Columns that two tables of different names have to have in common to be states of one."""
_LEAST_SHARED, _SHARED = 2, 0.5
"""Columns that an older state and a table of another name share at least, and the share of the former's."""


@dataclass(frozen=True, slots=True)
class Version:
    """A table's name without what tells its version; how new that says it is, 0 where nothing does; whether a
    word says so (`old`, `v2`) rather than a day or a number, which parts have, too.
    """

    base: str
    rank: float
    spoken: bool = False


def version_of(name: str) -> Version:
    """What a table's name says of its version.

    >>> version_of("club_seasons_old")
    Version(base='club seasons', rank=-1, spoken=True)
    """
    rank: float = 0
    # `2023-01-05` alone is a day's table, and no state of another one
    if (day := _DAY.search(name)) is not None and len(name) > len(day[0]):
        name, rank = name.replace(day[0], " "), int(re.sub(r"\D", "", day[0]))
    told = names.spaced(name).lower().replace(" as of", " asof").split()
    # `staff_stand_2024-01-31`: the day is taken out already
    if rank and len(told) > 1 and told[-1] in _AS_OF:
        told = told[:-1]
    if len(told) > 2 and told[0] in _OLDER and told[1] in _LITTLE:
        return Version(" ".join(told[2:]), -1, spoken=True)
    if (state := _state(told)) is not None:
        return state
    told, number = _numbered(told)
    if number:
        return Version(" ".join(told), number, spoken=True)
    spoken = False
    # `report_old_2019`: the year is when it was put away
    if len(told) > 2 and _YEAR.fullmatch(told[-1]) and told[-2] in _OLDER:
        told = told[:-1]
    while len(told) > 1 and (found := _said_by(told[-1])):
        spoken |= not told[-1].isdigit()
        told, rank = told[:-1], rank or found
    # `staff_2019_old`: an old state of one year's is one of the whole
    if spoken and rank < 0 and len(told) > 1 and _YEAR.fullmatch(told[-1]):
        told = told[:-1]
    return Version(" ".join(told), rank, spoken)


def _state(told: list[str]) -> Version | None:
    """What `clients stand 2022 12` is a state of. A later one is newer, one without a day the newest."""
    for i in range(1, len(told) - 1):
        behind = told[i + 1 :]
        if told[i] in _AS_OF and _YEAR.fullmatch(behind[0]) and all(w.isdigit() for w in behind):
            when = int("".join(behind).ljust(8, "0")[:8])
            return Version(" ".join(told[:i]), when / _FAR - 1, spoken=True)
    return None


def _numbered(told: list[str]) -> tuple[list[str], int]:
    """The words without `v2` or `v 2` at their end, and the number."""
    if len(told) > 2 and told[-2] == "v" and told[-1].isdigit():
        return told[:-2], int(told[-1])
    match = re.fullmatch(r"v(\d+)", told[-1]) if len(told) > 1 else None
    return (told[:-1], int(match[1])) if match is not None else (told, 0)


def _said_by(word: str) -> float:
    """How new a last word says that a file is; 0 where it says nothing of that."""
    if word in _OLDER:
        return -1
    if word in _NEWER:
        return _FAR
    # systems number what is saved beside a file of its name: `staff (2)`
    return -int(word) if len(word) == 1 and word in "23456789" else 0


def copies(
    tables: Sequence[Table],
    contained: Callable[[Column, Column], float],
    values: Callable[[Column], Values],
) -> dict[str, str]:
    """Tables that are copies or older states of another one, and which. `contained`: the share of a column's
    values that another one holds.
    """
    groups: dict[tuple[str, frozenset[str]], list[Table]] = defaultdict(list)
    for table in tables:
        base = version_of(table.name).base
        groups[base, frozenset(names.normal(c.name) for c in table.columns)].append(table)
    found: dict[str, str] = {}
    for group in groups.values():
        if 2 <= len(group) <= _MOST:
            newest = sorted(group, key=lambda t: (-version_of(t.name).rank, len(t.name), t.name))
            for i, table in enumerate(newest):
                # of two copies of one another one stays
                others = [(j, t) for j, t in enumerate(newest) if j != i and t.name not in found]
                held = (t for j, t in others if _repeats(table, t, contained, values, later=j < i))
                if (original := next(held, None)) is not None:
                    found[table.name] = original.name
    found |= _of_other_names(tables, found, contained)
    named = {names.spaced(t.name).lower(): t for t in tables}
    for table in tables:
        newer = named.get(_without_year(table.name)) if table.name not in found else None
        if newer is not None and _holds_more(table, newer, contained):
            found[table.name] = newer.name
    return found | _of_a_year(tables, found, contained)


def _of_a_year(
    tables: Sequence[Table], found: Mapping[str, str], contained: Callable[[Column, Column], float]
) -> dict[str, str]:
    """Tables whose name tells a year, and beside each the one table of the same columns whose name tells no
    year, where both share a word and at least half of their keys: `lift_list_2017` of `lift_master`. Rows
    come and go between two states, so that neither need hold the other's.
    """
    groups: dict[frozenset[str], list[Table]] = defaultdict(list)
    for table in tables:
        if table.name not in found and len(table.columns) >= _LEAST_ALIKE:
            groups[frozenset(names.normal(c.name) for c in table.columns)].append(table)
    made: dict[str, str] = {}
    for group in groups.values():
        told = {t.name: set(names.spaced(t.name).lower().split()) for t in group}
        today = [t for t in group if not any(map(names.tells_year, told[t.name]))]
        # of several without a year it is not known which one it was
        if len(today) != 1:
            continue
        for table in (t for t in group if t is not today[0]):
            alike = {w for w in told[table.name] & told[today[0].name] if w.isalpha()}
            if alike and _same_keys(table, today[0], contained):
                made[table.name] = today[0].name
    return made


def _same_keys(table: Table, other: Table, contained: Callable[[Column, Column], float]) -> bool:
    """Do two tables of the same columns tell their rows apart by the same values, half of them at least?"""
    pairs = ((c, other.column(c.name)) for c in table.columns)
    return any(
        o is not None and _is_key(c) and _is_key(o) and contained(c, o) >= _SAME_KEYS for c, o in pairs
    )


def _of_other_names(
    tables: Sequence[Table], found: Mapping[str, str], contained: Callable[[Column, Column], float]
) -> dict[str, str]:
    """Of tables whose names say that they are older, and that are no copies yet: the table of another name
    that has their rows and shares most columns. Only tables with some column of the name are looked at.
    """
    older = [t for t in tables if _is_older(t.name)]
    if not older:
        return {}
    said = {t.name for t in older}
    of_column: dict[str, list[int]] = defaultdict(list)
    for n, table in enumerate(tables):
        if table.name not in said:
            for name in {names.normal(c.name) for c in table.columns}:
                of_column[name].append(n)
    made: dict[str, str] = {}
    for table in older:
        if table.name in found:
            continue
        shared = Counter(n for c in table.columns for n in of_column.get(names.normal(c.name), ()))
        least = max(_LEAST_SHARED, _SHARED * len(table.columns))
        among = [(count, tables[n]) for n, count in shared.items() if count >= least]
        # the first that holds them, of those that share most
        for _, other in sorted(among, key=lambda x: (x[0], x[1].name), reverse=True):
            if _holds_more(table, other, contained):
                made[table.name] = other.name
                break
    return made


def _without_year(name: str) -> str:
    """`staff` of `staff_2019`, which is its state of a year where it has the same keys; empty without one."""
    *told, last = names.spaced(name).lower().split() or [""]
    return " ".join(told) if _YEAR.fullmatch(last) else ""


def _is_older(name: str) -> bool:
    """Does a word of the name say that there is a newer one?"""
    told = version_of(name)
    return told.spoken and told.rank == -1 and any(w in _OLDER for w in names.spaced(name).lower().split())


def _shared(table: Table, other: Table) -> int:
    held = {names.normal(c.name) for c in other.columns}
    return sum(names.normal(c.name) in held for c in table.columns)


def _holds_more(table: Table, other: Table, contained: Callable[[Column, Column], float]) -> bool:
    """Has the other table, of whatever name and further columns, the rows of one that says it is older? They
    share a key of texts, or one that is no running number, and most columns.
    """
    shared = _shared(table, other)
    # an older state has no more rows
    if table.rows > other.rows or shared < max(_LEAST_SHARED, _SHARED * len(table.columns)):
        return False
    held = {names.normal(c.name): c for c in other.columns}
    pairs = [(c, held[names.normal(c.name)]) for c in table.columns if names.normal(c.name) in held]
    return any(_is_key(c) and _is_key(o) and contained(c, o) >= _HELD for c, o in pairs)


def _repeats(
    table: Table,
    other: Table,
    contained: Callable[[Column, Column], float],
    values: Callable[[Column], Values],
    *,
    later: bool,
) -> bool:
    """Are the table's rows those of the other one, or an earlier state of them? `later`: the other one's name
    says that it is newer, or the same.
    """
    pairs = [(c, o) for c in table.columns if (o := other.column(c.name)) is not None]
    if len(pairs) < len(table.columns):
        return False
    spoken = version_of(table.name).spoken or version_of(other.name).spoken
    # Half of the keys are enough where the name says that it is older: rows come and go between two states.
    if later and spoken and any(_is_key(c) and contained(c, o) >= _SAME_KEYS for c, o in pairs):
        return True
    # of two with the same rows the newer by its name stays
    if table.rows > other.rows or (table.rows == other.rows and not later):
        return False
    return (
        any(c.distinct >= _TELLING for c, _ in pairs)
        and all(c.distinct <= o.distinct for c, o in pairs)
        and all(not c.distinct or contained(c, o) >= _HELD for c, o in pairs)
        and all(_as_often(values(c), values(o)) for c, o in pairs)
    )


def _is_key(column: Column) -> bool:
    """Does it tell rows apart by more than a running number?"""
    if column.uniqueness < _KEY or column.distinct < _LEAST_KEYS:
        return False
    bounds = column.bounds()
    # running numbers are in every table
    return not column.numeral or (bounds is not None and bounds[1] > 2 * column.rows)


def _as_often(one: Values, two: Values) -> bool:
    """Has the other table each value at least as often, as far as they are listed?"""
    # Of a column of many values the rarer ones are not kept: their counts say nothing.
    if not two.complete:
        return True
    counts = dict(two.counts)
    return all(counts.get(value, 0) >= n for value, n in one.counts)
