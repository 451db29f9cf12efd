"""Made-up queries for the forms that pairs are seen in, and small databases on which they are compared.

Each generator gives a query that a form is for, with something in it now and then that the form must not
touch: most of what they write is a near miss of some precondition. The databases are poor: a handful of rows,
few values, many NULLs and duplicates, empty tables.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg

from rewright.engines.postgres.catalog import snapshot
from rewright.equivalence.laws.eager import without_early_groups
from rewright.equivalence.laws.flattening import flattened
from rewright.equivalence.laws.forms import Form
from rewright.equivalence.laws.lookups import as_lookups
from rewright.equivalence.laws.ordering import without_idle_keys
from rewright.equivalence.laws.restrictions import without_restrictions
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.walk import Fresh, highest_number

TABLES = """
create table f (
    id int primary key, k int, j int, q int, s smallint, b bigint, n numeric, m numeric(8,2), d float8, t text, p char(3),
    o bool, at date
);
create table g (id int primary key, k int unique, j int not null, x int, w numeric, t text, p char(5), r char(3), m numeric(8,3));
create table h (a int not null, b int not null, k int references g (k), y int, t text collate "C", primary key (a, b));
"""
DATABASES = 14


def create(connection: psycopg.Connection[Any]) -> None:
    """Schemas db0, db1, …: the same tables, each filled otherwise; and back0, …: the same rows the other way
    round.
    """
    for number in range(DATABASES):
        r = random.Random(number)
        rows = {table: _rows(table, r, number) for table in "fgh"}
        for name, turned in ((f"db{number}", False), (f"back{number}", True)):
            connection.execute(f"create schema {name}; set search_path = {name}; {TABLES}")
            for table, lines in (("g", rows["g"]), ("h", rows["h"]), ("f", rows["f"])):
                for line in reversed(lines) if turned else lines:
                    marks = ", ".join(["%s"] * len(line))
                    connection.execute(f"insert into {table} values ({marks})", line)
    connection.execute(
        f"set search_path = db0; {TABLES.replace('create table ', 'create table public.').replace('references g', 'references public.g')}"
    )


def known(connection: psycopg.Connection[Any]) -> Catalog:
    return snapshot(connection)


def _rows(table: str, r: random.Random, number: int) -> list[tuple[Any, ...]]:
    size = 0 if r.random() < 0.12 else r.choice([1, 2, 3, 4, 6, 8, 10]) if number % 2 else r.randint(4, 9)
    nothing = r.choice([0.1, 0.3, 0.3, 0.6])

    def some(*values: Any) -> Any:
        return None if r.random() < nothing else r.choice(values)

    found: list[tuple[Any, ...]] = []
    keys: list[Any] = r.sample([None, None, 0, 1, 2, 3, 4, 5, None], 9)
    pairs = r.sample([(x, y) for x in range(4) for y in range(4)], 12)
    for i in range(1, size + 1):
        small = some(0, 1, 1, 2, 3)
        if table == "f":
            found.append(
                (
                    *(i, small, some(0, 1, 2), some(-2, 0, 1, 1, 3), some(0, 1, 2), some(0, 1, 5, 2**40)),
                    *(
                        some("1", "1.0", "2.50", "0"),
                        some("1.25", "1.00", "-3"),
                        some(0.1, 0.3, 1e16, 0.30000000000000004),
                    ),
                    *(
                        some("a", "b", "", "A"),
                        some("a", "b"),
                        some(True, False),
                        some("2020-01-01", "2020-02-01"),
                    ),
                )
            )
        elif table == "g" and i <= len(keys):
            found.append(
                (
                    *(i, keys[i - 1], r.choice([0, 1, 1, 2]), some(0, 1, 1, 2, 3), some("1", "1.0", "2")),
                    *(some("a", "b", "", "A"), some("a", "b"), some("a", "b"), some("1.25", "1.00")),
                )
            )
        elif table == "h" and i <= len(pairs):
            found.append((*pairs[i - 1], None, some(0, 1, 2), some("a", "b", "")))
    return found


def answer(connection: psycopg.Connection[Any], sql: str) -> Any:
    """Rows as text, each with how often it is there, or where it is if there is an order; or the error's
    code.
    """
    try:
        rows = [repr(row) for row in connection.execute(sql).fetchall()]
        return Counter(enumerate(rows)) if sql.startswith("SELECT") and _is_sorted(sql) else Counter(rows)
    except psycopg.Error as error:
        return error.sqlstate


def _is_sorted(sql: str) -> bool:
    return " ORDER BY " in sql.rpartition(")")[2]


def differs(connection: psycopg.Connection[Any], text: str, other: str, modulo: frozenset[str]) -> str | None:
    """A database on which the two differ though the first leaves nothing to chance there."""
    if "tie-order" in modulo:
        return None
    for number in range(DATABASES):
        connection.execute(f"set search_path = db{number}")
        mine, yours = answer(connection, text), answer(connection, other)
        if mine == yours:
            continue
        if isinstance(mine, str) or (isinstance(yours, str) and modulo & {"errors", "overflow"}):
            continue
        connection.execute(
            f"set search_path = back{number}; set enable_hashagg = off; set enable_hashjoin = off"
        )
        again = answer(connection, text)
        connection.execute(
            "set enable_hashagg = on; set enable_hashjoin = on; set enable_sort = off; set enable_nestloop = off"
        )
        third = answer(connection, text)
        connection.execute("reset all")
        if again == mine == third:
            return f"db{number}: {dict(mine - yours) if not isinstance(yours, str) else yours} {dict(yours - mine) if not isinstance(yours, str) else ''}"
    return None


# --------------------------------------------------------------------------- early groupings

Pick = random.Random


def _sometimes(r: Pick, chance: float, text: str) -> str:
    return text if r.random() < chance else ""


def _condition(r: Pick, v: str) -> str:
    return r.choice(
        [
            *(f"{v}.k > 0", f"{v}.k = 1", f"{v}.k IS NULL", f"{v}.k IS NOT NULL", f"{v}.j <> 1", f"{v}.t = 'a'"),
            *(f"{v}.k IN (1, 2)", f"coalesce({v}.k, 1) = 1", f"({v}.k = 1 OR {v}.t IS NULL)", f"{v}.t < 'b'", f"{v}.k NOT IN (1, NULL)"),
        ]
    )  # fmt: skip


# columns to group by, and what they are joined with
KEYS = {
    "k": "c.k",
    "j": "c.j",
    "s": "c.x",
    "b": "c.k",
    "t": "c.t",
    "p": "c.r",
    "n": "c.w",
    "m": "c.m",
    "d": "c.x",
    "id": "c.id",
    "o": "(c.x > 0)",
    "at": "date '2020-01-01' + c.x",
}
ARGS = ["q", "q", "s", "b", "n", "m", "d", "k", "id", "1", "q + 1", "nullif(q, 1)", "-m"]


def _part(r: Pick, v: str) -> tuple[str, str]:
    """An aggregate of the subquery, and what kind it is."""
    arg = r.choice(ARGS)
    if r.random() < 0.4:
        arg = "q"
    arg = arg if arg[0] in "1n-" and arg != "n" else f"{v}.{arg}"
    arg = arg.replace("nullif(q", f"nullif({v}.q").replace("-m", f"-{v}.m")
    kind = (
        r.choice(["sum", "sum", "sum", "count", "count", "star", "min", "max"])
        if r.random() < 0.96
        else "other"
    )
    text = {
        "sum": f"sum({arg})",
        "count": f"count({r.choice([arg, v + '.t', v + '.o'])})",
        "star": "count(*)",
        "min": f"min({r.choice([arg, v + '.t', v + '.p', v + '.at'])})",
        "max": f"max({r.choice([arg, v + '.t', v + '.p', v + '.at'])})",
        "other": r.choice(
            [
                *(f"avg({arg})", f"count(DISTINCT {arg})", f"sum(DISTINCT {v}.q)", f"bool_or({v}.o)", f"bool_and({v}.q > 0)"),
                *(f"sum({v}.q) + 1", f"coalesce(sum({v}.q), 0)", f"max({v}.t) || ''", f"sum({v}.q) * 2", f"min(DISTINCT {v}.q)"),
                *(f"string_agg({v}.t, ',' ORDER BY {v}.t)", f"max({v}.q) - min({v}.q)", "1", f"stddev({v}.q)", f"bit_or({v}.s)"),
            ]
        ),
    }[kind]  # fmt: skip
    # of equal numbers that look different DISTINCT takes any
    if kind in {"sum", "count"} and ".n" not in text and r.random() < 0.04:
        text = text.replace("(", "(DISTINCT ", 1)
    if kind != "other" and r.random() < 0.15:
        text += f" FILTER (WHERE {r.choice([_condition(r, v), v + '.q > 0', v + '.o'])})"
    return text, kind


def early(r: Pick) -> str:
    """Aggregates over a join with a grouping: of its parts as they may be put
    together, and as they may not.
    """
    names = dict.fromkeys(r.choices([*KEYS, "k", "k", "k", "j"], k=r.randint(1, 3)))
    keys = [f"u.{c}" for c in names]
    if r.random() < 0.06:
        keys.append(r.choice(["u.k + 1", "u.q > 0", "coalesce(u.k, 0)", "upper(u.t)"]))
    parts = [_part(r, "u") for _ in range(r.randint(1, 4))]
    shown = [f"{k} AS k{i}" for i, k in enumerate(keys) if i == 0 or r.random() < 0.8]
    listed = ", ".join([*shown, *(f"{t} AS v{i}" for i, (t, _) in enumerate(parts))])
    source = r.choice(
        [
            *["f u"] * 12,
            *("f u JOIN g ON g.k = u.k", "f u LEFT JOIN g ON g.k = u.k", "f u, h", "h RIGHT JOIN f u ON h.k = u.j"),
            *("(SELECT * FROM f WHERE q > 0) u", "(SELECT * FROM f ORDER BY id LIMIT 4) u", "(SELECT DISTINCT * FROM f) u"),
            "(SELECT * FROM f UNION ALL SELECT * FROM f) u",
        ]
    )  # fmt: skip
    where = _sometimes(r, 0.3, f" WHERE {_condition(r, 'u')}")
    grouping = ", ".join(keys)
    if r.random() < 0.08:
        grouping = r.choice([f"ROLLUP ({grouping})", f"CUBE ({grouping})", f"GROUPING SETS (({grouping}), ())", f"GROUPING SETS (({grouping}), ({grouping}))", f"GROUPING SETS (({grouping}))"])  # fmt: skip
    tail = r.random()
    end = ""
    if tail < 0.06:
        end = r.choice([" HAVING count(*) > 1", " HAVING sum(u.q) > 0", f" HAVING {keys[0]} IS NOT NULL"])
    elif tail < 0.12:
        end = r.choice(
            [" LIMIT 2", f" ORDER BY {', '.join(keys)} LIMIT 3", " OFFSET 1", f" ORDER BY {keys[0]}"]
        )
    distinct = _sometimes(r, 0.04, "DISTINCT ")
    inner = f"SELECT {distinct}{listed} FROM {source}{where} GROUP BY {grouping}{end}"
    if r.random() < 0.04:
        inner = f"SELECT {', '.join(f'{t} AS v{i}' for i, (t, _) in enumerate(parts))} FROM {source}{where}"
        shown = []
    elif r.random() < 0.03:
        inner += f" UNION ALL {inner}"
    columns = {s.split(" AS ")[-1]: KEYS.get(s.split(" AS ")[0][2:], "c.k") for s in shown}
    return _late(r, inner, columns, [kind for _, kind in parts])


def _late(r: Pick, inner: str, partners: Mapping[str, str], kinds: Sequence[str]) -> str:
    """The block above a grouping; ``partners``: its keys and what they are joined with."""
    keys = list(partners) or ["v0"]
    calls: list[str] = []
    for i, kind in enumerate(kinds):
        fitting = {"sum": "sum", "count": "sum", "star": "sum", "min": "min", "max": "max"}.get(kind, "max")
        name = fitting if r.random() < 0.96 else r.choice(["sum", "min", "max", "count", "avg"])
        inside = (
            f"e.v{i}"
            if r.random() < 0.97
            else r.choice([f"e.v{i} + 1", f"coalesce(e.v{i}, NULL)", f"DISTINCT e.v{i}"])
        )
        call = f"{name}({inside})"
        if r.random() < 0.12:
            call += f" FILTER (WHERE {r.choice([_condition(r, 'c'), f'e.{r.choice(keys)} IS NOT NULL', f'e.v{i} IS NOT NULL', 'false'])})"
        if r.random() < 0.03:
            call = r.choice(
                [
                    f"{call}::numeric::float8",
                    f"{call}::int::numeric",
                    f"{call}::bigint / sum(e.v{r.randrange(len(kinds))})::bigint",
                ]
            )
        calls.append(
            r.choice(
                [call] * 8
                + [f"coalesce({call}, NULL)", f"({call} IS NULL)"]
                + [f"{call}::bigint", f"{call} + 1"] * (kind in {"count", "star"})
            )
        )
    sums = [i for i, kind in enumerate(kinds) if kind == "sum"]
    counts = [i for i, kind in enumerate(kinds) if kind in {"count", "star"}]
    if sums and counts and r.random() < 0.6:
        one, two = f"sum(e.v{r.choice(sums)})", f"sum(e.v{r.choice(counts)})"
        if r.random() < 0.2:
            two += " FILTER (WHERE c.k > 0)"
        calls.append(
            r.choice(
                [
                    f"{one} / {two}",
                    f"{one} / nullif({two}, 0)",
                    f"({one} / {two})::numeric(10,2)",
                    f"{two} / {one}",
                ]
            )
        )
    key = r.choice(keys)
    calls += r.sample(
        [
            *(f"max(e.{key})", f"count(DISTINCT e.{key})", "count(DISTINCT c.t)", "min(c.m)", "bool_or(c.x > 0)", "max(c.t)"),
            *("array_agg(DISTINCT c.id ORDER BY c.id)", "sum(DISTINCT c.x)", "every(c.x > 0)", "max(c.id) FILTER (WHERE c.x > 0)"),
        ],
        r.choice([0, 0, 1, 2]),
    )  # fmt: skip
    if r.random() < 0.08:
        calls.append(
            r.choice(
                [
                    *("count(*)", "sum(c.x)", f"count(e.{key})", "avg(c.x)", "count(DISTINCT e)", "max(e::text)", f"sum(DISTINCT e.{key})::numeric / sum(e.v0)", "string_agg(c.t, ',' ORDER BY c.t)", "count(c.id)"),
                    *("array_agg(c.id ORDER BY c.id)", "bit_xor(c.x)", "stddev(c.x)", "mode() WITHIN GROUP (ORDER BY c.x)"),
                    f"percentile_disc(0.5) WITHIN GROUP (ORDER BY e.{key})",
                ]
            )
        )  # fmt: skip
    partner = partners.get(key, "c.k")
    tie = r.choice(
        [
            *[f"e.{key} = {partner}"] * 4,
            f"e.{key} IS NOT DISTINCT FROM {partner}",
            f"e.{key} >= {partner}",
            f"e.{key} <> {partner}",
            "true",
        ]
    )
    dim = r.choice(["g c", "g c", "g c", "(SELECT * FROM g WHERE x > 0) c", "(SELECT g.* FROM g, h) c"])
    from_ = r.choice(
        [
            *[f"{dim} JOIN ({inner}) e ON {tie}"] * 9,
            f"({inner}) e JOIN {dim} ON {tie}",
            f"({inner}) e CROSS JOIN {dim}",
            f"{dim} LEFT JOIN ({inner}) e ON {tie}",
            f"({inner}) e LEFT JOIN {dim} ON {tie}",
            f"{dim} FULL JOIN ({inner}) e ON {tie if f'{key} = ' in tie else 'true'}",
            f"{dim} RIGHT JOIN ({inner}) e ON {tie}",
            f"{dim} JOIN LATERAL ({inner.replace(' GROUP BY', ' WHERE u.j = c.j GROUP BY') if ' WHERE' not in inner else inner}) e ON {tie}",
            f"{dim} JOIN ({inner}) e ON {tie}, h",
            f"{dim} JOIN ({inner}) e ON {tie} LEFT JOIN h ON h.k = c.k",
            f"{dim} JOIN ({inner}) e ON {tie} JOIN LATERAL (SELECT h.a FROM h WHERE h.a = e.{key} LIMIT 1) l ON true",
            f"{dim} JOIN ({inner}) e ON {tie} JOIN (SELECT a AS ha, count(*) AS hn, sum(y) AS hy FROM h GROUP BY a) z ON z.ha = c.j",
        ]
    )  # fmt: skip
    if " z " in from_ and r.random() < 0.7:
        calls.append(r.choice(["max(z.hn)", "sum(z.hy)", "count(DISTINCT z.hn)", "sum(z.hn)"]))
    where = _sometimes(r, 0.3, " WHERE " + r.choice([_condition(r, "c"), f"e.{key} IS NOT NULL", "e.v0 IS NOT NULL", "c.x = ANY (SELECT h.a FROM h)", f"EXISTS (SELECT 1 FROM h WHERE h.a = e.{key})"]))  # fmt: skip
    group = r.choice(
        [
            "",
            "",
            "c.t",
            "c.k",
            f"c.t, e.{key}",
            f"e.{key}",
            "c.id",
            "c.x, c.j",
            "c.x > 0",
            "e.v0",
            "c.j",
            "c.t",
            "c.x",
            "c.id",
        ]
    )
    if group == "e.v0" and r.random() < 0.7:
        group = "c.k"
    if group and r.random() < 0.06:
        group = r.choice(
            [f"ROLLUP ({group})", f"GROUPING SETS (({group}), ())", f"GROUPING SETS (({group}))"]
        )
    shown = [] if not group or "(" in group else [group]
    having = _sometimes(r, 0.07, " HAVING " + r.choice([f"{calls[0]} IS NOT NULL", "count(*) > 1", "max(e.v0) > 0", "count(DISTINCT c.id) > 1"])) if calls else ""  # fmt: skip
    if r.random() < 0.04:
        calls.append(f"{r.choice(['rank', 'row_number'])}() OVER (ORDER BY {calls[0]})")
    if r.random() < 0.04:
        calls.append("(SELECT count(*) FROM h WHERE h.a = 1)")
    text = f"SELECT {', '.join([*shown, *calls])} FROM {from_}{where}{' GROUP BY ' + group if group else ''}{having}"
    if r.random() < 0.05:
        text += f" ORDER BY {calls[0]}"
    return text


# --------------------------------------------------------------------------- restrictions


def restricted(r: Pick) -> str:
    """A join of a table with a subquery that has restrictions, some of which the join makes anyway."""
    conditions = {
        "c": ["c.x = 1", "c.x > 0", "c.t = 'a'", "c.j <> 1", "c.x IS NOT NULL", "c.t IS NULL", "c.w = 1", "(c.x = 1 OR c.t = 'a')"],
        "e": ["e.k = 1", "e.j > 0", "e.k IS NOT NULL", "e.k IN (1, 2)", "(e.k = 1 OR e.j = 1)", "coalesce(e.k, 1) = 1", "e.t = 'a'", "e.v > 0"],
    }  # fmt: skip
    tie = r.choice(
        [
            *["e.k = c.k"] * 6,
            *("e.j = c.j", "e.k = c.k AND e.j = c.j", "e.n = c.w", "e.p = c.r", "e.p = c.p", "e.m = c.m", "e.k = c.x", "e.k <= c.k"),
            *("e.k IS NOT DISTINCT FROM c.k", "e.t = c.t", "e.k + 0 = c.k", "true", "true", "e.n = c.w", "e.k = c.k AND e.j = c.j"),
        ]
    )  # fmt: skip
    outside = [
        tie,
        *r.sample(conditions["c"], r.choice([0, 1, 1, 2])),
        *r.sample(conditions["e"], r.choice([0, 0, 1, 2])),
        *["coalesce(e.k, 1) = 1"] * (r.random() < 0.1),
    ]
    dim = r.choice(
        [
            "g c",
            "g c",
            "g c",
            "g c",
            "(SELECT * FROM g WHERE j > 0) c",
            "(SELECT * FROM g ORDER BY id LIMIT 3) c",
        ]
    )
    body = _body(r, outside, dim)
    return _around(r, outside, dim, body)


def _membership(r: Pick, outside: Sequence[str], dim: str) -> str:
    """IN of rows that the block joins, or of others; conditions named as inside."""
    sides = [
        o.split(" = ")
        for o in outside
        if o.count(" = ") == 1 and o.startswith("e.") and " = c." in o and "AND" not in o and "+" not in o
    ]
    left, right = (
        r.choice(sides) if sides and r.random() < 0.85 else ["e.k", r.choice(["c.k", "c.k", "c.j", "c.x"])]
    )
    own = [o for o in outside if o.startswith(("c.", "(c."))]
    kept = [o for o in own if r.random() < 0.85]
    if r.random() < 0.12:
        kept.append(r.choice(["c.x = 2", "c.j = 1", "c.id > 2"]))
    where = f" WHERE {' AND '.join(kept)}" if kept else ""
    source = (
        dim
        if r.random() < 0.85
        else r.choice(["g c", "(SELECT * FROM g) c", "(SELECT * FROM g WHERE j = 0) c"])
    )
    shape = r.random()
    listed = f"SELECT {right} FROM {source}{where}"
    if shape < 0.1:
        listed = f"SELECT DISTINCT {right} FROM {source}{where}"
    elif shape < 0.16:
        listed = f"{listed} {r.choice(['UNION', 'UNION ALL', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL'])} SELECT {r.choice(['h.a', 'h.b'])} FROM h"
    elif shape < 0.2:
        listed = f"{listed} {r.choice(['LIMIT 1', 'OFFSET 1', f'ORDER BY {right} LIMIT 2'])}"
    elif shape < 0.25:
        listed = (
            f"SELECT {r.choice([f'max({right})', f'{right}'])} FROM {source}{where} GROUP BY {r.choice([right, 'c.id'])}"
            if "max"
            else ""
        )
        listed += _sometimes(r, 0.3, " HAVING count(*) > 1")
    elif shape < 0.29:
        listed = f"SELECT {right} FROM {source}, h{where}"
    elif shape < 0.32:
        listed = f"SELECT {right} FROM {source} {r.choice(['LEFT', 'RIGHT'])} JOIN h ON h.a = c.j{where}"
    elif shape < 0.35:
        listed = f"SELECT DISTINCT ON (c.t) {right} FROM {source}{where} ORDER BY c.t, {right}"
    elif shape < 0.38:
        listed = f"SELECT {right} + 0 FROM {source}{where}"
    elif shape < 0.41:
        listed = f"SELECT {right} FROM {source}{where} UNION ALL SELECT {right} FROM {source} LIMIT 1"
    if r.random() < 0.06:
        return f"{left} {r.choice(['>=', '<=', '<>'])} ANY ({listed})"
    if r.random() < 0.04:
        return f"{left} = ALL ({listed})"
    return f"{left} {'NOT ' if r.random() < 0.05 else ''}IN ({listed})"


def _body(r: Pick, outside: Sequence[str], dim: str) -> str:
    """A subquery with restrictions, on the table u: columns k, j, t, n, p, m and v."""
    inside: list[str] = []
    if " AND e.j = c.j" in outside[0] and r.random() < 0.5:
        inside.append(
            f"(e.k, e.j) IN (SELECT {r.choice(['c.k, c.j', 'c.k, c.j', 'c.k, c.x', 'c.j, c.k'])} FROM {dim})"
        )
    for _ in range(r.choice([1, 1, 2])):
        own = [o for o in outside if "c." not in o and o != "true"] or ["e.k = 2"]
        inside.append(
            r.choice(
                [_membership(r, outside, dim)] * 4
                + [
                    r.choice(own),
                    f"({r.choice(own)} OR {r.choice(['e.j = 2', 'e.k > 1'])})",
                    f"({' AND '.join(r.choices([*own, 'e.j = 1', 'e.k = 1'], k=2))} OR e.j = 2)",
                ]
            )
        )
    if r.random() < 0.2:
        inside.append(r.choice(["e.q > 0", "e.o", "e.id > 2"]))
    where = " AND ".join(inside)
    for name in ("k", "j", "t", "n", "p", "m", "q", "o", "id"):
        where = (
            where.replace(f"coalesce(e.{name}", f"coalesce(u.{name}")
            .replace(f"e.{name} ", f"u.{name} ")
            .replace(f"e.{name})", f"u.{name})")
            .replace(f"e.{name},", f"u.{name},")
        )
    where = where.replace("e.v", "u.q").replace("e.o", "u.o")
    columns = "u.k, u.j, u.t, u.n, u.p, u.m"
    kind = r.choice(
        [
            "group",
            "group",
            "group",
            "plain",
            "distinct",
            "window",
            "window",
            "on",
            "set",
            "set",
            "sets",
            "max",
            "limit",
            "scalar",
            "srf",
            "sub",
        ]
    )
    some = r.choice([columns, columns, "u.k, u.j, u.t", "u.k", "u.j, u.t", "u.k, u.j"])
    padded = ", ".join(c if c in some.split(", ") else f"max({c}) AS {c[2:]}" for c in columns.split(", "))
    part = r.choice(["u.k", "u.k", "u.k, u.j", "u.j", "u.t", columns, "u.k, u.j, u.t, u.p, u.m"])
    frame = r.choice(["", "", " ORDER BY u.id", " ORDER BY u.q, u.id ROWS 1 PRECEDING"])
    call = r.choice(["count(*)", "sum(u.q)", "rank()" if frame else "count(u.q)", "max(u.q)"])
    over = f"{call} OVER (PARTITION BY {part}{frame})"
    match kind:
        case "group":
            having = _sometimes(r, 0.2, f" HAVING {r.choice(['count(*) > 1', 'max(u.q) > 0'])}")
            return f"SELECT {padded}, {r.choice(['count(*)', 'sum(u.q)', 'max(u.id)'])} AS v FROM f u WHERE {where} GROUP BY {some}{having}"
        case "sets":
            sets = r.choice(
                [
                    f"GROUPING SETS (({columns}), ({some}))",
                    f"ROLLUP ({columns})",
                    f"GROUPING SETS (({columns}), ({columns}))",
                    f"GROUPING SETS (({columns}), ())",
                ]
            )
            return f"SELECT {columns}, count(*) AS v FROM f u WHERE {where} GROUP BY {sets}"
        case "max":
            return f"SELECT max(u.k) AS k, u.j, max(u.t) AS t, max(u.n) AS n, max(u.p) AS p, max(u.m) AS m, count(*) AS v FROM f u WHERE {where} GROUP BY u.j"
        case "scalar":
            return f"SELECT max(u.k) AS k, max(u.j) AS j, max(u.t) AS t, max(u.n) AS n, max(u.p) AS p, max(u.m) AS m, count(*) AS v FROM f u WHERE {where}"
        case "distinct":
            return f"SELECT DISTINCT {columns}, {r.choice(['1', 'u.q', 'u.id'])} AS v FROM f u WHERE {where}"
        case "on":
            on = r.choice(["u.k", "u.k, u.j", "u.j", "u.t", columns, f"u.k, {over}", f"u.k, u.j, {over}"])
            order = "" if "OVER" in on else f" ORDER BY {on}, u.id"
            return f"SELECT DISTINCT ON ({on}) {columns}, u.q AS v FROM f u WHERE {where}{order}"
        case "window":
            return f"SELECT {columns}, {over} AS v{_sometimes(r, 0.2, ', sum(u.q) OVER (PARTITION BY u.k) AS z')} FROM f u WHERE {where}{_sometimes(r, 0.1, f' ORDER BY {over} DESC')}"
        case "set":
            op = r.choice(["UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL"])
            one, two = (
                f"SELECT {columns}, 1 AS v FROM f u{w}"
                for w in r.sample(
                    [f" WHERE {where}", f" WHERE {where}", " WHERE u.q > 0", " WHERE u.k = 1"], 2
                )
            )
            return f"{one} {op} {two}{_sometimes(r, 0.1, ' LIMIT 2')}"
        case "limit":
            return f"SELECT {columns}, u.q AS v FROM f u WHERE {where} ORDER BY u.id {r.choice(['LIMIT 2', 'OFFSET 1', 'LIMIT ALL'])}"
        case "srf":
            return f"SELECT {columns}, generate_series(1, u.q) AS v FROM f u WHERE {where}"
        case "sub":
            return f"SELECT {columns}, (SELECT count(*) FROM h WHERE h.a = u.k) AS v FROM f u WHERE {where}"
        case _:
            return f"SELECT {columns}, u.q AS v FROM f u WHERE {where}"


def _around(r: Pick, outside: Sequence[str], dim: str, body: str) -> str:
    tie, rest = outside[0], list(outside[1:])
    third = r.choice(["", "", "", ", h", " LEFT JOIN h ON h.a = c.j", " JOIN h ON h.a = e.k"])
    where = f" WHERE {' AND '.join(rest)}" if rest else ""
    on = [x for x in rest if r.random() < 0.4]
    left = [x for x in rest if x not in on]
    where_on = f" WHERE {' AND '.join(left)}" if left else ""
    whole = "true" if tie == "true" else tie
    from_ = r.choice(
        [
            *[f"{dim} JOIN ({body}) e ON {tie}{third}{where}"] * 6,
            f"({body}) e JOIN {dim} ON {tie}{third}{where}",
            *[f"{dim} LEFT JOIN ({body}) e ON {' AND '.join([tie, *on])}{where_on}"] * 3,
            f"{dim} LEFT JOIN h ON h.a = c.j LEFT JOIN ({body}) e ON {' AND '.join([tie, *on])}{where_on}",
            f"h LEFT JOIN {dim} ON h.a = c.j LEFT JOIN ({body}) e ON {' AND '.join([tie, *on])}{where_on}",
            f"h JOIN {dim} ON h.a = c.j LEFT JOIN ({body}) e ON {' AND '.join([tie, *on])}{where_on}",
            f"({body}) e LEFT JOIN {dim} ON {' AND '.join([tie, *on])}{where_on}",
            f"{dim} RIGHT JOIN ({body}) e ON {' AND '.join([tie, *on])}{where_on}",
            f"{dim} FULL JOIN ({body}) e ON {whole if ' = ' in whole and 'e.k +' not in whole else 'true'}{where}",
            f"{dim} JOIN LATERAL ({body.replace('u.q', 'u.q + c.j', 1) if 'GROUP' not in body else body}) e ON {tie}{where}",
        ]
    )  # fmt: skip
    shown = r.choice(["c.id, e.k, e.j, e.v", "c.id, e.v", "count(*), sum(e.v)", "e.k, e.t, e.v"])
    return f"SELECT {shown} FROM {from_}"


# --------------------------------------------------------------------------- plain subqueries


def flat(r: Pick) -> str:
    """Subqueries that filter a table and pick columns, and some that do more, in joins of all kinds."""

    def item(alias: str) -> str:
        table = r.choice(["f", "f", "g", "g", "h"])
        own = {"f": ["k", "j", "q", "t"], "g": ["k", "j", "x", "t"], "h": ["a", "b", "y", "t"]}[table]
        shown = r.sample(own[:3], 3)
        if r.random() < 0.12:
            shown[0] = r.choice(
                [
                    f"{shown[0]} + 1",
                    f"coalesce({shown[0]}, 1)",
                    "1",
                    f"(SELECT max(h.y) FROM h WHERE h.a = {shown[0]})",
                ]
            )
        names = [f"{x} AS c{i}" for i, x in enumerate(shown)] + [f"{own[3]} AS c3"]
        if r.random() < 0.06:
            names[2] = r.choice(
                [f"row_number() OVER (ORDER BY {own[0]}, {own[1]})::int AS c2", "count(*) OVER ()::int AS c2"]
            )
        condition = r.choice([f"{own[0]} > 0", f"{own[1]} = 1", f"{own[3]} IS NULL", f"{own[2]} IN (SELECT a FROM h)", f"{own[0]} IN (VALUES (1), (NULL))", f"{own[0]} NOT IN (VALUES (1), (2))", f"EXISTS (SELECT 1 FROM h WHERE h.b = {own[0]})"])  # fmt: skip
        text = f"SELECT {_sometimes(r, 0.08, 'DISTINCT ')}{', '.join(names)} FROM {table}{_sometimes(r, 0.8, f' WHERE {condition}')}"
        if r.random() < 0.12:
            text = r.choice([f"{text} LIMIT 3", f"{text} OFFSET 1", f"{text} UNION ALL {text}", f"SELECT max({own[0]}) AS c0, max({own[1]}) AS c1, count(*)::int AS c2, max({own[3]}) AS c3 FROM {table}", f"SELECT {own[0]} AS c0, max({own[1]}) AS c1, 1 AS c2, {own[3]} AS c3 FROM {table} GROUP BY {own[0]}, {own[3]}"])  # fmt: skip
        return f"({text}) {alias}"

    tie = r.choice(["x.c0 = y.c0", "x.c0 = y.c1", "x.c0 = y.c0 AND x.c1 > 0", "x.c3 = y.c3"])
    join = r.choice(["JOIN"] * 5 + ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "JOIN LATERAL"])
    one, two = item("x"), item("y")
    if join == "JOIN LATERAL":
        two = f"(SELECT a AS c0, b AS c1, y AS c2, t AS c3 FROM h WHERE h.a = {r.choice(['x.c0', 'x.c1'])}) y"
    if join == "FULL JOIN":
        tie = tie.replace(" AND x.c1 > 0", "")
    text = f"{one} {join} {two}{'' if join == 'CROSS JOIN' else ' ON ' + tie}"
    if r.random() < 0.3:
        third = r.choice([", ", " CROSS JOIN ", " LEFT JOIN ", " JOIN "])
        text += third + item("z")
        text += " ON z.c0 = x.c1" if text.endswith(" z") and third.strip() in {"JOIN", "LEFT JOIN"} else ""
    where = r.choice(["", "", " WHERE x.c2 IS NOT NULL", " WHERE coalesce(y.c0, 1) = 1", " WHERE x.c0 = ANY (VALUES (1), (2))", " WHERE x.c0 > ALL (VALUES (0), (NULL))", " WHERE x.c0 IN (VALUES (1), (2), (1) LIMIT 1)", " WHERE x.c0 IN (VALUES (1), (x.c1))", " WHERE (x.c0 IN (VALUES (1), (NULL))) IS NULL"])  # fmt: skip
    shown = r.choice(
        [
            "x.c0, x.c1, y.c0",
            "x.*, y.*",
            "x, y.c1",
            "count(*), max(x.c2)",
            "x.c0 IN (VALUES (1), (NULL::int)), y.c2",
        ]
    )
    return f"SELECT {shown} FROM {text}{where}"


# --------------------------------------------------------------------------- sort keys


def ordered(r: Pick) -> str:
    """What rows are sorted by, in their order, cut somewhere: by columns that decide nothing, and by some
    that do.
    """
    from_, rels = r.choice(
        [
            ("f", "f"), ("g", "g"), ("h", "h"), ("f JOIN g ON f.k = g.k", "fg"), ("f JOIN g ON f.k = g.j", "fg"),
            ("f LEFT JOIN g ON f.k = g.k", "fg"), ("g LEFT JOIN f ON f.k = g.k", "fg"), ("f FULL JOIN g ON f.k = g.k", "fg"),
            ("f RIGHT JOIN g ON f.k = g.k", "fg"), ("f, g", "fg"), ("h JOIN g ON h.a = g.j", "gh"), ("h JOIN f ON h.a = f.k AND h.b = f.j", "fh"),
            ("h LEFT JOIN g ON h.k = g.k", "gh"), ("g LEFT JOIN h ON h.a = g.j AND h.b = 1", "gh"), ("f JOIN g ON f.n = g.w", "fg"),
            ("f JOIN g ON f.p = g.p", "fg"), ("f JOIN g ON f.k IS NOT DISTINCT FROM g.k", "fg"), ("f JOIN g ON f.k >= g.k", "fg"),
        ]
    )  # fmt: skip
    own = {
        "f": ["id", "k", "j", "q", "t", "n", "p", "o"],
        "g": ["id", "k", "j", "x", "t", "w", "p"],
        "h": ["a", "b", "y", "t", "k"],
    }
    pool = [f"{v}.{c}" for v in rels for c in own[v]]
    conditions = [
        r.choice([f"{c} = 1", f"{c} = 1", f"{c} IS NULL", f"{c} > 0", f"{c} IN (1)", f"{c} = {r.choice(pool)}", f"{c} IN (1, 2)", f"({c} = 1 OR {c} IS NULL)", f"coalesce({c}, 1) = 1"])
        for c in r.sample([x for x in pool if x[2:] not in {"t", "p", "o", "n", "w"}], r.choice([0, 1, 1, 2]))
    ]  # fmt: skip
    if r.random() < 0.2:
        conditions.append(f"{rels[0]}.t = 'a'")
    conditions = [c for c in conditions if not c.endswith((".t", ".p", ".o")) or " = '" in c]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    keys = [
        x + r.choice(["", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
        for x in r.sample(pool, r.choice([2, 3, 3, 4]))
    ]
    if r.random() < 0.08:
        keys[0] = r.choice(["1 + 1", f"coalesce({pool[0]}, 1)", "random() < 2"])
    shown = ", ".join(k.split(" ")[0] if k[0] in "fgh" else "1" for k in keys)
    tail = r.choice(["", " LIMIT 2", " LIMIT 3", " OFFSET 1 LIMIT 2", " LIMIT 1"])
    distinct = _sometimes(r, 0.05, "DISTINCT ")
    grouping = f" GROUP BY {shown}" if r.random() < 0.06 and "1" not in shown.split(", ") else ""
    return f"SELECT {distinct}{shown} FROM {from_}{where}{grouping} ORDER BY {', '.join(keys)}{tail}"


# --------------------------------------------------------------------------- lookups

PARTNERS = ["k = c.k", "k = c.k", "k = c.k", "k = c.x", "j = c.j", "t = c.t", "p = c.r", "p = c.p", "n = c.w", "m = c.m", "s = c.x", "b = c.k", "d = c.x"]  # fmt: skip


def looked(r: Pick) -> str:
    """Groupings and first rows joined by their whole key for their values, and some that are joined
    otherwise.
    """
    pairs = {p.split(" = ")[0]: p.split(" = ")[1] for p in r.sample(PARTNERS, r.choice([1, 1, 1, 2]))}
    keys = [f"u.{c}" for c in pairs]
    parts = [_part(r, "u") for _ in range(r.randint(1, 3))]
    if r.random() < 0.06:
        parts[0] = r.choice([("rank(1) WITHIN GROUP (ORDER BY u.q)", "other"), (f"max(u.q) + max({keys[0]}::text)::numeric", "other"), (f"concat(max(u.t), {keys[0]})", "other"), ("sum(count(*)) OVER ()", "other"), ("GROUPING(u.k)", "other"), ("coalesce(max(u.q), 7)", "other"), ("max(u.q) + 1", "max"), ("count(*) + 0", "other")])  # fmt: skip
    shown = ", ".join(
        [*(f"{k} AS k{i}" for i, k in enumerate(keys)), *(f"{t} AS v{i}" for i, (t, _) in enumerate(parts))]
    )
    where = _sometimes(r, 0.3, f" WHERE {_condition(r, 'u')}")
    source = r.choice(
        ["f u"] * 6
        + [
            "f u JOIN g ON g.k = u.k",
            "f u LEFT JOIN h ON h.a = u.k",
            "(SELECT * FROM f ORDER BY id LIMIT 4) u",
        ]
    )
    grouping = ", ".join(keys)
    grouping = grouping if r.random() < 0.92 else r.choice([f"ROLLUP ({grouping})", f"{grouping}, u.j", f"GROUPING SETS (({grouping}), ({grouping}))"])  # fmt: skip
    inner = f"SELECT {shown} FROM {source}{where} GROUP BY {grouping}{_sometimes(r, 0.08, ' HAVING count(*) > 1')}{_sometimes(r, 0.05, ' LIMIT 2')}"
    kinds = [kind for _, kind in parts]
    if r.random() < 0.25:
        order = r.choice(["u.id", "u.q, u.id", "u.q DESC NULLS LAST", "u.t, u.q", "u.id DESC"])
        values = ", ".join(
            f"{r.choice(['u.q', 'u.id', 'u.q', 'u.t', 'u.q + 1'])} AS v{i}" for i in range(len(parts))
        )
        inner = f"SELECT DISTINCT ON ({', '.join(keys)}) {', '.join(f'{k} AS k{i}' for i, k in enumerate(keys))}, {values} FROM {source}{where} ORDER BY {', '.join(keys)}, {order}{_sometimes(r, 0.05, ' LIMIT 2')}"  # fmt: skip
        kinds = ["max"] * len(parts)
    ties = [
        f"e.k{i} = {other}" if r.random() < 0.8 else f"{other} = e.k{i}"
        for i, other in enumerate(pairs.values())
    ]
    if r.random() < 0.15:
        wrong = r.choice([[f"e.k0 >= {next(iter(pairs.values()))}"], ties[1:] or ["true"], [*ties, "e.v0 IS NOT NULL"], [*ties, "c.j = 1"], [f"e.k0 IS NOT DISTINCT FROM {next(iter(pairs.values()))}", *ties[1:]], [t.replace("c.k", "coalesce(c.k, 1)").replace("c.x", "1") for t in ties]])  # fmt: skip
        ties = wrong
    on = " AND ".join(ties)
    read = [
        r.choice([f"coalesce(e.v{i}, 0)", f"coalesce(e.v{i}, 0)", f"e.v{i}" if r.random() < 0.3 else f"coalesce(e.v{i}, 0)"]) if kind in {"count", "star"} else f"e.v{i}"
        for i, kind in enumerate(kinds)
    ]  # fmt: skip
    if r.random() < 0.1:
        read[0] = r.choice(["e.v0 IS NULL", "coalesce(e.v0, 1)", "e.k0", "(e.k0 IS NULL)", "e"])
    join = r.choice(["LEFT JOIN"] * 10 + ["JOIN", "RIGHT JOIN", "FULL JOIN"])
    dim = r.choice(["g c", "g c", "(SELECT * FROM g WHERE x > 0) c", "g c JOIN h ON h.a = c.j"])
    joined = f"{dim} {join} ({inner}) e ON {on}"
    outermost = r.choice([joined] * 8 + [f"h z RIGHT JOIN ({joined}) ON z.a = c.j", f"h z LEFT JOIN ({joined}) ON z.a = c.j", f"h z FULL JOIN ({joined}) ON z.a = c.j", f"({joined}) LEFT JOIN h z ON z.a = {read[0] if kinds[0] in {'count', 'star'} else 'c.x'}", f"{joined} LEFT JOIN (SELECT a, max(y) AS y FROM h GROUP BY a) z ON z.a = c.j", f"{joined} CROSS JOIN LATERAL (SELECT {read[0]} AS y) z"])  # fmt: skip
    extra = ", z.y" if " z" in outermost.replace(joined, "") else ""
    where = _sometimes(
        r,
        0.25,
        f" WHERE {r.choice([_condition(r, 'c'), f'{read[0]} IS NULL', f'{read[-1]} IS NOT NULL'])}",
    )
    if r.random() < 0.15:
        return f"SELECT c.j, count(*), count({read[0]}), max(({read[-1]})::text) FROM {outermost}{where} GROUP BY c.j"
    return f"SELECT c.id, {', '.join(read)}{extra} FROM {outermost}{where}"


FORMS: dict[str, tuple[Callable[[Pick], str], Callable[[a.Query, Catalog], Form]]] = {
    "early": (early, without_early_groups),
    "restricted": (restricted, without_restrictions),
    "looked": (looked, lambda q, k: as_lookups(q, k, Fresh(highest_number(q)))),
    "flat": (flat, lambda q, k: Form(flattened(q, k))),
    "ordered": (ordered, without_idle_keys),
}
