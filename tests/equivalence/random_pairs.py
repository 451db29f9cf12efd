"""Random pairs of queries: one from a small grammar, the other the same after a few changes.

Some changes keep the meaning and most do not; which, is for the prover and for a real server to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

SCHEMA = """
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a, v int, w int not null);
create table c (id int primary key, aid int references a, v int);
create table n (k int, v int, g int);
"""
COLUMNS = {
    "a": ("id", "x", "y", "u"),
    "b": ("id", "aid", "v", "w"),
    "c": ("id", "aid", "v"),
    "n": ("k", "v", "g"),
}

CHANGES: tuple[tuple[str, str], ...] = (
    (r" = ", " is not distinct from "), (r" is not distinct from ", " = "), (r" = ", " <= "), (r" < ", " <= "),
    (r" > (\d)", r" >= \1"), (r"left join", "join"), (r"\bjoin\b", "left join"), (r"full join", "left join"),
    (r" and ", " or "), (r" or ", " and "), (r"select distinct", "select"), (r"^select (?!distinct)", "select distinct "),
    (r"union all", "union"), (r"union(?! all)", "union all"), (r"except(?! all)", "intersect"), (r"count\(\*\)", "count(p.v)"),
    (r"count\((\w+\.\w+)\)", "count(*)"), (r"count\((\w+\.\w+)\)", r"count(distinct \1)"), (r"sum\(", "max("), (r"max\(", "min("),
    (r"not exists", "exists"), (r"not in", "in"), (r" in \(", " not in ("), (r"is null", "is not null"), (r"is not null", "is null"),
    (r"\b1\b", "2"), (r"coalesce\((\w+\.\w+), \d\)", r"\1"), (r"(\w+\.\w+) (=|<|>) (\w+)", r"not (\1 \2 \3)"),
    (r" where ", " where 1 = 1 and "), (r" where (.*?) (group|order|union|\))", r" where (\1) is true \2"),
    (r"(\w+\.\w+) = (\w+\.\w+)", r"\2 = \1"), (r"(\w+\.\w+) < (\w+)", r"not \1 >= \2"), (r"(\w+\.\w+) = (\d)", r"\1 in (\2, \2)"),
    (r"(\w+\.\w+) in \(select (\w+\.\w+) from (\w+ \w+)( where )?", r"exists (select 1 from \3 where \1 = \2 and (true) "),
    (r"having ", "having true and "), (r" filter \(where [^)]*\)", ""), (r"(\w+\.\w+) = (\w+\.\w+)", r"\1 = \2 and \2 is not null"),
    (r"from (\w+) (\w+)\b", r"from (select * from \1) \2"), (r"from (\w+) (\w+)\b", r"from (select distinct * from \1) \2"),
)  # fmt: skip


class Grammar:
    """Random SELECTs over the schema."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def table(self) -> str:
        return self.pick(*COLUMNS)

    def column(self, alias: str, table: str) -> str:
        return f"{alias}.{self.pick(*COLUMNS[table])}"

    def condition(self, scope: list[tuple[str, str]], depth: int = 0) -> str:
        x, y = (self.column(*self.random.choice(scope)) for _ in range(2))
        roll = self.random.random()
        if roll < 0.3:
            return f"{x} {self.pick('=', '=', '<', '<>', 'is not distinct from')} {y}"
        if roll < 0.5:
            return f"{x} {self.pick('=', '>', '<', '<>')} {self.pick('1', '2', '0')}"
        if roll < 0.6:
            return f"{x} is {self.pick('', 'not ')}null"
        if roll < 0.72 and depth < 2:
            return f"({self.condition(scope, depth + 1)} {self.pick('and', 'or')} {self.condition(scope, depth + 1)})"
        if roll < 0.78:
            return f"coalesce({x}, 1) = {self.pick('0', '1', '2')}"
        if depth > 1:
            return f"{x} = {y}"
        return self.nested(scope, x, depth)

    def nested(self, scope: list[tuple[str, str]], x: str, depth: int) -> str:
        table, alias = self.table(), self.alias()
        inner = (alias, table)
        column = self.column(*inner)
        where = self.condition([*scope, inner], depth + 2)
        kind = self.random.random()
        if kind < 0.35:
            return f"{self.pick('', 'not ')}exists (select 1 from {table} {alias} where {column} = {x} and {where})"
        if kind < 0.7:
            return f"{x} {self.pick('in', 'not in')} (select {column} from {table} {alias} where {where})"
        function = self.pick("count(*)", f"sum({column})", f"max({column})", f"count({column})")
        tie = f"{self.column(*inner)} = {x}"
        return (
            f"{x} {self.pick('=', '>', '<')} (select {function} from {table} {alias} where {tie} and {where})"
        )

    def alias(self) -> str:
        self.count += 1
        return f"s{self.count}"

    def source(self) -> tuple[str, list[tuple[str, str]]]:
        first = self.table()
        text, scope = f"{first} p", [("p", first)]
        if self.random.random() < 0.6:
            second = self.table()
            scope.append(("q", second))
            kind = self.pick("join", "join", "left join", "full join")
            on = f"{self.column('q', second)} = {self.column('p', first)}"
            if kind != "full join" and self.random.random() < 0.4:
                on += f" and {self.condition(scope, 2)}"
            text += f" {kind} {second} q on {on}"
        return text, scope

    def query(self) -> str:
        source, scope = self.source()
        where = f" where {self.condition(scope)}" if self.random.random() < 0.7 else ""
        x, y = (self.column(*self.random.choice(scope)) for _ in range(2))
        roll = self.random.random()
        if roll < 0.35:
            return f"select {self.pick('', 'distinct ')}{x} as c1, {y} as c2 from {source}{where}"
        if roll < 0.65:
            function = self.pick("count(*)", f"count({y})", f"sum({y})", f"max({y})", f"count(distinct {y})")
            having = self.pick("", "", " having count(*) > 1", f" having {x} > 1")
            return f"select {x} as c1, {function} as c2 from {source}{where} group by {x}{having}"
        if roll < 0.75:
            return f"select {self.pick('count(*)', f'sum({y})', f'max({y})')} as c1 from {source}{where}"
        if roll < 0.85:
            other, theirs = self.source()
            op = self.pick("union all", "union", "except", "intersect")
            z = self.column(*self.random.choice(theirs))
            return f"select {x} as c1 from {source}{where} {op} select {z} from {other}"
        table = self.table()
        inner = self.pick("count(*)", f"sum({self.column('z', table)})")
        tie = f"{self.column('z', table)} = {x}"
        return f"select {x} as c1, (select {inner} from {table} z where {tie}) as c2 from {source}{where}"


def changed(text: str, random: Random) -> str:
    """The text after one to three changes."""
    for _ in range(random.choice((1, 1, 2, 3))):
        pattern, replacement = random.choice(CHANGES)
        places = list(re.finditer(pattern, text))
        if places:
            place = random.choice(places)
            text = text[: place.start()] + place.expand(replacement) + text[place.end() :]
    return text


def pairs(seed: int) -> Iterator[tuple[str, str]]:
    """Different texts without end; not all of them bind."""
    random = Random(seed)
    while True:
        first = Grammar(random).query()
        second = changed(first, random)
        if second != first:
            yield first, second
