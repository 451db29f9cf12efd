-- family: distinct in aggregates
select p.g, count(distinct p.y) filter (where {c}) from t p group by p.g;
select p.g, count(distinct case when {c} then p.y end) from t p group by p.g;
select p.g, count(distinct p.y) from t p where {c} group by p.g;
select g, count(y) filter (where k) from (select distinct g, y, ({c}) k from t p) q group by g;
select g, count(y) from (select distinct p.g, case when {c} then p.y end y from t p) q group by g;
select z.g, (select count(*) from (select distinct p.y from t p where p.g is not distinct from z.g and {c} and p.y is not null) q) from (select distinct g from t) z;
select p.g, cardinality(array_agg(distinct p.y) filter (where {c} and p.y is not null)) from t p group by p.g;
select p.g, coalesce(cardinality(array_agg(distinct p.y) filter (where {c} and p.y is not null)), 0)::bigint from t p group by p.g;
select p.g, count(distinct p.y) filter (where ({c}) is true) from t p group by p.g;
select p.g, max(r) from (select p.g, dense_rank() over (partition by p.g order by p.y) r from t p where {c}) p group by p.g
-- family: orders in aggregates
select p.g, array_agg({v} order by p.id) from t p group by p.g;
select p.g, array_agg({v} order by p.id, {v}) from t p group by p.g;
select p.g, array_agg({v} order by p.id desc) from t p group by p.g;
select p.g, array_agg({v}) from (select * from t order by id) p group by p.g;
select p.g, array_agg({v}) from (select * from t order by g, id) p group by p.g;
select p.g, array_agg({v} order by p.id nulls first) from t p group by p.g;
select p.g, array_agg({v} order by p.id + 0) from t p group by p.g;
select p.g, array_agg({v} order by p.g, p.id) from t p group by p.g;
select p.g, array_agg(distinct {v}) from t p group by p.g;
select p.g, array_agg(distinct {v} order by {v}) from t p group by p.g;
select p.g, array_agg({v} order by {v}) from t p group by p.g;
select p.g, array_agg({v} order by {v}, p.id) from t p group by p.g
-- family: one of a sorted list
select percentile_disc(0) within group (order by {o}) from t p;
select min({o}) from t p;
select (array_agg({o} order by {o}))[1] from t p;
select {o} from t p order by {o} limit 1;
select (select {o} from t p order by {o} limit 1);
select percentile_disc(1) within group (order by {o}) from t p;
select percentile_disc(0) within group (order by {o} desc) from t p;
select percentile_disc(0) within group (order by {o} desc nulls last) from t p;
select max({o}) from t p;
select mode() within group (order by {o}) from t p;
select (percentile_disc(array[0, 1]) within group (order by {o}))[1] from t p;
select first_value({o}) over (order by {o}) from t p limit 1
-- family: the middle
select percentile_disc(0.5) within group (order by p.x) from t p;
select percentile_disc(0.5) within group (order by p.x desc) from t p;
select percentile_cont(0.5) within group (order by p.x) from t p;
select percentile_cont(0.5) within group (order by p.x desc) from t p;
select percentile_cont(0.5) within group (order by p.f) from t p;
select percentile_cont(0.5) within group (order by p.x::float8) from t p;
select percentile_cont(0.5) within group (order by -p.x) from t p;
select x from (select x, row_number() over (order by x) r, count(*) over () n from t) q where r = (n + 1) / 2;
select percentile_cont(0) within group (order by p.x) from t p;
select min(p.x)::float8 from t p;
select percentile_cont(null) within group (order by p.x) from t p;
select percentile_disc(0.5) within group (order by p.x) filter (where p.x is not null) from t p
-- family: frames that exclude
select p.id, sum({i}) over (rows between unbounded preceding and unbounded following exclude current row) from t p;
select p.id, sum({i}) over () - {i} from t p;
select p.id, sum({i}) over (order by p.id rows between unbounded preceding and unbounded following exclude current row) from t p;
select p.id, sum({i}) over (order by p.id range between unbounded preceding and unbounded following exclude group) from t p;
select p.id, sum({i}) over (order by p.id range between unbounded preceding and unbounded following exclude ties) from t p;
select p.id, sum({i}) over () from t p;
select p.id, (select sum({i}) from t p where p.id <> o.id) from t o, lateral (select o.*) p;
select p.id, sum({i}) over (order by p.x groups between unbounded preceding and unbounded following exclude group) from t p;
select p.id, sum({i}) over (order by p.x groups between unbounded preceding and unbounded following exclude ties) from t p;
select p.id, sum({i}) over (order by p.x groups between unbounded preceding and unbounded following exclude no others) from t p;
select p.id, sum({i}) over (order by p.x range between unbounded preceding and current row exclude group) from t p;
select p.id, sum({i}) over (order by p.x groups between unbounded preceding and 1 preceding) from t p;
select p.id, sum({i}) over (order by p.id rows between unbounded preceding and current row exclude current row) from t p;
select p.id, sum({i}) over (order by p.id rows between unbounded preceding and 1 preceding) from t p;
select p.id, sum({i}) over (partition by p.id rows between unbounded preceding and unbounded following exclude current row) from t p
-- family: frames of days
select p.id, count(*) over (order by p.d range between '1 day' preceding and current row) from t p;
select p.id, count(*) over (order by p.d range between '1 day'::interval preceding and current row) from t p;
select p.id, (select count(*) from t q where q.d between p.d - 1 and p.d) from t p;
select p.id, (select count(*) from t q where q.d between p.d - interval '1 day' and p.d) from t p;
select p.id, count(*) over (order by p.ts range between '1 day' preceding and current row) from t p;
select p.id, count(*) over (order by p.d range between '24 hours' preceding and current row) from t p;
select p.id, count(*) over (order by p.d range between '1 month' preceding and current row) from t p;
select p.id, count(*) over (order by p.d range between '30 days' preceding and current row) from t p;
select p.id, count(*) over (order by p.d desc range between current row and '1 day' following) from t p;
select p.id, count(*) over (order by p.d range between '0 days' preceding and current row) from t p;
select p.id, count(*) over (order by p.d range current row) from t p;
select p.id, count(*) over (partition by p.d) from t p;
select p.id, count(*) over (order by p.d range between current row and current row) from t p
-- family: first of several
select distinct on (p.g, p.b) p.g, p.b, {v} from t p order by p.g, p.b, p.id;
select distinct on (p.b, p.g) p.g, p.b, {v} from t p order by p.g, p.b, p.id;
select distinct on (p.g, p.b) p.g, p.b, {v} from t p order by p.b, p.g, p.id;
select distinct on (p.g, p.b, p.g) p.g, p.b, {v} from t p order by p.g, p.b, p.id;
select distinct on (p.g, p.b) p.g, p.b, {v} from t p order by p.g, p.b nulls first, p.id;
select distinct on (p.g, p.b) p.g, p.b, {v} from t p order by p.g, p.b desc, p.id;
select * from (select distinct on (g, b) p.g, p.b, {v} from t p order by g, b, id) q order by g, b;
select g, b, y from (select p.g, p.b, {v} y, row_number() over (partition by p.g, p.b order by p.id) r from t p) q where r = 1 order by g, b;
select distinct on (p.g) p.g, p.b, {v} from t p order by p.g, p.b, p.id;
select distinct on (p.g, coalesce(p.b, false)) p.g, p.b, {v} from t p order by p.g, coalesce(p.b, false), p.id;
select distinct on (1, 2) p.g, p.b, {v} from t p order by 1, 2, p.id
-- family: first above firsts
select distinct on (p.g) p.g, p.id from t p where {c} order by p.g, p.id;
select g, id from (select distinct on (p.g) * from t p order by p.g, p.id) p where {c};
select distinct on (p.g) p.g, p.id from (select distinct on (p.g, p.x) * from t p where {c} order by p.g, p.x, p.id) p order by p.g, p.id;
select distinct on (p.g) p.g, p.id from (select * from t p where {c} order by p.id limit 100) p order by p.g, p.id;
select p.g, min(p.id) from t p where {c} group by p.g;
select distinct p.g, min(p.id) over (partition by p.g) from t p where {c};
select distinct p.g, first_value(p.id) over (partition by p.g order by p.id) from t p where {c};
select p.g, p.id from t p where {c} and not exists (select 1 from t q, lateral (select q.*) z where z.g = p.g and z.id < p.id);
select p.g, p.id from t p where p.id in (select min(p.id) from t p where {c} group by p.g);
select p.g, p.id from t p where {c} and p.id = (select min(q.id) from t q where q.g is not distinct from p.g)
-- family: rows that tie
select p.id from t p where {c} order by p.x fetch first 1 row with ties;
select p.id from t p where {c} and p.x = (select min(p.x) from t p where {c});
select p.id from t p where {c} and p.x <= all (select p.x from t p where {c});
select id from (select p.id, rank() over (order by p.x) r from t p where {c}) q where r = 1;
select id from (select p.id, dense_rank() over (order by p.x) r from t p where {c}) q where r = 1;
select id from (select p.id, p.x, min(p.x) over () m from t p where {c}) q where x = m;
select id from (select p.id, p.x from t p where {c} order by p.x fetch first 1 row with ties) q;
select p.id from t p where {c} and not exists (select 1 from t q where q.x < p.x);
select p.id from t p where {c} order by p.x, p.id fetch first 1 row with ties;
select p.id from t p where {c} order by p.x offset 0 fetch next 1 rows with ties
-- family: rows that tie with nulls
select p.id from t p order by p.y desc fetch first 2 rows with ties;
select id from (select p.id, rank() over (order by p.y desc) r from t p) q where r <= 2;
select id from (select p.id, rank() over (order by p.y desc nulls last) r from t p) q where r <= 2;
select p.id from t p order by p.y desc nulls last fetch first 2 rows with ties;
select p.id from t p where (select count(*) from t q where q.y > p.y) < 2;
select p.id from t p where (select count(*) from t q where q.y > p.y or q.y is null and p.y is not null) < 2;
select p.id from t p order by p.y desc, p.id fetch first 2 rows with ties;
select p.id from t p order by p.y desc offset 1 fetch first 1 row with ties;
select p.id from t p order by p.y desc fetch first 0 rows with ties;
select p.id from t p order by p.y desc fetch first (null) rows with ties
-- family: cuts of cuts
select id from (select id from t p where {c} order by id limit 3) q order by id limit 2;
select id from t p where {c} order by id limit 2;
select id from (select id from t p where {c} order by id limit 2) q order by id limit 3;
select id from (select id from t p where {c} order by id offset 1 limit 3) q order by id offset 1 limit 3;
select id from t p where {c} order by id offset 2 limit 2;
select id from t p where {c} order by id offset 2 limit 3;
select id from (select id from t p where {c} order by id offset 1) q order by id offset 1;
select id from t p where {c} order by id offset 2;
select id from (select id from t p order by id limit 3) q(id) join t p using (id) where {c} order by id limit 2;
select id from (select id from t p where {c} order by id desc limit 3) q order by id limit 2;
select id from (select id from t p where {c} order by id limit 3) q order by id offset 1 limit 1;
select id from t p where {c} order by id offset 1 limit 1;
select id from (select id, row_number() over (order by id) r from t p where {c}) q where r between 2 and 2 order by id;
select id from (select id from t p where {c} order by id limit 3) q where id > 0 order by id limit 2
-- family: three full joins
select id, p.x, u.k, w.k from t p full join u using (id) full join w using (id);
select id, p.x, u.k, w.k from u full join t p using (id) full join w using (id);
select coalesce(p.id, u.id, w.id), p.x, u.k, w.k from t p full join u on u.id = p.id full join w on w.id = coalesce(p.id, u.id);
select coalesce(p.id, u.id, w.id), p.x, u.k, w.k from t p full join u on u.id = p.id full join w on w.id = p.id;
select id, p.x, u.k, w.k from t p full join (u full join w using (id)) using (id);
select id, max(x), max(k), max(l) from (select id, x, null::int k, null::int l from t union all select id, null, k, null from u union all select id, null, null, k from w) q group by id;
select id, p.x, u.k, w.k from (select id from t union select id from u union select id from w) i left join t p using (id) left join u using (id) left join w using (id);
select id, p.x, u.k, w.k from t p full join u using (id) left join w using (id);
select id, p.x, u.k, w.k from w right join (t p full join u using (id)) using (id)
-- family: natural
select id, x, y from (select id, x, g from t) a natural join (select id, y from t) b;
select id, x, y from t;
select id, x, y from (select id, x, g from t) a natural join (select id, g, y from t) b;
select id, x, y from (select id, x, g from t) a join (select id, g, y from t) b using (id);
select id, x, y from (select id, x, g from t) a join (select id, g, y from t) b using (id, g);
select id, x, y from (select id, x, g from t) a natural left join (select id, g, y from t) b;
select id, x, y from t where g is not null;
select id, x, y from (select x, y, id from t) a natural join (table t) b;
select id, x, y from (select id, x from t) a natural full join (select id, y from t) b;
select count(*) from (select x from t) a natural join (select y from t) b;
select count(*) from t a, t b;
select count(*) from (select id, x from t) a natural join (select id, y from t) b
-- family: rounds
with recursive r(id, uid) as (select id, uid from t where oid is null union all select t.id, t.uid from r, t where t.oid = r.id) select id from r;
with recursive r(id, uid) as (select id, uid from t where oid is null union select t.id, t.uid from r, t where t.oid = r.id) select id from r;
with recursive r(id, uid) as (select id, uid from t where oid is null union all select t.id, t.uid from r join t on t.oid = r.id) select id from r;
with recursive r(id, uid) as (select id, uid from t where oid is null union all select t.id, t.uid from r left join t on t.oid = r.id where t.id is not null) select id from r;
with recursive r(id, z) as (select id, 0 from t where oid is null union all select t.id, z + 1 from r, t where t.oid = r.id and z < 5) select id from r;
with recursive r(id, z) as (select id, 0 from t where oid is null union all select t.id, z + 1 from r, t where t.oid = r.id and z < 5) select id from r where z <= 5;
with recursive r(id, z) as (select id, 0 from t where oid is null union select t.id, z from r, t where t.oid = r.id and z < 5) select id from r
-- family: lateral series
select p.id, z from t p, generate_series(1, p.x) z;
select p.id, z from t p cross join lateral generate_series(1, p.x) z;
select p.id, generate_series(1, p.x) from t p;
select p.id, z from t p left join generate_series(1, p.x) z on true;
select p.id, z from t p left join generate_series(1, p.x) z on true where z is not null;
select p.id, z from t p join generate_series(1, 3) z on z <= p.x;
select p.id, z from t p join generate_series(1, 3) z on z <= p.x where p.x <= 3;
select p.id, z from t p, generate_series(1, p.x) z where p.x <= 3;
select p.id, z from t p, generate_series(p.x, 1, -1) z;
select p.id, z from t p, lateral (select * from generate_series(1, p.x) order by 1 desc) q(z);
select p.id, z from t p, generate_series(1, p.x::bigint) z;
select p.id, z from t p, unnest(array(select generate_series(1, p.x))) z;
select p.id, j::int from t p, generate_series(2, p.x + 1) with ordinality q(z, j)
-- family: numbered elements
select p.id, z from t p, unnest(p.a) with ordinality q(z, j) where j = 1;
select p.id, p.a[1] from t p where cardinality(p.a) > 0;
select p.id, p.a[1] from t p where array_length(p.a, 1) >= 1;
select p.id, p.a[array_lower(p.a, 1)] from t p where cardinality(p.a) > 0;
select p.id, z from t p, lateral (select z from unnest(p.a) z limit 1) q;
select p.id, z from t p, unnest(p.a) with ordinality q(z, j) where j <= 1;
select p.id, z from t p, unnest(p.a) with ordinality q(z, j) where j between 1 and 1 and z = z;
select p.id, p.a[1] from t p where p.a[1] is not null;
select p.id, z from t p, unnest(p.a[1:1]) z;
select distinct on (p.id) p.id, z from t p, unnest(p.a) with ordinality q(z, j) order by p.id, j;
select p.id, (array_agg(z order by j))[1] from t p, unnest(p.a) with ordinality q(z, j) group by p.id
-- family: lists with nulls
select p.id from t p where p.y in (1, null);
select p.id from t p where p.y = 1;
select p.id from t p where p.y = any (array[1, null]);
select p.id from t p where p.y = any ('{1,null}');
select p.id from t p where p.y not in (1, null);
select p.id from t p where p.y <> all (array[1, null]);
select p.id from t p where false;
select p.id from t p where (p.y in (1, null)) is not true;
select p.id from t p where (p.y not in (1, null)) is null;
select p.id from t p where p.y is distinct from 1;
select p.id from t p where (p.y in (1, null)) is null;
select p.id from t p where p.y <> any (array[1, null]);
select p.id from t p where p.y <> 1;
select p.id from t p where p.y = all (array[1, null]);
select p.id from t p where p.y = any (null::int[]);
select p.id from t p where p.y = all ('{}'::int[]);
select p.id from t p where p.y <> all ('{}'::int[]);
select p.id from t p where not (p.y = any ('{}'));
select p.id from t p;
select p.id from t p where (p.y = any (null::int[])) is null;
select p.id from t p where p.y > any (array[0, null]);
select p.id from t p where p.y > 0;
select p.id from t p where p.y > all (array[0, null]);
select p.id from t p where p.y = any (array[[1, 2], [3, null]]);
select p.id from t p where p.y in (1, 2, 3)
-- family: values of lists with nulls
select p.id, p.y in (1, null) from t p;
select p.id, p.y = any (array[1, null]) from t p;
select p.id, p.y = 1 or null from t p;
select p.id, case when p.y = 1 then true end from t p;
select p.id, nullif(p.y = 1, false) from t p;
select p.id, (p.y = 1) or null::bool from t p;
select p.id, p.y in (values (1), (null)) from t p;
select p.id, p.y in (select unnest(array[1, null])) from t p;
select p.id, not (p.y not in (1, null)) from t p;
select p.id, (select bool_or(p.y = z) from (values (1), (null)) q(z)) from t p;
select p.id, exists (select 1 from (values (1), (null)) q(z) where p.y = z) from t p;
select p.id, p.y = any (array_append(array[1], null)) from t p;
select p.id, coalesce(p.y = 1, null) from t p;
select p.id, null in (p.y, 1) from t p;
select p.id, null::bool from t p
-- family: chance
select id from t where random() >= 0;
select id from t;
select id from t where random() < 2;
select id from t where (select random()) < 2;
select id from (select id, random() r from t) q;
select id from (select id, random() r from t) q where r = r;
select id from (select id, random() r from t) q where r >= 0 and r < 1;
with z as (select id, random() r from t) select a.id from z a join z b on a.id = b.id and a.r = b.r;
with z as not materialized (select id, random() r from t) select a.id from z a join z b on a.id = b.id and a.r = b.r;
select a.id from (select id, random() r from t) a join (select id, random() r from t) b on a.id = b.id and a.r = b.r;
select id from t where random() = random();
select id from t where random() <> random();
select id from t order by random() limit 100;
select id from t where id = any (array(select id from t order by random()));
select distinct id from (select id, random() > 2 k from t) q;
select distinct id, k from (select id, random() > 2 k from t) q(id, k)
-- family: chances once
select count(*) from (select distinct random() from t) q;
select count(*) from (select distinct (select random()) from t) q;
select count(*) from (select random() from t) q;
select count(distinct r) from (select random() r from t) q;
select count(distinct r) from (select (select random()) r from t) q;
select count(distinct r) from t, (select random() r) q;
select count(distinct r) from t, lateral (select random() r) q;
select count(distinct r) from t p, lateral (select random() + p.id * 0 r) q;
select count(*) from t;
select least(count(*), 1) from t;
select count(distinct gen_random_uuid()) from t;
select count(distinct clock_timestamp() is null) from t;
select count(distinct now()) from t;
select count(distinct statement_timestamp()) from t;
select count(distinct current_timestamp) from t
-- family: views that hide
select p.id, p.y from vb p where p.y is not null or true;
select p.id, p.y from t p where p.x > 0;
select p.id, p.y from vb p;
select p.id, p.y from vt p;
select p.id, p.y from vb p where 10 / p.x > 2;
select p.id, p.y from vt p where 10 / p.x > 2;
select p.id, p.y from t p where p.x > 0 and 10 / p.x > 2;
select p.id, p.y from t p where case when p.x > 0 then 10 / p.x > 2 end;
select p.id, p.y from vb p where p.x > 0;
select p.id, p.y from vb p join t using (id);
select p.id, p.y from (select * from vb order by id) p;
select p.id, p.y from t p where p.id in (select id from vb)
-- family: views of groups
select uid, n from vu;
select uid, count(*) from t group by uid;
select uid, n from vu where sx is not null;
select u.id, v.n from u join vu v on v.uid = u.id;
select u.id, v.n from u left join vu v on v.uid = u.id;
select u.id, count(*) from u join t on t.uid = u.id group by u.id;
select u.id, count(t.id) from u left join t on t.uid = u.id group by u.id;
select u.id, nullif(count(t.id), 0) from u left join t on t.uid = u.id group by u.id;
select u.id, coalesce(v.n, 0) from u left join vu v on v.uid = u.id;
select u.id, (select n from vu where uid = u.id) from u;
select u.id, coalesce((select n from vu where uid = u.id), 0) from u;
select u.id, (select count(*) from t where uid = u.id) from u;
select uid, n from vu where n > 0;
select uid, n from vu where n > 1;
select uid, count(*) from t group by uid having count(*) > 1;
select uid, n from vu where uid > 1;
select uid, count(*) from t where uid > 1 group by uid
-- family: series
select i from generate_series(1, 5) i;
select i from generate_series(1, 5, 1) i;
select i from generate_series(5, 1, -1) i;
select i::int from generate_series(1, 5.9) i;
select i from generate_series(1, 5) i where i between 1 and 5;
select i + 1 from generate_series(0, 4) i;
select 6 - i from generate_series(1, 5) i;
select i from generate_series(1, null) i;
select i from generate_series(1, 0) i;
select i from generate_series(0, 10) i where i > 0 and i < 6;
select i from generate_series(1, 5, 0) i;
select distinct i from generate_series(1, 5) i;
select i from generate_series(1, 10, 2) i;
select i from generate_series(1, 10) i where i % 2 = 1;
select 2 * i - 1 from generate_series(1, 5) i;
select i from (values (1), (2), (3), (4), (5)) q(i);
select unnest from unnest('{1,2,3,4,5}'::int[]);
select i from unnest(array[1, 2, 3, 4, 5]) i;
select row_number() over ()::int from generate_series(1, 5);
select count(*) over (order by i)::int from generate_series(1, 5) i
-- family: series of moments
select i from generate_series('2020-01-31'::timestamp, '2020-05-31', '1 month') i;
select '2020-01-31'::timestamp + n * interval '1 month' from generate_series(0, 4) n;
select i::date from generate_series('2020-01-31'::date, '2020-05-31', '1 month') i;
select i::date from generate_series('2020-01-31'::timestamp, '2020-05-31', '1 month') i;
select i from generate_series('2020-01-01'::timestamp, '2020-05-31', '1 month') i;
select '2020-01-01'::timestamp + n * interval '1 month' from generate_series(0, 4) n;
select date_trunc('month', i) from generate_series('2020-01-01'::timestamp, '2020-05-31', '1 month') i;
select distinct date_trunc('month', i) from generate_series('2020-01-01'::timestamp, '2020-05-31', '1 day') i;
select i::date from generate_series('2020-03-28', '2020-03-31', interval '1 day') i;
select i::date from generate_series('2020-03-28'::timestamp, '2020-03-31', '1 day') i;
select i::date from generate_series('2020-03-28'::timestamptz, '2020-03-31', '24 hours') i;
select '2020-03-28'::date + n from generate_series(0, 3) n;
select i::date from generate_series('2020-03-28'::date, '2020-03-31'::date, '1 day') i;
select i from generate_series('2020-03-28'::date, '2020-03-31'::date, '1 day') i;
select i from generate_series('2020-03-28'::timestamptz, '2020-03-31'::timestamptz, '1 day') i
-- family: windows above groups
select g, count(*), sum(count(*)) over () from t group by g;
select g, n, sum(n) over () from (select g, count(*) n from t group by g) q;
select g, count(*), (select count(*) from t)::numeric from t group by g;
select distinct g, count(*) over (partition by g), (count(*) over ())::numeric from t;
select g, count(*), (select count(*)::numeric from t) from t group by g;
select g, count(*), sum(count(*)) over (order by g rows between unbounded preceding and unbounded following) from t group by g;
select g, count(*), sum(count(*)) over (order by g) from t group by g;
select g, n, sum(n) over (order by g) from (select g, count(*) n from t group by g) q;
select g, count(*), rank() over (order by count(*) desc) from t group by g;
select g, n, rank() over (order by n desc) from (select g, count(*) n from t group by g) q;
select g, n, 1 + (select count(*) from (select count(*) m from t group by g) z where z.m > q.n) from (select g, count(*) n from t group by g) q;
select g, count(*), count(*) over () from t group by g;
select g, count(*), (select count(distinct g) from t) from t group by g;
select g, count(*), max(count(*)) over () from t group by g
-- family: distinct above windows
select distinct g, count(*) over (partition by g) from t p where {c};
select g, count(*) from t p where {c} group by g;
select distinct on (g) g, count(*) over (partition by g) from t p where {c};
select g, max(n) from (select g, count(*) over (partition by g) n from t p where {c}) q group by g;
select g, n from (select g, count(*) over (partition by g) n, row_number() over (partition by g) r from t p where {c}) q where r = 1;
select distinct g, count(*) over (partition by g, {c}) from t p where {c};
select distinct g, count(*) over (partition by g order by g) from t p where {c};
select distinct g, sum(1) over (partition by g) from t p where {c};
select distinct g, count(*) filter (where {c}) over (partition by g) from t p;
select distinct g, count(*) over (partition by g) from t p where {c} order by g limit 100;
select distinct g, count(*) over w from t p where {c} window w as (partition by g)
-- family: having alone
select 1 having true;
select 1 having false;
select 1 from t having true;
select 1 from t having count(*) > 0;
select 1 from t limit 1;
select distinct 1 from t;
select 1 from t group by ();
select 1 from t having count(*) >= 0;
select 1;
select 1 where exists (select from t);
select 1 from t having exists (select from t);
select max(1) from t having count(*) > 0;
select 1 from t having null;
select 1 where false;
select count(*) from t having max(x) > 0;
select count(*) from t where (select max(x) from t) > 0;
select count(*) from t where x > 0
-- family: subqueries in on
select p.id, u.id from t p left join u on u.id = p.uid and exists (select from t q where q.oid = u.id);
select p.id, u.id from t p left join u on u.id = p.uid and u.id in (select q.oid from t q);
select p.id, u.id from t p left join (select * from u where exists (select from t q where q.oid = u.id)) u on u.id = p.uid;
select p.id, u.id from t p left join (select u.id from u join t q on q.oid = u.id) u on u.id = p.uid;
select p.id, u.id from t p left join (select distinct u.id from u join t q on q.oid = u.id) u on u.id = p.uid;
select p.id, u.id from t p left join u on u.id = p.uid and exists (select from t q where q.oid = p.uid);
select p.id, u.id from t p left join u on u.id = p.uid where exists (select from t q where q.oid = u.id);
select p.id, case when exists (select from t q where q.oid = p.uid) then p.uid end from t p;
select p.id, u.id from t p left join u on u.id = p.uid and p.uid = any (select q.oid from t q);
select p.id, u.id from t p left join u on u.id = p.uid and (select count(*) from t q where q.oid = u.id) > 0;
select p.id, (select u.id from u where u.id = p.uid and exists (select from t q where q.oid = u.id)) from t p;
select p.id, u.id from t p left join lateral (select * from u where u.id = p.uid and u.id in (select q.oid from t q)) u on true
-- family: joined from the right
select u.id, p.id from u left join t p on p.uid = u.id left join w on w.id = p.id;
select u.id, p.id from u left join (t p left join w on w.id = p.id) on p.uid = u.id;
select u.id, p.id from u left join (t p join w on w.id = p.id) on p.uid = u.id;
select u.id, p.id from u left join t p on p.uid = u.id join w on w.id = p.id;
select u.id, p.id from u left join t p on p.uid = u.id left join w on w.id = p.id where w.id is not null;
select u.id, p.id from u join t p on p.uid = u.id join w on w.id = p.id;
select u.id, p.id from u left join t p on p.uid = u.id left join w on w.id = p.id and p.id is not null;
select u.id, p.id from u left join t p on p.uid = u.id;
select u.id, p.id from w right join t p on w.id = p.id right join u on p.uid = u.id;
select u.id, p.id from u left join t p on p.uid = u.id left join w on w.id = coalesce(p.id, 1);
select u.id, p.id from u left join t p on p.uid = u.id left join w on w.k = p.id;
select u.id, p.id from u left join t p on p.uid = u.id left join (select distinct k from w) w on w.k = p.id;
select u.id, p.id from u left join t p on p.uid = u.id and exists (select from w where w.id = p.id)
-- family: nothing beside
select u.id from u where not exists (select from t p where p.uid = u.id and {c});
select u.id from u left join t p on p.uid = u.id and {c} where p.id is null;
select u.id from u left join t p on p.uid = u.id and {c} where p.uid is null;
select u.id from u left join t p on p.uid = u.id and {c} where p.y is null;
select u.id from u where u.id not in (select p.uid from t p where {c});
select u.id from u where u.id not in (select p.oid from t p where {c});
select u.id from u except select p.uid from t p where {c};
select u.id from u except all select distinct p.uid from t p where {c};
select u.id from u where u.id <> all (select p.uid from t p where {c});
select u.id from u where (select count(*) from t p where p.uid = u.id and {c}) = 0;
select u.id from u left join (select p.uid, count(*) n from t p where {c} group by p.uid) q on q.uid = u.id where n is null;
select u.id from u left join t p on p.uid = u.id where p.id is null or ({c}) is not true;
select u.id from u left join t p on p.uid = u.id group by u.id having count(p.id) filter (where {c}) = 0;
select u.id from u where (select bool_or({c}) from t p where p.uid = u.id) is not true;
select u.id from u where not (select bool_or({c}) from t p where p.uid = u.id);
select u.id from u left join lateral (select 1 o from t p where p.uid = u.id and {c} limit 1) q on true where o is null
-- family: sets of three
select x from t union all select k from u union select k from w;
select x from t union all (select k from u union select k from w);
(select x from t union all select k from u) union select k from w;
select x from t union (select k from u union all select k from w);
select x from t union select k from u union all select k from w;
select x from t except select k from u except select k from w;
select x from t except (select k from u union select k from w);
select x from t except (select k from u except select k from w);
select x from t except select k from u union all select k from w;
select x from t intersect select k from u except select k from w;
select x from t except select k from w intersect select k from u;
(select x from t except select k from w) intersect select k from u;
select x from t except all select k from u except all select k from w;
select x from t except all (select k from u union all select k from w);
select x from t intersect all (select k from u union all select k from w);
select distinct x from t where x not in (select k from u) and x not in (select k from w);
select distinct x from t p where not exists (select from u where k = x) and not exists (select from w where k = x)
-- family: keys by groups
select u.id, u.k, u.w, count(*) from u join t p on p.uid = u.id group by u.id;
select u.id, u.k, u.w, count(*) from u join t p on p.uid = u.id group by u.id, u.k, u.w;
select p.uid, u.k, u.w, count(*) from u join t p on p.uid = u.id group by p.uid, u.k, u.w;
select u.id, max(u.k), max(u.w), count(*) from u join t p on p.uid = u.id group by u.id;
select u.id, u.k, u.w, q.n from u join (select uid, count(*) n from t group by uid) q on q.uid = u.id;
select u.id, u.k, u.w, count(*) from u join t p on p.uid = u.id group by u.k, u.id, u.w;
select u.id, u.k, any_value(u.w), count(*) from u join t p on p.uid = u.id group by u.id, u.k;
select (array_agg(u.id))[1], u.k, any_value(u.w), count(*) from u join t p on p.uid = u.id group by u.k;
select u.id, u.k, u.w, count(*) from u, t p where p.uid = u.id group by rollup (u.id), u.k, u.w having u.id is not null;
select u.id, u.k, min(u.w), count(p.*) from u left join t p on p.uid = u.id group by u.id having count(p.id) > 0;
select u.id, u.k, min(u.w), count(*) from u left join t p on p.uid = u.id group by u.id having count(*) > 0
-- family: whether all
select g from t p group by g having bool_and({c});
select g from t p group by g having every({c});
select g from t p group by g having count(*) = count(*) filter (where {c});
select g from t p group by g having count(*) filter (where not ({c})) = 0;
select g from t p group by g having count(*) filter (where ({c}) is not true) = 0;
select g from t p group by g having sum(case when {c} then 0 else 1 end) = 0;
select g from t p group by g having min(({c})::int) = 1;
select g from t p group by g having not bool_or(not ({c}));
select distinct z.g from t z where not exists (select from t p where p.g is not distinct from z.g and not ({c}));
select distinct z.g from t z where true = all (select {c} from t p where p.g is not distinct from z.g);
select g from t p group by g having count(case when {c} then 1 end) = count(*);
select g from t p group by g except select g from t p where ({c}) is not true;
select g from t p group by g except select g from t p where not ({c});
select g from t p where {c} group by g
-- family: where nulls stand
select p.id from t p where {c} order by {o} is null, {o}, p.id;
select p.id from t p where {c} order by {o} nulls last, p.id;
select p.id from t p where {c} order by {o} nulls first, p.id;
select p.id from t p where {c} order by {o} desc nulls last, p.id;
select p.id from t p where {c} order by {o} is null, {o} desc, p.id;
select p.id from t p where {c} order by {o} is not null desc, {o}, p.id;
select p.id from t p where {c} order by ({o} is null)::int, {o}, p.id;
select p.id from t p where {c} order by case when {o} is null then 1 else 0 end, {o}, p.id;
select p.id from t p where {c} order by case when {o} is not null then 1 else 0 end, {o}, p.id;
select p.id from t p where {c} order by {o} is null desc, {o}, p.id;
select p.id from t p where {c} order by {o} is null, p.id, {o};
select p.id from t p where {c} order by {o} is null, {o} is not null, {o}, p.id;
select p.id from t p where {c} order by {o} is null, {o} nulls first, p.id;
select id from (select p.id, row_number() over (order by {o} is null, {o} desc, p.id) r from t p where {c}) q order by r;
select id from (select p.id, row_number() over (order by {o} desc nulls last, p.id) r from t p where {c}) q order by r;
select id from (select p.id, {o} y from t p where {c} order by {o} is null, {o}, p.id limit 100) q order by y, id;
select unnest(array_agg(p.id order by {o} is null, {o} desc, p.id)) from t p where {c};
select unnest(array_agg(p.id order by {o} desc nulls last, p.id)) from t p where {c}
-- family: where nulls stand among peers
select p.id, rank() over (order by p.y is null, p.y) from t p;
select p.id, rank() over (order by p.y) from t p;
select p.id, rank() over (order by p.y nulls first) from t p;
select p.id, rank() over (order by p.y is not null, p.y) from t p;
select p.id, count(*) over (order by p.y is null, p.y) from t p;
select p.id, count(*) over (order by p.y) from t p;
select p.id, count(*) over (order by p.y is not null, p.y) from t p;
select p.id, count(*) over (order by p.y nulls first) from t p;
select p.id, count(*) over (order by p.y is null) from t p;
select p.id, count(*) over (order by p.y is null, p.y rows unbounded preceding) from t p;
select p.id, count(*) over (order by p.y is null, p.y groups between 1 preceding and current row) from t p;
select p.id, count(*) over (order by p.y groups between 1 preceding and current row) from t p;
select p.id, array_agg(p.x) over (order by p.y is null, p.y, p.id) from t p;
select p.id, array_agg(p.x) over (order by p.y, p.id) from t p;
select p.id, first_value(p.x) over (partition by p.g order by p.y is null desc, p.y desc, p.id) from t p;
select p.id, first_value(p.x) over (partition by p.g order by p.y desc, p.id) from t p
