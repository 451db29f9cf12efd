"""Schemes for values that are equal and look different: which side is shown, conditions that move, sums that
leave their type (M19, M20, M21).

Each gives a query, rewrites that are the same and rewrites that are not.
"""

from __future__ import annotations

import random

from rewright.equivalence.generator.pairs.worlds import World

Made = tuple[str, list[str], list[str]]
# columns of the typed relation whose equals look different, and conditions that tell them apart
_LOOKS = (
    ("n", "scale({}) = 1"),
    ("n", "{}::text = '1.0'"),
    ("f", "{}::text = '-0'"),
    ("f", "{}::text like '-%'"),
)


def shown_sides(rnd: random.Random, w: World) -> Made:
    """M19: INTERSECT, extremes over arms, USING, of numeric(8,2) beside numeric and beside numeric(8,2)."""
    t = w.typed
    alike = f"select r.p from {t} r where r.k in (select s.k from {t} s where s.p = r.p)"
    return rnd.choice(
        [
            (f"select r.p from {t} r where r.i > 0 intersect select s.p from {t} s where s.b > 0",
             [f"select distinct r.p from {t} r where r.i > 0 and exists (select 1 from {t} s where s.b > 0 and s.p = r.p) union select p from {t} where p is null and exists (select 1 from {t} where i > 0 and p is null) and exists (select 1 from {t} where b > 0 and p is null)"],
             [f"select distinct r.p from {t} r where r.i > 0 and r.p in (select s.p from {t} s)"]),
            (f"select r.p from {t} r where r.p is not null intersect select s.p::numeric(9,3) from {t} s",
             [], [f"select distinct r.p::numeric from {t} r where r.p in (select s.p::numeric(9,3) from {t} s)"]),
            (f"select p::text from (select p from {t}) l join (select n as p from {t}) r using (p)",
             [f"select r.n::text from {t} l join {t} r on l.p = r.n"],
             [f"select l.p::text from {t} l join {t} r on l.p = r.n"]),
            (f"select p::text from (select n as p from {t}) l natural left join (select p from {t}) r",
             [f"select l.n::text from {t} l left join {t} r on l.n = r.p"],
             [f"select r.p::text from {t} l left join {t} r on l.n = r.p"]),
            (alike, [f"select r.p from {t} r where r.p is not null"], [f"select r.p from {t} r"]),
        ]
    )  # fmt: skip


def moved_looks(rnd: random.Random, w: World) -> Made:
    """M20: a condition that tells equals apart, above what partitions by them."""
    t = w.typed
    column, look = rnd.choice(_LOOKS)
    here, there = look.format(f"q.{column}"), look.format(f"r.{column}")
    parted = f"select r.k, r.i, r.{column}, max(r.i) over (partition by r.{column}) as m from {t} r"
    most = f"(select max(s.i) from {t} s where s.{column} = r.{column})"
    plain = f"select r.k from {t} r where r.{column} is not null and r.i = {most}"
    return rnd.choice(
        [
            (f"select q.k from ({parted}) q where {here} and q.i = q.m", [], [f"{plain} and {there}"]),
            (f"with q as ({parted}) select q.k from q where q.i = q.m and {here}", [], [f"{plain} and {there}"]),
            (f"select q.k from ({parted}) q where q.{column} > 0 and q.i = q.m", [f"{plain} and r.{column} > 0"], [f"{plain} and r.{column} >= 0"]),
            (f"with q as materialized (select distinct {column} from {t}) select 1 from {t} o where exists (select 1 from q where {here})", [],
             [f"select 1 from {t} o where exists (select 1 from {t} r where {there})"]),
        ]
    )  # fmt: skip


def raising_sums(rnd: random.Random, w: World) -> Made:
    """M21: aggregates that nobody reads, of numbers that may be too large for them and of others."""
    t = w.typed
    large, small = rnd.choice(("n", "f")), rnd.choice(("i", "p", "k"))
    name = rnd.choice(("sum", "avg", "var_pop"))
    keys = f"select distinct r.b from {t} r"
    computed = "with q as materialized (select r.b, count(*) as c, {0}(r.{1}) as s from {2} r group by r.b) select q.b, q.c from q"
    counted = f"select r.b, count(*) from {t} r group by r.b"
    return rnd.choice(
        [
            (keys, [f"select r.b from {t} r group by r.b having count(*) > 0 or {name}(r.{small}) is null"],
             [f"select r.b from {t} r group by r.b having count(*) > 0 or {name}(r.{large}) is null"]),
            (counted, [computed.format(name, small, t)], [computed.format(name, large, t)]),
        ]
    )  # fmt: skip


LOOKALIKES = (shown_sides, moved_looks, raising_sums)
