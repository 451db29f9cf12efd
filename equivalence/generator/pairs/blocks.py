"""Schemes about how blocks are put together: outer join trees, LATERAL, CTEs, windows and their frames,
grouping sets, DISTINCT ON, LIMIT with ties, set operations with ALL, quantified and correlated subqueries.

As in `schemes`: (original, sound candidates, broken candidates), the broken ones off by one side condition.
"""

from __future__ import annotations

import random

from rewright.equivalence.generator.pairs.worlds import World, predicate

Made = tuple[str, list[str], list[str]]


def join_trees(rnd: random.Random, w: World) -> Made:
    """4a, 4e, 7c: three relations, inner and outer; reassociation needs a null-rejecting condition."""
    p, c, (one, two) = w.parent, w.child, w.loose
    cols = "select p.id, c.id, n.k"
    f = predicate(rnd, "n", w.pick(rnd, one, nullable=True), rejecting=True)
    return rnd.choice(
        [
            (f"{cols} from {p} p left join ({c} c join {one} n on n.w = c.id) on c.qid = p.id", [f"{cols} from {one} n join {c} c on c.id = n.w right join {p} p on p.id = c.qid"], [f"{cols} from {p} p left join {c} c on c.qid = p.id join {one} n on n.w = c.id", f"{cols} from {p} p left join {c} c on c.qid = p.id left join {one} n on n.w = c.id"]),
            (f"{cols} from {p} p left join {c} c on c.qid = p.id left join {one} n on n.w = c.id", [f"{cols} from {p} p left join ({c} c left join {one} n on n.w = c.id) on c.qid = p.id"], [f"{cols} from {p} p left join ({c} c join {one} n on n.w = c.id) on c.qid = p.id"]),
            (f"{cols} from {p} p left join {c} c on c.qid = p.id left join {one} n on n.w = p.y", [f"{cols} from {p} p left join {one} n on n.w = p.y left join {c} c on p.id = c.qid"], [f"{cols} from {p} p left join {one} n on n.w = p.y join {c} c on p.id = c.qid"]),
            (f"{cols} from {p} p left join {c} c on c.qid = p.id join {one} n on n.w = c.id", [f"{cols} from {p} p join {c} c on c.qid = p.id join {one} n on n.w = c.id"], [f"{cols} from {p} p left join {c} c on c.qid = p.id left join {one} n on n.w = c.id"]),
            (f"{cols} from {p} p left join {c} c on c.qid = p.id left join {one} n on n.w = c.id where {f}", [f"{cols} from {p} p join {c} c on c.qid = p.id join {one} n on n.w = c.id where {f}"], [f"{cols} from {p} p left join {c} c on c.qid = p.id left join {one} n on n.w = c.id and {f}"]),
            (f"{cols} from {p} p full join {c} c on c.qid = p.id cross join {one} n where c.id > 0", [f"{cols} from {p} p right join {c} c on c.qid = p.id cross join {one} n where c.id > 0"], [f"{cols} from {p} p join {c} c on c.qid = p.id cross join {one} n where c.id > 0"]),
            (f"select n.k, m.k from {one} n full join {two} m on m.k = n.k", [f"select n.k, m.k from {two} m full join {one} n on m.k = n.k"], [f"select n.k, m.k from {one} n left join {two} m on m.k = n.k", f"select n.k, m.k from {one} n right join {two} m on m.k = n.k"]),
            (f"select coalesce(n.k, m.k) from {one} n full join {two} m on m.k = n.k", [f"select k from {one} n full join {two} m using (k)"], [f"select n.k from {one} n full join {two} m on m.k = n.k", f"select k from {one} n left join {two} m using (k)"]),
            (f"select n.k from {one} n natural join (select w from {two}) m", [f"select n.k from {one} n join {two} m on m.w = n.w"], [f"select n.k from {one} n where n.w in (select w from {two})"]),
            (f"{cols} from {p} p left join {c} c on c.qid = p.id and p.y > 1 cross join {one} n", [f"{cols} from {p} p left join {c} c on p.y > 1 and p.id = c.qid, {one} n"], [f"{cols} from {p} p left join {c} c on c.qid = p.id cross join {one} n where p.y > 1"]),
        ]
    )  # fmt: skip


def laterals(rnd: random.Random, w: World) -> Made:
    """1b, 7a, 7b, 12: LATERAL and CTEs."""
    p, c, one = w.parent, w.child, w.loose[0]
    n = rnd.choice((1, 2))
    return rnd.choice(
        [
            (f"select p.id, s.m from {p} p, lateral (select max(c.w) m from {c} c where c.qid = p.id) s", [f"select p.id, (select max(c.w) from {c} c where c.qid = p.id) from {p} p", f"select p.id, s.m from {p} p left join (select qid, max(w) m from {c} group by qid) s on s.qid = p.id"], [f"select p.id, s.m from {p} p join (select qid, max(w) m from {c} group by qid) s on s.qid = p.id"]),
            (f"select p.id, s.id from {p} p cross join lateral (select c.id from {c} c where c.qid = p.id) s", [f"select p.id, c.id from {p} p join {c} c on c.qid = p.id"], [f"select p.id, c.id from {p} p left join {c} c on c.qid = p.id"]),
            (f"select p.id, s.id from {p} p left join lateral (select c.id from {c} c where c.qid = p.id) s on true", [f"select p.id, c.id from {p} p left join {c} c on c.qid = p.id"], [f"select p.id, c.id from {p} p join {c} c on c.qid = p.id"]),
            (f"select p.id, s.id from {p} p, lateral (select c.id from {c} c where c.qid = p.id order by c.id limit {n}) s", [f"select p.id, s.id from {p} p join lateral (select c.id from {c} c where c.qid = p.id order by c.id fetch first {n} rows only) s on true"], [f"select p.id, c.id from {p} p join {c} c on c.qid = p.id", f"select p.id, s.id from {p} p, lateral (select c.id from {c} c where c.qid = p.id order by c.id desc limit {n}) s"]),
            (f"with q as (select k, sum(w) s from {one} group by k) select a.k, a.s from q a where a.s > {n}", [f"select k, sum(w) s from {one} group by k having sum(w) > {n}"], [f"select k, sum(w) s from {one} where w > {n} group by k"]),
            (f"with q as (select k, w from {one}), r as (select k from q where w > {n}) select count(*) from r", [f"select count(*) from {one} where w > {n}"], [f"select count(k) from {one} where w > {n}", f"select count(*) from {one} where w >= {n}"]),
            (f"with q as (select id, y from {p}) select a.id from q a join q b on a.id = b.id where b.y > {n}", [f"select id from {p} where y > {n}"], [f"select a.id from {p} a join {p} b on a.y = b.y where b.y > {n}"]),
            (f"with q as materialized (select k, w from {one} where w > {n}) select * from q where k = 1", [f"select k, w from {one} where w > {n} and k = 1"], [f"select k, w from {one} where w >= {n} and k = 1"]),
            (f"select p.id, x.v from {p} p, lateral (values (p.y), (p.u)) x(v)", [f"select id, y from {p} union all select id, u from {p}"], [f"select id, y from {p} union select id, u from {p}"]),
        ]
    )  # fmt: skip


def frames(rnd: random.Random, w: World) -> Made:
    """M11, 14: frames, peers, NULL peers, ranks, windows over groups."""
    p, one = w.parent, w.loose[0]
    return rnd.choice(
        [
            (f"select n.k, sum(n.w) over (order by n.k) from {one} n", [f"select n.k, sum(n.w) over (order by n.k range between unbounded preceding and current row) from {one} n"], [f"select n.k, sum(n.w) over (order by n.k desc) from {one} n", f"select n.k, sum(n.w) over (order by n.k nulls first) from {one} n", f"select n.k, sum(n.w) over (partition by n.k) from {one} n"]),
            (f"select id, count(*) over (order by id) from {p}", [f"select id, count(*) over (order by id rows unbounded preceding) from {p}", f"select id, row_number() over (order by id) from {p}"], [f"select id, count(*) over (order by id desc) from {p}", f"select id, count(u) over (order by id) from {p}"]),
            (f"select n.k, rank() over (order by n.k) from {one} n", [f"select n.k, rank() over (order by n.k asc nulls last) from {one} n"], [f"select n.k, dense_rank() over (order by n.k) from {one} n", f"select n.k, rank() over (order by n.k desc) from {one} n"]),
            (f"select n.k, count(*) over (partition by n.k) from {one} n", [f"select n.k, (select count(*) from {one} m where m.k is not distinct from n.k) from {one} n"], [f"select n.k, (select count(*) from {one} m where m.k = n.k) from {one} n", f"select n.k, count(n.k) over (partition by n.k) from {one} n"]),
            (f"select n.k, max(n.w) over (partition by n.k rows between unbounded preceding and unbounded following) from {one} n", [f"select n.k, max(n.w) over (partition by n.k) from {one} n"], [f"select n.k, max(n.w) over () from {one} n", f"select n.k, min(n.w) over (partition by n.k) from {one} n"]),
            (f"select k, sum(count(*)) over () from {one} group by k", [f"select k, (select count(*) from {one})::numeric from {one} group by k"], [f"select k, count(*) from {one} group by k", f"select k, sum(count(k)) over () from {one} group by k"]),
            (f"select * from (select id, y, row_number() over (partition by y order by id) r from {p}) s where r = 1", [f"select p.id, p.y, 1::bigint from {p} p where not exists (select 1 from {p} q where q.y = p.y and q.id < p.id)"], [f"select * from (select id, y, row_number() over (partition by y order by id desc) r from {p}) s where r = 1", f"select * from (select id, y, row_number() over (order by id) r from {p}) s where r = 1"]),
            (f"select distinct y, first_value(id) over (partition by y order by id) from {p}", [f"select y, min(id) from {p} group by y"], [f"select y, max(id) from {p} group by y"]),
            (f"select id, lag(y) over (order by id) from {p}", [f"select id, lag(y, 1) over (order by id) from {p}"], [f"select id, lead(y) over (order by id) from {p}", f"select id, lag(y, 2) over (order by id) from {p}"]),
            (f"select n.k, count(n.k) over (order by n.w range between 1 preceding and 1 following) from {one} n", [f"select n.k, (select count(m.k) from {one} m where m.w between n.w - 1 and n.w + 1) from {one} n"], [f"select n.k, count(n.k) over (order by n.w range between 1 preceding and current row) from {one} n"]),
        ]
    )  # fmt: skip


def grouping_sets(rnd: random.Random, w: World) -> Made:
    """M12, 17: GROUPING SETS, ROLLUP, CUBE, grouping(), HAVING, empty groups."""
    one = w.loose[0]
    return rnd.choice(
        [
            (f"select k, count(*) from {one} group by rollup (k)", [f"select k, count(*) from {one} group by k union all select null, count(*) from {one}", f"select k, count(*) from {one} group by grouping sets ((k), ())"], [f"select k, count(*) from {one} group by k", f"select k, count(*) from {one} group by k union select null, count(*) from {one}"]),
            (f"select k, w, sum(w) from {one} group by cube (k, w)", [f"select k, w, sum(w) from {one} group by grouping sets ((k, w), (w), (k), ())"], [f"select k, w, sum(w) from {one} group by rollup (k, w)", f"select k, w, sum(w) from {one} group by grouping sets ((k), (w))"]),
            (f"select k, grouping(k), count(*) from {one} group by rollup (k)", [f"select k, 0, count(*) from {one} group by k union all select null, 1, count(*) from {one}"], [f"select k, 0, count(*) from {one} group by rollup (k)", f"select k, (k is null)::int, count(*) from {one} group by rollup (k)"]),
            (f"select k, count(*) from {one} group by grouping sets ((k), ()) having grouping(k) = 0", [f"select k, count(*) from {one} group by k"], [f"select k, count(*) from {one} group by grouping sets ((k), ()) having k is not null", f"select k, count(*) from {one} where k is not null group by k"]),
            (f"select k, w, count(*) from {one} group by grouping sets ((k), (w))", [f"select k, null::int, count(*) from {one} group by k union all select null, w, count(*) from {one} group by w"], [f"select k, w, count(*) from {one} group by k, w", f"select k, w, count(*) from {one} group by grouping sets ((k), (k, w))"]),
            (f"select count(*), sum(w) from {one} group by ()", [f"select count(*), sum(w) from {one}"], [f"select count(*), sum(w) from {one} having count(*) > 0"]),
            (f"select sum(w) from {one} where k > 1 group by ()", [f"select sum(w) from {one} where k > 1"], [f"select sum(w) from {one} where k > 1 group by k > 1"]),
            (f"select k, string_agg(g::text, ',' order by g) from {one} group by k", [f"select k, string_agg(g::text, ',' order by g) from {one} n group by n.k having count(*) > 0"], [f"select k, string_agg(g::text, ',' order by g desc) from {one} group by k", f"select k, string_agg(distinct g::text, ',' order by g::text) from {one} group by k"]),
            (f"select k, array_agg(w order by w) from {one} group by k", [f"select n.k, array_agg(n.w order by n.w asc) from {one} n group by 1"], [f"select k, array_agg(distinct w order by w) from {one} group by k"]),
            (f"select k from {one} group by k having count(distinct w) = 1", [f"select k from {one} group by k having min(w) = max(w)"], [f"select k from {one} group by k having count(w) = 1"]),
        ]
    )  # fmt: skip


def limits(rnd: random.Random, w: World) -> Made:
    """7b, M9, 13: LIMIT, OFFSET, WITH TIES, DISTINCT ON."""
    p, one = w.parent, w.loose[0]
    n = rnd.choice((1, 2, 3))
    return rnd.choice(
        [
            (f"select y from {p} order by y fetch first {n} rows with ties", [f"select y from (select y, rank() over (order by y) r from {p}) s where r <= {n} order by y"], [f"select y from {p} order by y limit {n}", f"select y from (select y, rank() over (order by y) r from {p}) s where r <= {n + 1} order by y"]),
            (f"select id, y from {p} order by id offset {n}", [f"select id, y from (select id, y, row_number() over (order by id) r from {p}) s where r > {n} order by id"], [f"select id, y from {p} order by id offset {n + 1}", f"select id, y from {p} order by id limit {n}"]),
            (f"select id from {p} order by id limit {n} offset 1", [f"select id from (select id from {p} order by id limit {n + 1}) s order by id offset 1"], [f"select id from (select id from {p} order by id offset 1) s order by id desc limit {n}"]),
            (f"select distinct on (y) y, id from {p} order by y, id", [f"select y, min(id) from {p} group by y order by y"], [f"select distinct on (y) y, id from {p} order by y, id desc", f"select y, max(id) from {p} group by y order by y"]),
            (f"select k, w from {one} order by k, w limit {n}", [f"select k, w from (select k, w from {one} order by k, w limit {n + 1}) s order by k, w limit {n}"], [f"select k, w from {one} order by k desc, w limit {n}", f"select distinct k, w from {one} order by k, w limit {n + 1}"]),
            (f"select count(*) from (select id from {p} limit {n}) s", [f"select least(count(*), {n}) from {p}"], [f"select count(*) from {p}", f"select count(*) from (select id from {p} limit {n + 1}) s"]),
            (f"select id from {p} where exists (select 1 from {one} offset {n})", [f"select id from {p} where (select count(*) from {one}) > {n}"], [f"select id from {p} where exists (select 1 from {one})"]),
            (f"select id from {p} order by y, id limit {n}", [f"select id from (select id, y, row_number() over (order by y, id) r from {p}) s where r <= {n} order by y, id"], [f"select id from {p} order by id, y limit {n}"]),
            (f"select max(y) from {p}", [f"select (select y from {p} order by y desc limit 1)"], [f"select y from {p} order by y desc limit 1", f"select (select y from {p} order by y limit 1)"]),
        ]
    )  # fmt: skip


def set_trees(rnd: random.Random, w: World) -> Made:
    """9: set operations with and without ALL, nested, over NULLs."""
    one, two = w.loose
    a, b = f"select k, w from {one}", f"select k, w from {two}"
    return rnd.choice(
        [
            (f"({a} union {b}) except {a}", [f"{b} except {a}"], [f"({a} union all {b}) except all {a}", f"{a} except {b}"]),
            (f"({a} intersect {b}) union all ({a} except {b})", [f"select distinct k, w from {one}"], [a, f"{a} union {b}"]),
            (f"{a} intersect {b}", [f"{b} intersect {a}", f"select distinct k, w from ({a} intersect all {b}) s"], [f"{a} intersect all {b}", f"select distinct n.k, n.w from {one} n join {two} m on m.k = n.k and m.w = n.w"]),
            (f"{a} union ({b} union {a})", [f"({b} union all {a}) union {b}"], [f"{a} union all ({b} union {a})"]),
            (f"select k from {one} except all select k from {two}", [f"select k from (select k, row_number() over (partition by k) from {one} except select k, row_number() over (partition by k) from {two}) s"], [f"select k from {one} except select k from {two}"]),
            (f"select * from ({a} union {b}) s where k = 1", [f"{a} where k = 1 union {b} where k = 1"], [f"{a} where k = 1 union all {b} where k = 1", f"{a} where k = 1 union {b}"]),
            (f"select count(*) from ({a} union all {b}) s", [f"select (select count(*) from {one}) + (select count(*) from {two})"], [f"select count(*) from ({a} union {b}) s", f"select count(k) from ({a} union all {b}) s"]),
            (f"select distinct k from ({a} union all {b}) s", [f"select k from {one} union select k from {two}"], [f"select k from {one} union all select k from {two}", f"select distinct k from ({a} intersect {b}) s"]),
            (f"{a} except (select k, w from {two} where w > 1)", [f"select distinct n.k, n.w from {one} n where not exists (select 1 from {two} m where m.k is not distinct from n.k and m.w = n.w and m.w > 1)"], [f"{a} except {b}", f"select distinct n.k, n.w from {one} n where (n.k, n.w) not in (select k, w from {two} where w > 1)"]),
        ]
    )  # fmt: skip


def quantified(rnd: random.Random, w: World) -> Made:
    """M2, 2a, 3b, 1d, 1f: ANY and ALL, row comparisons, nested correlation, subqueries as values."""
    p, c, (one, two) = w.parent, w.child, w.loose
    head = f"select n.k, n.w from {one} n where "
    return rnd.choice(
        [
            (head + f"n.k > all (select m.k from {two} m)", [head + f"(n.k <= any (select m.k from {two} m)) is false"], [head + f"n.k > (select max(m.k) from {two} m)", head + f"n.k > any (select m.k from {two} m)"]),
            (head + f"n.w > all (select m.w from {two} m)", [head + f"not exists (select 1 from {two} m where m.w >= n.w)"], [head + f"n.w > (select max(m.w) from {two} m)"]),
            (head + f"n.w >= any (select m.w from {two} m)", [head + f"n.w >= (select min(m.w) from {two} m)"], [head + f"n.w >= (select max(m.w) from {two} m)"]),
            (head + f"(n.k, n.w) in (select m.k, m.w from {two} m)", [head + f"exists (select 1 from {two} m where m.k = n.k and m.w = n.w)"], [head + f"n.k in (select m.k from {two} m) and n.w in (select m.w from {two} m)"]),
            (head + f"n.k in (select m.k from {two} m where m.w = n.w)", [head + f"(n.k, n.w) in (select m.k, m.w from {two} m)"], [head + f"n.k in (select m.k from {two} m)"]),
            (f"select n.k, n.k in (select m.k from {two} m) from {one} n", [f"select n.k, n.k = any (select m.k from {two} m) from {one} n"], [f"select n.k, exists (select 1 from {two} m where m.k = n.k) from {one} n"]),
            (f"select n.k, n.w in (select m.w from {two} m) from {one} n", [f"select n.k, exists (select 1 from {two} m where m.w = n.w) from {one} n"], [f"select n.k, n.k in (select m.w from {two} m) from {one} n"]),
            (f"select p.id from {p} p where exists (select 1 from {c} c where c.qid = p.id and exists (select 1 from {one} n where n.w = c.id))", [f"select p.id from {p} p where p.id in (select c.qid from {c} c join {one} n on n.w = c.id)"], [f"select p.id from {p} p join {c} c on c.qid = p.id where exists (select 1 from {one} n where n.w = c.id)"]),
            (f"select p.id from {p} p where (select count(*) from {c} c where c.qid = p.id) = 0", [f"select p.id from {p} p where not exists (select 1 from {c} c where c.qid = p.id)"], [f"select p.id from {p} p where (select sum(1) from {c} c where c.qid = p.id) = 0", f"select p.id from {p} p where not exists (select 1 from {c} c where c.id = p.id)"]),
            (f"select p.id from {p} p where (select count(*) from {c} c where c.qid = p.id) > 1", [f"select p.id from {p} p join {c} c on c.qid = p.id group by p.id having count(*) > 1"], [f"select p.id from {p} p join {c} c on c.qid = p.id group by p.id having count(*) >= 1"]),
            (f"select n.k, (select sum(m.w) from {two} m where m.k = n.k and m.w > 1) from {one} n", [f"select n.k, (select sum(case when m.w > 1 then m.w end) from {two} m where m.k = n.k) from {one} n"], [f"select n.k, (select sum(case when m.w > 1 then m.w else 0 end) from {two} m where m.k = n.k) from {one} n"]),
            (head + f"n.w = (select max(m.w) from {one} m)", [head + f"not exists (select 1 from {one} m where m.w > n.w)"], [head + f"n.w = (select max(m.w) from {one} m where m.k = n.k)"]),
            (head + f"n.w = (select max(m.w) from {one} m where m.k = n.k)", [head + f"n.k is not null and not exists (select 1 from {one} m where m.k = n.k and m.w > n.w)"], [head + f"not exists (select 1 from {one} m where m.k = n.k and m.w > n.w)"]),
        ]
    )  # fmt: skip


BLOCKS = (join_trees, laterals, frames, grouping_sets, limits, set_trees, quantified)
