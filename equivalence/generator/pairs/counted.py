"""Schemes for rows that are counted: set operations with ALL, frames by their sort keys, sums taken apart,
arrays by their elements, rows beside a row.

As in `schemes`: (original, sound candidates, broken candidates), the broken ones off by one side condition.
"""

from __future__ import annotations

import random

from rewright.equivalence.generator.pairs.worlds import World

Made = tuple[str, list[str], list[str]]


def counted_sets(rnd: random.Random, w: World) -> Made:
    """9: EXCEPT ALL and INTERSECT ALL: what both sides have, taken twice, filtered, apart."""
    one, two = w.loose
    c = rnd.choice(("k", "w", "k, w", "k, g"))
    n = rnd.choice((0, 1, 2))
    a, b, d = f"select {c} from {one}", f"select {c} from {two}", f"select {c} from {two} where w > {n}"
    low, high = f"select {c} from {one} where w > {n}", f"select {c} from {two} where w <= {n}"
    odd = f"select n from {w.typed}"
    seen = f"select {c} from {one} where w > {n} and k is not null"
    x, y = rnd.sample(("except", "intersect"), 2)
    return rnd.choice(
        [
            (f"({a} union all {b}) except all {b}", [a], [f"{a} except all {b}", f"select distinct {c} from {one}", f"({a} union {b}) except all {b}"]),
            (f"{a} except all ({b} union all {d})", [f"({a} except all {b}) except all {d}", f"({a} except all {d}) except all {b}"], [f"{a} except all {b}", f"{a} except all ({b} union {d})", f"({a} except all {b}) except {d}"]),
            (f"{a} except all ({a} except all {b})", [f"{a} intersect all {b}", f"{b} intersect all {a}"], [f"{a} except all ({low} except all {b})", f"{a} intersect {b}", f"{low} except all ({a} except all {b})"]),
            (f"select * from ({a} {x} all {b}) s where s.{c[0]} > {n}", [f"select * from ({a} where {c[0]} > {n} {x} all {b}) s", f"select * from ({a} where {c[0]} > {n} {x} all {b} where {c[0]} > {n}) s"],
             [f"select * from ({a} where {c[0]} > {n} {y} all {b}) s"] + ([f"select * from ({a} except all {b} where {c[0]} > {n}) s"] if x == "except" else [])),
            (f"select {c}, w from {one} where w > {n} except all select {c}, w from {two} where w <= {n}", [f"select {c}, w from {one} where w > {n}"], [f"select {c}, w from {one} where w > {n} except all select {c}, w from {two} where w >= {n}"]),
            (f"{low} except all {high}", [low] if "w" in c else [], [] if "w" in c else [low]),
            (f"{a} intersect all {a}", [a], [f"select distinct {c} from {one}", f"{a} intersect all {low}"]),
            (f"select distinct * from ({a} intersect all {b}) s", [f"{a} intersect {b}"], [f"{a} intersect all {b}"]),
            (f"select distinct * from ({a} except all {b}) s", [], [f"{a} except {b}"]),
            # of equals that look different either may be shown
            (f"{odd} where k > {n} except all ({odd} where k > {n} except all {odd} where i > 0)", [], [f"{odd} where k > {n} intersect all {odd} where i > 0"]),
            (f"{seen} except all {b}", [], [seen, f"{a} except all {b}"]),
            (f"select 1 from {w.parent} where exists ({a} except all {a})", [f"select 1 from {w.parent} where false"], [f"select 1 from {w.parent} where exists ({a} except all {low})"]),
        ]
    )  # fmt: skip


def frames_by_value(rnd: random.Random, w: World) -> Made:
    """14, M11: frames as conditions on sort keys; NULLs, peers and distances on either side."""
    c = w.child
    agg = rnd.choice(("sum(r.w)", "count(r.v)", "min(r.w)", "count(*)"))
    other = agg.replace("r.", "s.")
    n, m = rnd.choice((0, 1, 2)), rnd.choice((0, 1, 3))
    t = w.typed
    head = f"select r.id, {agg} over (order by"
    sub = f"select r.id, (select {other} from {c} s where"
    near = f"select r.k, r.i, count(*) over (order by r.i range between {n} preceding and {m} following) from {t} r"
    far = f"select r.k, r.i, (select count(*) from {t} s where s.i::bigint between r.i::bigint - {n} and r.i::bigint + {m}) from {t} r"
    return rnd.choice(
        [
            (f"{head} r.id rows between current row and unbounded following) from {c} r", [f"{sub} s.id >= r.id) from {c} r", f"{head} r.id desc) from {c} r"], [f"{sub} s.id > r.id) from {c} r", f"{head} r.id) from {c} r"]),
            (f"{head} r.id rows between 1 following and unbounded following) from {c} r", [f"{sub} s.id > r.id) from {c} r"], [f"{sub} s.id >= r.id) from {c} r", f"{sub} s.id <> r.id) from {c} r"]),
            (f"{head} r.pid rows between 1 following and unbounded following) from {c} r", [], [f"{sub} s.pid > r.pid) from {c} r"]),
            (f"{head} r.pid groups between 1 following and unbounded following) from {c} r", [f"{sub} s.pid > r.pid) from {c} r"], [f"{sub} s.pid >= r.pid) from {c} r"]),
            (f"{head} r.pid groups between 2 following and unbounded following) from {c} r", [], [f"{sub} s.pid > r.pid) from {c} r"]),
            (f"{head} r.pid range between unbounded preceding and unbounded following exclude group) from {c} r", [f"{sub} s.pid <> r.pid) from {c} r"], [f"{sub} s.id <> r.id) from {c} r", f"{head} r.pid range between unbounded preceding and unbounded following exclude ties) from {c} r"]),
            (f"{head} r.pid range between unbounded preceding and current row exclude current row) from {c} r", [], [f"{sub} s.pid < r.pid) from {c} r"]),
            (f"{head} r.id rows between unbounded preceding and unbounded following exclude current row) from {c} r", [f"{sub} s.id <> r.id) from {c} r"], [f"{sub} true) from {c} r"]),
            (f"{head} r.qid range between unbounded preceding and unbounded following exclude group) from {c} r", [f"{sub} s.qid is distinct from r.qid) from {c} r"], [f"{sub} s.qid <> r.qid) from {c} r"]),
            (f"{head} r.w range between {n} preceding and {m} following) from {c} r", [] if w.pick_type(c, "w") != "int" else [f"{sub} s.w::bigint between r.w::bigint - {n} and r.w::bigint + {m}) from {c} r"],
             [f"{sub} s.w < r.w + {m} and s.w >= r.w - {n}) from {c} r", f"{sub} s.w between r.w - {m + 1} and r.w + {m}) from {c} r"] if n != m + 1 else []),
            (f"{head} r.w desc range between {n} preceding and {m} following) from {c} r", [] if w.pick_type(c, "w") != "int" else [f"{sub} s.w::bigint between r.w::bigint - {m} and r.w::bigint + {n}) from {c} r"],
             [f"{sub} s.w between r.w - {n} and r.w + {m}) from {c} r"] if n != m else []),
            (near, [], [far]),
            (near, [], [near.replace("order by r.i", "order by r.i nulls first").replace(f"{n} preceding", "unbounded preceding")]),
            (f"select r.k, r.i, count(*) over (order by r.i range between unbounded preceding and {m} following) from {t} r", [], [f"select r.k, r.i, (select count(*) from {t} s where s.i::bigint <= r.i::bigint + {m}) from {t} r"]),
            (f"select r.k, r.i, count(*) over (order by r.i range unbounded preceding exclude group) from {t} r", [f"select r.k, r.i, rank() over (order by r.i) - 1 from {t} r"], [f"select r.k, r.i, dense_rank() over (order by r.i) - 1 from {t} r", f"select r.k, r.i, (select count(*) from {t} s where s.i < r.i) from {t} r"]),
        ]
    )  # fmt: skip


def sums_apart(rnd: random.Random, w: World) -> Made:
    """6b: sums of what is computed of columns that may be NULL; averages as quotients."""
    t = w.typed
    x, y, plain = rnd.choice((("k", "i", "k"), ("p", "p", "p"), ("i", "b", "k"), ("i", "i", "k")))
    n = rnd.choice((2, 3, -1))
    head = "select r.b, "
    tail = f" from {t} r group by r.b"
    both = f" from {t} r where r.{x} is not null and r.{y} is not null group by r.b"
    big = "" if x == "p" else "::numeric"
    unread = f"with q as materialized (select r.b, count(*) as c, sum(r.{{}})::numeric / count(r.{{}}) as s{tail}) select q.b, q.c from q"
    return rnd.choice(
        [
            (f"{head}sum(r.{x}{big} + r.{y}){both}", [f"{head}sum(r.{x}{big}) + sum(r.{y}){both}"], [f"{head}sum(r.{x}{big}) + sum(r.{y}) + 1{both}"]),
            (f"{head}sum(r.{x}{big} + r.i){tail}", [], [f"{head}sum(r.{x}{big}) + sum(r.i){tail}"] if x != "i" else []),
            (f"{head}sum(r.{x}{big} - r.{y}){both}", [f"{head}sum(r.{x}{big}) - sum(r.{y}){both}"], [f"{head}sum(r.{y}) - sum(r.{x}{big}) + 1{both}"]),
            (f"{head}sum(r.{x}{big} * {n}){tail}", [f"{head}sum(r.{x}{big}) * {n}{tail}"], [f"{head}sum(r.{x}{big}) * {n + 1}{tail}"]),
            (f"{head}sum(r.{plain}{big} + 1){tail}", [], [f"{head}sum(r.{plain}{big}) + 1{tail}"]),
            (f"{head}avg(r.{x}){tail}", [f"{head}sum(r.{x}){big} / count(r.{x}){tail}"], [f"{head}sum(r.{x}){big} / count(*){tail}"] if x != "k" else []),
            (f"select r.b, count(*){tail}", [unread.format(x, x)] if x != "b" else [], [unread.format("k", "i"), unread.format("p", "b")]),
            (f"select sum(r.k::bigint * {n})::bigint from {t} r", [], [f"select coalesce(sum(r.k), 0) * {n} from {t} r"]),
        ]
    )  # fmt: skip


def elements(rnd: random.Random, w: World) -> Made:
    """2, M2: arrays by their elements, with NULLs among them, and for none; keys of documents."""
    t, c, p = w.typed, w.child, w.parent
    n, m = rnd.choice((1, 2, 3)), rnd.choice((0, 1, 2))
    head = f"select r.k from {t} r where "
    shown = f"select r.k, {{}} from {t} r"
    rows = f"select c.v from {c} c where c.pid = p.id"
    return rnd.choice(
        [
            (shown.format(f"{n} <> all (r.a)"), [shown.format(f"not {n} = any (r.a)")], [shown.format(f"({n} = any (r.a)) is not true"), shown.format(f"{n} <> any (r.a)")]),
            (shown.format(f"{n} < all (r.a)"), [shown.format(f"not {n} >= any (r.a)")], [shown.format(f"not {n} > any (r.a)")]),
            (head + f"r.a @> array[{n}]", [head + f"{n} = any (r.a)"], [head + f"{n} = all (r.a)"]),
            (shown.format(f"r.a @> array[{n}]"), [], [shown.format(f"{n} = any (r.a)"), shown.format(f"({n} = any (r.a)) is true")]),
            (head + f"r.a && array[{n}, {m}]", [head + f"{n} = any (r.a) or {m} = any (r.a)"], [head + f"{n} = any (r.a) and {m} = any (r.a)"] if n != m else []),
            (head + f"r.a @> array[{n}, {m}]", [head + f"{n} = any (r.a) and {m} = any (r.a)"], [head + f"{n} = any (r.a) or {m} = any (r.a)"] if n != m else []),
            (head + "r.a @> array[r.i]", [head + "r.i = any (r.a)"], [head + "r.i = any (r.a) or r.i is null"]),
            (head + f"not r.a @> array[{n}]", [], [head + f"not {n} = any (r.a)"]),
            (head + f"exists (select 1 from unnest(r.a) u where u = {n})", [head + f"{n} = any (r.a)"], [head + f"exists (select 1 from unnest(r.a) u where u >= {n})"]),
            (f"select p.id from {p} p where p.y = any (array({rows}))", [f"select p.id from {p} p where p.y in ({rows})"], [f"select p.id from {p} p where p.y <> any (array({rows}))"]),
            (f"select p.id, p.y <> all (array({rows})) from {p} p", [f"select p.id, p.y not in ({rows}) from {p} p"], [f"select p.id, not exists ({rows} and c.v = p.y) from {p} p"]),
            (f"select p.id, array({rows} order by c.id) from {p} p", [f"select p.id, coalesce((select array_agg(c.v order by c.id) from {c} c where c.pid = p.id), '{{}}') from {p} p"], [f"select p.id, (select array_agg(c.v order by c.id) from {c} c where c.pid = p.id) from {p} p"]),
            (f"select p.id from {p} p where array({rows}) @> array(select c.v from {c} c where c.qid = p.id)", [], [f"select p.id from {p} p where not exists (select 1 from {c} d where d.qid = p.id and not exists ({rows} and c.v = d.v) and d.v is not null)"]),
            (shown.format("r.j #>> '{a,b}'"), [shown.format("r.j -> 'a' ->> 'b'")], [shown.format("r.j -> 'b' ->> 'a'")]),
            (shown.format("r.j #>> '{a,0}'"), [], [shown.format("r.j -> 'a' ->> '0'")]),
            (head + "r.j ?& array['a', 'b']", [head + "r.j ? 'a' and r.j ? 'b'"], [head + "r.j ? 'a' or r.j ? 'b'"]),
            (head + "(r.i, r.b) is null", [head + "r.i is null and r.b is null"], [head + "r.i is null or r.b is null"]),
            (head + "(r.i, r.b) is not null", [head + "r.i is not null and r.b is not null"], [head + "not (r.i, r.b) is null"]),
            (f"select p.id from {p} p left join {c} c on c.pid = p.id where c is null", [f"select p.id from {p} p where not exists (select 1 from {c} c where c.pid = p.id)"], [f"select p.id from {p} p left join {c} c on c.pid = p.id where not c is not null"]),
            (f"select count(distinct (r.i, r.b)) from {t} r", [f"select count(*) from (select distinct r.i, r.b from {t} r) s"], [f"select count(*) from (select distinct r.i, r.b from {t} r where r.i is not null) s"]),
        ]
    )  # fmt: skip


def others_counted(rnd: random.Random, w: World) -> Made:
    """14: the other rows of a partition; rows beyond an offset, and up to a limit."""
    c, p, (one, _) = w.child, w.parent, w.loose
    n = rnd.choice((1, 2, 3))
    sub = "(select count(*) from {0} s where s.{1} = r.{1} and s.{2} <> r.{2})"
    rows = f"select 1 from {c} s where s.pid = p.id"
    return rnd.choice(
        [
            (f"select r.id, {sub.format(c, 'pid', 'id')} from {c} r", [f"select r.id, count(*) over (partition by r.pid) - 1 from {c} r"], [f"select r.id, count(*) over (partition by r.pid) from {c} r"]),
            (f"select r.id, {sub.format(c, 'pid', 'v')} from {c} r", [], [f"select r.id, count(*) over (partition by r.pid) - 1 from {c} r"]),
            (f"select r.id, {sub.format(c, 'pid', 'w')} from {c} r", [], [f"select r.id, count(*) over (partition by r.pid) - 1 from {c} r"]),
            (f"select r.id, (select count(*) from {c} s where s.w > {n} and s.id <> r.id) from {c} r", [], [f"select r.id, (select count(*) from {c} s where s.w > {n}) - 1 from {c} r"]),
            (f"select r.id, {sub.format(p, 'y', 'u')} from {p} r where r.u is not null", [f"select r.id, count(r.u) over (partition by r.y) - 1 from {p} r where r.u is not null"], [f"select r.id, count(*) over (partition by r.y) - 1 from {p} r"]),
            (f"select r.k, {sub.format(one, 'w', 'k')} from {one} r", [], [f"select r.k, count(*) over (partition by r.w) - 1 from {one} r"]),
            (f"select p.id from {p} p where exists ({rows} offset {n})", [f"select p.id from {p} p where (select count(*) from {c} s where s.pid = p.id) > {n}"], [f"select p.id from {p} p where (select count(*) from {c} s where s.pid = p.id) >= {n}"]),
            (f"select p.id from {p} p where exists ({rows} limit 0 offset {n})", [f"select p.id from {p} p where false"], [f"select p.id from {p} p where (select count(*) from {c} s where s.pid = p.id) > {n}"]),
            (f"select p.id, (select count(*) from ({rows} limit {n}) x) from {p} p", [f"select p.id, (select least(count(*), {n}) from {c} s where s.pid = p.id) from {p} p"], [f"select p.id, (select least(count(*), {n + 1}) from {c} s where s.pid = p.id) from {p} p"]),
            (f"select p.id, (select count(*) from ({rows} limit {n} offset 1) x) from {p} p", [], [f"select p.id, (select least(count(*), {n}) from {c} s where s.pid = p.id) from {p} p"]),
        ]
    )  # fmt: skip


COUNTED = (counted_sets, frames_by_value, sums_apart, elements, others_counted)
