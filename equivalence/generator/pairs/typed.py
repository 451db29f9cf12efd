"""Schemes about values: text and its collations, numerics and their scales, dates, floats, booleans, typmods.

As in `schemes`: (original, sound candidates, broken candidates), the broken ones off by one side condition.
"""

from __future__ import annotations

import random

from rewright.equivalence.generator.pairs.worlds import World

Made = tuple[str, list[str], list[str]]


def texts(rnd: random.Random, w: World) -> Made:
    """M4, 16: text, varchar, char(n) and collations."""
    t = w.typed
    head = f"select r.k, r.t from {t} r where "
    a, b = rnd.sample(("'a'", "'b'", "'ab'"), 2)
    return rnd.choice(
        [
            (head + f"r.t in ({a}, {b})", [head + f"r.t = {b} or r.t = {a}"], [head + f"r.t = {a}"]),
            (head + f"r.t || r.v = {a}", [head + f"{a} = r.t || r.v"], [head + "r.v || r.t = 'ab'" if a == "'ab'" else head + f"r.t = {a}"]),
            (head + "r.t = r.v", [head + "r.v = r.t and r.t is not null"], [head + "r.t is not distinct from r.v"]),
            (f"select r.k, r.t from {t} r where r.t = r.v", [f"select r.k, r.v::text as t from {t} r where r.t = r.v"], [f"select r.k, upper(r.v) from {t} r where r.t = r.v"]),
            (f"select r.k, r.c::text from {t} r", [f"select r.k, rtrim(r.c::text) from {t} r"], [f"select r.k, r.c::text || ' ' from {t} r"]),
            (head + f"r.t < {b} and r.x < {b}", [head + f"{b} > r.x and not r.t >= {b}"], [head + f"r.t < {b} and r.x <= {b}"]),
            (head + "r.t like 'a%'", [head + "r.t ~~ 'a%'"], [head + "r.t like 'a_'", head + "r.t ilike 'a%'", head + "r.t like '%a%'"]),
            (head + "r.t not like 'a%'", [head + "not r.t like 'a%'"], [head + "(r.t like 'a%') is not true"]),
            (f"select length(r.t), r.k from {t} r", [f"select char_length(r.t), r.k from {t} r"], [f"select length(trim(r.t)), r.k from {t} r"]),
            (head + f"lower(r.t) = {a}", [head + f"{a} = lower(r.t) and r.t is not null"], [head + f"r.t = {a}"]),
            (f"select max(r.t) from {t} r", [f"select max(r.t) from {t} r where r.t is not null"], [f"select min(r.t) from {t} r"]),
            (f"select r.v, count(*) from {t} r group by r.v", [f"select r.v, count(r.k) from {t} r group by r.v"], [f"select r.v, count(r.v) from {t} r group by r.v", f"select upper(r.v), count(*) from {t} r group by r.v"]),
            (f"select distinct r.t from {t} r", [f"select r.t from {t} r group by r.t", f"select r.t from {t} r union select r.t from {t} r"], [f"select distinct lower(r.t) from {t} r", f"select r.t from {t} r"]),
            (f"select coalesce(r.t, {a}) from {t} r", [f"select case when r.t is null then {a} else r.t end from {t} r"], [f"select coalesce(r.t, {b}) from {t} r", f"select nullif(r.t, {a}) from {t} r"]),
            (f"select nullif(r.t, {a}) from {t} r", [f"select case when r.t = {a} then null else r.t end from {t} r"], [f"select case when r.t <> {a} then null else r.t end from {t} r"]),
            (f"select r.t from {t} r order by r.t, r.k", [f"select r.t from {t} r order by r.t, r.k desc"], [f"select r.t from {t} r order by r.t desc, r.k", f"select r.t from {t} r order by r.k"]),
        ]
    )  # fmt: skip


def numbers(rnd: random.Random, w: World) -> Made:
    """M4, M5, M6: numeric scales, floats, integer division, rounding."""
    t = w.typed
    head = f"select r.k, r.p from {t} r where "
    n = rnd.choice((0, 1, 2))
    return rnd.choice(
        [
            (f"select r.p * {n + 1} from {t} r", [f"select {n + 1} * r.p from {t} r"], [f"select r.p * {n + 2} from {t} r"]),
            (f"select r.n from {t} r where r.n = {n}", [f"select r.n from {t} r where {n} = r.n"], [f"select {n}::numeric from {t} r where r.n = {n}"]),
            (f"select r.p from {t} r where r.p = {n}", [f"select {n}.00::numeric(8,2) from {t} r where r.p = {n}"], [f"select {n}::numeric from {t} r where r.p = {n}"]),
            (head + f"r.p > {n} and r.p > {n}.5", [head + f"r.p > {n}.5"], [head + f"r.p >= {n}.5", head + f"r.p > {n}"]),
            (head + f"r.i > {n}", [head + f"r.i >= {n + 1}"], [head + f"r.i >= {n}"]),
            (head + f"r.p > {n}", [head + f"not r.p <= {n}"], [head + f"r.p >= {n + 1}"]),
            (head + f"r.f > {n}", [head + f"{n} < r.f"], [head + f"not r.f < {n}"]),
            (head + "r.f = r.f", [head + "r.f is not null"], [head + "true"]),
            (f"select sum(r.i) from {t} r", [f"select sum(r.i) from {t} r where r.i is not null"], [f"select coalesce(sum(r.i), 0) from {t} r", f"select sum(distinct r.i) from {t} r"]),
            (f"select avg(r.i) from {t} r", [f"select avg(r.i) filter (where r.i is not null) from {t} r"], [f"select avg(coalesce(r.i, 0)) from {t} r"]),
            (f"select sum(r.p) from {t} r group by r.t", [f"select sum(s.p) from (select r.t, r.k, sum(r.p) p from {t} r group by r.t, r.k) s group by s.t"], [f"select sum(s.p) from (select distinct r.t, r.p from {t} r) s group by s.t"]),
            (f"select r.i / 2 from {t} r", [f"select r.i / 2 from (select i from {t} where true) r"], [f"select r.i / 2.0 from {t} r", f"select r.i * 2 from {t} r"]),
            (f"select r.i % 3, r.k from {t} r", [f"select mod(r.i, 3), r.k from {t} r"], [f"select abs(r.i % 3), r.k from {t} r"]),
            (head + f"r.i + r.k > {n}", [head + f"{n} < r.k + r.i"], [head + f"r.i + r.k >= {n}"]),
            (head + f"r.b = {n} and r.i = r.b", [head + f"r.i = {n} and r.b = {n}"], [head + f"r.i = {n}"]),
            (f"select greatest(r.i, {n}) from {t} r", [f"select greatest({n}, r.i) from {t} r"], [f"select case when r.i > {n} then r.i end from {t} r"]),
            (f"select round(r.p) from {t} r", [f"select round(r.p, 0) from {t} r"], [f"select trunc(r.p) from {t} r", f"select r.p::int from {t} r where r.p is not null"]),
            (f"select min(r.f), max(r.f) from {t} r", [f"select min(r.f), max(r.f) from {t} r where r.f is not null"], [f"select max(r.f), min(r.f) from {t} r"]),
            (f"select distinct r.p from {t} r", [f"select r.p from {t} r group by r.p"], [f"select distinct r.p::numeric(8,1) from {t} r"]),
        ]
    )  # fmt: skip


def dates(rnd: random.Random, w: World) -> Made:
    """M16, 16: dates and timestamps, ranges, parts."""
    t = w.typed
    head = f"select r.k, r.d, r.ts from {t} r where "
    y = rnd.choice((1999, 2000, 2020))
    day = f"date '{y}-01-01'"
    return rnd.choice(
        [
            (head + f"extract(year from r.d) = {y}", [head + f"extract(year from r.d) = {y} and r.d is not null"], [head + f"extract(year from r.d) >= {y}", head + f"r.d > {day}"]),
            (head + f"r.d >= {day} and r.d < {day} + 1", [head + f"{day} = r.d"], [head + f"r.d between {day} and {day} + 1"]),
            (head + f"r.ts::date = {day}", [head + f"r.ts::date = {day} and r.ts is not null"], [head + f"r.ts = {day}", head + f"r.ts >= {day}"]),
            (head + f"r.ts >= timestamp '{y}-01-01 00:00:00' and r.ts < timestamp '{y}-01-02 00:00:00'", [head + f"not r.ts < timestamp '{y}-01-01' and timestamp '{y}-01-02' > r.ts"], [head + f"r.ts between timestamp '{y}-01-01 00:00:00' and timestamp '{y}-01-02 00:00:00'"]),
            (head + "r.d <= r.ts", [head + "r.ts >= r.d"], [head + "r.d = r.ts::date", head + "r.d < r.ts"]),
            (f"select r.d, count(*) from {t} r group by r.d", [f"select r.d, count(r.k) from {t} r group by r.d"], [f"select r.d, count(r.ts) from {t} r group by r.d"]),
            (f"select max(r.d), count(*) from {t} r where r.d > {day}", [f"select max(r.d), count(r.d) from {t} r where {day} < r.d"], [f"select max(r.d), count(*) from {t} r where r.d >= {day}"]),
            (f"select r.k from {t} r where r.d between {day} and date '2020-12-31'", [f"select r.k from {t} r where r.d >= {day} and not r.d > date '2020-12-31'"], [f"select r.k from {t} r where r.d > {day} and r.d <= date '2020-12-31'"]),
            (f"select r.d from {t} r where r.d is not null order by r.d desc, r.k", [f"select r.d from {t} r where r.d is not null order by r.d desc nulls last"], [f"select r.d from {t} r where r.d is not null order by r.d, r.k"]),
        ]
    )  # fmt: skip


def truths(rnd: random.Random, w: World) -> Made:
    """M2, 7e, 16: booleans as values and as conditions."""
    t = w.typed
    head = f"select r.k, r.i from {t} r where "
    n = rnd.choice((0, 1, 2))
    return rnd.choice(
        [
            (head + "r.o", [head + "r.o = true", head + "r.o is true"], [head + "r.o is not false", head + "not r.o"]),
            (head + "not r.o", [head + "r.o = false", head + "r.o is false"], [head + "r.o is not true"]),
            (head + "r.o is not true", [head + "not coalesce(r.o, false)"], [head + "not r.o"]),
            (f"select r.i > {n}, r.k from {t} r", [f"select not r.i <= {n}, r.k from {t} r"], [f"select coalesce(r.i > {n}, false), r.k from {t} r", f"select (r.i > {n}) is true, r.k from {t} r"]),
            (f"select r.o and r.i > {n} from {t} r", [f"select r.i > {n} and r.o from {t} r"], [f"select r.o or r.i > {n} from {t} r", f"select case when r.o then r.i > {n} else false end from {t} r"]),
            (f"select bool_and(r.o), bool_or(r.o) from {t} r", [f"select every(r.o), bool_or(r.o) from {t} r where r.o is not null"], [f"select bool_or(r.o), bool_and(r.o) from {t} r", f"select coalesce(bool_and(r.o), true), bool_or(r.o) from {t} r"]),
            (head + f"case when r.o then r.i > {n} else r.i < {n} end", [head + f"(r.o and r.i > {n}) or (r.o is not true and r.i < {n})"], [head + f"(r.o and r.i > {n}) or (not r.o and r.i < {n})"]),
            (head + f"(r.o or r.i = {n}) and (r.o or r.i = {n + 1})", [head + "r.o"], [head + f"r.o or r.i = {n}"]),
            (head + f"r.i = {n} is not distinct from r.o", [head + f"(r.i = {n}) is not distinct from r.o"], [head + f"(r.i = {n}) = r.o"]),
            (f"select count(*) filter (where r.o) from {t} r", [f"select count(case when r.o then 1 end) from {t} r"], [f"select count(r.o) from {t} r", f"select count(*) filter (where r.o is not false) from {t} r"]),
            (head + f"r.o in (true, r.i = {n})", [head + f"r.o or r.o = (r.i = {n})"], [head + f"r.o or r.i = {n}"]),
        ]
    )  # fmt: skip


TYPED = (texts, numbers, dates, truths)
