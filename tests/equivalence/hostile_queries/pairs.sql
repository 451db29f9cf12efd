-- different: intersect against semi-join with other modifiers
select ch from b1 intersect select ch from b2;
select distinct ch::bpchar from b1 where ch in (select ch from b2) or ch is null;
-- different: USING shows the left column, ON the right one
select p from b1 join b2 using (p);
select b2.p from b1 join b2 on b1.p = b2.p;
-- open: USING shows the left column of an inner join
select p from b1 join b2 using (p);
select b1.p from b1 join b2 on b1.p = b2.p;
-- different: USING of a full join merges
select k from b1 full join b2 using (k);
select b1.k from b1 full join b2 on b1.k = b2.k;
-- equal: USING of a full join is COALESCE
select k from b1 full join b2 using (k);
select coalesce(b1.k, b2.k) from b1 full join b2 on b1.k = b2.k;
-- different: condition on looks above DISTINCT
select count(*) from (select distinct price from l) q where scale(price) = 1;
select count(distinct price) from l where scale(price) = 1;
-- different: condition on looks above grouping by float
select f::text from (select f, count(*) n from b1 group by f) q where n > 1;
select min(f::text) from b1 group by f having count(*) > 1;
-- equal: condition on a grouping column of integers moves below
select region, n from (select region, count(*) n from c group by region) q where region > 1;
select region, count(*) from c where region > 1 group by region;
-- different: condition on the count does not move below
select region, n from (select region, count(*) n from c group by region) q where n > 1;
select region, count(*) from c where id > 1 group by region;
-- different: NOT IN with NULLs of the inner side
select id from c where id not in (select alt from o);
select id from c where not exists (select 1 from o where o.alt = c.id);
-- equal: NOT IN where the inner side has none
select id from c where id not in (select cid from o);
select id from c where not exists (select 1 from o where o.cid = c.id);
-- equal: NOT IN with NULLs filtered
select id from c where id not in (select alt from o where alt is not null);
select id from c where not exists (select 1 from o where o.alt = c.id);
-- different: NOT IN of a nullable outer expression
select id from c where region not in (select cid from o);
select id from c where not exists (select 1 from o where o.cid = c.region);
-- equal: NOT IN of a nullable outer expression, with the NULL case said
select id from c where region not in (select cid from o);
select id from c where (region is not null or not exists (select 1 from o)) and not exists (select 1 from o where o.cid = c.region);
-- different: <> ALL of an empty list of rows is true of NULL
select id from c where region <> all (select id from o where id < 0);
select id from c where region is not null;
-- equal: <> ALL over no rows is true
select id from c where region <> all (select id from o where false);
select id from c;
-- different: scale of an average
select avg(qty) from o;
select sum(qty) / count(qty) from o;
-- different: integer division of a sum
select sum(qty) / count(*) from o having count(*) > 0;
select avg(qty)::bigint from o having count(*) > 0;
-- different: char comparison ignores blanks, text does not
select id from c where code = 'a';
select id from c where code::text = 'a ';
-- different: length of a padded char
select id from c where length(code) = 4;
select id from c where octet_length(code) = 4;
-- different: like on padded char
select id from c where code like 'a';
select id from c where code = 'a';
-- different: -0 is 0 but prints otherwise
select score from c where score = 0;
select 0::float8 from c where score = 0;
-- different: NaN equals itself
select id from c where score = score;
select id from c where score = score and score <> 'NaN';
-- equal: x = x is IS NOT NULL, floats too
select id from c where score = score;
select id from c where score is not null;
-- different: x - x is not 0 with NaN and infinity
select id from c where score - score = 0;
select id from c where score is not null;
-- different: x * 0
select id from c where score * 0 = 0;
select id from c where score is not null;
-- equal: LIMIT 0
select id from c order by id limit 0;
select id from c where false;
-- different: OFFSET twice
select id from (select id from c order by id offset 1) q order by id offset 1;
select id from c order by id offset 1;
-- equal: OFFSETs add
select id from (select id from c order by id offset 1) q order by id offset 2;
select id from c order by id offset 3;
-- equal: smaller of two LIMITs
select id from (select id from c order by id limit 5) q order by id limit 2;
select id from c order by id limit 2;
-- different: order of the outer LIMIT is another
select id from (select id from c order by id limit 4) q order by id desc limit 2;
select id from c order by id desc limit 2;
-- different: WITH TIES
select id, region from c order by region fetch first 1 rows with ties;
select id, region from c order by region fetch first 1 rows only;
-- equal: WITH TIES over a key
select id from c order by id fetch first 2 rows with ties;
select id from c order by id limit 2;
-- equal: WITH TIES as rank
select id, region from c order by region fetch first 2 rows with ties;
select id, region from (select id, region, rank() over (order by region) r from c) q where r <= 2 order by region;
-- different: LIMIT through a nullable reference
select o.id from o join c on c.id = o.alt order by o.id limit 2;
select o.id from (select * from o order by id limit 2) o join c on c.id = o.alt order by o.id;
-- equal: LIMIT through a reference that is there
select o.id, c.name from o join c on c.id = o.cid order by o.id limit 2;
select o.id, c.name from (select * from o order by id limit 2) o join c on c.id = o.cid order by o.id;
-- different: DISTINCT ON without order against with
select distinct on (cid) cid, id from o order by cid, id;
select distinct on (cid) cid, id from o order by cid, id desc;
-- open: DISTINCT ON of the least key and min
select distinct on (cid) cid, id from o order by cid, id;
select cid, min(id) from o group by cid order by cid;
-- equal: DISTINCT ON and row_number
select distinct on (cid) cid, amt, id from o order by cid, amt desc, id;
select cid, amt, id from (select *, row_number() over (partition by cid order by amt desc, id) n from o) q where n = 1 order by cid;
-- different: DISTINCT ON and rank over ties
select distinct on (cid) cid, amt from o order by cid, amt desc, id;
select cid, amt from (select *, rank() over (partition by cid order by amt desc) n from o) q where n = 1 order by cid;
-- different: FILTER and WHERE lose groups
select cid, count(*) filter (where qty > 1) from o group by cid;
select cid, count(*) from o where qty > 1 group by cid;
-- equal: FILTER and CASE in count
select cid, count(*) filter (where qty > 1) from o group by cid;
select cid, count(case when qty > 1 then 1 end) from o group by cid;
-- equal: FILTER and sum of CASE in groups
select cid, count(*) filter (where note = 'x') from o group by cid;
select cid, sum(case when note = 'x' then 1 else 0 end) from o group by cid;
-- different: FILTER and sum of CASE without groups
select count(*) filter (where note = 'x') from o where id < 0;
select sum(case when note = 'x' then 1 else 0 end) from o where id < 0;
-- different: EXCLUDE GROUP and no exclusion
select id, sum(qty::bigint) over (order by amt range between unbounded preceding and current row exclude group) from o;
select id, sum(qty::bigint) over (order by amt range between unbounded preceding and current row) from o;
-- different: EXCLUDE TIES keeps the row
select id, count(*) over (order by amt range between unbounded preceding and current row exclude ties) from o;
select id, count(*) over (order by amt range between unbounded preceding and current row exclude group) from o;
-- equal: EXCLUDE NO OTHERS is the default
select id, count(*) over (order by amt range between unbounded preceding and current row exclude no others) from o;
select id, count(*) over (order by amt) from o;
-- open: EXCLUDE CURRENT ROW over the whole partition counts the others
select id, count(*) over (partition by cid rows between unbounded preceding and unbounded following exclude current row) from o;
select id, count(*) over (partition by cid) - 1 from o;
-- different: ROWS and RANGE with ties
select id, count(*) over (order by day rows unbounded preceding) from o order by id;
select id, count(*) over (order by day range unbounded preceding) from o order by id;
-- equal: ROWS and RANGE over a key
select id, sum(amt) over (order by id rows unbounded preceding) from o;
select id, sum(amt) over (order by id) from o;
-- equal: GROUPS over a key
select id, sum(amt) over (order by id groups between 1 preceding and current row) from o;
select id, sum(amt) over (order by id rows between 1 preceding and current row) from o;
-- different: GROUPS over ties
select id, count(*) over (order by day groups between 1 preceding and current row) from o;
select id, count(*) over (order by day rows between 1 preceding and current row) from o;
-- different: grouping sets add NULLs
select region, count(*) from c group by rollup (region);
select region, count(*) from c group by region;
-- equal: rollup is a union
select region, count(*) from c group by rollup (region);
select region, count(*) from c group by region union all select null, count(*) from c;
-- open: grouping sets is a union
select region, m, count(*) from c group by grouping sets ((region), (m));
select region, null::mood, count(*) from c group by region union all select null, m, count(*) from c group by m;
-- different: cube against rollup
select region, m, count(*) from c group by cube (region, m);
select region, m, count(*) from c group by rollup (region, m);
-- different: condition on a column of grouping sets
select region, n from (select region, count(*) n from c group by rollup (region)) q where region = 1;
select region, count(*) from c where region = 1 group by rollup (region);
-- equal: condition on a column of grouping sets that keeps one set
select region, n from (select region, count(*) n from c group by rollup (region)) q where region = 1;
select region, count(*) from c where region = 1 group by region;
-- different: HAVING without GROUP BY
select count(*) from o having count(*) > 100;
select count(*) from o where id > 100;
-- different: grouping by a constant over no rows
select count(*) from o where id < 0 group by qty > 0;
select count(*) from o where id < 0;
-- different: recursion with UNION and UNION ALL
with recursive r(a, b) as (select src, dst from e where src > 4 union select r.a, e.dst from r join e on e.src = r.b) select * from r;
with recursive r(a, b) as (select src, dst from e where src > 4 union all select r.a, e.dst from r join e on e.src = r.b) select a, b from r where a <> 5 union all select 5, 6 union all select 5, 6;
-- equal: a recursion's step the other way round
with recursive r(a, b) as (select src, dst from e union select r.a, e.dst from r join e on e.src = r.b) select * from r;
with recursive r(a, b) as (select src, dst from e union select r.a, e.dst from e, r where r.b = e.src) select * from r;
-- equal: a recursion restricted first
with recursive r(a, b) as (select src, dst from e union select r.a, e.dst from r join e on e.src = r.b) select b from r where a = 1;
with recursive r(a, b) as (select src, dst from e where src = 1 union select r.a, e.dst from r join e on e.src = r.b) select b from r;
-- different: a recursion restricted at the end that changes
with recursive r(a, b) as (select src, dst from e union select r.a, e.dst from r join e on e.src = r.b) select a from r where b = 1;
with recursive r(a, b) as (select src, dst from e where dst = 1 union select r.a, e.dst from r join e on e.src = r.b) select a from r;
-- open: closure of bosses, counted from either side
with recursive up(id, top) as (select id, boss from hier where boss is not null union select up.id, h.boss from up join hier h on h.id = up.top where h.boss is not null) select top, count(*) from up group by top;
with recursive up(id, top) as (select id, boss from hier where boss is not null union select up.id, h.boss from hier h join up on up.top = h.id and h.boss is not null) select top, count(id) from up group by top;
-- different: a volatile CTE read twice
with r as (select random() x) select a.x = b.x from r a, r b;
select random() = random();
-- different: random inlined
select count(*) from (select random() x from c) q where x < 2 and x > 2;
select count(*) from c where random() < 2 and random() > -1;
-- equal: now() is fixed
select id from o where at < now() and at < now();
select id from o where at < now();
-- different: clock_timestamp is not now
select now() = now();
select clock_timestamp() = now();
-- different: date of a timestamptz follows the zone
select id from o where at::date = date '2024-12-31';
select id from o where at >= timestamptz '2024-12-31 00:00+00' and at < timestamptz '2025-01-01 00:00+00';
-- equal: date in UTC is a range
select id from o where (at at time zone 'UTC')::date = date '2024-12-31';
select id from o where at >= timestamptz '2024-12-31 00:00+00' and at < timestamptz '2025-01-01 00:00+00';
-- different: a day is not 24 hours where clocks change
select id from o where at + interval '1 day' > timestamptz '2024-11-03 06:30+00';
select id from o where at + interval '24 hours' > timestamptz '2024-11-03 06:30+00';
-- different: a month is not 30 days
select id, day + interval '1 month' from o;
select id, day + interval '30 days' from o;
-- equal: days of a date are whole
select id from o where day + 7 > date '2024-12-31';
select id from o where day > date '2024-12-24';
-- different: months clip at their ends
select id from o where day + interval '1 month' = timestamp '2024-03-29';
select id from o where day = timestamp '2024-03-29' - interval '1 month' and id <> 6;
-- equal: extract of the year as a range of dates
select id from o where extract(year from day) = 2024;
select id from o where day >= date '2024-01-01' and day < date '2025-01-01';
-- different: extract of the year with a closed end
select id from o where extract(year from day) = 2024;
select id from o where day between date '2024-01-01' and date '2025-01-01';
-- open: date_trunc of a date column by month as a range
select id from o where date_trunc('month', day::timestamp) = timestamp '2024-02-01';
select id from o where day >= date '2024-02-01' and day < date '2024-03-01';
-- different: an interval's equals
select id from o where dur = interval '1 day';
select id from o where dur::text = '1 day';
-- equal: an interval's equals either way
select id from o where dur = interval '24 hours';
select id from o where dur = interval '1 day';
-- different: distinct intervals
select count(distinct dur) from o;
select count(distinct dur::text) from o;
-- equal: an array's elements as a list
select id from c where id = any (array[1, 2, 3]);
select id from c where id in (1, 2, 3);
-- different: a NULL in the array under ALL
select id from c where id <> all (array[1, null]::int[]);
select id from c where id <> 1;
-- equal: a NULL in the array under ALL leaves none
select id from c where id <> all (array[1, null]::int[]);
select id from c where false;
-- different: unnest of an empty array drops the row
select js.id, u from js, unnest(ar) u;
select js.id, u from js left join lateral unnest(ar) u on true;
-- open: cardinality of an empty array, and of none
select id from js where cardinality(ar) = 0;
select id from js where ar = '{}';
-- different: array_length of an empty array is NULL
select id from js where array_length(ar, 1) = 0;
select id from js where cardinality(ar) = 0;
-- different: array contains with NULL
select id from js where ar @> array[null]::int[];
select id from js where array_position(ar, null) is not null;
-- different: ->> of a JSON null
select id from js where j -> 'b' is null;
select id from js where j ->> 'b' is null;
-- different: ? and -> IS NOT NULL
select id from js where j ? 'a';
select id from js where j -> 'a' = '1';
-- equal: -> of a missing key
select id from js where (j -> 'zz') is null and j is null;
select id from js where j is null;
-- different: empty ranges
select id from rg where not isempty(r) and upper(r) is null;
select id from rg where upper(r) is null;
-- different: contained in against overlap
select id from rg where r && int4range(2, 3);
select id from rg where r <@ int4range(2, 3);
-- open: a discrete range's bounds
select id from rg where r = int4range(1, 4, '[]');
select id from rg where r = int4range(1, 5);
-- different: an open end of dates
select id from rg where d @> date '2024-01-15';
select id from rg where lower(d) <= date '2024-01-15' and upper(d) > date '2024-01-15';
-- different: multiranges that are empty
select id from rg where isempty(mr);
select id from rg where mr is null;
-- equal: a domain's check
select id from dm where q > 0;
select id from dm;
-- different: a domain's check of a nullable column
select id from dm where p > 0;
select id from dm;
-- equal: a domain's check and NULL
select id from dm where p > 0;
select id from dm where p is not null;
-- different: a cast to a domain raises
select (t)::short from js;
select t from js where length(t) < 6;
-- open: a stored generated column
select id from gen where b = a * 2;
select id from gen;
-- open: a generated column of another expression
select id from gen where b = a + a and a > 0;
select id from gen where b > 1;
-- equal: a CHECK of the table
select id from o where qty >= 1;
select id from o;
-- different: a CHECK that NULL passes
select id from gen where b > 0 or b <= 1;
select id from par where k > 0 or k <= 0;
-- different: a parent's key does not bind its children
select distinct id from par;
select id from par;
-- equal: ONLY the parent
select distinct id from only par;
select id from only par;
-- different: ONLY and all
select count(*) from only par;
select count(*) from par;
-- open: partitions' bounds
select count(*) from pt where y < 2010;
select count(*) from pt1;
-- different: partitions' bounds are half open
select count(*) from pt where y <= 2010;
select count(*) from pt1;
-- open: all partitions
select id, v from pt;
select id, v from pt1 union all select id, v from pt2;
-- open: a condition that no partition meets
select id from pt where y >= 2020;
select id from pt where false;
-- different: an enum's order
select max(m) from c;
select max(m::text)::mood from c;
-- open: an enum's comparison
select id from c where m > 'sad' and m <> 'ok';
select id from c where m > 'ok' or m > 'sad' and m > 'ok';
-- different: LIKE and its wildcard
select id from o where note like 'a_b';
select id from o where note = 'a_b';
-- equal: LIKE escaped
select id from o where note like 'a\_b';
select id from o where note = 'a_b';
-- different: trailing blanks of text
select id from o where note = 'ab';
select id from o where rtrim(note) = 'ab';
-- different: empty text is not NULL
select id from o where coalesce(note, '') = '';
select id from o where note is null;
-- equal: empty text or NULL
select id from o where coalesce(note, '') = '';
select id from o where note is null or note = '';
-- different: IS DISTINCT FROM
select id from o where note <> 'x';
select id from o where note is distinct from 'x';
-- equal: IS DISTINCT FROM spelled out
select id from o where note is distinct from 'x';
select id from o where note <> 'x' or note is null;
-- different: NOT over AND with NULL
select id from b1 join c on c.id = b1.k where not (b and region = 1);
select id from b1 join c on c.id = b1.k where not b or region <> 1 or region is null;
-- equal: De Morgan
select c.id from b1 join c on c.id = b1.k where not (b and region = 1);
select c.id from b1 join c on c.id = b1.k where not b or region <> 1;
-- different: IS NOT TRUE and NOT
select k from b1 where b is not true;
select k from b1 where not b;
-- equal: IS NOT TRUE spelled out
select k from b1 where b is not true;
select k from b1 where not coalesce(b, false);
-- different: aggregate that raises in a CTE that is computed
with q as materialized (select cid, count(*) n, sum(1 / (qty - 1)) s from o group by cid) select cid, n from q;
select cid, count(*) from o group by cid;
-- equal: an aggregate that is not read and can't raise
select cid, n from (select cid, count(*) n, max(amt) s from o group by cid) q;
select cid, count(*) from o group by cid;
-- different: division guarded by WHERE only on one side
select 10 / (qty - 1) from o where qty <> 1 or qty is null;
select 10 / (qty - 1) from o;
-- open: division guarded by CASE twice
select case when qty = 1 then null else 10 / (qty - 1) end from o;
select 10 / nullif(qty - 1, 0) from o;
-- different: scalar subquery with two rows
select (select o.id from o where o.cid = c.id) from c;
select min(o.id) from c left join o on o.cid = c.id group by c.id;
-- equal: scalar subquery by key
select (select c.name from c where c.id = o.cid) from o;
select c.name from o join c on c.id = o.cid;
-- different: scalar subquery by key of a nullable reference
select (select c.name from c where c.id = o.alt) from o;
select c.name from o join c on c.id = o.alt;
-- equal: scalar subquery by key of a nullable reference, left join
select (select c.name from c where c.id = o.alt) from o;
select c.name from o left join c on c.id = o.alt;
-- equal: LATERAL top one and row_number
select c.id, x.id from c, lateral (select o.id from o where o.cid = c.id order by o.day desc, o.id limit 1) x;
select q.cid, q.id from (select o.cid, o.id, row_number() over (partition by o.cid order by o.day desc, o.id) n from o) q where n = 1;
-- different: LATERAL top one of a left join
select c.id, x.id from c left join lateral (select o.id from o where o.cid = c.id order by o.id limit 1) x on true;
select c.id, x.id from c, lateral (select o.id from o where o.cid = c.id order by o.id limit 1) x;
-- equal: LATERAL aggregate is always there
select c.id, x.n from c left join lateral (select count(*) n from o where o.cid = c.id) x on true;
select c.id, x.n from c, lateral (select count(*) n from o where o.cid = c.id) x;
-- equal: LATERAL aggregate and a grouped join
select c.id, x.s from c, lateral (select sum(amt) s from o where o.cid = c.id) x;
select c.id, g.s from c left join (select cid, sum(amt) s from o group by cid) g on g.cid = c.id;
-- different: LATERAL count and a grouped join without COALESCE
select c.id, x.n from c, lateral (select count(*) n from o where o.cid = c.id) x;
select c.id, g.n from c left join (select cid, count(*) n from o group by cid) g on g.cid = c.id;
-- equal: EXISTS and a grouped join
select c.id from c where exists (select 1 from o where o.cid = c.id and o.qty > 1);
select c.id from c join (select cid from o where qty > 1 group by cid) g on g.cid = c.id;
-- different: EXISTS and a join with duplicates
select c.id from c where exists (select 1 from o where o.cid = c.id);
select c.id from c join o on o.cid = c.id;
-- equal: EXISTS and a join on the whole key
select l.sku from l where exists (select 1 from o where o.id = l.oid and o.qty > 1);
select l.sku from l join o on o.id = l.oid where o.qty > 1;
-- equal: count(DISTINCT) through a join
select count(distinct o.cid) from o;
select count(*) from c where exists (select 1 from o where o.cid = c.id);
-- different: count(DISTINCT) of a nullable reference counts no NULL
select count(distinct alt) from o;
select count(*) from (select distinct alt from o) q;
-- equal: count(DISTINCT) with NULLs left out
select count(distinct alt) from o;
select count(*) from (select distinct alt from o where alt is not null) q;
-- different: sum of distinct prices that look different
select sum(price) from (select distinct price from l where price < 2) q;
select sum(distinct price) from l where price <= 1;
-- open: max by ORDER BY LIMIT
select max(amt) from o;
select (select amt from o order by amt desc limit 1);
-- different: max by ORDER BY LIMIT with NULLs first
select max(region) from c;
select (select region from c order by region desc limit 1);
-- equal: max by ORDER BY LIMIT with NULLs last
select max(region) from c;
select (select region from c order by region desc nulls last limit 1);
-- equal: min over UNION ALL
select min(id) from (select id from o where qty > 1 union all select id from o where qty = 1) q;
select min(id) from o;
-- different: UNION ALL of overlapping arms
select id from o where qty > 1 union all select id from o where amt > 1;
select id from o where qty > 1 or amt > 1;
-- equal: UNION of arms over a key
select id from o where qty > 1 union select id from o where amt > 1;
select id from o where qty > 1 or amt > 1;
-- different: UNION drops duplicates of one arm
select cid from o where qty > 1 union select cid from o where amt > 1;
select cid from o where qty > 1 or amt > 1;
-- different: EXCEPT drops duplicates
select cid from o except select alt from o;
select cid from o where not exists (select 1 from o p where p.alt = o.cid);
-- equal: EXCEPT as DISTINCT and an anti-join
select cid from o except select alt from o;
select distinct cid from o where not exists (select 1 from o p where p.alt = o.cid);
-- different: EXCEPT treats NULLs as one
select region from c except select alt from o;
select distinct region from c where not exists (select 1 from o where o.alt = c.region);
-- equal: EXCEPT with IS NOT DISTINCT FROM
select region from c except select alt from o;
select distinct region from c where not exists (select 1 from o where o.alt is not distinct from c.region);
-- different: EXCEPT ALL and EXCEPT
select cid from o except all select id from c;
select cid from o except select id from c;
-- equal: INTERSECT of a column with itself
select cid from o intersect select id from c;
select distinct cid from o;
-- equal: join elimination by reference
select o.id from o join c on c.id = o.cid;
select id from o;
-- different: join elimination by a nullable reference
select o.id from o join c on c.id = o.alt;
select id from o;
-- equal: join elimination by a nullable reference that is filtered
select o.id from o join c on c.id = o.alt;
select id from o where alt is not null;
-- equal: left join elimination
select o.id from o left join c on c.id = o.alt;
select id from o;
-- different: left join not by a key
select o.id from o left join c on c.region = o.alt;
select id from o;
-- equal: left join with a condition is inner
select o.id from o left join c on c.id = o.alt where c.region = 1;
select o.id from o join c on c.id = o.alt where c.region = 1;
-- different: condition in ON of a left join
select o.id, c.id from o left join c on c.id = o.alt and c.region = 1;
select o.id, c.id from o left join c on c.id = o.alt where c.region = 1;
-- equal: self-join on the key
select a.id, b.amt from o a join o b on a.id = b.id;
select id, amt from o;
-- different: self-join on a column that is no key
select a.id, b.amt from o a join o b on a.cid = b.cid;
select id, amt from o;
-- different: ORDER BY of a subquery is lost by a new order
select id from (select id, amt from o order by id limit 3) q order by amt desc;
select id from o order by amt desc limit 3;
-- different: order of the answer
select id from o order by id;
select id from o order by id desc;
-- equal: ordered by a constant more
select id from o where cid = 1 order by cid, id;
select id from o where cid = 1 order by id;
-- equal: ordered by more than a key
select id, amt from o order by id, amt;
select id, amt from o order by id;
-- different: string_agg's order
select cid, string_agg(note, ',' order by id) from o group by cid;
select cid, string_agg(note, ',' order by id desc) from o group by cid;
-- open: string_agg over an ordered subquery's key
select cid, string_agg(note, ',' order by id) from o group by cid;
select cid, string_agg(note, ',' order by id, amt) from o group by cid;
-- equal: row comparison spelled out
select id from o where (cid, id) > (2, 3);
select id from o where cid > 2 or cid = 2 and id > 3;
-- different: row comparison and each column's
select id from o where (cid, id) > (2, 3);
select id from o where cid > 2 and id > 3;
-- equal: BETWEEN SYMMETRIC of constants
select id from o where id between symmetric 5 and 2;
select id from o where id between 2 and 5;
-- equal: greatest with constants
select id from o where greatest(id, 3) = 3;
select id from o where id <= 3;
-- different: greatest ignores NULL
select id from c where greatest(region, 1) = 1;
select id from c where region <= 1;
-- equal: greatest with NULL said
select id from c where greatest(region, 1) = 1;
select id from c where region <= 1 or region is null;
-- different: concat ignores NULL
select concat(name, vc) from c;
select name || vc from c;
-- different: integer overflow
select sum(qty) from o;
select sum(qty)::int from o;
-- different: rounding half to even or away
select round(score) from c where score = 1.5 or score is null;
select round(score::numeric) from c where score = 2.5 or score is null;
-- equal: lag by one row and a frame
select id, lag(amt) over (order by id) from o;
select id, max(amt) over (order by id rows between 1 preceding and 1 preceding) from o;
-- different: lag by partition
select id, lag(amt) over (order by id) from o;
select id, lag(amt) over (partition by cid order by id) from o;
-- equal: first_value over a key and min
select id, first_value(id) over (partition by cid order by id) from o;
select id, min(id) over (partition by cid) from o;
-- different: last_value with the default frame
select id, last_value(id) over (partition by cid order by id) from o;
select id, max(id) over (partition by cid) from o;
-- equal: last_value over the whole frame
select id, last_value(id) over (partition by cid order by id rows between unbounded preceding and unbounded following) from o;
select id, max(id) over (partition by cid) from o;
-- different: filter across a window
select id from (select id, cid, rank() over (order by amt) r from o) q where r = 1 and cid = 3;
select id from (select id, rank() over (order by amt) r from o where cid = 3) q where r = 1;
-- equal: filter on the partition
select id from (select id, cid, rank() over (partition by cid order by amt) r from o) q where r = 1 and cid = 3;
select id from (select id, rank() over (order by amt) r from o where cid = 3) q where r = 1;
-- equal: window count as a correlated count
select id, count(*) over (partition by cid) from o;
select id, (select count(*) from o p where p.cid = o.cid) from o;
-- different: window count over NULLs as a correlated count
select id, count(*) over (partition by region) from c;
select id, (select count(*) from c d where d.region = c.region) from c;
-- open: dense_rank is 1 for the greatest
select id from (select id, dense_rank() over (order by amt desc) d from o) q where d = 1;
select id from o where amt = (select max(amt) from o);
-- different: percent_rank and cume_dist
select id, percent_rank() over (order by id) from o;
select id, cume_dist() over (order by id) from o;
-- different: ntile of another number
select id, ntile(2) over (order by id) from o;
select id, ntile(3) over (order by id) from o;
-- equal: IN over a values list
select id from o where cid in (select v from (values (1), (3)) t(v));
select id from o where cid in (1, 3);
-- different: a join with a values list that repeats
select o.id from o join (values (1), (1), (3)) t(v) on t.v = o.cid;
select id from o where cid in (1, 3);
-- equal: generate_series joined
select o.id from o join generate_series(1, 3) g on g = o.cid;
select id from o where cid between 1 and 3;
-- different: coalesce of types
select coalesce(region, 0) from c;
select coalesce(region, 0.0) from c;
-- equal: nullif
select id from c where nullif(region, 1) is null;
select id from c where region is null or region = 1;
-- equal: count over a left join's key
select c.id, count(o.id) from c left join o on o.cid = c.id group by c.id;
select c.id, (select count(*) from o where o.cid = c.id) from c;
-- different: count(*) over a left join
select c.id, count(*) from c left join o on o.cid = c.id group by c.id;
select c.id, (select count(*) from o where o.cid = c.id) from c;
-- equal: sums of two children, each apart
select c.id, (select sum(o.amt) from o where o.cid = c.id), (select count(*) from o where o.alt = c.id) from c;
select c.id, a.s, coalesce(b.n, 0) from c left join (select cid, sum(amt) s from o group by cid) a on a.cid = c.id left join (select alt, count(*) n from o group by alt) b on b.alt = c.id;
-- different: sums of two children, joined
select c.id, sum(o.amt) from c join o on o.cid = c.id join l on l.oid = o.id group by c.id;
select c.id, sum(o.amt) from c join o on o.cid = c.id group by c.id;
-- equal: HAVING on a key moves to WHERE
select cid, count(*) from o group by cid having cid > 2;
select cid, count(*) from o where cid > 2 group by cid;
-- open: all greater as greater than the maximum
select id from c where id > all (select o.cid from o where o.qty > 2);
select id from c where id > coalesce((select max(o.cid) from o where o.qty > 2), id - 1);
-- equal: grouped EXISTS with HAVING
select c.id from c where (select count(*) from o where o.cid = c.id) >= 2;
select cid from o group by cid having count(*) >= 2;
-- different: grouped EXISTS with HAVING of less
select c.id from c where (select count(*) from o where o.cid = c.id) < 2;
select cid from o group by cid having count(*) < 2;
-- different: a default of lag where the distance is NULL
select id, lag(id, alt, 0) over (order by id) from o;
select id, coalesce(lag(id, alt) over (order by id), 0) from o;
-- different: lag by no distance at all
select id, lag(id, null, 0) over (order by id) from o;
select id, coalesce(lag(id, null) over (order by id), 0) from o;
-- different: a frame that lag does not look at raises
select id, lag(id) over (order by id rows between -1 preceding and current row) from o;
select id, lag(id) over (order by id) from o;
-- different: a frame that lead does not look at has no distance
select id, lead(id) over (order by id rows between current row and null::bigint following) from o;
select id, lead(id) over (order by id) from o;
-- equal: a frame that lag does not look at
select id, lag(id) over (order by id rows between 1 preceding and current row) from o;
select id, lag(id) over (order by id) from o;
-- different: numbers do not tie
select id from (select id, day, row_number() over (order by day) n from o) q order by n fetch first 1 rows with ties;
select id from o order by day fetch first 1 rows with ties;
-- different: an unused frame of a CTE that is computed
with q as materialized (select id, lag(id) over (order by id rows between -1 preceding and current row) s from o) select id from q;
select id from o;
-- different: a negative LIMIT
select id from o limit -1;
select id from o limit 0;
-- different: a negative OFFSET
select id from o order by id offset -1;
select id from o order by id;
-- different: ntile of nothing
select id, ntile(0) over (order by id) from o;
select id, ntile(null) over (order by id) from o;
-- different: default of lag over NULLs
select id, lag(region, 1, 7) over (order by id) from c;
select id, coalesce(lag(region) over (order by id), 7) from c;
-- different: a grouping joined back loses its groups' conditions
select c.id, coalesce(g.v, 0) from c left join (select cid, count(*) v from o where qty > 1 group by cid having count(*) > 1) g on g.cid = c.id;
select c.id, (select count(*) from o where o.cid = c.id and qty > 1) from c;
-- different: a grouping joined back by IS NOT DISTINCT FROM
select c.id, coalesce(g.v, 0) from c left join (select alt, count(*) v from o group by alt) g on g.alt is not distinct from c.region;
select c.id, (select count(*) from o where o.alt = c.region) from c;
-- different: two children multiply a sum
select c.region, sum(o.amt), count(distinct p.id) from c left join o on o.cid = c.id left join o p on p.alt = c.id group by c.region;
select c.region, sum(a.s), sum(coalesce(b.n, 0))::bigint from c left join (select cid, sum(amt) s from o group by cid) a on a.cid = c.id left join (select alt, count(*) n from o group by alt) b on b.alt = c.id group by c.region;
-- equal: two children, counted each
select c.region, count(distinct o.id), count(distinct p.id) from c left join o on o.cid = c.id left join o p on p.alt = c.id group by c.region;
select c.region, sum(coalesce(a.n, 0))::bigint, sum(coalesce(b.n, 0))::bigint from c left join (select cid, count(*) n from o group by cid) a on a.cid = c.id left join (select alt, count(*) n from o group by alt) b on b.alt = c.id group by c.region;
-- different: an average of averages
select avg(a) from (select cid, avg(amt) a from o group by cid) q;
select avg(amt) from o;
-- different: LIMIT below a left join that multiplies
select o.id, t.name from o left join c t on t.region = o.alt order by o.id limit 3;
select o.id, t.name from (select id, alt from o order by id limit 3) o left join c t on t.region = o.alt order by o.id;
-- different: the first row's NULL is not no row
select id from c where (select o.alt from o where o.cid = c.id order by o.alt nulls first limit 1) is null;
select id from c where not exists (select 1 from o where o.cid = c.id and o.alt is not null);
-- equal: the first row's NULL where NULLs come last
select id from c where (select o.alt from o where o.cid = c.id order by o.alt limit 1) is null;
select id from c where not exists (select 1 from o where o.cid = c.id and o.alt is not null);
