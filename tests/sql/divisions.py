"""Made-up divisions behind guards, good and bad ones, and the rows they are tried on."""

from __future__ import annotations

import random
from typing import Any

import psycopg

SCHEMA = "create table v (id int primary key, k int, x int, y int, n numeric(10,2), m numeric(6,3), f float8)"
_INTS = ("null", "0", "1", "-1", "2", "-2147483648")
_FLOATS = ("0", "'nan'", "-0.5", "null")


def fill(connection: psycopg.Connection[Any]) -> None:
    """The table, with all pairs of whole numbers that matter."""
    rows = [
        f"({i}, {i % 3}, {_INTS[i % 6]}, {_INTS[i // 6 % 6]}, {('null', '0', '0.01', '-3')[i % 4]},"
        f" {('0', '1.5', 'null')[i % 3]}, {_FLOATS[i % 4]})"
        for i in range(72)
    ]
    connection.execute(SCHEMA)  # type: ignore[call-overload]
    connection.execute(f"insert into v values {', '.join(rows)}")  # type: ignore[call-overload]


class Writer:
    """Writes divisions behind guards, good and bad ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> str:
        of_rows = ["x", "y", "n", "m", "f", "x::numeric", "y::bigint", "x::float8", "m::float8"]
        of_groups = ["count(*)", "sum(y)", "count(x)", "min(m)", "sum(n)::float8"]
        return self.random.choice(of_groups if self.grouped else of_rows)

    def condition(self, about: str, depth: int = 0) -> str:
        r = self.random
        bound = r.choice(["0", "1", "-1", "0.0", "2"])
        plain = f"{about} {r.choice(['=', '<>', '<', '<=', '>', '>='])} {bound}"
        tests = [
            plain,
            plain,
            f"{bound} {r.choice(['=', '<>', '<', '>='])} {about}",
            f"{about} {r.choice(['in', 'not in'])} (0, {bound})",
            f"{about} between {bound} and 5",
            f"{about} is {r.choice(['', 'not '])}distinct from {bound}",
            f"{about} is null",
        ]
        if depth < 2:
            one, two = (
                self.condition(about, depth + 1),
                self.condition(r.choice([about, self.number()]), depth + 1),
            )
            tests += [
                f"({one} {r.choice(['and', 'or'])} {two})",
                f"not ({one})",
                f"({one}) is {r.choice(['', 'not '])}true",
            ]
        return r.choice(tests)

    def divisor(self, about: str) -> str:
        return self.random.choice(
            [about, about, f"nullif({about}, 0)", f"nullif({about}, 1)", f"coalesce(nullif({about}, 0), {self.random.choice('012')})",
             f"greatest({about}, {self.random.choice('01')})", f"least({about}, -1)", f"case when {self.condition(about)} then {about} else 1 end"]
        )  # fmt: skip

    def value(self) -> str:
        about = self.number()
        quotient = f"{self.random.choice(['1', '2.5', self.number()])} / {self.divisor(about)}"
        other = f"{self.random.choice(['1', '2.5'])} / {self.divisor(about)}"
        return self.random.choice(
            [
                quotient,
                f"case when {self.condition(about)} then {quotient} end",
                f"case when {self.condition(about)} then {quotient} when {self.condition(about)} then {other} else {other} end",
            ]
        )

    def query(self) -> str:
        r = self.random
        self.grouped = False
        where = f" where {self.condition(self.number())}" if r.random() < 0.5 else ""
        kind = r.randrange(3)
        if kind == 0:
            return f"select {self.value()} from v{where}"
        if kind == 1:  # what an aggregate reads
            inner, kept = self.value(), self.condition(self.number())
            filtered = f" filter (where {kept})" if r.random() < 0.5 else ""
            return f"select k, sum({inner}){filtered} from v{where} group by k"
        self.grouped = True
        where = ""
        having = f" having {self.condition(self.number())}" if r.random() < 0.5 else ""
        return f"select {self.value()} from v{where} group by {r.choice(['k', 'k, x', '()', 'rollup (k)'])}{having}"

    def conditions(self) -> list[str]:
        """Conditions of a WHERE, some of which divide by what others are about."""
        r = self.random
        self.grouped = False
        about = self.number()
        found = [self.condition(r.choice([about, about, self.number()])) for _ in range(r.randint(0, 2))]
        for _ in range(r.randint(0, 2)):
            divides = f"{r.choice(['1', 'x', 'n', '2.5'])} / {self.divisor(about)} > 1"
            found.append(
                f"case when {self.condition(about)} then {divides} end" if r.random() < 0.4 else divides
            )
        r.shuffle(found)
        return found

    def pair(self) -> tuple[str, str]:
        """Two queries that show no row, for a reason that the server does not see: all that may differ is
        what fails.
        """
        r = self.random
        one = self.conditions()
        other = list(one)
        match r.randrange(4):
            case 0 if other:
                other.pop(r.randrange(len(other)))
            case 1:
                other += self.conditions()[:1]
            case 2:
                r.shuffle(other)
            case _:
                other = self.conditions()
        first = r.random() < 0.5
        form = r.choice(
            ["select id from v where {}", "select count(*) from v where {}", "select id from v where exists (select from v w where {})",
             "select k from v where k < 2 and 1 > (select sum({v}) from v where {})"]
        )  # fmt: skip
        value = self.value()

        def text(conditions: list[str]) -> str:
            # dearer than a division, so that the server comes to it last
            never = ["(k > 5 or k > 6 or k > 7 or k > 8 or k > 9)", "k < 3"]
            whole = [*never, *conditions] if first else [*conditions, *never]
            return form.replace("{v}", value).format(" and ".join(f"({c})" for c in whole))

        return text(one), text(other)
