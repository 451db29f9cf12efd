"""Questions over guessed schemas: each is written twice, by the guesses and by the tables as they were.

Owns the forms of questions. In a form `[c]` is a column, `[c!]` one shown under its guessed name, `[T]` the
table.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.strangers_lakes import Asked, Guessed, Link

_PER_TABLE = 5


@dataclass(frozen=True, slots=True)
class Question:
    """One pair."""

    user: str
    golden: str
    tables: tuple[str, ...]
    tags: tuple[str, ...]
    difficulty: str
    ordered: bool


def questions(
    db: Any, tables: Sequence[Asked], links: Sequence[Link], rng: random.Random
) -> Iterator[Question]:
    """Some questions of each table, and of each pair of linked ones."""
    by_name = {t.name: t for t in tables}
    for table in tables:
        forms = [_top, _grouped, _averaged, _single, _having, _above, _listed, _dimension, _ranged]
        rng.shuffle(forms)
        found = 0
        for form in forms:
            made = form(db, table, rng)
            if made is not None and found < _PER_TABLE:
                found += 1
                yield made
    for a, x, b, y in links:
        if a in by_name and b in by_name:
            yield from _linked(db, by_name[a], x, by_name[b], y, rng)


class _Pen:
    """Writes one form by the guesses and by the real names."""

    def __init__(self, rng: random.Random, **tables: Asked) -> None:
        self._tables = tables
        self._guess = {
            (key, c.name): rng.choice(c.guesses) for key, table in tables.items() for c in table.columns
        }
        self._called = {key: rng.choice(table.guesses) for key, table in tables.items()}
        self.tags: list[str] = []

    def question(
        self, form: str, *, difficulty: str = "easy", said: dict[str, str] | None = None
    ) -> Question:
        """`said`: placeholders `{v}` of values: (as said, as held) joined by a tab."""
        user, golden = form, form
        for name, both in (said or {}).items():
            asked, held = both.split("\t")
            user = user.replace(f"{{{name}}}", asked)
            golden = golden.replace(f"{{{name}}}", held)
        ordered = "ORDER BY" in form
        return Question(
            self._written(user, self._by_guess),
            self._written(golden, self._by_name),
            tuple(t.name for t in self._tables.values()),
            tuple(self.tags),
            difficulty,
            ordered,
        )

    def _written(self, text: str, by: Any) -> str:
        text = re.sub(r"\[(\w)\]", lambda m: by(m[1], None), text)
        return re.sub(
            r"\[(?:(\w)\.)?([^\]!]+)(!?)\]", lambda m: by(m[1] or "T", m[2], m[1], shown=bool(m[3])), text
        )

    def _by_guess(
        self, key: str, column: str | None, alias: str | None = None, *, shown: bool = False
    ) -> str:
        del shown
        if column is None:
            return self._called[key]
        told = self._guess[key, column]
        return f"{alias.lower()}.{told}" if alias else told

    def _by_name(self, key: str, column: str | None, alias: str | None = None, *, shown: bool = False) -> str:
        if column is None:
            return f'"{self._tables[key].name}"'
        ref = f'{alias.lower()}."{column}"' if alias else f'"{column}"'
        return f'{ref} AS "{self._guess[key, column]}"' if shown else ref


def _pick(columns: list[Guessed], rng: random.Random) -> Guessed | None:
    return rng.choice(columns) if columns else None


def _classes(db: Any, table: Asked) -> list[Guessed]:
    return [c for c in table.of("cat") if 2 <= _count(db, table, c) <= 60]


def _count(db: Any, table: Asked, column: Guessed) -> int:
    return int(db.execute(f'SELECT count(DISTINCT "{column.name}") FROM "{table.name}"').fetchone()[0])


def _value(db: Any, table: Asked, column: Guessed, rng: random.Random, pen: _Pen) -> str | None:
    """A value of the column as it is said and as it is held."""
    if column.said and rng.random() < 0.7:
        held, said = rng.choice(list(column.said.items()))
        if held != said:
            pen.tags.append("Filter Mismatch")
    else:
        rows = db.execute(
            f'SELECT "{column.name}" FROM "{table.name}" WHERE "{column.name}" IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 4'
        ).fetchall()
        held = said = rng.choice(rows)[0]
    return "\t".join("'" + text.replace("'", "''") + "'" for text in (said, held))


def _quantile(db: Any, table: Asked, column: Guessed, q: float) -> str:
    (value,) = db.execute(f'SELECT quantile_disc("{column.name}", {q}) FROM "{table.name}"').fetchone()
    return f"{value:g}" if abs(value) < 1e6 else str(int(value))


def _top(db: Any, table: Asked, rng: random.Random) -> Question | None:
    name, num = _pick(table.of("label"), rng), _pick(table.of("num"), rng)
    if name is None or num is None:
        return None
    pen = _Pen(rng, T=table)
    limit = _quantile(db, table, num, 0.97)
    return pen.question(
        f"SELECT [{name.name}!], [{num.name}!] FROM [T] WHERE [{num.name}] > {limit} ORDER BY 2 DESC, 1"
    )


def _grouped(db: Any, table: Asked, rng: random.Random) -> Question | None:
    cat = _pick(_classes(db, table), rng)
    if cat is None:
        return None
    return _Pen(rng, T=table).question(
        f"SELECT [{cat.name}!], COUNT(*) AS n FROM [T] GROUP BY [{cat.name}] ORDER BY n DESC, 1"
    )


def _averaged(db: Any, table: Asked, rng: random.Random) -> Question | None:
    cats, num = _classes(db, table), _pick(table.of("num"), rng)
    if len(cats) < 2 or num is None:
        return None
    by, on = rng.sample(cats, 2)
    pen = _Pen(rng, T=table)
    value = _value(db, table, on, rng, pen)
    return pen.question(
        f"SELECT [{by.name}!], ROUND(AVG([{num.name}]), 2) AS mean FROM [T] WHERE [{on.name}] = {{v}} GROUP BY [{by.name}]",
        difficulty="medium",
        said={"v": value or ""},
    )


def _single(db: Any, table: Asked, rng: random.Random) -> Question | None:
    cat, num = _pick(_classes(db, table), rng), _pick(table.of("num"), rng)
    if cat is None or num is None:
        return None
    pen = _Pen(rng, T=table)
    value = _value(db, table, cat, rng, pen)
    how = rng.choice(["MAX", "MIN", "SUM"])
    return pen.question(
        f"SELECT COUNT(*) AS n, ROUND({how}([{num.name}]), 2) AS figure FROM [T] WHERE [{cat.name}] = {{v}}",
        said={"v": value or ""},
    )


def _having(db: Any, table: Asked, rng: random.Random) -> Question | None:
    cat, num = _pick(_classes(db, table), rng), _pick(table.of("num"), rng)
    if cat is None or num is None:
        return None
    (few,) = db.execute(
        f'SELECT quantile_disc(n, 0.4) FROM (SELECT count(*) AS n FROM "{table.name}" GROUP BY "{cat.name}")'
    ).fetchone()
    return _Pen(rng, T=table).question(
        f"SELECT [{cat.name}!], MAX([{num.name}]) AS most FROM [T] GROUP BY [{cat.name}] HAVING COUNT(*) > {few} ORDER BY most DESC, 1",
        difficulty="medium",
    )


def _above(db: Any, table: Asked, rng: random.Random) -> Question | None:
    nums, cat = table.of("num"), _pick(_classes(db, table), rng)
    if not nums or cat is None:
        return None
    num = rng.choice(nums)
    return _Pen(rng, T=table).question(
        f"SELECT [{cat.name}!], COUNT(*) AS n FROM [T] WHERE [{num.name}] > (SELECT AVG([{num.name}]) FROM [T]) GROUP BY [{cat.name}]",
        difficulty="hard",
    )


def _listed(db: Any, table: Asked, rng: random.Random) -> Question | None:
    name, cats = _pick(table.of("label"), rng), _classes(db, table)
    if name is None or not cats:
        return None
    pen = _Pen(rng, T=table)
    cat = rng.choice(cats)
    value = _value(db, table, cat, rng, pen)
    return pen.question(
        f"SELECT DISTINCT [{name.name}!] FROM [T] WHERE [{cat.name}] = {{v}} ORDER BY 1",
        said={"v": value or ""},
    )


def _ranged(db: Any, table: Asked, rng: random.Random) -> Question | None:
    when, num = _pick(table.of("year", "date"), rng), _pick(table.of("num"), rng)
    if when is None or num is None:
        return None
    pen = _Pen(rng, T=table)
    (at,) = db.execute(f'SELECT quantile_disc("{when.name}", 0.5) FROM "{table.name}"').fetchone()
    if when.kind == "date":
        test = f"[{when.name}] >= DATE '{at}'"
        return pen.question(
            f"SELECT COUNT(*) AS n, ROUND(AVG([{num.name}]), 2) AS mean FROM [T] WHERE {test}"
        )
    return pen.question(
        f"SELECT [{when.name}!], ROUND(SUM([{num.name}]), 1) AS total FROM [T] WHERE [{when.name}] >= {at} GROUP BY [{when.name}] ORDER BY 1"
    )


def _dimension(db: Any, table: Asked, rng: random.Random) -> Question | None:
    """A class imagined as a table of its own."""
    cat, num = _pick(_classes(db, table), rng), _pick(table.of("num"), rng)
    if cat is None or num is None:
        return None
    pen = _Pen(rng, T=table)
    pen.tags.append("Obsolete Table")
    told = rng.choice(cat.guesses)
    made = pen.question(f"SELECT [T] AS t, [{num.name}] AS n FROM [T]")
    # the golden query has no join; only the user's is written with one
    fact = re.search(r"FROM (\w+)$", made.user)
    measure = re.search(r", (\w+) AS n", made.user)
    assert fact is not None
    assert measure is not None
    user = f"SELECT d.name AS {told}, ROUND(AVG(f.{measure[1]}), 2) AS mean FROM {fact[1]} f JOIN {told}s d ON f.{told}_id = d.id GROUP BY d.name"
    golden = f'SELECT "{cat.name}" AS "{told}", ROUND(AVG("{num.name}"), 2) AS mean FROM "{table.name}" WHERE "{cat.name}" IS NOT NULL GROUP BY 1'
    return Question(user, golden, (table.name,), ("Obsolete Table",), "hard", False)


def _linked(db: Any, a: Asked, x: str, b: Asked, y: str, rng: random.Random) -> Iterator[Question]:
    names = b.of("label") or [c for c in b.of("cat") if c.name != y]
    nums, classes = a.of("num"), [c for c in _classes(db, b) if c.name != y]
    join = f"FROM [A] a JOIN [B] b ON [A.{x}] = [B.{y}]"
    if names:
        name = rng.choice(names)
        yield _Pen(rng, A=a, B=b).question(
            f"SELECT [B.{name.name}!], COUNT(*) AS n {join} GROUP BY [B.{name.name}] HAVING COUNT(*) > 5 ORDER BY n DESC, 1",
            difficulty="medium",
        )
    if names and nums:
        name, num = rng.choice(names), rng.choice(nums)
        yield _Pen(rng, A=a, B=b).question(
            f"SELECT [B.{name.name}!], ROUND(AVG([A.{num.name}]), 2) AS mean {join} GROUP BY [B.{name.name}]",
            difficulty="medium",
        )
    if classes:
        cat = rng.choice(classes)
        pen = _Pen(rng, A=a, B=b)
        value = _value(db, b, cat, rng, pen)
        yield pen.question(
            f"SELECT COUNT(*) AS n {join} WHERE [B.{cat.name}] = {{v}}",
            difficulty="medium",
            said={"v": value or ""},
        )
    if names and a.of("cat"):
        # the second table goes unsaid
        name, chosen = rng.choice(names), _pick(_classes(db, a), rng)
        if chosen is not None:
            pen = _Pen(rng, A=a, B=b)
            pen.tags.append("Missing Table")
            made = pen.question(
                f"SELECT [B.{name.name}!], [A.{chosen.name}!], COUNT(*) AS n {join} GROUP BY 1, 2",
                difficulty="hard",
            )
            user = re.sub(r" FROM (\w+) a JOIN .*? GROUP BY", r" FROM \1 GROUP BY", made.user)
            yield Question(re.sub(r"\b[ab]\.", "", user), made.golden, made.tables, made.tags, "hard", False)
