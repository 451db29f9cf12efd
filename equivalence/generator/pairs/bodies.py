"""Schemes about what a block hides: LATERAL bodies, blocks that are read twice, thresholds of counts over
joins, empty groups, merged and shadowed names, rows with NULLs, and volatile functions.

As in `schemes`: (original, sound candidates, broken candidates), the broken ones off by one side condition.
Those of `VOLATILE` are broken in that nothing may be said of them.
"""

from __future__ import annotations

import random

from rewright.equivalence.generator.pairs.worlds import Col, World, predicate

Made = tuple[str, list[str], list[str]]


def _column(w: World, table: str, name: str) -> Col:
    """One that no side condition is about, so that a condition on it makes none of them idle."""
    return next(c for c in w.columns[table] if c.name == name)


def lateral_bodies(rnd: random.Random, w: World) -> Made:
    """1b, 1c, 1d, 2d, 7a: correlated bodies with LIMIT, aggregates, HAVING, DISTINCT, unions; LEFT JOIN
    LATERAL.
    """
    p, c, one = w.parent, w.child, w.loose[0]
    n = rnd.choice((1, 2))
    f = predicate(rnd, "c", _column(w, c, "d"))
    head = f"select p.id, s.m from {p} p "
    body = f"from {c} c where c.qid = p.id and {f}"
    return rnd.choice(
        [
            (f"{head}cross join lateral (select c.w m {body} order by c.w limit 1) s", [f"select p.id, min(c.w) from {p} p join {c} c on c.qid = p.id and {f} group by p.id"], [f"{head}left join lateral (select c.w m {body} order by c.w limit 1) s on true", f"select p.id, max(c.w) from {p} p join {c} c on c.qid = p.id and {f} group by p.id"]),
            (f"{head}left join lateral (select c.v m {body} order by c.v desc nulls last limit 1) s on true", [f"select p.id, (select max(c.v) {body}) from {p} p", f"select p.id, max(c.v) from {p} p left join {c} c on c.qid = p.id and {f} group by p.id"], [f"{head}left join lateral (select c.v m {body} order by c.v desc limit 1) s on true", f"select p.id, max(c.v) from {p} p join {c} c on c.qid = p.id and {f} group by p.id"]),
            (f"{head}left join lateral (select count(*) m {body}) s on true", [f"select p.id, count(c.id) from {p} p left join {c} c on c.qid = p.id and {f} group by p.id"], [f"select p.id, count(*) from {p} p left join {c} c on c.qid = p.id and {f} group by p.id", f"{head}left join lateral (select count(*) m {body} group by c.qid) s on true"]),
            (f"{head}left join lateral (select count(*) m {body} having count(*) > {n}) s on true", [f"select p.id, (select count(*) {body} having count(*) > {n}) from {p} p", f"{head}left join (select c.qid, count(*) m from {c} c where {f} group by c.qid having count(*) > {n}) s on s.qid = p.id"], [f"{head}cross join lateral (select count(*) m {body} having count(*) > {n}) s", f"{head}left join (select c.qid, count(*) m from {c} c where {f} group by c.qid) s on s.qid = p.id and s.m >= {n}"]),
            (f"{head}left join lateral (select sum(c.w) m {body}) s on s.m > {n}", [f"{head}left join (select c.qid, sum(c.w) m from {c} c where {f} group by c.qid having sum(c.w) > {n}) s on s.qid = p.id"], [f"{head}cross join lateral (select sum(c.w) m {body}) s where s.m > {n}", f"{head}left join (select c.qid, sum(c.w) m from {c} c where {f} and c.w > {n} group by c.qid) s on s.qid = p.id"]),
            (f"{head}cross join lateral (select distinct c.w m {body}) s", [f"select distinct p.id, c.w from {p} p join {c} c on c.qid = p.id where {f}"], [f"select p.id, c.w from {p} p join {c} c on c.qid = p.id where {f}", f"select p.id, s.w from {p} p join (select distinct c.qid, c.pid, c.w from {c} c where {f}) s on s.qid = p.id"]),
            (f"select p.y from {p} p cross join lateral (select 1 {body} limit 1) s", [f"select p.y from {p} p where exists (select 1 {body})", f"select p.y from {p} p where p.id in (select c.qid from {c} c where {f})"], [f"select p.y from {p} p cross join lateral (select 1 {body} limit 2) s", f"select distinct p.y from {p} p where exists (select 1 {body})"]),
            (f"select p.id, s.v from {p} p cross join lateral (select p.y union select p.u) s(v)", [f"select id, y from {p} union select id, u from {p}"], [f"select p.id, s.v from {p} p cross join lateral (select p.y union all select p.u) s(v)", f"select id, y from {p} union select id, u from {p} where u is not null"]),
            (f"select p.id, s.v from {p} p left join lateral (select p.y + 1 v) s on p.u > {n}", [f"select id, case when u > {n} then y + 1 end from {p}"], [f"select id, y + 1 from {p}", f"select id, y + 1 from {p} where u > {n}"]),
            (f"select n.k, s.m from {one} n cross join lateral (select max(c.w) m from {c} c where c.id <= n.w) s", [f"select n.k, (select max(c.w) from {c} c where c.id <= n.w) from {one} n"], [f"select n.k, s.m from {one} n join (select id, max(w) m from {c} group by id) s on s.id <= n.w", f"select n.k, (select max(c.w) from {c} c where c.id < n.w) from {one} n"]),
        ]
    )  # fmt: skip


def shared(rnd: random.Random, w: World) -> Made:
    """12, M13, M14: CTEs and derived tables that are read more than once, nested and shadowing names."""
    p, (one, two) = w.parent, w.loose
    n = rnd.choice((0, 1, 2))
    f = predicate(rnd, "n", _column(w, one, "v"))
    q = f"with q as (select n.k, n.w from {one} n where {f}) "
    g = f"with q as (select n.k, sum(n.w) s, count(*) c from {one} n where {f} group by n.k) "
    return rnd.choice(
        [
            (g + "select a.k, b.s from q a join q b on a.k = b.k", [f"select n.k, sum(n.w) from {one} n where n.k is not null and {f} group by n.k"], [f"select n.k, sum(n.w) from {one} n where {f} group by n.k", g + "select a.k, b.s from q a join q b on a.c = b.c"]),
            (g + "select a.k, b.s from q a join q b on a.k is not distinct from b.k", [f"select n.k, sum(n.w) from {one} n where {f} group by n.k"], [g + "select a.k, b.s from q a join q b on a.k = b.k"]),
            (q + "select a.k, a.w from q a where a.w = (select max(b.w) from q b)", [f"select n.k, n.w from {one} n where {f} and n.w = (select max(n.w) from {one} n where {f})"], [f"select n.k, n.w from {one} n where {f} and n.w = (select min(n.w) from {one} n where {f})", f"select n.k, n.w from {one} n where {f} and n.w = (select max(m.w) from {two} m)"]),
            (q + "select k, w from q union all select k, w from q", [f"select n.k, n.w from {one} n cross join (values (1), (2)) z(z) where {f}"], [q + "select k, w from q union select k, w from q", q + "select k, w from q"]),
            (q + "select k from q except select k from q where w > 1", [f"select distinct n.k from {one} n where {f} and not exists (select 1 from {one} m where m.k is not distinct from n.k and m.w > 1 and {f.replace('n.', 'm.')})"], [q + "select k from q except all select k from q where w > 1", q + "select distinct k from q where not w > 1"]),
            (q + "select count(*) from q a, q b", [f"select (select count(*) from {one} n where {f}) * (select count(*) from {one} n where {f})"], [f"select count(*) from {one} n where {f}", q + "select count(*) from q a join q b on a.k = b.k"]),
            (f"with q as (select id, y from {p} where y > {n}) select a.id from q a where exists (select 1 from q b where b.id > a.id)", [f"select id from {p} where y > {n} and id < (select max(id) from {p} where y > {n})"], [f"select a.id from {p} a where a.y > {n} and exists (select 1 from {p} b where b.id > a.id)"]),
            (f"with {one} as (select k, w from {two}) select k, w from {one}", [f"select k, w from {two}"], [f"select k, w from {one}", f"with q as (select k, w from {two}) select k, w from {one}"]),
            (f"with q as (with q as (select k from {two}) select k from q where k > {n}) select a.k from q a", [f"select k from {two} where k > {n}"], [f"with q as (select k from {one}) select k from q where k > {n}"]),
            (f"select a.k from (select k from {one} limit {n}) a", [f"with q as (select k from {one} limit {n}) select k from q"] if n == 0 else [], [f"select k from {one}"]),
        ]
    )  # fmt: skip


def thresholds(rnd: random.Random, w: World) -> Made:
    """17, 15, M3, 1d: HAVING with counts over joins and outer joins, groups without rows, FILTER."""
    p, c, one = w.parent, w.child, w.loose[0]
    n = rnd.choice((0, 1, 2, 3))
    inner, outer = f"from {p} p join {c} c on c.qid = p.id", f"from {p} p left join {c} c on c.qid = p.id"
    group = "group by p.id having"
    return rnd.choice(
        [
            (f"select p.id {inner} {group} count(*) > {n}", [f"select p.id {inner} {group} count(c.id) >= {n + 1}", f"select p.id from {p} p where (select count(*) from {c} c where c.qid = p.id) > {n}", f"select p.id {inner} {group} count(c.w) > {n}"], [f"select p.id {inner} {group} count(*) > {n + 1}", f"select p.id {inner} {group} count(c.v) > {n}", f"select p.id {outer} {group} count(*) > {n}" if n == 0 else f"select p.id {inner} {group} count(distinct c.w) > {n}"]),
            (f"select p.id {outer} {group} count(c.id) > 0", [f"select p.id {inner} group by p.id", f"select p.id from {p} p where exists (select 1 from {c} c where c.qid = p.id)"], [f"select p.id {outer} {group} count(*) > 0", f"select p.id {outer} {group} count(c.v) > 0"]),
            (f"select p.id {outer} {group} count(c.id) = 0", [f"select p.id from {p} p where not exists (select 1 from {c} c where c.qid = p.id)", f"select p.id {outer} where c.id is null"], [f"select p.id {outer} {group} count(c.v) = 0", f"select p.id {outer} {group} count(*) = 1", f"select p.id {inner} {group} count(c.id) = 0"]),
            (f"select p.id, count(c.id) {outer} {group} count(c.id) <= {n}", [f"select p.id, (select count(*) from {c} c where c.qid = p.id) from {p} p where (select count(*) from {c} c where c.qid = p.id) <= {n}"], [f"select p.id, count(c.id) {inner} {group} count(c.id) <= {n}", f"select p.id, count(*) {outer} {group} count(*) <= {n + 1}"]),
            (f"select n.k from {one} n group by n.k having count(n.v) = count(*)", [f"select n.k from {one} n group by n.k having bool_and(n.v is not null)"], [f"select n.k from {one} n where n.v is not null group by n.k", f"select n.k from {one} n group by n.k having count(n.w) = count(*)"]),
            (f"select n.k, count(*) from {one} n where n.w > {n} group by n.k having min(n.w) > {n}", [f"select n.k, count(*) from {one} n where n.w > {n} group by n.k"], [f"select n.k, count(*) from {one} n group by n.k having min(n.w) > {n}", f"select n.k, count(*) from {one} n group by n.k having max(n.w) > {n}"]),
            (f"select count(*) from {one} n where n.w > {n} having count(*) > 0", [f"select q.c from (select count(*) c from {one} n where n.w > {n}) q where q.c > 0", f"select count(*) from {one} n where n.w > {n} group by n.w > {n}"], [f"select count(*) from {one} n where n.w > {n}", f"select count(*) from {one} n where n.w > {n} group by n.w"]),
            (f"select n.k, count(*) filter (where n.w > {n}) from {one} n group by n.k", [f"select n.k, sum(case when n.w > {n} then 1 else 0 end) from {one} n group by n.k", f"select n.k, count(case when n.w > {n} then 1 end) from {one} n group by n.k"], [f"select n.k, count(*) from {one} n where n.w > {n} group by n.k", f"select n.k, sum(1) filter (where n.w > {n}) from {one} n group by n.k"]),
            (f"select count(*) filter (where n.v > {n}) from {one} n", [f"select count(*) from {one} n where n.v > {n}", f"select count(*) filter (where n.v > {n} or null) from {one} n"], [f"select count(*) filter (where (n.v > {n}) is not false) from {one} n", f"select nullif(count(*), 0) from {one} n where n.v > {n}"]),
            (f"select max(n.w) from {one} n where n.w > {n} having true", [f"select max(n.w) from {one} n where n.w > {n}"], [f"select max(n.w) from {one} n where n.w > {n} having count(*) > 0", f"select max(n.w) from {one} n where n.w > {n} group by n.k"]),
            (f"select c.qid, count(*) from {c} c join {one} n on n.w = c.id group by c.qid having count(n.v) > {n}", [f"select c.qid, count(*) from {one} n join {c} c on c.id = n.w group by c.qid having count(case when n.v is not null then 1 end) > {n}"], [f"select c.qid, count(*) from {c} c join {one} n on n.w = c.id where n.v is not null group by c.qid having count(*) > {n}", f"select c.qid, count(*) from {c} c join {one} n on n.w = c.id group by c.qid having count(*) > {n}"]),
        ]
    )  # fmt: skip


def firsts(rnd: random.Random, w: World) -> Made:
    """14, M9, M11: DISTINCT ON inside blocks, frames by RANGE, GROUPS and EXCLUDE, positions."""
    p, one = w.parent, w.loose[0]
    n = rnd.choice((1, 2))
    return rnd.choice(
        [
            (f"select * from (select distinct on (n.k) n.k, n.w from {one} n order by n.k, n.w) s where s.k > {n}", [f"select n.k, min(n.w) from {one} n where n.k > {n} group by n.k"], [f"select n.k, max(n.w) from {one} n where n.k > {n} group by n.k", f"select n.k, min(n.w) from {one} n where n.k >= {n} group by n.k"]),
            (f"select * from (select distinct on (n.k) n.k, n.w from {one} n order by n.k, n.w) s where s.w > {n}", [f"select n.k, min(n.w) from {one} n group by n.k having min(n.w) > {n}"], [f"select n.k, min(n.w) from {one} n where n.w > {n} group by n.k"]),
            (f"select s.y, s.id from (select distinct on (y) y, id from {p} order by y, id desc) s", [f"select y, max(id) from {p} group by y", f"select a.y, a.id from {p} a where not exists (select 1 from {p} b where b.y = a.y and b.id > a.id)"], [f"select y, min(id) from {p} group by y", f"select s.y, s.id from (select distinct on (id) y, id from {p} order by id, y desc) s"]),
            (f"select s.u, s.id from (select distinct on (u) u, id from {p} order by u, id) s", [f"select u, min(id) from {p} group by u"], [f"select u, id from {p}", f"select u, min(id) from {p} where u is not null group by u"]),
            (f"select n.w, count(*) over (order by n.k groups current row) from {one} n", [f"select n.w, count(*) over (partition by n.k) from {one} n", f"select n.w, count(*) over (order by n.k range current row) from {one} n"], [f"select n.w, count(*) over (order by n.k rows current row) from {one} n", f"select n.w, count(*) over (order by n.k) from {one} n"]),
            (f"select n.w, sum(n.w) over (order by n.w range between {n} preceding and current row) from {one} n", [f"select n.w, (select sum(m.w) from {one} m where m.w between n.w - {n} and n.w) from {one} n"], [f"select n.w, sum(n.w) over (order by n.w groups between {n} preceding and current row) from {one} n", f"select n.w, sum(n.w) over (order by n.w rows between {n} preceding and current row) from {one} n"]),
            (f"select id, count(*) over (rows between unbounded preceding and unbounded following exclude current row) from {p}", [f"select id, count(*) over () - 1 from {p}"], [f"select id, count(*) over () from {p}"]),
            (f"select n.k, count(*) over (order by n.k rows between unbounded preceding and unbounded following exclude group) from {one} n", [f"select n.k, (select count(*) from {one} m where m.k is distinct from n.k) from {one} n"], [f"select n.k, (select count(*) from {one} m where m.k <> n.k) from {one} n", f"select n.k, count(*) over (order by n.k rows between unbounded preceding and unbounded following exclude ties) from {one} n"]),
            (f"select id, last_value(y) over (order by id) from {p}", [f"select id, y from {p}"], [f"select id, first_value(y) over (order by id) from {p}", f"select id, last_value(y) over (order by id rows between unbounded preceding and unbounded following) from {p}"]),
            (f"select distinct count(*) over (partition by n.k) from {one} n", [f"select distinct count(*) from {one} n group by n.k"], [f"select count(*) from {one} n group by n.k", f"select distinct count(n.k) from {one} n group by n.k"]),
        ]
    )  # fmt: skip


def nullable_sets(rnd: random.Random, w: World) -> Made:
    """M12, 17, M3: grouping sets over keys that are NULL themselves, sets that repeat, no rows at all."""
    one = w.loose[0]
    n = rnd.choice((0, 1, 2))
    return rnd.choice(
        [
            (f"select k, count(*) from {one} group by rollup (k) having k is not null", [f"select k, count(*) from {one} where k is not null group by k"], [f"select k, count(*) from {one} group by k", f"select k, count(*) from {one} group by rollup (k) having grouping(k) = 0"]),
            (f"select k, count(*) from {one} group by grouping sets ((k), (k))", [f"select k, count(*) from {one} group by k union all select k, count(*) from {one} group by k"], [f"select k, count(*) from {one} group by k", f"select k, count(*) from {one} group by grouping sets ((k), ())"]),
            (f"select count(*) from {one} where w > {n} group by grouping sets ((), ())", [f"select count(*) from {one} where w > {n} union all select count(*) from {one} where w > {n}"], [f"select count(*) from {one} where w > {n}", f"select count(*) from {one} where w > {n} union select count(*) from {one} where w > {n}"]),
            (f"select coalesce(k, -1), sum(w) from {one} group by grouping sets ((k), ())", [f"select coalesce(k, -1), sum(w) from {one} group by k union all select -1, sum(w) from {one}"], [f"select coalesce(k, -1), sum(w) from {one} group by grouping sets ((coalesce(k, -1)), ())" if n else f"select k, sum(w) from {one} group by grouping sets ((k), ())", f"select coalesce(k, -1), sum(w) from {one} group by k"]),
            (f"select k, grouping(k), sum(k) from {one} group by rollup (k)", [f"select k, 0, sum(k) from {one} group by k union all select null, 1, sum(k) from {one}"], [f"select k, 0, sum(k) from {one} group by k union all select null, 1, null from {one} group by ()", f"select k, case when k is null then 1 else 0 end, sum(k) from {one} group by rollup (k)"]),
            (f"select k, w, count(*) from {one} where k = {n} group by cube (k, w)", [f"select k, w, count(*) from {one} where k = {n} group by grouping sets ((k, w), (k), (w), ())"], [f"select {n}, w, count(*) from {one} where k = {n} group by cube (k, w)", f"select k, w, count(*) from {one} group by cube (k, w) having k = {n}"]),
            (f"select distinct k from {one} group by rollup (k)", [f"select k from {one} group by k union select null"], [f"select distinct k from {one}", f"select k from {one} group by rollup (k)"]),
        ]
    )  # fmt: skip


def merged(rnd: random.Random, w: World) -> Made:
    """M14, M2, 9: columns merged by USING, rows compared with NULLs inside, multiplicities of ALL."""
    p, (one, two) = w.parent, w.loose
    a, b = f"select k from {one}", f"select k from {two}"
    n = rnd.choice((0, 1, 2))
    return rnd.choice(
        [
            (f"select k, n.v, m.v from {one} n full join {two} m using (k)", [f"select coalesce(n.k, m.k), n.v, m.v from {one} n full join {two} m on n.k = m.k"], [f"select n.k, n.v, m.v from {one} n full join {two} m using (k)", f"select k, n.v, m.v from {one} n left join {two} m using (k)"]),
            (f"select k from {one} n full join {two} m using (k) where k > {n}", [f"select coalesce(n.k, m.k) from {one} n full join {two} m on n.k = m.k where n.k > {n} or m.k > {n}"], [f"select k from {one} n full join {two} m using (k) where n.k > {n}", f"select k from (select * from {one} where k > {n}) n full join {two} m using (k)"]),
            (f"select k from {one} n right join {two} m using (k)", [f"select m.k from {one} n right join {two} m on n.k = m.k"], [f"select n.k from {one} n right join {two} m using (k)"]),
            (f"select count(*) from {one} n natural join (select k, w from {two}) m", [f"select count(*) from {one} n join {two} m using (k, w)", f"select count(*) from {one} n join {two} m on n.k = m.k and n.w = m.w"], [f"select count(*) from {one} n natural join (select k, v as w2 from {two}) m", f"select count(*) from {one} n join {two} m using (w)"]),
            (f"select n.w from {one} n where (n.k, n.v) in (select m.k, m.v from {two} m)", [f"select n.w from {one} n where exists (select 1 from {two} m where m.k = n.k and m.v = n.v)"], [f"select n.w from {one} n where exists (select 1 from {two} m where m.k = n.k and m.v is not distinct from n.v)"]),
            (f"select n.w from {one} n where (n.k, n.w) not in (select m.k, m.w from {two} m)", [f"select n.w from {one} n where not exists (select 1 from {two} m where m.w = n.w and (m.k = n.k or m.k is null or n.k is null))"], [f"select n.w from {one} n where not exists (select 1 from {two} m where m.w = n.w and m.k = n.k)"]),
            (f"select n.w from {one} n where (n.k, n.w) <> ({n}, 1)", [f"select n.w from {one} n where n.k <> {n} or n.w <> 1"], [f"select n.w from {one} n where n.k <> {n} and n.w <> 1", f"select n.w from {one} n where (n.k, n.w) is distinct from ({n}, 1)"]),
            (f"select n.w from {one} n where n.k in ({n}, null)", [f"select n.w from {one} n where n.k = {n}"], [f"select n.w from {one} n where n.k = {n} or n.k is null"]),
            (f"select n.k not in ({n}, null), n.w from {one} n", [f"select case when n.k = {n} then false end, n.w from {one} n"], [f"select n.k <> {n}, n.w from {one} n"]),
            (f"({a} union all {b}) except all {b}", [a], [f"{a} except {b}", f"({a} union {b}) except all {b}"]),
            (f"{a} except all ({b} union all {b})", [f"({a} except all {b}) except all {b}"], [f"{a} except all {b}", f"({a} except all {b}) except {b}"]),
            (f"{a} intersect all {a}", [a], [f"{a} intersect {a}"]),
            (f"select id from {p} except all select k from {one}", [f"select id from {p} where not exists (select 1 from {one} n where n.k = id)", f"select id from {p} except select k from {one}"], [f"select id from {p} where id not in (select k from {one})"]),
        ]
    )  # fmt: skip


def empties(rnd: random.Random, w: World) -> Made:
    """M3, 6e, 16: aggregates of nothing, conditions that are never true, LIMIT 0."""
    p, one = w.parent, w.loose[0]
    never = rnd.choice(("false", "n.w < n.w", "n.k = null", "n.w > 2 and n.w < 1", "n.k is null and n.k > 0"))
    return rnd.choice(
        [
            (f"select count(*), sum(n.w), max(n.k) from {one} n where {never}", ["select 0::bigint, null::bigint, null::int"], [f"select count(*), sum(n.w), max(n.k) from {one} n where {never} group by n.g", "select 0::bigint, 0::bigint, null::int"]),
            (f"select n.k, count(*) from {one} n where {never} group by n.k", [f"select n.k, count(*) from {one} n group by n.k having false", f"select n.k, 1::bigint from {one} n limit 0"], [f"select n.k, count(*) filter (where {never}) from {one} n group by n.k"]),
            (f"select p.id, (select count(*) from {one} n where {never}) from {p} p", [f"select id, 0::bigint from {p}"], [f"select id, null::bigint from {p}", f"select p.id, (select count(*) from {one} n where {never} group by n.k) from {p} p"]),
            (f"select p.id from {p} p left join {one} n on {never}", [f"select id from {p}"], [f"select p.id from {p} p left join {one} n on true where {never}"]),
            (f"select bool_and(n.k > 0), bool_or(n.k > 0) from {one} n where {never}", ["select null::bool, null::bool"], ["select true, false"]),
            (f"select p.id from {p} p where p.y > all (select n.w from {one} n where {never})", [f"select id from {p}"], [f"select p.id from {p} p where p.y > (select max(n.w) from {one} n where {never})", f"select p.id from {p} p where p.y > any (select n.w from {one} n where {never})"]),
            (f"select coalesce(sum(n.w) filter (where n.k > 0), 0) from {one} n", [f"select coalesce(sum(n.w), 0) from {one} n where n.k > 0"], [f"select sum(n.w) from {one} n where n.k > 0", f"select coalesce(sum(n.w) filter (where (n.k > 0) is not false), 0) from {one} n"]),
            (f"select id from {p} where exists (select 1 from {one} limit 0)", [f"select id from {p} where false"], [f"select id from {p} where exists (select 1 from {one} limit 1)"]),
            (f"select id from {p} where exists (select count(*) from {one} n where {never})", [f"select id from {p}"], [f"select id from {p} where exists (select n.k from {one} n where {never})"]),
        ]
    )  # fmt: skip


def blanks(rnd: random.Random, w: World) -> Made:
    """M4, M5: char(n) beside text, scales that show, NaN and -0, floats and integers, casts that lose."""
    t = w.typed
    n = rnd.choice((0, 1, 2))
    return rnd.choice(
        [
            (f"select r.k from {t} r where r.c = 'a'", [f"select r.k from {t} r where r.c = 'a '", f"select r.k from {t} r where r.c::text = 'a'"], [f"select r.k from {t} r where r.c::text = 'a   '", f"select r.k from {t} r where r.c like 'a'"]),
            (f"select r.c || 'x' from {t} r", [f"select r.c::text || 'x' from {t} r"], [f"select rpad(r.c::text, 4) || 'x' from {t} r"]),
            (f"select r.c from {t} r where r.c = r.t", [f"select r.c from {t} r where r.t = r.c"], [f"select r.c from {t} r where rtrim(r.t) = r.c", f"select r.c from {t} r where r.t = r.c or r.t = r.c::text || ' '"]),
            (f"select r.p from {t} r where r.p = r.n", [f"select r.p from {t} r where r.n = r.p"], [f"select r.n from {t} r where r.p = r.n"]),
            (f"select distinct r.p from {t} r where r.p = {n}", [f"select {n}.00::numeric(8,2) from {t} r where r.p = {n} limit 1"], [f"select {n}::numeric from {t} r where r.p = {n} limit 1"]),
            (f"select r.n + 0 from {t} r", [f"select 0 + r.n from {t} r"], [f"select r.n + 0.0 from {t} r"]),
            (f"select r.k from {t} r where r.f = r.f", [f"select r.k from {t} r where r.f is not null"], [f"select r.k from {t} r where r.f < 'Infinity' or r.f = 'Infinity'", f"select r.k from {t} r where r.f - r.f = 0"]),
            (f"select r.f from {t} r where r.f = 0", [f"select r.f from {t} r where 0 = r.f"], [f"select 0::float8 from {t} r where r.f = 0", f"select abs(r.f) from {t} r where r.f = 0"]),
            (f"select r.k from {t} r where r.f > {n}", [f"select r.k from {t} r where not r.f <= {n}"], [f"select r.k from {t} r where r.f > {n} and r.f <= 'Infinity'"]),
            (f"select r.i / 2 + r.i / 2 from {t} r", [f"select 2 * (r.i / 2) from {t} r"], [f"select r.i from {t} r"]),
            (f"select r.t from {t} r where r.t = r.v", [f"select r.v::text from {t} r where r.v = r.t"], [f"select r.t::char(4)::text from {t} r where r.t = r.v"]),
            (f"select r.p::int from {t} r", [f"select round(r.p)::int from {t} r"], [f"select trunc(r.p)::int from {t} r"]),
            (f"select r.i % 3 from {t} r", [f"select r.i - 3 * (r.i / 3) from {t} r"], [f"select ((r.i % 3) + 3) % 3 from {t} r"]),
            (f'select r.k from {t} r where r.t < r.x collate "default"', [f'select r.k from {t} r where r.t collate "default" < r.x'], [f'select r.k from {t} r where r.t <= r.x collate "default"']),
            (f"select string_agg(r.t, ',' order by r.k, r.t) from {t} r", [f"select string_agg(r.t, ',' order by r.k, r.t nulls last) from {t} r"], [f"select string_agg(r.t, ',' order by r.t, r.k) from {t} r", f"select string_agg(coalesce(r.t, ''), ',' order by r.k, r.t) from {t} r"]),
        ]
    )  # fmt: skip


_CALLS = ("random()", "extract(epoch from clock_timestamp())", "length(gen_random_uuid()::text)")


def volatile(rnd: random.Random, w: World) -> Made:
    """M8, 12: a volatile call, plain or hidden where it may run once, often or never."""
    p, c, one = w.parent, w.child, w.loose[0]
    v = rnd.choice(_CALLS)
    return rnd.choice(
        [
            (f"select id, {v} > 0 from {p}", [], [f"select id, true from {p}", f"select id, {v} > 0 from {p} where id is not null"]),
            (f"select p.id, s.r from {p} p cross join lateral (select {v} r) s", [], [f"select p.id, {v} r from {p} p"]),
            (f"select p.id, s.r from {p} p left join lateral (select p.y + {v} r) s on true", [], [f"select p.id, p.y + {v} r from {p} p"]),
            (f"with q as (select id, {v} r from {p}) select a.id from q a join q b on a.id = b.id and a.r = b.r", [], [f"select id from {p}"]),
            (f"with q as materialized (select {v} r) select a.r = b.r from q a, q b", [], ["select true", f"select {v} = {v}"]),
            (f"select case when y > 1 then {v} end from {p}", [], [f"select case when y <= 1 then null else {v} end from {p}"]),
            (f"select case when false then {v} end, id from {p}", [], [f"select null::float8, id from {p}"]),
            (f"select id from {p} where exists (select 1 from {c} c where c.qid = {p}.id and {v} >= 0)", [], [f"select id from {p} where exists (select 1 from {c} c where c.qid = {p}.id)"]),
            (f"select k, count(*) filter (where {v} >= 0) from {one} group by k", [], [f"select k, count(*) from {one} group by k"]),
            (f"select k from {one} group by k having max({v}) >= 0", [], [f"select distinct k from {one}"]),
            (f"select k from {one} order by {v}", [], [f"select k from {one} order by {v} desc"]),
            (f"select distinct on (k) k, w from {one} order by k, {v}", [], [f"select distinct on (k) k, w from {one} order by k, w"]),
            (f"select id from {p} where y in (select {v}::int from {one})", [], [f"select id from {p} where exists (select 1 from {one} where y = {v}::int)"]),
            (f"select coalesce(y, {v}) from {p}", [], [f"select y::float8 from {p}"]),
            (f"select count(*) from (select {v} from {p}) s", [], [f"select count(*) from {p}"]),
            (f"select row_number() over (order by {v}) from {p}", [], [f"select row_number() over (order by id) from {p}"]),
            (f"select k from {one} union select ({v} * 0)::int", [], [f"select k from {one} union select 0"]),
        ]
    )  # fmt: skip


BODIES = (lateral_bodies, shared, thresholds, firsts, nullable_sets, merged, empties, blanks)
VOLATILE = (volatile,)
