"""Ways to make a pair: an original, what it may become, and what it may nearly become.

Each scheme is one function: it returns (original, sound candidates, broken candidates), where each
broken one breaks a single side condition (hazard ids in the docstrings). Nothing here may be
sound by accident of the data: a broken candidate differs on some database that its schema allows.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from rewright.equivalence.generator.pairs.worlds import World, constant, predicate

Made = tuple[str, list[str], list[str]]
Scheme = Callable[[random.Random, World], Made]


def comparison(rnd: random.Random, w: World) -> Made:
    """16: comparisons under NOT, BETWEEN and IN; a bound moved, a NULL let in."""
    t = w.loose[0]
    c = w.pick(rnd, t, nullable=True, numeric=True)
    n, lo, hi = f"t.{c.name}", *sorted(rnd.sample((0, 1, 2, 3), 2))
    head = f"select t.k, {n} from {t} t where "
    return rnd.choice(
        [
            (head + f"not ({n} > {lo})", [head + f"{n} <= {lo}"], [head + f"{n} < {lo}", head + f"({n} > {lo}) is not true"]),
            (head + f"{n} between {lo} and {hi}", [head + f"{n} >= {lo} and {hi} >= {n}"], [head + f"{n} > {lo} and {n} <= {hi}"]),
            (head + f"{n} in ({lo}, {hi})", [head + f"{n} = {hi} or {n} = {lo}"], [head + f"{n} >= {lo}", head + f"{n} = {lo}"]),
            (head + f"{n} = {n}", [head + f"{n} is not null"], [head + "true"]),
            (head + f"{n} > {lo} or {n} <= {lo}", [head + f"{n} is not null"], [head + "true"]),
            (head + f"coalesce({n}, {lo}) = {hi}", [head + f"{n} = {hi}"], [head + f"coalesce({n}, {hi}) = {hi}"]),
            (head + f"{n} <> {lo}", [head + f"not {n} = {lo}"], [head + f"{n} is distinct from {lo}"]),
            (head + f"not ({n} = {lo} and t.w = 1)", [head + f"{n} <> {lo} or t.w <> 1"], [head + f"{n} <> {lo} and t.w <> 1"]),
            (head + f"case when {n} > {lo} then true else false end", [head + f"{n} > {lo}"], [head + f"{n} >= {lo}"]),
            (head + f"case when {n} > {lo} then false else true end", [head + f"({n} > {lo}) is not true"], [head + f"not {n} > {lo}"]),
        ]
    )  # fmt: skip


def join_elimination(rnd: random.Random, w: World) -> Made:
    """5b, 5c: a parent that adds nothing; a nullable reference, a filter on the parent."""
    c = w.pick(rnd, w.child)
    p = predicate(rnd, "c", c, rejecting=not c.nullable)
    tail = rnd.choice(("", f" where {p}"))
    rest = f" and {p}" if tail else ""
    out = f"select c.id, c.{c.name} from {w.child} c"
    y = w.pick(rnd, w.parent, nullable=False)
    return rnd.choice(
        [
            (f"{out} join {w.parent} p on p.id = c.pid{tail}", [out + tail], []),
            (f"{out} join {w.parent} p on p.id = c.qid{tail}", [f"{out} where c.qid is not null{rest}"], [out + tail]),
            (f"{out} left join {w.parent} p on p.id = c.qid{tail}", [out + tail], []),
            (f"{out} left join {w.parent} p on p.u = c.id{tail}", [out + tail], [f"{out} join {w.parent} p on p.u = c.id{tail}"]),
            (f"{out} join {w.parent} p on p.id = c.pid and p.{y.name} > 1{tail}", [f"{out} join {w.parent} p on p.id = c.pid where p.{y.name} > 1{rest}"], [out + tail]),
            (f"{out} left join {w.parent} p on p.u is not distinct from c.{_int(w)}{tail}", [], [out + tail]),
        ]
    )  # fmt: skip


def _int(w: World) -> str:
    del w
    return "qid"


def outer_join(rnd: random.Random, w: World) -> Made:
    """4a, 4b, 7c: null rejection; ON against WHERE."""
    c = w.pick(rnd, w.child, nullable=True)
    reject = predicate(rnd, "c", c, rejecting=True)
    y = predicate(rnd, "p", w.pick(rnd, w.parent, nullable=False), rejecting=True)
    cols = f"select p.id, c.id, c.{c.name} from {w.parent} p"
    on = "c.qid = p.id"
    return rnd.choice(
        [
            (f"{cols} left join {w.child} c on {on} where {reject}", [f"{cols} join {w.child} c on {on} where {reject}"], [f"{cols} left join {w.child} c on {on} and {reject}"]),
            (f"{cols} left join {w.child} c on {on} where c.{c.name} is null", [], [f"{cols} join {w.child} c on {on} where c.{c.name} is null"]),
            (f"{cols} left join {w.child} c on {on} where {y}", [f"select p.id, c.id, c.{c.name} from (select * from {w.parent} p where {y}) p left join {w.child} c on {on}"], [f"{cols} left join {w.child} c on {on} and {y}"]),
            (f"{cols} left join {w.child} c on {on} and {reject}", [f"{cols} left join (select * from {w.child} c where {reject}) c on {on}"], [f"{cols} left join {w.child} c on {on} where {reject}"]),
            (f"{cols} full join {w.child} c on {on} where {y}", [f"{cols} left join {w.child} c on {on} where {y}"], [f"{cols} right join {w.child} c on {on} where {reject}"]),
            (f"{cols} join {w.child} c on {on}", [f"select p.id, c.id, c.{c.name} from {w.child} c join {w.parent} p on {on}"], [f"{cols} left join {w.child} c on {on}"]),
        ]
    )  # fmt: skip


def membership(rnd: random.Random, w: World) -> Made:
    """2a, 2b, 3a, 3b: IN and EXISTS as joins; NOT IN and NULLs."""
    one, two = w.loose
    f = predicate(rnd, "m", w.pick(rnd, two), rejecting=True)
    out = f"select n.k, n.w from {one} n where "
    return rnd.choice(
        [
            (out + f"n.k in (select m.k from {two} m where {f})", [out + f"exists (select 1 from {two} m where m.k = n.k and {f})"], [f"select n.k, n.w from {one} n join {two} m on m.k = n.k where {f}"]),
            (out + f"n.k in (select p.u from {w.parent} p)", [f"select n.k, n.w from {one} n join {w.parent} p on p.u = n.k"], [f"select n.k, n.w from {one} n left join {w.parent} p on p.u = n.k"]),
            (out + f"n.w not in (select m.w from {two} m)", [out + f"not exists (select 1 from {two} m where m.w = n.w)"], [out + f"exists (select 1 from {two} m where m.w <> n.w)"]),
            (out + f"n.k not in (select m.w from {two} m)", [out + f"not exists (select 1 from {two} m where m.w = n.k) and (n.k is not null or not exists (select 1 from {two}))"], [out + f"not exists (select 1 from {two} m where m.w = n.k)"]),
            (out + f"n.k not in (select m.k from {two} m)", [], [out + f"not exists (select 1 from {two} m where m.k = n.k)"]),
            (out + f"not exists (select 1 from {two} m where m.k = n.k)", [f"select n.k, n.w from {one} n left join {two} m on m.k = n.k where m.w is null"], [f"select n.k, n.w from {one} n left join {two} m on m.k = n.k where m.v is null"]),
        ]
    )  # fmt: skip


def distinct_removal(rnd: random.Random, w: World) -> Made:
    """8: a key in the output; a unique column that lets NULLs in."""
    x = w.pick(rnd, w.parent)
    f = predicate(rnd, "p", w.pick(rnd, w.parent, nullable=False), rejecting=True)
    loose = w.loose[0]
    return rnd.choice(
        [
            (f"select distinct p.id, p.{x.name} from {w.parent} p where {f}", [f"select p.id, p.{x.name} from {w.parent} p where {f}"], []),
            (f"select distinct p.{x.name} from {w.parent} p where {f}", [f"select p.{x.name} from {w.parent} p where {f} group by p.{x.name}"], [f"select p.{x.name} from {w.parent} p where {f}"]),
            (f"select distinct p.u from {w.parent} p where p.u is not null", [f"select p.u from {w.parent} p where p.u is not null"], [f"select p.u from {w.parent} p"]),
            (f"select distinct p.u from {w.parent} p", [], [f"select p.u from {w.parent} p"]),
            (f"select distinct n.k, sum(n.w) from {loose} n group by n.k", [f"select n.k, sum(n.w) from {loose} n group by n.k"], []),
            (f"select distinct sum(n.w) from {loose} n group by n.k", [], [f"select sum(n.w) from {loose} n group by n.k"]),
            (f"select distinct c.id, p.y from {w.child} c join {w.parent} p on p.id = c.pid", [f"select c.id, p.y from {w.child} c join {w.parent} p on p.id = c.pid"], [f"select distinct c.pid, p.y from {w.child} c join {w.parent} p on p.id = c.pid"] if w.key_type == "int" else []),
        ]
    )  # fmt: skip


def set_operations(rnd: random.Random, w: World) -> Made:
    """9, 11: OR as UNION; INTERSECT, EXCEPT as (anti-)semi-joins under IS NOT DISTINCT FROM."""
    one, two = w.loose
    c, d = rnd.sample(["k", "v", "w"], 2)
    out = f"select n.k, n.g from {one} n where "
    a, b = f"n.{c} = 1", f"n.{d} = {rnd.choice((0, 1, 2))}"
    f = f"k > {rnd.choice((0, 1))}"
    return rnd.choice(
        [
            (out + f"{a} or {b}", [f"{out}{a} union all {out}{b} and ({a}) is not true"], [f"{out}{a} union all {out}{b}", f"{out}{a} union {out}{b}"]),
            (f"select k from {one} intersect select k from {two}", [f"select distinct n.k from {one} n where exists (select 1 from {two} m where m.k is not distinct from n.k)"], [f"select distinct n.k from {one} n where exists (select 1 from {two} m where m.k = n.k)"]),
            (f"select k from {one} except select k from {two}", [f"select distinct n.k from {one} n where not exists (select 1 from {two} m where m.k is not distinct from n.k)"], [f"select distinct n.k from {one} n where not exists (select 1 from {two} m where m.k = n.k)", f"select k from {one} except all select k from {two}"]),
            (f"select * from (select k, g from {one} union all select k, g from {two}) t where {f}", [f"select k, g from {one} where {f} union all select k, g from {two} where {f}"], [f"select k, g from {one} where {f} union all select k, g from {two}", f"select k, g from {one} where {f} union select k, g from {two} where {f}"]),
            (f"select k from {one} union select k from {two}", [f"select distinct k from (select k from {two} union all select k from {one}) t"], [f"select k from {two} union all select k from {one}"]),
            (f"select k from {one} where k >= 1 union all select k from {one} where k < 1", [f"select k from {one} where k is not null"], [f"select k from {one}"]),
        ]
    )  # fmt: skip


def scalar_subquery(rnd: random.Random, w: World) -> Made:
    """1a-1f: decorrelation; the count bug, the lost outer row, the second row."""
    agg = rnd.choice(("sum", "max", "min", "avg"))
    grouped = f"(select c.qid, {agg}(c.w) s, count(c.v) n from {w.child} c group by c.qid) t"
    sub = f"(select {agg}(c.w) from {w.child} c where c.qid = p.id)"
    cnt = f"(select count(c.v) from {w.child} c where c.qid = p.id)"
    y = w.pick(rnd, w.parent, nullable=False)
    return rnd.choice(
        [
            (f"select p.id, {sub} from {w.parent} p", [f"select p.id, t.s from {w.parent} p left join {grouped} on t.qid = p.id"], [f"select p.id, t.s from {w.parent} p join {grouped} on t.qid = p.id", f"select p.id, coalesce(t.s, 0) from {w.parent} p left join {grouped} on t.qid = p.id"]),
            (f"select p.id, {cnt} from {w.parent} p", [f"select p.id, coalesce(t.n, 0) from {w.parent} p left join {grouped} on t.qid = p.id"], [f"select p.id, t.n from {w.parent} p left join {grouped} on t.qid = p.id", f"select p.id, t.n from {w.parent} p join {grouped} on t.qid = p.id"]),
            (f"select p.id from {w.parent} p where p.{y.name} > {sub}", [f"select p.id from {w.parent} p join {grouped} on t.qid = p.id where p.{y.name} > t.s"], [f"select p.id from {w.parent} p join {grouped} on t.qid = p.id where p.{y.name} >= t.s"]),
            (f"select p.id from {w.parent} p where p.{y.name} = {cnt}", [f"select p.id from {w.parent} p left join {grouped} on t.qid = p.id where p.{y.name} = coalesce(t.n, 0)"], [f"select p.id from {w.parent} p join {grouped} on t.qid = p.id where p.{y.name} = t.n"]),
            (f"select c.id, (select p.{y.name} from {w.parent} p where p.id = c.qid) from {w.child} c", [f"select c.id, p.{y.name} from {w.child} c left join {w.parent} p on p.id = c.qid"], [f"select c.id, p.{y.name} from {w.child} c join {w.parent} p on p.id = c.qid"]),
            (f"select p.id, (select c.w from {w.child} c where c.qid = p.id) from {w.parent} p", [], [f"select p.id, c.w from {w.parent} p left join {w.child} c on c.qid = p.id"]),
            (f"select p.id from {w.parent} p where {cnt} > 0", [f"select p.id from {w.parent} p where exists (select 1 from {w.child} c where c.qid = p.id and c.v is not null)"], [f"select p.id from {w.parent} p where exists (select 1 from {w.child} c where c.qid = p.id)"]),
        ]
    )  # fmt: skip


def grouping(rnd: random.Random, w: World) -> Made:
    """6, 7a, 12, 15, 17: aggregates pushed and merged; what counts what; HAVING."""
    one, two = w.loose
    f = f"t.k > {rnd.choice((0, 1))}"
    v = w.pick(rnd, one, nullable=True).name
    return rnd.choice(
        [
            (f"select * from (select k, count(*) n from {one} group by k) t where {f}", [f"select t.k, count(*) n from {one} t where {f} group by t.k"], [f"select t.k, count(t.v) n from {one} t where {f} group by t.k"]),
            (f"select k, sum(w) from {one} group by k having k > 1", [f"select k, sum(w) from {one} where k > 1 group by k"], [f"select k, sum(w) from {one} group by k having sum(w) > 1", f"select k, sum(w) from {one} where w > 1 group by k"]),
            (f"select count(*) from {one}", [f"select count(w) from {one}", f"select count(1) from {one}"], [f"select count({v}) from {one}"]),
            (f"select count(*) from {one} having count(*) > 2", [f"select n from (select count(w) n from {one}) t where n > 2"], [f"select count(*) from {one} having count(*) >= 2"]),
            (f"select k, count(*) from (select k from {one} union all select k from {two}) t group by k", [f"select k, sum(c)::bigint from (select k, count(*) c from {one} group by k union all select k, count(*) c from {two} group by k) t group by k"], [f"select k, count(c) from (select k, count(*) c from {one} group by k union all select k, count(*) c from {two} group by k) t group by k"]),
            (f"select g, max(w) from {one} group by g", [f"select g, max(x) from (select g, k, max(w) x from {one} group by g, k) t group by g"], [f"select g, min(x) from (select g, k, max(w) x from {one} group by g, k) t group by g", f"select g, max(x) from (select g, k, max(w) x from {one} group by g, k) t group by g, k"]),
            (f"select g, avg(w) from {one} group by g", [], [f"select g, avg(x) from (select g, k, avg(w) x from {one} group by g, k) t group by g"]),
            (f"select p.id, p.y, count(*) from {w.parent} p join {w.child} c on c.pid = p.id group by p.id, p.y", [f"select p.id, p.y, count(*) from {w.parent} p join {w.child} c on c.pid = p.id group by p.id, p.y, p.x"], [f"select p.id, p.y, count(*) from {w.parent} p left join {w.child} c on c.pid = p.id group by p.id, p.y", f"select p.id, p.y, count(*) from {w.parent} p join {w.child} c on c.pid = p.id group by p.id, p.y, c.v"]),
            (f"select count(distinct k) from {one}", [f"select count(k) from (select distinct k from {one}) t"], [f"select count(*) from (select distinct k from {one}) t", f"select count(k) from {one}"]),
            (f"select sum(case when k > 1 then 1 else 0 end) from {one} group by g", [f"select count(*) filter (where k > 1) from {one} group by g"], [f"select count(*) from {one} where k > 1 group by g"]),
            (f"select p.id, count(c.id) from {w.parent} p left join {w.child} c on c.qid = p.id group by p.id", [f"select p.id, count(c.w) from {w.parent} p left join {w.child} c on c.qid = p.id group by p.id"], [f"select p.id, count(*) from {w.parent} p left join {w.child} c on c.qid = p.id group by p.id"]),
        ]
    )  # fmt: skip


def self_join(rnd: random.Random, w: World) -> Made:
    """10: a second copy on the key; on something that is no key."""
    y = w.pick(rnd, w.parent)
    f = predicate(rnd, "q", w.pick(rnd, w.parent, nullable=False), rejecting=True)
    return rnd.choice(
        [
            (f"select p.id, q.{y.name} from {w.parent} p join {w.parent} q on q.id = p.id where {f}", [f"select q.id, q.{y.name} from {w.parent} q where {f}"], [f"select p.id, p.{y.name} from {w.parent} p"]),
            (f"select p.id, q.{y.name} from {w.parent} p join {w.parent} q on q.u = p.u", [f"select id, {y.name} from {w.parent} where u is not null"], [f"select id, {y.name} from {w.parent}"]),
            (f"select p.id, q.{y.name} from {w.parent} p left join {w.parent} q on q.id = p.id", [f"select id, {y.name} from {w.parent}"], [f"select p.id, q.{y.name} from {w.parent} p left join {w.parent} q on q.id = p.id and {f}"]),
            (f"select p.k from {w.loose[0]} p join {w.loose[0]} q on q.k = p.k", [], [f"select k from {w.loose[0]} where k is not null"]),
            (f"select distinct p.k from {w.loose[0]} p join {w.loose[0]} q on q.k = p.k", [f"select distinct k from {w.loose[0]} where k is not null"], [f"select distinct k from {w.loose[0]}"]),
        ]
    )  # fmt: skip


def windows(rnd: random.Random, w: World) -> Made:
    """14: window aggregates against groups; frames, ranks, filters across."""
    t = w.loose[0]
    agg = rnd.choice(("sum", "max", "min", "count"))
    over = f"{agg}(n.w) over (partition by n.g)"
    return rnd.choice(
        [
            (f"select n.k, {over} from {t} n", [f"select n.k, t.s from {t} n join (select g, {agg}(w) s from {t} group by g) t on t.g is not distinct from n.g"], [f"select n.k, t.s from {t} n join (select g, {agg}(w) s from {t} group by g) t on t.g = n.g", f"select n.k, {agg}(n.w) over (partition by n.g order by n.k) from {t} n"]),
            (f"select * from (select n.g, n.k, {over} s from {t} n) t where t.g is not null", [f"select n.g, n.k, {over} s from {t} n where n.g is not null"], [f"select n.g, n.k, {over} s from {t} n where n.k is not null"]),
            (f"select n.w, sum(n.w) over (order by n.w) from {t} n", [f"select n.w, sum(n.w) over (order by n.w range unbounded preceding) from {t} n"], [f"select n.w, sum(n.w) over () from {t} n"]),
            (f"select y from (select y, row_number() over (partition by y order by id) r from {w.parent}) t where r = 1", [f"select distinct y from {w.parent}"], [f"select y from {w.parent}"]),
            (f"select id from (select id, rank() over (order by y desc) r from {w.parent}) t where r = 1", [f"select id from {w.parent} where y = (select max(y) from {w.parent})"], [f"select id from {w.parent} where y = (select min(y) from {w.parent})"]),
            (f"select p.id from {w.parent} p where p.y = (select max(q.y) from {w.parent} q where q.u = p.u)", [f"select id from (select id, u, y, max(y) over (partition by u) m from {w.parent}) t where y = m and u is not null"], [f"select id from (select id, u, y, max(y) over (partition by u) m from {w.parent}) t where y = m"]),
        ]
    )  # fmt: skip


def ordering(rnd: random.Random, w: World) -> Made:
    """13, M9: order where it shows and where it does not; LIMIT."""
    x = w.pick(rnd, w.parent)
    t = w.loose[0]
    n = rnd.choice((1, 2, 3))
    return rnd.choice(
        [
            (f"select id, {x.name} from {w.parent} order by id, {x.name}", [f"select id, {x.name} from {w.parent} order by id"], [f"select id, {x.name} from {w.parent} order by {x.name}", f"select id, {x.name} from {w.parent}"]),
            (f"select k from {t} order by k desc", [f"select k from {t} order by k desc nulls first"], [f"select k from {t} order by k desc nulls last", f"select k from {t} order by k"]),
            (f"select sum(w) from (select w from {t} order by k) s", [f"select sum(w) from {t}"], [f"select sum(w) from (select w from {t} order by k limit {n}) s"]),
            (f"select id from {w.parent} order by id limit {n}", [f"select id from (select id from {w.parent} order by id limit {n + 2}) s order by id limit {n}"], [f"select id from {w.parent} order by id limit {n + 1}", f"select id from {w.parent} order by id desc limit {n}"]),
            (f"select * from (select id, y from {w.parent} order by id limit {n}) s where y > 1", [f"select s.* from (select id, y from {w.parent} order by id fetch first {n} rows only) s where 1 < s.y"], [f"select id, y from {w.parent} where y > 1 order by id limit {n}"]),
            (f"select max(k) from {t}", [f"select (select k from {t} where k is not null order by k desc limit 1)"], [f"select (select k from {t} order by k desc limit 1)"]),
        ]
    )  # fmt: skip


def projection(rnd: random.Random, w: World) -> Made:
    """7d, 12, 16: CTEs, transitive predicates, arithmetic on integers."""
    one, two = w.loose
    k = rnd.choice((0, 1, 2))
    c = constant(rnd, w.columns[one][0])
    return rnd.choice(
        [
            (f"with q as (select k, w from {one} where w > {k}) select a.k from q a join q b on a.w = b.w", [f"select a.k from {one} a join {one} b on a.w = b.w where a.w > {k} and b.w > {k}"], [f"select a.k from {one} a join {one} b on a.w = b.w where a.w >= {k}"]),
            (f"select a.w, b.g from {one} a join {two} b on a.w = b.w where a.w > {k}", [f"select b.w, b.g from {one} a join {two} b on a.w = b.w where a.w > {k} and b.w > {k}"], [f"select b.w, b.g from {one} a join {two} b on a.w = b.w where b.w > {k + 1}"]),
            (f"select n.w / 2 * 2 from {one} n", [f"select 2 * (n.w / 2) from {one} n"], [f"select n.w from {one} n"]),
            (f"select n.k from {one} n where n.k = {c} and n.w = 1", [f"select n.k from {one} n where n.w = 1 and {c} = n.k"], [f"select n.k from {one} n where n.k = {c} or n.w = 1"]),
            (f"select coalesce(n.w, 5), n.k from {one} n", [f"select n.w, n.k from {one} n"], [f"select coalesce(n.k, 5), n.k from {one} n"]),
            (f"select n.k is null, n.g from {one} n", [f"select not n.k is not null, n.g from {one} n"], [f"select n.k = null, n.g from {one} n"]),
            (f"select a.k, b.k from {one} a, {two} b where a.w = b.w and b.k > {k}", [f"select a.k, b.k from (select * from {two} where k > {k}) b join {one} a using (w)"], [f"select a.k, b.k from (select * from {two} where k > {k}) b left join {one} a using (w)"]),
        ]
    )  # fmt: skip


SCHEMES: tuple[Scheme, ...] = (
    comparison,
    join_elimination,
    outer_join,
    membership,
    distinct_removal,
    set_operations,
    scalar_subquery,
    grouping,
    self_join,
    windows,
    ordering,
    projection,
)
