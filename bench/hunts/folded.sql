-- family: constants in conditions
select p.id from t p where false and {zc};
select p.id from t p where {zc} and false;
select p.id from t p where false;
select p.id from t p where true or {zc};
select p.id from t p where {zc} or true;
select p.id from t p;
select p.id from t p where coalesce(true, {zc});
select p.id from t p where case when true then true else {zc} end;
select p.id from t p where case when {zc} then true else true end;
select p.id from t p where p.id = p.id or {zc};
select p.id from t p where p.x <> p.x and {zc};
select p.id from t p where {c} and false and {zc};
select p.id from t p where {c} and (true or {zc});
select p.id from t p where {c};
select p.id from t p where ({zc}) is null or ({zc}) is not null;
select p.id from t p where null and {zc}
-- family: constants that are shown
select p.id, {z} from t p where false;
select p.id, 1 from t p where false;
select p.id, {z} from t p limit 0;
select p.id, {z} from t p where p.id is null;
select p.id, case when false then {z} end from t p;
select p.id, null::int from t p;
select p.id, case when p.id is null then {z} end from t p;
select p.id, coalesce(null, {z}) from t p where false;
select p.id, z from t p, (select {z} z) q where false;
select p.id, z from t p, (values ({z})) q(z) where p.id is null;
select p.id, q.z from t p left join (select {z} z) q on false;
select p.id, q.z from t p left join (select id, {z} z from u) q on q.id = p.id and false;
select p.id, case when p.x > 0 then {z} end from t p where p.x < 0;
select p.id, null::int from t p where p.x < 0
-- family: constants that nothing reads
select p.id from t p;
select p.id from (select id, {z} y from t) p;
with p as (select id, {z} y from t) select p.id from p;
with p as materialized (select id, {z} y from t) select p.id from p;
select p.id from (select id, {z} y from t limit 1000) p;
select p.id from (select id, {z} y from t offset 0) p;
select p.id from (select distinct id, {z} y from t) p;
select p.id from (select id, {z} y from t group by id) p;
select p.id from t p, (values ({z})) q(z);
select p.id from t p, (select {z}) q(z);
select p.id from t p cross join lateral (select {z}) q(z);
select p.id from (select id, {z} y from t union all select id, 1 from t where false) p;
select p.id from (select id, sum({z}) over () y from t) p;
select p.id from (select id, row_number() over (order by {z}) y from t) p;
select p.id from t p where exists (select {z});
select p.id from t p where exists (select {z} from u where u.id = p.uid);
select p.id from t p where (select count(*) from (select {z}) q) = 1;
select p.id from t p left join (select id, {z} z from u) q on q.id = p.uid;
select p.id from t p join (select id, {z} z from u) q on q.id = p.uid;
with q as (select {z}) select p.id from t p;
select p.id from t p order by ({z}) limit 1000;
select p.id from t p group by p.id, ({z})
-- family: once for all rows
select p.id from t p where {zc};
select p.id from t p where {zc} and p.id = p.id;
select p.id from t p join u on u.id = p.uid where {zc};
select p.id from t p join u on u.id = p.uid and {zc};
select p.id from (select p.id, {zc} k from t p) q(id, k) join t p using (id) where k;
with q as materialized (select p.id, {zc} k from t p) select id from q where k;
with q as (select p.id, {zc} k from t p) select id from q where k;
select id from (select p.id, {zc} k from t p offset 0) q where k;
select p.id from t p where case when {zc} then true end;
select p.id from t p where p.id in (select p.id from t p where {zc});
select p.id from t p where exists (select 1 from t z where z.id = p.id and {zc});
select p.id from t p where exists (select 1 where {zc});
select p.id from t p, lateral (select 1 where {zc}) z;
select p.id from t p where {zc} group by p.id;
select p.id from t p group by p.id having {zc};
select p.id from t p where (select {zc});
select p.id from t p left join u on u.id = p.oid where {zc};
select p.id from t p where {zc} union all select p.id from t p where {zc} and false;
select distinct p.id from t p where {zc};
select p.id from t p where {zc} union select p.id from t p where {zc};
select p.id from t p where {zc} and {c};
select p.id from t p where {c} and {zc};
select p.id from (select * from t p where {c}) p where {zc};
select p.id from (select * from t p where {zc}) p where {c};
with p as materialized (select * from t p where {c}) select p.id from p where {zc};
with p as materialized (select * from t p where {zc}) select p.id from p where {c};
select p.id from (select * from t p where {c} offset 0) p where {zc};
select p.id from t p join (select id from t p where {c}) q on q.id = p.id where {zc}
-- family: once for all groups
select p.g, count(*) from t p where {zc} group by p.g;
select p.g, count(*) from t p group by p.g having {zc};
select p.g, count(*) from t p group by p.g having {zc} and count(*) > 0;
select p.g, count(*) from (select * from t p where {zc}) p group by p.g;
select p.g, count(*) filter (where {zc}) from t p group by p.g having count(*) filter (where {zc}) > 0;
select g, n from (select p.g, count(*) n, {zc} k from t p group by p.g) q(g, n, k) join lateral (select) z on k;
select p.g, sum(case when {zc} then 1 else 0 end) from t p where {zc} group by p.g;
select count(*) from t p where {zc};
select count(*) filter (where {zc}) from t p;
select count(case when {zc} then 1 end) from t p;
select coalesce(sum(case when {zc} then 1 else 0 end), 0) from t p;
select count(*) from t p having {zc};
select (select count(*) from t p where {zc});
select sum(n)::bigint from (select count(*) n from t p where {zc} group by p.g) q
-- family: once beside joins
select u.id, q.y from u left join (select p.uid, {z} y from t p) q on q.uid = u.id;
select u.id, case when p.id is not null then {z} end from u left join t p on p.uid = u.id;
select u.id, q.y from u left join (select p.uid, {z} y from t p offset 0) q on q.uid = u.id;
select u.id, q.y from u left join lateral (select {z} y from t p where p.uid = u.id) q on true;
select u.id, q.y from u join (select p.uid, {z} y from t p) q on q.uid = u.id;
select u.id, {z} from u join t p on p.uid = u.id;
select u.id, q.y from (select {z} y) q, u join t p on p.uid = u.id;
select u.id, q.y from u join t p on p.uid = u.id cross join lateral (select {z} y) q;
with q as materialized (select {z} y) select u.id, q.y from q, u join t p on p.uid = u.id;
select p.id, p.x + {z} from t p;
select p.id, p.x + q.z from t p, (select {z} z) q;
select p.id, p.x + q.z from t p cross join (values ({z})) q(z);
with q as materialized (select {z} z) select p.id, p.x + q.z from t p, q;
with q as materialized (select {z} z) select p.id, p.x + (select z from q) from t p;
select p.id, p.x + (select {z}) from t p
-- family: estimated
select p.id from t p where p.d > {st} and {c};
select p.id from t p where (p.d > {st}) is true and {c};
select p.id from t p where not p.d <= {st} and {c};
select p.id from t p where (p.d > {st}) is not distinct from true and {c};
select p.id from t p where (select p.d > {st}) and {c};
select p.id from t p where coalesce(p.d > {st}, false) and {c};
select p.id from (select * from t p where p.d > {st}) p where {c};
select p.id from (select *, p.d > {st} k from t p) p where k and {c};
select p.id from t p where p.id in (select z.id from t z where z.d > {st}) and {c};
select p.id from t p where exists (select 1 from t z where z.id = p.id and z.d > {st}) and {c};
select p.id from t p join t z on z.id = p.id and z.d > {st} where {c};
select p.id from t p where {c} group by p.id, p.d having p.d > {st};
select p.id from t p where {c} group by p.id having max(p.d) > {st};
select p.id from t p left join u on u.id = p.oid and p.d > {st} where p.d > {st} and {c};
select p.id from t p where {c} intersect select p.id from t p where p.d > {st};
with q as materialized (select p.id, p.d from t p where {c}) select id from q where d > {st};
select p.id from t p where p.d > all (array[{st}]) and {c};
select p.id from t p where (p.d, 0) > ({st}, 0) and {c}
