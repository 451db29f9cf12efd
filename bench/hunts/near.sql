-- family: groups before joins
select u.id, sum(p.x) from u join t p on p.uid = u.id group by u.id;
select u.id, q.s from u join (select uid, sum(x) s from t group by uid) q on q.uid = u.id;
select u.r, sum(p.x) from u join t p on p.uid = u.id group by u.r;
select u.r, sum(q.s) from u join (select uid, sum(x) s from t group by uid) q on q.uid = u.id group by u.r;
select u.r, sum(q.s)::bigint from u join (select uid, sum(x) s from t group by uid) q on q.uid = u.id group by u.r;
select u.r, count(*) from u join t p on p.uid = u.id group by u.r;
select u.r, sum(q.n)::bigint from u join (select uid, count(*) n from t group by uid) q on q.uid = u.id group by u.r;
select u.r, max(p.n) from u join t p on p.uid = u.id group by u.r;
select u.r, max(q.m) from u join (select uid, max(n) m from t group by uid) q on q.uid = u.id group by u.r;
select u.r, max(p.c) from u join t p on p.uid = u.id group by u.r;
select u.r, max(q.m) from u join (select uid, max(c) m from t group by uid) q on q.uid = u.id group by u.r;
select u.r, avg(p.y) from u join t p on p.uid = u.id group by u.r;
select u.r, avg(q.m) from u join (select uid, avg(y) m from t group by uid) q on q.uid = u.id group by u.r;
select u.r, sum(q.s) / sum(q.n) from u join (select uid, sum(y) s, count(y) n from t group by uid) q on q.uid = u.id group by u.r;
select u.r, count(distinct p.y) from u join t p on p.uid = u.id group by u.r;
select u.r, sum(q.n)::bigint from u join (select uid, count(distinct y) n from t group by uid) q on q.uid = u.id group by u.r;
select u.r, bool_or(p.b) from u join t p on p.uid = u.id group by u.r;
select u.r, bool_or(q.b) from u join (select uid, bool_or(b) b from t group by uid) q on q.uid = u.id group by u.r
-- family: joins that double
select u.id, count(p.id), count(distinct w.id) from u left join t p on p.uid = u.id left join w on w.k = u.id group by u.id;
select u.id, count(distinct p.id), count(distinct w.id) from u left join t p on p.uid = u.id left join w on w.k = u.id group by u.id;
select u.id, (select count(*) from t p where p.uid = u.id), (select count(*) from w where w.k = u.id) from u;
select u.id, coalesce(a.n, 0), coalesce(b.n, 0) from u left join (select uid, count(*) n from t group by uid) a on a.uid = u.id left join (select k, count(*) n from w group by k) b on b.k = u.id;
select u.id, a.n, b.n from u left join lateral (select count(*) n from t p where p.uid = u.id) a on true left join lateral (select count(*) n from w where w.k = u.id) b on true;
select u.id, count(p.id), count(w.id) from u left join t p on p.uid = u.id left join w on w.k = u.id group by u.id;
select u.id, count(p.id) * greatest(count(distinct w.id), 1), count(distinct w.id) from u left join t p on p.uid = u.id left join w on w.k = u.id group by u.id;
select u.id, count(distinct p.id), count(distinct w.id) from u join t p on p.uid = u.id join w on w.k = u.id group by u.id;
select u.id, sum(distinct p.x), max(w.i2) from u left join t p on p.uid = u.id left join w on w.k = u.id group by u.id;
select u.id, (select sum(p.x) from t p where p.uid = u.id), (select max(w.i2) from w where w.k = u.id) from u;
select u.id, sum(p.x), max(w.i2) from u left join t p on p.uid = u.id left join w on w.id = u.id group by u.id;
select u.id, (select sum(p.x) from t p where p.uid = u.id), (select w.i2 from w where w.id = u.id) from u
-- family: pages by numbers
select id, x from t order by x, id limit 2 offset 1;
select id, x from (select id, x, row_number() over (order by x, id) r from t) q where r > 1 and r <= 3 order by x, id;
select id, x from (select id, x, row_number() over (order by x, id) r from t) q where r between 2 and 3 order by r;
select id, x from (select id, x, rank() over (order by x, id) r from t) q where r between 2 and 3 order by r;
select id, x from (select id, x, rank() over (order by x) r from t) q where r between 2 and 3 order by x, id;
select id, x from (select id, x, row_number() over (order by x) r from t) q where r between 2 and 3 order by x, id;
select id, x from t order by x limit 2 offset 1;
select id, x from (select * from t order by x, id limit 3) q order by x, id offset 1;
select id, x from (select * from t order by x, id offset 1) q order by x, id limit 2;
select id, x from t p where (select count(*) from t q where (q.x, q.id) < (p.x, p.id)) between 1 and 2 order by x, id;
select id, x from (select id, x, ntile(3) over (order by x, id) r from t) q where r = 2 order by x, id;
select id, x from (select id, x, count(*) over (order by x, id) r from t) q where r in (2, 3) order by x, id;
select id, x from t order by x desc, id desc limit 2 offset 1;
select id, y from t order by y, id limit 2 offset 1;
select id, y from (select id, y, row_number() over (order by y, id) r from t) q where r in (2, 3) order by r
-- family: texts that are joined
select p.g, string_agg(p.s, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.s order by p.id), ',') from t p group by p.g;
select p.g, array_to_string(array_agg(p.s order by p.id) filter (where p.s is not null), ',') from t p group by p.g;
select p.g, nullif(array_to_string(array_agg(p.s order by p.id), ','), '') from t p group by p.g;
select p.g, string_agg(p.s, ',' order by p.id) filter (where p.s <> '') from t p group by p.g;
select p.g, string_agg(p.x::text, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.x order by p.id), ',') from t p group by p.g;
select p.g, string_agg(p.y::text, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.y order by p.id), ',') from t p group by p.g;
select p.g, array_to_string(array_agg(p.y::text order by p.id), ',') from t p group by p.g;
select p.g, string_agg(p.b::text, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.b order by p.id), ',') from t p group by p.g;
select p.g, string_agg(p.c, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.c order by p.id), ',') from t p group by p.g;
select p.g, string_agg(p.d::text, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.d order by p.id), ',') from t p group by p.g;
select p.g, string_agg(p.f::text, ',' order by p.id) from t p group by p.g;
select p.g, array_to_string(array_agg(p.f order by p.id), ',') from t p group by p.g;
select z.g, array_to_string(array(select p.s from t p where p.g is not distinct from z.g order by p.id), ',') from (select distinct g from t) z;
select z.g, (select string_agg(p.s, ',' order by p.id) from t p where p.g is not distinct from z.g) from (select distinct g from t) z
-- family: whether there is one
select u.id from u where (select p.x from t p where p.id = u.id) is null;
select u.id from u where not exists (select 1 from t p where p.id = u.id);
select u.id from u where (select p.y from t p where p.id = u.id) is null;
select u.id from u where not exists (select 1 from t p where p.id = u.id and p.y is not null);
select u.id from u where (select p.x from t p where p.uid = u.id) is null;
select u.id from u where (select p.x from t p where p.uid = u.id limit 1) is null;
select u.id from u where (select max(p.x) from t p where p.uid = u.id) is null;
select u.id from u where (select max(p.y) from t p where p.uid = u.id) is null;
select u.id from u where not exists (select 1 from t p where p.uid = u.id and p.y is not null);
select u.id from u where (select 1 from t p where p.uid = u.id limit 1) is null;
select u.id from u where (select count(p.y) from t p where p.uid = u.id) = 0;
select u.id from u where (select (p.x, p.y) from t p where p.id = u.id) is null;
select u.id from u where (select array_agg(p.y) from t p where p.uid = u.id) is null;
select u.id from u where (select sum(p.y) from t p where p.uid = u.id) is null;
select u.id from u where coalesce((select sum(p.y) from t p where p.uid = u.id), 0) = 0;
select u.id from u where (select string_agg(p.s, '') from t p where p.uid = u.id) is null;
select u.id from u left join (select uid, max(y) m from t group by uid) q on q.uid = u.id where q.m is null;
select u.id from u where array(select p.y from t p where p.uid = u.id) = '{}';
select u.id from u where cardinality(array(select p.y from t p where p.uid = u.id)) = 0
-- family: groups of one value
select p.n, count(*) from t p where p.n = 1 group by p.n;
select 1::numeric, count(*) from t p where p.n = 1 having count(*) > 0;
select max(p.n), count(*) from t p where p.n = 1 having count(*) > 0;
select p.x, count(*) from t p where p.x = 1 group by p.x;
select 1, count(*) from t p where p.x = 1 having count(*) > 0;
select max(p.x), count(*) from t p where p.x = 1 having count(*) > 0;
select 1, count(*) from t p where p.x = 1;
select max(p.x), count(*) from t p where p.x = 1;
select p.x, count(*) from t p where p.x in (1) group by p.x;
select p.x, count(*) from t p group by p.x having p.x = 1;
select p.m, count(*) from t p where p.m = 1 group by p.m;
select 1.00, count(*) from t p where p.m = 1 having count(*) > 0;
select p.c, count(*) from t p where p.c = 'a' group by p.c;
select max(p.c), count(*) from t p where p.c = 'a' having count(*) > 0;
select p.f, count(*) from t p where p.f = 0 group by p.f;
select min(p.f), count(*) from t p where p.f = 0 having count(*) > 0;
select min(p.iv), count(*) from t p where p.iv = '1 month' having count(*) > 0;
select p.iv, count(*) from t p where p.iv = '1 month' group by p.iv
-- family: zeros that are added
select p.g, coalesce(sum(p.y), 0) from t p group by p.g;
select p.g, sum(coalesce(p.y, 0)) from t p group by p.g;
select p.g, coalesce(sum(p.y), 0) + 0 from t p group by p.g;
select p.g, coalesce(sum(p.n), 0) from t p group by p.g;
select p.g, sum(coalesce(p.n, 0)) from t p group by p.g;
select p.g, coalesce(sum(p.n), 0) + 0 from t p group by p.g;
select p.g, coalesce(sum(p.n), 0.00) from t p group by p.g;
select p.g, sum(coalesce(p.n, 0.00)) from t p group by p.g;
select p.g, coalesce(sum(p.f), 0) from t p group by p.g;
select p.g, sum(coalesce(p.f, 0)) from t p group by p.g;
select p.g, sum(p.f) + 0 from t p group by p.g;
select p.g, sum(p.f) from t p group by p.g;
select p.g, coalesce(sum(p.m), 0) from t p group by p.g;
select p.g, sum(coalesce(p.m, 0)) from t p group by p.g;
select p.g, sum(case when p.m is null then 0 else p.m end) from t p group by p.g;
select p.g, coalesce(sum(p.m) filter (where p.m is not null), 0) from t p group by p.g;
select p.g, coalesce(sum(p.iv), '0') from t p group by p.g;
select p.g, sum(coalesce(p.iv, '0')) from t p group by p.g
-- family: groups of one row
select p.id, max({v}) from t p group by p.id;
select p.id, min({v}) from t p group by p.id;
select p.id, {v} from t p;
select p.id, any_value({v}) from t p group by p.id;
select p.id, (array_agg({v}))[1] from t p group by p.id;
select p.id, first_value({v}) over (partition by p.id) from t p;
select p.id, max({v}) over (partition by p.id) from t p;
select p.id, lag({v}, 0) over (order by p.id) from t p;
select p.id, nth_value({v}, 1) over (partition by p.id) from t p;
select p.id, last_value({v}) over (order by p.id) from t p;
select p.id, percentile_disc(0.5) within group (order by {v}) from t p group by p.id;
select p.id, mode() within group (order by {v}) from t p group by p.id
-- family: sums of one row
select p.id, sum({o}) from t p group by p.id;
select p.id, {o} from t p;
select p.id, avg({o}) from t p group by p.id;
select p.id, count({o}) from t p group by p.id;
select p.id, ({o} is not null)::int::bigint from t p;
select p.id, case when {o} is null then 0 else 1 end::bigint from t p;
select p.id, sum({o}) over (partition by p.id) from t p;
select p.id, bit_or(p.x) from t p group by p.id;
select p.id, p.x from t p;
select p.id, bool_and(p.b) from t p group by p.id;
select p.id, p.b from t p;
select p.id, sum(p.x) from t p group by p.id;
select p.id, p.x::bigint from t p;
select p.id, sum(p.i8) from t p group by p.id;
select p.id, p.i8::numeric from t p;
select p.id, avg(p.x) from t p group by p.id;
select p.id, p.x::numeric from t p;
select p.id, string_agg(p.s, '-') from t p group by p.id;
select p.id, p.s from t p;
select p.id, stddev_pop(p.x) from t p group by p.id;
select p.id, 0::numeric from t p;
select p.id, variance(p.x) from t p group by p.id;
select p.id, null::numeric from t p
-- family: limits over joins
select p.id from t p order by p.id limit 2;
select p.id from t p join u on u.id = p.uid order by p.id limit 2;
select p.id from t p join u on u.id = p.oid order by p.id limit 2;
select p.id from t p left join u on u.id = p.oid order by p.id limit 2;
select p.id from t p left join c on c.a = p.x order by p.id limit 2;
select p.id from t p left join c on c.b is not distinct from p.y order by p.id limit 2;
select p.id from t p left join c on c.d = p.x order by p.id limit 2;
select p.id from t p left join c on c.g = p.x order by p.id limit 2;
select q.id from (select * from t order by id limit 2) q join u on u.id = q.uid order by q.id;
select q.id from (select * from t order by id limit 2) q left join u on u.id = q.oid order by q.id;
select q.id from (select * from t order by id limit 2) q join u on u.id = q.oid order by q.id;
select q.id from (select * from t order by id limit 2) q left join c on c.g = q.x order by q.id;
select p.id from t p left join (select distinct ct from c) z on z.ct = p.s order by p.id limit 2;
select c.id from c join u on u.id = c.ne order by c.id limit 2;
select c.id from c order by c.id limit 2;
select c.id from c join u on u.id = c.r order by c.id limit 2;
select c.id from c left join u on u.id = c.ne order by c.id limit 2;
select c.id from c left join ft on ft.x = c.fm and ft.y = c.fn order by c.id limit 2;
select c.id from c left join ft on ft.x = c.fm order by c.id limit 2
-- family: the least of each
select p.g, min(p.x) from t p group by p.g;
select g, x from (select g, x, row_number() over (partition by g order by x) r from t) q where r = 1;
select distinct on (g) g, x from t order by g, x;
select distinct g, min(x) over (partition by g) from t;
select distinct g, first_value(x) over (partition by g order by x) from t;
select g, y from (select g, y, row_number() over (partition by g order by y) r from t) q where r = 1;
select p.g, min(p.y) from t p group by p.g;
select distinct on (g) g, y from t order by g, y nulls first;
select g, y from (select g, y, row_number() over (partition by g order by y desc) r from t) q where r = 1;
select p.g, max(p.y) from t p group by p.g;
select g, n from (select g, n, row_number() over (partition by g order by n) r from t) q where r = 1;
select p.g, min(p.n) from t p group by p.g;
select g, c from (select g, c, row_number() over (partition by g order by c) r from t) q where r = 1;
select p.g, min(p.c) from t p group by p.g;
select g, f from (select g, f, row_number() over (partition by g order by f desc nulls last) r from t) q where r = 1;
select p.g, max(p.f) from t p group by p.g;
select z.g, (select min(x) from t p where p.g is not distinct from z.g) from (select distinct g from t) z;
select z.g, (select min(x) from t p where p.g = z.g) from (select distinct g from t) z;
select p.g, p.x from t p where not exists (select from t q where q.g is not distinct from p.g and q.x < p.x) group by p.g, p.x;
select p.g, p.x from t p where p.x <= all (select q.x from t q where q.g is not distinct from p.g) group by p.g, p.x
-- family: stepped through
select distinct x from t;
with recursive r(x) as ((select x from t order by x limit 1) union all select (select min(t.x) from t where t.x > r.x) from r where r.x is not null) select x from r where x is not null;
with recursive r(x) as ((select min(x) from t) union all select (select min(t.x) from t where t.x > r.x) from r where r.x is not null) select x from r where x is not null;
with recursive r(x) as ((select min(x) from t) union select (select min(t.x) from t where t.x > r.x) from r) select x from r where x is not null;
with recursive r(x) as ((select min(x) from t) union all select (select min(t.x) from t where t.x >= r.x + 1) from r where r.x is not null) select x from r where x is not null;
with recursive r(y) as ((select min(y) from t) union all select (select min(t.y) from t where t.y > r.y) from r where r.y is not null) select y from r where y is not null;
select distinct y from t where y is not null;
select distinct y from t;
with recursive r(n) as ((select min(n) from t) union all select (select min(t.n) from t where t.n > r.n) from r where r.n is not null) select n from r where n is not null;
select distinct n from t where n is not null;
with recursive r(f) as ((select min(f) from t) union all select (select min(t.f) from t where t.f > r.f) from r where r.f is not null) select f from r where f is not null;
select distinct f from t where f is not null;
with recursive r(x) as ((select max(x) from t) union all select (select max(t.x) from t where t.x < r.x) from r where r.x is not null) select x from r where x is not null
-- family: made ranges
select id from t where int4range(x, y) @> 1;
select id from t where x <= 1 and y > 1;
select id from t where x <= y and int4range(x, y) @> 1;
select id from t where (x <= 1 or x is null) and (y > 1 or y is null);
select id from t where (x <= 1) is not false and (y > 1) is not false;
select id from t where int4range(x, y, '[]') @> 1;
select id from t where x <= 1 and y >= 1;
select id from t where 1 <@ int4range(x, y);
select id from t where int4range(x, x) @> 1;
select id from t where int4range(x, x, '[]') @> 1;
select id from t where x = 1;
select id from t where int4range(x, x + 1) @> 1;
select id from t where int4range(1, x) @> 1;
select id from t where x > 1;
select id from t where case when x <= y then int4range(x, y) @> 1 else false end;
select id from t where daterange(d, d + 1) @> '2020-01-31'::date;
select id from t where d = '2020-01-31';
select id from t where daterange(d, d, '[]') @> '2020-01-31'::date;
select id from t where tsrange(ts, ts, '[]') @> '2020-01-31'::timestamp;
select id from t where ts = '2020-01-31'
-- family: constants as rows
select p.id, z from t p join (values (1), (2)) q(z) on q.z = p.x;
select p.id, p.x from t p where p.x in (1, 2);
select p.id, p.x from t p where p.x = any (array[1, 2]);
select p.id, z from t p join unnest(array[1, 2]) z on z = p.x;
select p.id, z from t p join (values (1), (2), (1)) q(z) on q.z = p.x;
select p.id, z from t p join (select 1 z union select 2) q on q.z = p.x;
select p.id, z from t p join (select 1 z union all select 2) q on q.z = p.x;
select p.id, z from t p join generate_series(1, 2) z on z = p.x;
select p.id, p.x from t p where exists (select from (values (1), (2), (1)) q(z) where q.z = p.x);
select p.id, p.x from t p where p.x in (values (1), (2), (null));
select p.id, z from t p join (values (1), (2), (null)) q(z) on q.z = p.x;
select p.id, z from t p join (values (1.0), (2)) q(z) on q.z = p.x;
select p.id, p.x::numeric from t p where p.x in (1, 2);
select p.id, z from t p join (values (1::bigint), (2)) q(z) on q.z = p.x;
select p.id, p.x::bigint from t p where p.x in (1, 2);
select p.id, z::int from t p join (values ('1'), ('2')) q(z) on q.z = p.x::text
-- family: looked up
select p.id, (select u.w from u where u.id = p.uid) from t p;
select p.id, u.w from t p left join u on u.id = p.uid;
select p.id, u.w from t p join u on u.id = p.uid;
select p.id, (select u.w from u where u.id = p.oid) from t p;
select p.id, u.w from t p left join u on u.id = p.oid;
select p.id, u.w from t p join u on u.id = p.oid;
select p.id, (select max(u.w) from u where u.r = p.g) from t p;
select p.id, q.w from t p left join (select r, max(w) w from u group by r) q on q.r = p.g;
select p.id, q.w from t p left join (select distinct on (r) r, w from u order by r, w desc nulls last) q on q.r = p.g;
select p.id, q.w from t p left join lateral (select w from u where u.r = p.g order by w desc nulls last limit 1) q on true;
select p.id, (select u.w from u where u.r = p.g order by u.w desc nulls last limit 1) from t p;
select p.id, (select u.w from u where u.r = p.g order by u.w desc limit 1) from t p;
select p.id, (select u.k from u where u.r = p.g order by u.k desc limit 1) from t p;
select p.id, (select max(u.k) from u where u.r = p.g) from t p;
select p.id, q.k from t p left join (select r, max(k) k from u group by r) q on q.r = p.g;
select p.id, q.k from t p left join (select r, max(k) k from u group by r) q on q.r is not distinct from p.g;
select p.id, q.n from t p left join (select r, count(*) n from u group by r) q on q.r = p.g;
select p.id, (select count(*) from u where u.r = p.g) from t p;
select p.id, nullif((select count(*) from u where u.r = p.g), 0) from t p;
select p.id, coalesce(q.n, 0) from t p left join (select r, count(*) n from u group by r) q on q.r = p.g
-- family: asked twice
select p.id from t p where {c} and p.id in (select p.id from t p where {c});
select p.id from t p where {c};
select p.id from t p where p.uid in (select p.uid from t p where {c}) and {c};
select p.id from t p where p.g in (select p.g from t p where {c}) and {c};
select p.id from t p join (select distinct p.uid from t p where {c}) q on q.uid = p.uid where {c};
select p.id from t p join (select distinct p.g from t p where {c}) q on q.g = p.g where {c};
select p.id from t p join (select distinct p.g from t p where {c}) q on q.g is not distinct from p.g where {c};
select p.id from t p where exists (select from t q, lateral (select q.*) p where p.uid = q.uid and {c}) and {c};
select p.id from t p join (select p.uid, count(*) n from t p where {c} group by p.uid) q on q.uid = p.uid where {c};
select p.id from t p join u on u.id = p.uid and exists (select from t p where p.uid = u.id and {c}) where {c};
select p.id from t p where {c} and (select count(*) from t p where {c}) > 0;
select p.id from t p where {c} and exists (select from t p where {c})
-- family: neighbours
select p.id, lag(p.x) over (order by p.id) from t p;
select p.id, (select q.x from t q where q.id < p.id order by q.id desc limit 1) from t p;
select p.id, max(p.x) over (order by p.id rows between 1 preceding and 1 preceding) from t p;
select p.id, first_value(p.x) over (order by p.id rows between 1 preceding and 1 preceding) from t p;
select p.id, lead(p.x) over (order by p.id desc) from t p;
select p.id, lag(p.x, 1) over (order by p.id) from t p;
select p.id, lag(p.x, 1, null) over (order by p.id) from t p;
select p.id, lag(p.x, 1, 0) over (order by p.id) from t p;
select p.id, coalesce(lag(p.x) over (order by p.id), 0) from t p;
select p.id, lag(p.y, 1, 0) over (order by p.id) from t p;
select p.id, coalesce(lag(p.y) over (order by p.id), 0) from t p;
select a.id, b.x from (select id, row_number() over (order by id) r from t) a left join (select x, row_number() over (order by id) r from t) b on b.r = a.r - 1;
select p.id, q.x from t p left join t q on q.id = p.id - 1;
select p.id, lag(p.x) over (order by p.x, p.id) from t p;
select p.id, lag(p.x) over (order by p.x) from t p;
select p.id, nth_value(p.x, 1) over (order by p.id rows between 1 preceding and current row) from t p;
select p.id, sum(p.x) over (order by p.id rows between 1 preceding and 1 preceding)::int from t p
-- family: ranks by counts
select p.id, rank() over (order by p.x) from t p;
select p.id, 1 + (select count(*) from t q where q.x < p.x) from t p;
select p.id, dense_rank() over (order by p.x) from t p;
select p.id, 1 + (select count(distinct q.x) from t q where q.x < p.x) from t p;
select p.id, row_number() over (order by p.x, p.id) from t p;
select p.id, 1 + (select count(*) from t q where q.x < p.x or q.x = p.x and q.id < p.id) from t p;
select p.id, (select count(*) from t q where (q.x, q.id) <= (p.x, p.id)) from t p;
select p.id, rank() over (order by p.y) from t p;
select p.id, 1 + (select count(*) from t q where q.y < p.y) from t p;
select p.id, 1 + (select count(*) from t q where q.y < p.y or p.y is null and q.y is not null) from t p;
select p.id, rank() over (order by p.y desc nulls last) from t p;
select p.id, 1 + (select count(*) from t q where q.y > p.y) from t p;
select p.id, cume_dist() over (order by p.x) from t p;
select p.id, (select count(*) from t q where q.x <= p.x)::float8 / (select count(*) from t) from t p;
select p.id, percent_rank() over (order by p.x) from t p;
select p.id, rank() over (order by p.n) from t p;
select p.id, 1 + (select count(*) from t q where q.n < p.n) from t p;
select p.id, rank() over (order by p.c) from t p;
select p.id, count(*) over (order by p.x) from t p;
select p.id, count(*) over (order by p.x rows unbounded preceding) from t p
-- family: flags
select p.g from t p group by p.g having bool_or({c});
select p.g from t p group by p.g having max(case when {c} then 1 else 0 end) = 1;
select p.g from t p group by p.g having max(case when {c} then 1 else 0 end) > 0;
select p.g from t p group by p.g having max(case when {c} then 1 end) = 1;
select p.g from t p group by p.g having min(case when {c} then 0 else 1 end) = 0;
select p.g from t p group by p.g having min(case when {c} then 1 else 0 end) = 1;
select p.g from t p group by p.g having bool_and({c});
select p.g from t p group by p.g having min(case when {c} then 1 when not ({c}) then 0 end) = 1;
select p.g from t p group by p.g having max(case when {c} then 2 when not ({c}) then 1 else 0 end) = 2;
select p.g from t p group by p.g having max(case when {c} then 2 when not ({c}) then 1 else 0 end) >= 1;
select p.g from t p group by p.g having count({c}) > 0;
select p.g from t p group by p.g having count(*) filter (where {c}) > 0;
select p.g from t p group by p.g having sum(case when {c} then 1 else 0 end) > 0;
select distinct p.g from t p where {c}
-- family: shown flags
select p.g, max(case when {c} then 1 else 0 end) from t p group by p.g;
select p.g, case when bool_or({c}) then 1 else 0 end from t p group by p.g;
select p.g, max(case when {c} then 1 end) from t p group by p.g;
select p.g, coalesce(max(case when {c} then 1 end), 0) from t p group by p.g;
select p.g, min(case when {c} then 1 else 0 end) from t p group by p.g;
select p.g, case when bool_and({c}) then 1 else 0 end from t p group by p.g;
select p.g, max(case when {c} then 1 else 0 end) over (partition by p.g) from t p;
select p.g, case when bool_or({c}) over (partition by p.g) then 1 else 0 end from t p;
select p.g, bool_or({c})::int from t p group by p.g;
select p.g, 1 - min(case when {c} then 0 else 1 end) from t p group by p.g;
select p.g, max(case when {c} then 1 else 0 end) filter (where {c}) from t p group by p.g;
select p.g, (count(*) filter (where {c}) > 0)::int from t p group by p.g
