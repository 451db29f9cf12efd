-- family: blocks
select p.id, {v} from t p where {c};
select p.id, {v} from (select * from t) p where {c};
select * from (select p.id, {v} from t p where {c}) q;
with q as (select p.id, {v} from t p where {c}) select * from q;
with q as materialized (select p.id, {v} from t p where {c}) select * from q;
with q as (select * from t p where {c}) select p.id, {v} from q p;
with q as materialized (select * from t) select p.id, {v} from q p where {c};
select p.id, {v} from t p where ({c}) is true;
select p.id, {v} from t p where case when {c} then true end;
select p.id, {v} from t p where coalesce({c}, false);
select p.id, {v} from t p, lateral (select 1 where {c}) z;
select p.id, z.y from t p, lateral (select {v} as y where {c}) z;
select p.id, z.y from t p cross join lateral (values ({v})) z(y) where {c};
select p.id, (select {v}) from t p where (select {c});
select p.id, {v} from t p where {c} and p.id = p.id;
select p.id, {v} from t p where p.id in (select p.id from t p where {c});
select p.id, {v} from t p where exists (select 1 from t z where z.id = p.id and {c});
select p.id, {v} from t p join t z on z.id = p.id where {c};
select p.id, {v} from t p join t z using (id) where {c};
select distinct p.id, {v} from t p where {c};
select p.id, {v} from t p where {c} group by p.id;
select p.id, {v} from t p where {c} union select p.id, {v} from t p where {c};
select p.id, {v} from t p where {c} limit all offset 0;
select p.id, {v} from t p where {c} union all select p.id, {v} from t p where false;
select distinct on (p.id) p.id, {v} from t p where {c};
select p.id, max({v}) over (partition by p.id) from t p where {c};
select p.id, min({v}) from t p where {c} group by p.id;
select q.* from (select p.id, {v} as y, {c} as k from t p) q where q.k
-- family: distinct of values
select distinct {v} from t p where {c};
select {v} from t p where {c} group by {v};
select {v} from t p where {c} group by 1;
select {v} from t p where {c} union select {v} from t p where {c};
select {v} from t p where {c} intersect select {v} from t p;
select {v} from t p where {c} except select {v} from t p where not ({c});
select distinct on ({v}) {v} from t p where {c};
select distinct y from (select p.id, {v} as y from t p where {c}) q;
select distinct y from (select distinct p.g, {v} as y from t p where {c}) q;
select y from (select {v} as y, count(*) from t p where {c} group by 1) q;
select y from (select {v} as y, row_number() over (partition by {v} order by p.id) r from t p where {c}) q where r = 1;
select y from (select {v} as y, {c} k from t p) q group by y, k having k
-- family: grouped
select {k}, {agg} from t p where {c} group by {k};
select {k}, {agg} from (select * from t p where {c}) p group by {k};
select {k}, {agg} from t p group by {k}, ({c}) having {c};
select {k}, {agg} filter (where {c}) from t p group by {k} having bool_or({c});
select {k}, {agg} from t p where {c} group by grouping sets (({k}));
select {k}, {agg} from t p where {c} group by grouping sets (({k}), ({k}), ());
select {k}, {agg} from t p where {c} group by rollup ({k});
select {k}, {agg} from t p where {c} group by {k} having count(*) > 0;
select distinct {k}, {agg} from t p where {c} group by {k};
select {k}, {agg} from t p where {c} group by {k} having not grouping({k}) = 1;
select {k}, {agg} from t p where {c} group by {k}, 1 + 0;
select {k}, (select {agg}) from t p where {c} group by {k};
select {k}, {agg} from t p where {c} group by cube ({k}) having grouping({k}) = 0
-- family: one row
select {agg} from t p where {c};
select (select {agg} from t p where {c});
select {agg} from t p where {c} group by ();
select {agg} from t p where {c} having true;
select {agg} from (select * from t p where {c} order by p.id) p;
select {agg} filter (where {c}) from t p;
select max(y) from (select {agg} y from t p where {c}) q;
select distinct {agg} from t p where {c};
select {agg} from t p where {c} limit 1;
select {agg} from t p left join u on u.id = p.uid where {c};
select {agg} from t p join u on u.id = p.uid where {c};
select {agg} from t p join t z on z.id = p.id where {c};
select {agg} from t p where {c} group by grouping sets (());
select {agg} from (select distinct on (p.id) * from t p where {c}) p;
select {agg} over () from t p where {c} limit 1
-- family: joins
select p.id, {v} from t p where {c};
select p.id, {v} from t p join u on u.id = p.uid where {c};
select p.id, {v} from u join t p on u.id = p.uid and {c};
select p.id, {v} from t p left join u on u.id = p.uid where {c};
select p.id, {v} from u right join t p on u.id = p.uid where {c};
select p.id, {v} from t p full join u on u.id = p.uid where p.id is not null and {c};
select p.id, {v} from t p left join u on u.id = p.oid and u.k > 1 where {c};
select p.id, {v} from t p, u where u.id = p.uid and {c};
select p.id, {v} from t p where {c} and p.uid in (select id from u);
select p.id, {v} from t p where {c} and exists (select 1 from u where u.id = p.uid);
select p.id, {v} from t p left join (select distinct r from u) z on z.r = p.g where {c};
select p.id, {v} from t p left join lateral (select 1 from u where u.id = p.uid limit 1) z on true where {c};
select p.id, {v} from t p join u on u.id = p.oid where {c} union all select p.id, {v} from t p where {c} and p.oid is null
-- family: outer joins
select u.id, z.y from u left join (select p.uid, {v} y from t p where {c}) z on z.uid = u.id;
select u.id, {v} from u left join t p on p.uid = u.id and {c};
select u.id, z.y from u left join lateral (select {v} y from t p where p.uid = u.id and {c}) z on true;
select u.id, z.y from (select p.uid, {v} y from t p where {c}) z right join u on z.uid = u.id;
select u.id, {v} from u join t p on p.uid = u.id and {c} union all select u.id, null from u where not exists (select 1 from t p where p.uid = u.id and {c});
with z as materialized (select p.uid, {v} y from t p where {c}) select u.id, z.y from u left join z on z.uid = u.id;
select u.id, {v} from u left join (select * from t p where {c}) p on p.uid = u.id;
select u.id, case when p.id is not null then {v} end from u left join t p on p.uid = u.id and {c};
select u.id, z.y from u left join (select p.uid, {v} y, {c} k from t p) z on z.uid = u.id and z.k
-- family: scalar aggregates
select u.id, (select {agg} from t p where p.uid = u.id and {c}) from u;
select u.id, z.y from u left join lateral (select {agg} y from t p where p.uid = u.id and {c}) z on true;
select u.id, z.y from u left join (select p.uid, {agg} y from t p where {c} group by p.uid) z on z.uid = u.id;
select u.id, {agg} from u left join t p on p.uid = u.id and {c} group by u.id;
select u.id, (select {agg} from t p where p.uid = u.id and {c} group by p.uid) from u;
select u.id, {agg} filter (where {c}) from u left join t p on p.uid = u.id group by u.id;
select u.id, {agg} filter (where p.uid = u.id and {c}) from u left join t p on true group by u.id;
select u.id, z.y from u cross join lateral (select {agg} y from t p where p.uid = u.id and {c}) z;
select distinct u.id, {agg} over (partition by u.id) from u left join t p on p.uid = u.id and {c}
-- family: windows
select p.id, {w} from t p where {c};
select * from (select p.id, {w} y from t p where {c}) q;
with p as (select * from t p where {c}) select p.id, {w} from p;
with p as materialized (select * from t p where {c}) select p.id, {w} from p;
select q.id, q.y from (select p.id, {w} y, {v} z from t p where {c}) q;
select p.id, {w} from t p join u on u.id = p.uid where {c};
select distinct p.id, {w} from t p where {c};
select p.id, {w} from t p left join u on u.id = p.oid where {c};
select p.id, {w} from (select distinct * from t) p where {c};
select p.id, {w} from t p where {c} and p.x = p.x
-- family: frames
select p.id, sum({i}) over (partition by p.g order by p.id) from t p;
select p.id, sum({i}) over (partition by p.g order by p.id rows unbounded preceding) from t p;
select p.id, sum({i}) over (partition by p.g order by p.id groups unbounded preceding) from t p;
select p.id, sum({i}) over (partition by p.g order by p.id rows between unbounded preceding and 0 following) from t p;
select p.id, (select sum({i}) from t p where p.g is not distinct from o.g and p.id <= o.id) from t o, lateral (select o.*) p;
select p.id, sum({i}) over (w order by p.id) from t p window w as (partition by p.g);
select p.id, sum({i}) filter (where true) over (partition by p.g order by p.id) from t p;
select p.id, sum({i}) over (partition by p.g order by p.id range between '2147483647' preceding and current row) from t p;
select p.id, sum({i}) over (partition by p.g order by p.id desc rows between current row and unbounded following) from t p
-- family: frames by filter
select p.id, sum(p.y) filter (where {c}) over (order by p.id groups between 1 preceding and 1 preceding) from t p;
select p.id, max(p.y) filter (where {c}) over (order by p.id groups between 1 preceding and 1 preceding) from t p;
select p.id, max(p.y) filter (where {c}) over (order by p.id rows between 1 preceding and 1 preceding) from t p;
select p.id, case when {c} then lag(p.y) over (order by p.id) end from t p;
select p.id, lag(case when {c} then p.y end) over (order by p.id) from t p;
select p.id, max(case when {c} then p.y end) over (order by p.id groups between 1 preceding and 1 preceding) from t p;
select p.id, count(*) filter (where {c}) over (order by p.x groups between 1 following and unbounded following) from t p;
select p.id, count(*) filter (where {c}) over (order by p.x groups between unbounded preceding and 1 preceding) from t p;
select p.id, count(*) filter (where {c}) over (order by p.x) from t p;
select p.id, (select count(*) from t q, lateral (select q.*) p where p.x < o.x and ({c})) from t o, lateral (select o.id) p
-- family: frames by value
select p.id, count({v}) over (order by {o} range between unbounded preceding and current row) from t p;
select p.id, count({v}) over (order by {o}) from t p;
select p.id, count({v}) over (order by {o} groups between unbounded preceding and current row) from t p;
select p.id, count({v}) over (order by {o} desc range between current row and unbounded following) from t p;
select p.id, count({v}) over (order by {o} desc nulls last range between current row and unbounded following) from t p;
select o.id, (select count({v}) from t p where p.x <= o.x) from t o;
select p.id, count({v}) over (order by {o} range between unbounded preceding and current row exclude no others) from t p;
select p.id, count({v}) over (order by {o}, {o}) from t p
-- family: orders
select p.id from t p where {c} order by {o}, p.id;
select p.id from t p where {c} order by {o} asc nulls last, p.id;
select p.id from t p where {c} order by {o}, {o} desc, p.id;
select p.id from t p where {c} order by {o} using <, p.id;
select p.id from t p where {c} order by {o}, p.id, {i};
select p.id from (select * from t p where {c} order by p.id) p order by {o}, p.id;
select p.id from t p where {c} order by {o} nulls last, p.id nulls first;
select p.id from t p where {c} group by p.id order by {o}, p.id;
select id from (select p.id, {o} k from t p where {c}) q order by k, id;
select id from (select p.id, row_number() over (order by {o}, p.id) r from t p where {c}) q order by r
-- family: orders by what rises
select p.id from t p order by p.x, p.id;
select p.id from t p order by p.x + 0, p.id;
select p.id from t p order by -p.x desc, p.id;
select p.id from t p order by p.x::bigint, p.id;
select p.id from t p order by p.x::numeric, p.id;
select p.id from t p order by p.x::float8, p.id;
select p.id from t p order by p.h, p.id;
select p.id from t p order by p.x * 2, p.id;
select p.id from t p order by 0 - p.x::bigint desc, p.id;
select p.id from t p order by p.x::text, p.id
-- family: orders by what rises in floats
select p.id from t p order by p.f, p.id;
select p.id from t p order by -p.f desc nulls last, p.id;
select p.id from t p order by p.f::numeric, p.id;
select p.id from t p order by p.f + 0, p.id;
select p.id from t p order by p.f::float4, p.id;
select p.id from t p order by p.f * 2, p.id
-- family: firsts
select p.id, {v} from t p where {c} order by {o}, p.id limit 1;
select p.id, {v} from t p where {c} order by {o}, p.id fetch first row only;
select p.id, {v} from t p where {c} order by {o}, p.id fetch first 1 rows with ties;
select id, y from (select p.id, {v} y, row_number() over (order by {o}, p.id) r from t p where {c}) q where r = 1;
select id, y from (select p.id, {v} y, rank() over (order by {o}, p.id) r from t p where {c}) q where r <= 1;
select p.id, {v} from t p where {c} and not exists (select 1 from t z where (z.x, z.id) < (p.x, p.id) and z.id > 0) order by {o}, p.id limit 1;
select * from (select p.id, {v} from t p where {c} order by {o}, p.id limit 1) q;
select * from (select p.id, {v} from t p where {c} order by {o}, p.id limit 3) q limit 1;
select p.id, {v} from t p where {c} order by {o}, p.id limit 1 offset 0;
select * from (select p.id, {v} y, {o} k from t p where {c}) q(id, y, k) order by k, id limit 1
-- family: first of each
select distinct on (p.g) p.g, p.id, {v} from t p where {c} order by p.g, {o}, p.id;
select g, id, y from (select p.g, p.id, {v} y, row_number() over (partition by p.g order by {o}, p.id) r from t p where {c}) q where r = 1;
select g, id, y from (select p.g, p.id, {v} y, rank() over (partition by p.g order by {o}, p.id) r from t p where {c}) q where r = 1;
select g, id, y from (select p.g, p.id, {v} y, first_value(p.id) over (partition by p.g order by {o}, p.id) r from t p where {c}) q where r = id;
select z.g, q.id, q.y from (select distinct g from t) z cross join lateral (select p.id, {v} y from t p where p.g is not distinct from z.g and {c} order by {o}, p.id limit 1) q
-- family: extremes
select max({o}) from t p where {c};
select {o} from t p where {c} and {o} is not null order by {o} desc limit 1;
select (select {o} from t p where {c} and {o} is not null order by {o} desc limit 1);
select (select {o} from t p where {c} order by {o} desc nulls last limit 1);
select {o} from t p where {c} and {o} >= all (select {o} from t p where {c}) limit 1;
select distinct max({o}) over () from t p where {c};
select (array_agg({o} order by {o} desc nulls last))[1] from t p where {c};
select distinct first_value({o}) over (order by {o} desc nulls last) from t p where {c}
-- family: equal across types
select p.id from t p, u where p.{l} = u.{r1};
select p.id from t p, u where p.{l} = u.{r1} and p.{l} = p.{l};
select p.id from t p, u, u z where p.{l} = u.{r1} and u.{r1} = z.{r1} and z.id = u.id;
select p.id from t p where p.{l} in (select u.{r1} from u);
select p.id from t p where exists (select 1 from u where u.{r1} = p.{l});
select p.id from t p where exists (select 1 from u, t z where u.{r1} = p.{l} and z.{l} = p.{l} and z.id = p.id);
select p.id from t p where exists (select 1 from u, u z where u.{r1} = p.{l} and z.{r1} = p.{l});
select p.id from t p where exists (select 1 from u, u z where u.{r1} = p.{l} and z.{r1} = u.{r1});
select p.id from t p where p.{l} = any (array(select u.{r1} from u));
select p.id from t p join (select distinct {r1} k from u) z on z.k = p.{l};
select p.id from t p join (select {r1} k from u group by 1) z on z.k = p.{l};
select p.id from t p where exists (select 1 from t z, u where z.{l} = u.{r1} and z.{l} = p.{l})
-- family: transitive
select p.id from t p, u where p.{l} = u.{r1} and u.{r1} = {lit};
select p.id from t p, u where p.{l} = {lit} and u.{r1} = {lit};
select p.id from t p, u where p.{l} = u.{r1} and p.{l} = {lit};
select p.id from t p, u where p.{l} = u.{r1} and p.{l} = {lit} and u.{r1} = {lit};
select p.id from t p, u where p.{l} = u.{r1} and p.{l2} = u.{r1};
select p.id from t p, u where p.{l} = u.{r1} and p.{l2} = p.{l};
select p.id from t p, u where p.{l} = u.{r1} and p.{l2} = p.{l} and p.{l2} = u.{r1};
select p.id from t p, u where p.{l} = u.{r1} and u.{r1} = {lit} and p.{l2} = {lit};
select p.id, u.{r1} from t p, u where p.{l} = u.{r1} and p.{l} = {lit};
select p.id, p.{l} from t p, u where p.{l} = u.{r1} and u.{r1} = {lit}
-- family: transitive in order
select p.id from t p, u where p.{l} < u.{r1} and u.{r1} < {lit};
select p.id from t p, u where p.{l} < u.{r1} and u.{r1} < {lit} and p.{l} < {lit};
select p.id from t p, u where p.{l} <= u.{r1} and p.{l} >= u.{r1};
select p.id from t p, u where p.{l} = u.{r1};
select p.id from t p, u where not p.{l} <> u.{r1};
select p.id from t p, u where p.{l} between u.{r1} and u.{r1};
select p.id from t p, u where p.{l} = u.{r1} and p.{l} <= {lit};
select p.id from t p, u where p.{l} = u.{r1} and u.{r1} <= {lit};
select p.id from t p, u where p.{l} between symmetric u.{r1} and {lit};
select p.id from t p, u where p.{l} >= least(u.{r1}, {lit}) and p.{l} <= greatest(u.{r1}, {lit})
-- family: conditions
select p.id from t p where {c} and {d};
select p.id from t p where {d} and {c};
select p.id from t p where not (not ({c}) or not ({d}));
select p.id from (select * from t p where {c}) p where {d};
select p.id from t p where case when {c} then {d} else false end;
select p.id from t p where {c} intersect all select p.id from t p where {d};
select p.id from t p where {c} except all select p.id from t p where not ({d});
select p.id from t p where {c} except all select p.id from t p where ({d}) is not true;
select p.id from t p join t z on z.id = p.id and {c} where {d};
select p.id from t p where p.id in (select p.id from t p where {c}) and {d};
select id from (select p.id, {c} k, {d} l from t p) q where k and l;
select p.id from t p where ({c}, {d}) = (true, true);
select p.id from t p where ({c} and {d}) is not false and ({c} and {d}) is not null
-- family: either
select p.id from t p where {c} or {d};
select p.id from t p where {d} or {c};
select p.id from t p where {c} union select p.id from t p where {d};
select p.id from t p where {c} union all select p.id from t p where {d} and ({c}) is not true;
select p.id from t p where {c} union all select p.id from t p where {d} and not ({c});
select p.id from t p where not (not ({c}) and not ({d}));
select p.id from t p where case when {c} then true else {d} end;
select p.id from t p where coalesce({c}, {d});
select p.id from t p where true in ({c}, {d});
select p.id from t p where greatest({c}, {d})
-- family: values of conditions
select p.id, {c} from t p;
select p.id, ({c}) is true from t p;
select p.id, coalesce({c}, false) from t p;
select p.id, case when {c} then true when not ({c}) then false end from t p;
select p.id, not (not ({c})) from t p;
select p.id, ({c}) = true from t p;
select p.id, nullif({c}, null) from t p;
select p.id, ({c}) and ({c}) from t p;
select p.id, bool_and({c}) from t p group by p.id;
select p.id, (select {c}) from t p;
select p.id, ({c}) is not distinct from true from t p;
select p.id, ({c}) or false from t p;
select p.id, exists (select 1 where {c}) from t p;
select p.id, max(({c})::int) = 1 from t p group by p.id
-- fill: none
