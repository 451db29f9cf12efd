-- family: whose aggregate
select (select sum(p.x) from u where u.id = 1) from t p;
select sum(p.x) from t p;
select (select sum(p.x)) from t p;
select (select sum(p.x + u.k) from u where u.id = 1) from t p;
select (select sum(u.k) from u where u.id = 1) from t p;
select (select sum(p.x) from u where u.id = 1) from t p group by p.id;
select (select max(p.x) from u where u.id = 1) from t p group by p.id;
select (select p.x from u where u.id = 1) from t p;
select (select count(p.id) from u) from t p;
select count(*) from t p;
select (select count(*) from u) from t p;
select (select count(p.id) from u limit 1) from t p where exists (select from u)
-- family: names in orders
select p.id, p.x as y from t p order by y, id;
select p.id, p.x as y from t p order by p.y, id;
select p.id, p.x as y from t p order by p.x, id;
select p.id, p.x as y from t p order by y + 0, id;
select p.id, p.x as y from t p order by (y), id;
select p.id, p.x as y from t p order by 2, 1;
select p.id, p.x as y from t p order by p.y + 0, id;
select * from (select p.id, p.x as y from t p) q order by y + 0, id;
select p.id, p.y as x from t p order by abs(x), id
-- family: names in groups
select p.g as x, count(*) from t p group by x;
select p.g as x, count(*) from t p group by p.g;
select p.g as x, count(*) from t p group by 1;
select p.g as w, count(*) from t p group by w;
select p.g as x, count(*) from t p group by p.g, p.x;
select x, count(*) from (select g as x from t) p group by x;
select g + 0 as g, count(*) from t p group by g;
select g + 0 as g, count(*) from t p group by 1
-- family: unknown literals
select p.id from t p where p.x = '1';
select p.id from t p where p.x::text = '1';
select p.id from t p where p.x = 1.0;
select p.id from t p where p.x in ('1', 1);
select p.id from t p where p.x = 1::float8;
select p.id from t p where p.x = any ('{1}');
select p.id from t p where p.x::text = '01';
select p.id from t p where p.x = ' 1 ';
select p.id from t p where p.x::numeric(3,1) = 1;
select p.id from t p where p.x::numeric = 1.00;
select p.id from t p where p.x::bigint = '1'
-- family: unknown outputs
select '1' union all select '1';
select '1'::text union all select '1';
select 1 union all select '1';
select '1'::text from u where id = 1 union all select 'a' from u where id = 1;
select '1' from u where id = 1 union all select 'a' from u where id = 1;
select case when p.x > 0 then '1' else '2' end from t p;
select case when p.x > 0 then 1 else '2' end from t p;
select coalesce(null, '1');
select coalesce('1'::text, null);
values ('1'), ('1');
values (1), ('1');
select null union all select null;
select null::text union all select null
-- family: mixed branches
select p.id, case when p.b then p.x else p.n end from t p;
select p.id, case when p.b then p.x::numeric else p.n end from t p;
select p.id, case when p.b then p.m else p.n end from t p;
select p.id, coalesce(p.m, p.n) from t p where p.b;
select p.id, coalesce(p.n, p.m) from t p where p.b;
select p.id, p.m::numeric from t p where p.b and p.n is not distinct from p.m;
select p.id, p.n from t p where p.b and p.n is not distinct from p.m;
select p.id, greatest(p.n, p.m) from t p where p.b and p.n = p.m;
select p.id, least(p.n, p.m) from t p where p.b and p.n = p.m;
select p.id, p.n from t p where p.b and p.n = p.m
-- family: padding
select p.id from t p where p.c = 'a';
select p.id from t p where p.c = 'a ';
select p.id from t p where p.c::text = 'a';
select p.id from t p where p.c::text = 'a ';
select p.id from t p where p.c like 'a';
select p.id from t p where p.c like 'a%';
select p.id from t p where p.c like 'a   ';
select p.id from t p where p.c in ('a', 'a ');
select p.id from t p where rtrim(p.c) = 'a';
select p.id from t p where p.c || '' = 'a';
select p.id from t p where length(p.c) = 1 and p.c like 'a%';
select p.id from t p where p.c = 'a'::text;
select p.id from t p where p.c = 'a '::text;
select p.id from t p where p.c = 'a '::varchar;
select p.id from t p where starts_with(p.c, 'a');
select p.id from t p where p.c ~ '^a';
select p.id from t p where p.c ~ '^a$';
select p.id from t p where p.c >= 'a' and p.c < 'b';
select p.id from t p where octet_length(p.c) = 4 and p.c = 'a'
-- family: shorter strings
select p.id from t p where p.v = 'a';
select p.id from t p where p.v::char(4) = 'a';
select p.id from t p where p.v::varchar(1) = 'a';
select p.id from t p where p.v like 'a';
select p.id from t p where p.v = 'a'::char(4);
select p.id from t p where p.v::text = 'a';
select p.id from t p where p.v::name = 'a';
select p.id from t p where p.v in ('a', 'a'::char(2));
select p.id from t p where p.v = any ('{a}'::char(3)[]);
select p.id from t p where trim(p.v) = 'a'
-- family: names and chars
select p.id from t p where p.nm = 'a';
select p.id from t p where p.nm::text = 'a';
select p.id from t p where p.nm = 'a'::text;
select p.id from t p where p.nm = 'a'::char(3);
select p.id from t p where p.nm::"char" = 'a';
select p.id from t p where p.nm like 'a';
select p.id from t p where p.nm in (select s from u);
select p.id from t p where p.nm::text in (select s from u);
select p.id from t p where p.nm in (select c from u);
select p.id from t p where p.nm::text in (select c from u);
select p.id from t p where p.nm in (select c::text from u)
-- family: null rows
select p.id from t p where (p.y, p.g) is null;
select p.id from t p where p.y is null and p.g is null;
select p.id from t p where not ((p.y, p.g) is not null);
select p.id from t p where not (p.y, p.g) is null;
select p.id from t p where (p.y, p.g) is not null;
select p.id from t p where p.y is not null and p.g is not null;
select p.id from t p where p.y is not null or p.g is not null;
select p.id from t p where (p.y, p.g) is distinct from (null, null);
select p.id from t p where row(p.y, p.g) is distinct from null;
select p.id from t p where num_nulls(p.y, p.g) = 2;
select p.id from t p where coalesce(p.y, p.g) is null;
select p.id from t p where ((p.y, p.g), null) is null
-- family: rows compared
select p.id from t p where (p.x, p.y) < (1, 1);
select p.id from t p where p.x < 1 or (p.x = 1 and p.y < 1);
select p.id from t p where p.x <= 1 and (p.x < 1 or p.y < 1);
select p.id from t p where not (p.x, p.y) >= (1, 1);
select p.id from t p where (1, 1) > (p.x, p.y);
select p.id from t p where (p.x, p.y) <= (1, 0);
select p.id from t p where row(p.x, p.y) *< row(1, 1);
select p.id from t p where (p.x, p.y, p.id) < (1, 1, -2147483648);
select p.id from t p where p.x < 1 or (p.x = 1 and (p.y < 1) is true);
select p.id from t p where ((p.x, p.y) < (1, 1)) is not false
-- family: rows in lists
select p.id from t p where (p.x, p.y) in ((1, 1), (2, null));
select p.id from t p where (p.x, p.y) = (1, 1);
select p.id from t p where (p.x, p.y) = any (values (1, 1), (2, null));
select p.id from t p where (p.x, p.y) in (select k, r from u);
select p.id from t p where exists (select 1 from u where k = p.x and r = p.y);
select p.id from t p where (p.x, p.y) not in (select k, r from u);
select p.id from t p where not exists (select 1 from u where k = p.x and r = p.y);
select p.id from t p where not exists (select 1 from u where (k = p.x and r = p.y) is not false);
select p.id from t p where row(p.x, p.y) not in (select k, r from u where r is not null) and p.y is not null;
select p.id from t p where ((p.x, p.y) in (select k, r from u)) is not true;
select p.id from t p where ((p.x, p.y) in (select k, r from u)) is null;
select p.id from t p where (select (p.x, p.y) = (k, r) from u where id = 1)
-- family: grouping sets
select p.g, count(*), grouping(p.g) from t p group by rollup (p.g);
select p.g, count(*), grouping(p.g) from t p group by cube (p.g);
select p.g, count(*), grouping(p.g) from t p group by grouping sets ((p.g), ());
select p.g, count(*), 0 from t p group by p.g union all select null, count(*), 1 from t;
select p.g, count(*), case when p.g is null then 1 else 0 end from t p group by rollup (p.g);
select p.g, count(*), grouping(p.g) from t p where p.g is not null group by rollup (p.g);
select p.g, count(*), grouping(p.g) from t p group by rollup (p.g) having p.g is not null or grouping(p.g) = 1;
select p.g, count(*), grouping(p.g) from t p group by grouping sets ((), (p.g), ());
select p.g, count(*), grouping(p.g) from t p group by distinct grouping sets ((), (p.g), ());
select distinct p.g, count(*), grouping(p.g) from t p group by grouping sets ((), (p.g), ())
-- family: sets of expressions
select coalesce(p.g, 0), count(*) from t p group by rollup (coalesce(p.g, 0));
select coalesce(p.g, 0), count(*) from t p group by rollup (p.g);
select k, count(*) from (select coalesce(g, 0) k from t) q group by rollup (k);
select coalesce(k, 0), count(*) from (select coalesce(g, 0) k from t) q group by rollup (k);
select p.uid, p.uid + 0, count(*) from t p group by rollup (p.uid);
select p.uid, p.uid + 0, count(*) from t p group by rollup (p.uid), ();
select p.uid, p.uid + 0, count(*) from t p group by grouping sets ((p.uid, p.uid + 0), ());
select p.uid, p.uid + 0, count(*) from t p group by grouping sets (p.uid, ());
select k, l, count(*) from (select uid k, uid + 0 l from t) q group by grouping sets ((k, l), ());
select uid, 1, count(*) from t group by rollup (uid);
select uid, o, count(*) from (select uid, 1 o from t) q group by rollup (uid, o) having grouping(o) = 0 or grouping(uid) = 1
-- family: sets of constants
select 1 as k, p.b, count(*) from t p group by grouping sets ((1, 2), (2));
select k, b, count(*) from (select 1 k, b from t) q group by grouping sets ((k, b), (b));
select 1, b, count(*) from t group by b union all select null, b, count(*) from t group by b;
select q.k, q.b, count(*) from (values (1)) z(k), lateral (select z.k, b from t) q group by grouping sets ((q.k, q.b), (q.b));
with q as (select 1 k, b from t) select k, b, count(*) from q group by cube (k), b;
select k, b, count(*) from (select 1 k, b from t offset 0) q group by cube (k), b;
select case when grouping(k) = 0 then 1 end, b, count(*) from (select 1 k, b from t) q group by cube (k), b
-- family: having of sets
select p.g, p.b, count(*) from t p group by rollup (p.g, p.b) having p.g = 1;
select p.g, p.b, count(*) from t p where p.g = 1 group by rollup (p.g, p.b);
select p.g, p.b, count(*) from t p where p.g = 1 group by rollup (p.g, p.b) having grouping(p.g) = 0;
select p.g, p.b, count(*) from t p where p.g = 1 group by grouping sets ((p.g, p.b), (p.g));
select * from (select p.g, p.b, count(*) from t p group by rollup (p.g, p.b)) q where g = 1;
select p.g, p.b, count(*) from t p where p.g = 1 group by p.g, rollup (p.b);
select 1, p.b, count(*) from t p where p.g = 1 group by p.g, rollup (p.b)
-- family: limits
select p.id from t p order by p.id limit 2;
select p.id from t p order by p.id limit null;
select p.id from t p order by p.id;
select p.id from t p order by p.id offset null;
select p.id from t p order by p.id limit all;
select p.id from t p order by p.id fetch first 2 rows only;
select p.id from t p order by p.id fetch first 2 rows with ties;
select p.id from t p order by p.id limit 1 + 1;
select p.id from t p order by p.id limit 1.5;
select p.id from t p order by p.id limit '2';
select p.id from t p order by p.id limit (select 2);
select p.id from t p order by p.id limit 2.4;
select id from (select p.id from t p order by p.id limit 3) q order by id limit 2;
select id from (select p.id from t p order by p.id limit 3 offset 1) q order by id limit 2;
select p.id from t p order by p.id limit 2 offset 1;
select id from (select p.id from t p order by p.id offset 1) q order by id limit 2;
select p.id from t p order by p.id limit (select count(*) from u where id in (1, 2))
-- family: ties
select p.x from t p order by p.x fetch first 2 rows with ties;
select p.x from t p where p.x <= (select x from t order by x offset 1 limit 1) order by p.x;
select x from (select x, rank() over (order by x) r from t) q where r <= 2 order by x;
select x from (select x, row_number() over (order by x) r from t) q where r <= 2 order by x;
select p.x from t p order by p.x limit 2;
select x from (select x, dense_rank() over (order by x) r from t) q where r <= 2 order by x;
select p.x from t p where (select count(*) from t z where z.x < p.x) < 2 order by p.x;
select x from (select p.x from t p order by p.x fetch first 2 rows with ties) q order by x
-- family: sets of rows from targets
select generate_series(1, 2), generate_series(1, 3);
select * from rows from (generate_series(1, 2), generate_series(1, 3)) z;
select a, b from generate_series(1, 2) a, generate_series(1, 3) b;
select p.id, unnest(p.a) from t p;
select p.id, z from t p, unnest(p.a) z;
select p.id, z from t p left join unnest(p.a) z on true;
select p.id, z from t p cross join lateral unnest(p.a) with ordinality as q(z, n);
select p.id, unnest(p.a) from t p where p.a is not null;
select p.id, unnest(p.a) from t p where cardinality(p.a) > 0;
select p.id, (select z from unnest(p.a) z limit 1) from t p;
select p.id, p.a[i] from t p, generate_series(1, cardinality(p.a)) i;
select p.id, p.a[i] from t p, generate_subscripts(p.a, 1) i;
select p.id, p.a[i] from t p, generate_series(array_lower(p.a, 1), array_upper(p.a, 1)) i;
select distinct p.id, unnest(p.a) from t p;
select p.id, unnest(p.a) from t p group by p.id
-- family: places in arrays
select p.id, p.a[1] from t p;
select p.id, z from t p left join unnest(p.a) with ordinality as q(z, n) on n = 1;
select p.id, (select z from unnest(p.a) with ordinality as q(z, n) where n = 1) from t p;
select p.id, (select z from unnest(p.a) z limit 1) from t p;
select p.id, (p.a)[1:1][1] from t p;
select p.id, case when cardinality(p.a) > 0 then p.a[1] end from t p;
select p.id, p.a[array_lower(p.a, 1)] from t p;
select p.id, (array_agg(p.a[1]) over (partition by p.id))[1] from t p
-- family: members of arrays
select p.id from t p where p.y = any (p.a);
select p.id from t p where p.y in (select unnest(p.a));
select p.id from t p where array_position(p.a, p.y) is not null;
select p.id from t p where array[p.y] <@ p.a;
select p.id from t p where p.a @> array[p.y];
select p.id from t p where p.a && array[p.y];
select p.id from t p where exists (select from unnest(p.a) z where z = p.y);
select p.id from t p where not p.y <> all (p.a);
select p.id from t p where (p.y = any (p.a)) is not false;
select p.id from t p where (p.y <> all (p.a)) is false;
select p.id from t p where p.y = p.a[1] or p.y = p.a[2];
select p.id from t p where cardinality(array_remove(p.a, p.y)) < cardinality(p.a)
-- family: equal arrays
select p.id, q.id from t p, t q where p.a = q.a;
select p.id, q.id from t p, t q where p.a is not distinct from q.a and p.a is not null;
select p.id, q.id from t p, t q where p.a <@ q.a and q.a <@ p.a;
select p.id, q.id from t p, t q where p.a::text = q.a::text;
select p.id, q.id from t p, t q where cardinality(p.a) = cardinality(q.a) and p.a <= q.a and p.a >= q.a;
select p.id, q.id from t p, t q where array(select unnest(p.a)) = array(select unnest(q.a)) and p.a is not null and q.a is not null;
select p.id, q.id from t p, t q where p.a = q.a and p.a[1] is not distinct from q.a[1];
select p.id, q.id from t p, t q where p.a <= q.a and p.a >= q.a;
select p.id, q.id from t p, t q where not p.a <> q.a
-- family: gathered arrays
select p.g, array_agg(p.y order by p.id) from t p group by p.g;
select p.g, array_agg(p.y order by p.id) filter (where p.y is not null) from t p group by p.g;
select z.g, array(select p.y from t p where p.g is not distinct from z.g order by p.id) from (select distinct g from t) z;
select p.g, array_remove(array_agg(p.y order by p.id), null) from t p group by p.g;
select g, array_agg(y) from (select g, y from t order by id) p group by g;
select g, array_agg(y order by id) from (select id, g, y from t where y is not null) p group by g;
select distinct g, array_agg(y) over (partition by g order by id rows between unbounded preceding and unbounded following) from t;
select u.id, array(select p.y from t p where p.uid = u.id order by p.id) from u;
select u.id, coalesce((select array_agg(p.y order by p.id) from t p where p.uid = u.id), '{}') from u;
select u.id, array_agg(p.y order by p.id) from u left join t p on p.uid = u.id group by u.id;
select u.id, (select array_agg(p.y order by p.id) from t p where p.uid = u.id) from u;
select u.id, array_agg(p.y order by p.id) filter (where p.id is not null) from u left join t p on p.uid = u.id group by u.id
-- family: parents and children
select id, g from base;
select id, g from only base union all select id, g from kid;
select id, g from only base;
select id, g from base where tableoid = 'base'::regclass;
select distinct id, g from base;
select id, g from base group by id, g;
select id, g from base union select id, g from base;
select distinct on (id) id, g from base order by id, g;
select b.id, b.g from base b join base c on c.id = b.id;
select b.id, b.g from only base b join only base c on c.id = b.id;
select b.id, b.g from base b where b.id in (select id from base);
select b.id, b.g from base b where b.id is not null
-- family: partitions
select z from p1;
select z from p1a union all select z from p1b;
select z from p1 where g = 1 union all select z from p1 where g <> 1 or g is null;
select z from p1 where g = 1 union all select z from p1b;
select z from p1 where g = 1;
select z from p1a;
select z from p1a where g is not null;
select z from p1b where g = 1;
select z from p1 where false;
select z from only p1;
select z from p1 where g is distinct from 1;
select z from p1b;
select z from p1b where g <> 1
-- family: computed columns
select id, h from t;
select id, x * 2 from t;
select id, x + x from t;
select id, h from t where h = x * 2;
select id from t where h > 2;
select id from t where x > 1;
select id from t where x * 2 > 2;
select id from t where h / 2 > 1;
select id from t where h % 2 = 0;
select id from t
-- family: enums
select id from t where e = 'ok';
select id from t where e::text = 'ok';
select id from t where e > 'sad' and e < 'happy';
select id from t where e::text > 'ok';
select id from t where e > 'ok';
select id from t where e in ('sad', 'ok', 'happy');
select id from t where e is not null;
select id from t where e >= 'sad';
select id from t where e between 'ok' and 'ok';
select id from t where e <> 'sad' and e <> 'happy';
select id from t where e not in ('sad', 'happy') or e is null and false;
select id from t where e::text like 'o%'
-- family: extremes of enums
select max(e) from t;
select max(e::text)::mood from t;
select e from t where e is not null order by e desc limit 1;
select e from t where e is not null order by e::text desc limit 1;
select (select e from t where e is not null order by e desc limit 1);
select (select e from t order by e desc nulls last limit 1);
select max(max) from (select max(e) from t group by g) q
-- family: spans
select id from t where iv = '1 month';
select id from t where iv = '30 days';
select id from t where iv = '720 hours';
select id from t where iv::text = '1 mon';
select id from t where iv >= '1 month' and iv <= '30 days';
select id from t where extract(epoch from iv) = 2592000;
select id from t where '2020-01-01'::date + iv = '2020-01-31';
select id from t where iv in ('1 month', '30 days');
select id from t where extract(month from iv) = 1;
select id from t where justify_days(iv) = '1 month';
select id from t where -iv = '-1 month';
select id from t where iv - '1 month' = '0'
-- family: shown spans
select iv from t where iv = '1 month';
select iv from t where iv = '30 days';
select '1 month'::interval from t where iv = '1 month';
select distinct iv from t where iv = '1 month';
select iv from t where iv = '1 month' group by iv;
select max(iv) from t where iv = '1 month' having count(*) > 0;
select iv from t where iv = '1 month' limit 1
-- family: days
select id from t where ts::date = '2020-01-31';
select id from t where ts >= '2020-01-31' and ts < '2020-02-01';
select id from t where date_trunc('day', ts) = '2020-01-31';
select id from t where ts = '2020-01-31';
select id from t where ts between '2020-01-31' and '2020-01-31 23:59:59.999999';
select id from t where ts::date = d;
select id from t where ts >= d and ts < d + 1;
select id from t where date_trunc('day', ts) = d;
select id from t where extract(year from d) = 2020;
select id from t where d >= '2020-01-01' and d < '2021-01-01';
select id from t where date_part('year', d) = 2020;
select id from t where to_char(d, 'YYYY') = '2020';
select id from t where d between '2020-01-01' and '2020-12-31';
select id from t where date_trunc('year', d) = '2020-01-01';
select id from t where extract(year from d) = -1;
select id from t where extract(year from d) between 2020 and 2020;
select id from t where d::text like '2020-%'
-- family: infinite days
select id from t where d + 1 > '2020-02-01';
select id from t where d > '2020-01-31';
select id from t where d - '2020-01-31' > 0;
select id from t where d - '2020-01-31'::date > 0;
select id from t where d >= '2020-02-01';
select id from t where d + 1 > d;
select id from t where d is not null;
select id from t where isfinite(d);
select id from t where d + interval '1 day' > '2020-02-01';
select id from t where d::timestamp > '2020-01-31';
select id from t where d::timestamp >= '2020-01-31 00:00:00.000001';
select id from t where extract(day from d) >= 1;
select id from t where date_trunc('month', d) <= d
-- family: numbers that are none
select id from t where n = n;
select id from t where n is not null;
select id from t where n - n = 0;
select id from t where n <= n;
select id from t where f = f;
select id from t where f is not null;
select id from t where f - f = 0;
select id from t where n < n + 1;
select id from t where n * 0 = 0;
select id from t where not n <> n;
select id from t where m = m;
select id from t where m - m = 0;
select id from t where f < f + 1;
select id from t where n > 0 or n <= 0;
select id from t where abs(n) >= 0;
select id from t where n between n and n
-- family: signs
select id from t where f > 0;
select id from t where -f < 0;
select id from t where f * 2 > 0;
select id from t where not f <= 0;
select id from t where sign(f) = 1;
select id from t where f >= '4.9e-324';
select id from t where f::numeric > 0;
select id from t where f::text not like '-%' and f <> 0;
select id from t where f - 1 > -1;
select id from t where f + 1 > 1;
select id from t where n > 0;
select id from t where -n < 0;
select id from t where n * 2 > 0;
select id from t where n - 1 > -1;
select id from t where n / 2 > 0
-- family: looks
select id from t where n::text = '1.0';
select id from t where n = 1.0;
select id from t where n = 1 and scale(n) = 1;
select id from t where n::text like '1%' and n = 1;
select id from t where n * 1 = 1.0;
select id from t where trim_scale(n)::text = '1';
select id from t where f::text = '-0';
select id from t where f = 0 and f::text like '-%';
select id from t where f = '-0';
select id from t where f = 0;
select id from t where n in (1, 1.0, 1.00)
-- family: constants for columns
select p.n from t p where p.n = 1;
select 1::numeric from t p where p.n = 1;
select 1.0 from t p where p.n = 1;
select p.m from t p where p.m = 1;
select 1::numeric(6,2) from t p where p.m = 1;
select 1.00 from t p where p.m = 1;
select p.c from t p where p.c = 'a';
select 'a'::char(4) from t p where p.c = 'a';
select p.v from t p where p.v = 'a';
select 'a'::varchar(6) from t p where p.v = 'a';
select 'a'::varchar from t p where p.v = 'a';
select p.c from t p where p.c in ('a');
select p.x from t p where p.x = 1;
select 1 from t p where p.x = 1;
select p.i8 from t p where p.i8 = 1;
select 1::bigint from t p where p.i8 = 1;
select p.bt from t p where p.bt = '101';
select B'101' from t p where p.bt = '101';
select '101'::bit(3) from t p where p.bt = '101'
-- family: fetched by equal keys
select p.n from t p join u on u.w = p.n;
select u.w from t p join u on u.w = p.n;
select p.c from t p join u on u.c = p.c;
select u.c from t p join u on u.c = p.c;
select p.i8 from t p join u on u.i8 = p.i8;
select u.i8 from t p join u on u.i8 = p.i8;
select i8 from t p join u using (i8);
select n from t p join (select w as n from u) z using (n);
select p.x from t p join u on u.i8 = p.x;
select u.i8 from t p join u on u.i8 = p.x;
select p.i8 from t p where p.i8 in (select i8 from u);
select p.i8 from t p join (select distinct i8 from u) z on z.i8 = p.i8;
select z.i8 from t p join (select distinct i8 from u) z on z.i8 = p.i8
-- family: merged columns
select c, id from t p full join u using (c, id);
select coalesce(p.c, u.c), coalesce(p.id, u.id) from t p full join u on p.c = u.c and p.id = u.id;
select coalesce(u.c, p.c), coalesce(p.id, u.id) from t p full join u on p.c = u.c and p.id = u.id;
select i8, id from t p full join u using (i8, id);
select coalesce(p.i8, u.i8), coalesce(p.id, u.id) from t p full join u on p.i8 = u.i8 and p.id = u.id;
select p.i8, u.id from t p right join u on p.i8 = u.i8 and p.id = u.id;
select i8, id from t p right join u using (i8, id);
select i8, id from t p left join u using (i8, id);
select u.i8, p.id from t p left join u using (i8, id);
select p.i8, p.id from t p left join u using (i8, id);
select p.i8, p.id from t p;
select u.i8, u.id from u;
select x.i8, x.id from t p full join u using (i8, id) as x
-- family: stable clocks
select id from t where d < current_date;
select id from t where d < now()::date;
select id from t where d < now();
select id from t where d::timestamptz < current_timestamp;
select id from t where tz::date = d;
select id from t where tz >= d and tz < d + 1;
select id from t where (tz at time zone 'UTC')::date = d;
select id from t where tz = ts;
select id from t where tz::timestamp = ts;
select id from t where tz = ts at time zone current_setting('TimeZone');
select id from t where date_trunc('day', tz) = d;
select id from t where tz + '1 day' > '2020-03-30 00:30+00';
select id from t where tz + '24 hours' > '2020-03-30 00:30+00';
select id from t where tz > '2020-03-29 00:30+00'
-- family: where rows lie
select ctid from t where id = 1;
select p.ctid from t p join t q on q.id = p.id where p.id = 1;
select q.ctid from t p join t q on q.id = p.id where p.id = 1;
select min(ctid) from t where id = 1 having count(*) > 0;
select p.ctid from t p join t q on q.ctid = p.ctid where q.id = 1;
select ctid from t where ctid in (select ctid from t where id = 1);
select (select ctid from t where id = 1) where exists (select from t where id = 1);
select ctid from t where id = 1 limit 1
-- family: whole rows
select p from t p where p.id = 1;
select row(p.*) from t p where p.id = 1;
select q from (select * from t) q where q.id = 1;
select (p).* from t p where p.id = 1;
select * from t where id = 1;
select z.* from t p, lateral (select p.*) z where p.id = 1;
select p.* from t p where p is not null and p.id = 1;
select p.* from t p where p = p and p.id = 1;
select p.* from t p where not p is null and p.id = 1;
select p.* from t p where p is distinct from null and p.id = 1
-- family: no columns
select count(*) from (select from t) q;
select count(*) from t;
select count(q) from (select from t) q;
select count(q.*) from (select id from t) q;
select count(q) from (select y from t) q;
select count(y) from t;
select sum(1) from t;
select count(1) from t;
select count(null) from t;
select count((y, null)) from t;
select count(*) from (table t) q;
select count(*) from t p, (values (1)) z;
select count(*) from t p cross join (select) z;
select sum(c) from (select count(*) c from t group by g) q
-- family: exists
select exists (select from t where x > 0);
select exists (select from t where x > 0 limit 1);
select exists (select from t where x > 0 limit 0);
select exists (select from t where x > 0 offset 1);
select exists (select sum(x) from t where x > 0);
select exists (select 1 / 0 from t where x > 0);
select exists (select 10 / x from t where x > 0);
select count(*) > 0 from t where x > 0;
select count(*) > 1 from t where x > 0;
select bool_or(x > 0) from t;
select coalesce(bool_or(x > 0), false) from t;
select (select true from t where x > 0 limit 1);
select 1 in (select 1 from t where x > 0);
select true = any (select x > 0 from t);
select true = any (array(select x > 0 from t));
select (select count(*) from t where x > 0) <> 0;
select max(x) > 0 from t;
select exists (select 1 from t where x > 0 group by g);
select exists (select 1 from t group by g having max(x) > 0);
select exists (select distinct on (g) 1 from t where x > 0);
select exists (select from t having max(x) > 0)
-- family: all of none
select u.id from u where u.k > all (select p.x from t p where p.uid = u.id);
select u.id from u where u.k > (select max(p.x) from t p where p.uid = u.id);
select u.id from u where not exists (select 1 from t p where p.uid = u.id and p.x >= u.k);
select u.id from u where not u.k <= any (select p.x from t p where p.uid = u.id);
select u.id from u where coalesce(u.k > (select max(p.x) from t p where p.uid = u.id), true);
select u.id from u where u.k > all (array(select p.x from t p where p.uid = u.id));
select u.id from u where (u.k > all (select p.y from t p where p.uid = u.id));
select u.id from u where not exists (select 1 from t p where p.uid = u.id and p.y >= u.k);
select u.id from u where not exists (select 1 from t p where p.uid = u.id and (p.y < u.k) is not true);
select u.id from u where u.r <> all (select p.y from t p where p.uid = u.id);
select u.id from u where u.r not in (select p.y from t p where p.uid = u.id);
select u.id from u where (u.r in (select p.y from t p where p.uid = u.id)) is not true
-- family: one value
select u.id, (select p.x from t p where p.id = u.id) from u;
select u.id, p.x from u left join t p on p.id = u.id;
select u.id, (select p.x from t p where p.uid = u.id) from u;
select u.id, (select p.x from t p where p.uid = u.id limit 1) from u;
select u.id, (select max(p.x) from t p where p.uid = u.id) from u;
select u.id, (select distinct p.x from t p where p.uid = u.id) from u;
select u.id, (select min(p.x) from t p where p.uid = u.id having count(*) = 1) from u;
select u.id, (select p.x from t p where p.id = u.id order by p.y) from u;
select u.id, (select p.x from t p where p.id = u.id offset 0) from u;
select u.id, (select p.x from t p where p.id = u.id union select p.x from t p where p.id = u.id) from u;
select u.id, max(p.x) from u left join t p on p.id = u.id group by u.id;
select u.id, (array(select p.x from t p where p.id = u.id))[1] from u;
select u.id, (array(select p.x from t p where p.uid = u.id))[1] from u
-- family: recursion
with recursive r(i) as (select 1 union all select i + 1 from r where i < 3) select i from r;
with recursive r(i) as (select 1 union select i + 1 from r where i < 3) select i from r;
select i from generate_series(1, 3) i;
select i from (values (1), (2), (3)) z(i);
with recursive r(i, j) as (select 1, 10 / 1 union all select i + 1, 10 / (2 - i) from r where i < 3) select i from r;
with recursive r(i) as (select 1 union all select i + 1 from r) select i from r limit 3;
with recursive r(i) as (select id from u where r is null union all select u.id from r, u where u.r = r.i and u.id <> r.i) select i from r;
with recursive r(i) as (select id from u where r is null union select u.id from r, u where u.r = r.i and u.id <> r.i) select i from r;
with recursive r(i) as (select id from u where r is null union select u.id from r, u where u.r = r.i) select i from r;
with recursive r(i) as (select id from u where r is null union select u.id from r join u on u.r = r.i) select distinct i from r
-- family: set operations
select x from t union select y from t;
select distinct z from (select x z from t union all select y from t) q;
select y from t union select x from t;
select x from t intersect select y from t;
select distinct x from t where x in (select y from t);
select distinct x from t p where exists (select from t q where q.y is not distinct from p.x);
select y from t intersect select x from t;
select distinct y from t p where exists (select from t q where q.x = p.y);
select y from t except select x from t;
select distinct y from t where y not in (select x from t);
select distinct y from t p where not exists (select from t q where q.x is not distinct from p.y);
select distinct y from t p where not exists (select from t q where q.x = p.y);
select y from t except all select x from t;
select y from t where y not in (select x from t) or y is null;
select y from t intersect all select x from t;
(select x from t union select y from t) union all select x from t where false;
select x from t union (select y from t intersect select y from t);
select x from t union select y from t intersect select y from t
-- family: operands of two types
select x from t union select i8 from t;
select x::bigint from t union select i8 from t;
select distinct z from (select x::bigint z from t union all select i8 from t) q;
select x from t union all select n from t;
select x::numeric from t union all select n from t;
select x from t intersect select n from t;
select n from t intersect select x from t;
select distinct x::numeric from t where x in (select n from t);
select x from t except select f from t;
select distinct x::float8 from t where x::float8 not in (select f from t where f is not null);
select c from t union select v from t;
select v from t union select c from t;
select c::text from t union select v::text from t;
select c from t intersect select v from t;
select distinct c from t where c in (select v from t);
select distinct c from t where c::text in (select v from t)
