-- family: operands in either order
select p.id, p.{num} + p.{num2} from t p;
select p.id, p.{num2} + p.{num} from t p;
select p.id, p.{num} * p.{num2} from t p;
select p.id, p.{num2} * p.{num} from t p;
select p.id, p.{num} - p.{num2} from t p;
select p.id, p.{num2} - p.{num} from t p;
select p.id, (select p.{num} * p.{num2}) from t p;
select p.id, p.{num} * p.{num2} from t p where p.{num} * p.{num2} is not null or p.{num2} is null or p.{num} is null;
select p.id, case when p.{num} * p.{num2} > 0 then p.{num2} * p.{num} else p.{num} * p.{num2} end from t p;
select id, z from (select p.id, p.{num} * p.{num2} z from t p offset 0) q;
select p.id, p.{num} * (1 / p.y) from t p;
select p.id, (1 / p.y) * p.{num} from t p;
select p.id, (10 / p.x) * (1 / p.y) from t p;
select p.id, (1 / p.y) * (10 / p.x) from t p
-- family: sums of products
select p.g, sum(q.{num} * p.x) from t p, t q where q.uid = p.uid group by p.g, p.id;
select p.g, p.x * (select sum(q.{num}) from t q where q.uid = p.uid) from t p;
select p.g, p.x * s.z from t p join (select uid, sum({num}) z from t group by uid) s on s.uid = p.uid;
select p.g, (select sum(q.{num} * p.x) from t q where q.uid = p.uid) from t p;
select p.g, (select p.x * sum(q.{num}) from t q where q.uid = p.uid) from t p;
select p.g, (select sum(p.x * q.{num}) from t q where q.uid = p.uid) from t p;
select p.g, (select sum(q.{num}) * p.x from t q where q.uid = p.uid offset 0) from t p
-- family: sums of products with what may be NULL, NaN or endless
select p.id, (select sum(q.{num} * p.{num2}) from t q where q.uid = p.uid) from t p;
select p.id, p.{num2} * (select sum(q.{num}) from t q where q.uid = p.uid) from t p;
select p.id, (select p.{num2} * sum(q.{num}) from t q where q.uid = p.uid) from t p;
select p.id, (select sum(q.{num}) * p.{num2} from t q where q.uid = p.uid) from t p;
select p.id, coalesce((select sum(q.{num} * p.{num2}) from t q where q.uid = p.uid), null) from t p;
select p.id, (select sum(q.{num} * p.{num2}) from t q where q.uid = p.uid and p.{num2} is not null) from t p;
select p.id, (select sum(q.{num} * p.{num2}) from t q where q.uid = p.uid and q.{num} is not null) from t p
-- family: sums of products with a constant
select p.g, sum(p.{num} * 0.25) from t p group by p.g;
select p.g, 0.25 * sum(p.{num}) from t p group by p.g;
select p.g, sum(0.25 * p.{num}) from t p group by p.g;
select p.g, sum(p.{num}) * 0.25 from t p group by p.g;
select p.g, sum(p.{num} / 4) from t p group by p.g;
select p.g, sum(p.{num}) / 4 from t p group by p.g;
select p.g, sum(p.{num} * 2) from t p group by p.g;
select p.g, 2 * sum(p.{num}) from t p group by p.g;
select p.g, sum(p.{num} + p.{num}) from t p group by p.g;
select p.g, sum(p.{num}) + sum(p.{num}) from t p group by p.g;
select p.g, -sum(-p.{num}) from t p group by p.g;
select p.g, sum(p.{num}) from t p group by p.g
-- family: conditions as numbers
select p.g, sum(p.b::int) from t p group by p.g;
select p.g, sum(case when p.b then 1 else 0 end) from t p group by p.g;
select p.g, sum(case when p.b then 1 when not p.b then 0 end) from t p group by p.g;
select p.g, count(*) filter (where p.b) from t p group by p.g;
select p.g, count(p.b) - count(*) filter (where not p.b) from t p group by p.g;
select p.g, sum((p.b is true)::int) from t p group by p.g;
select p.g, sum(coalesce(p.b, false)::int) from t p group by p.g;
select p.g, nullif(count(*) filter (where p.b), 0) from t p group by p.g
-- family: numbers as conditions
select p.id from t p where p.x::bool;
select p.id from t p where p.x <> 0;
select p.id from t p where not p.x = 0;
select p.id from t p where p.x::bool is not false;
select p.id from t p where p.y::bool;
select p.id from t p where p.y <> 0;
select p.id from t p where p.y is distinct from 0;
select p.id from t p where not (p.y::bool is not true)
-- family: roundings
select p.id, round(p.{num}) from t p;
select p.id, round(p.{num}::numeric, 0) from t p;
select p.id, trunc(p.{num}) from t p;
select p.id, floor(p.{num}) from t p;
select p.id, ceil(p.{num}) from t p;
select p.id, round(p.{num}) from t p where round(p.{num}) is not null or p.{num} is null;
select id, z from (select p.id, round(p.{num}) z, round(p.m / (p.x - 1), 2) from t p offset 0) q;
select p.id, case when p.x > 1 then round(p.m / (p.x - 1), 2) end from t p;
select p.id, round(case when p.x > 1 then p.m / (p.x - 1) end, 2) from t p
-- family: the first of each group
select distinct on (p.uid) p.uid, p.{any} from t p order by p.uid, p.{any};
select p.uid, min(p.{any}) from t p group by p.uid order by p.uid;
select distinct on (p.uid) p.uid, p.{any} from t p order by p.uid, p.{any} nulls first;
select distinct on (p.uid) p.uid, p.{any} from t p order by p.uid, p.{any}, 10 / p.x;
select distinct on (p.uid) p.uid, p.{any} from t p where 10 / p.x > 0 order by p.uid, p.{any};
select p.uid, min(p.{any}) from t p where 10 / p.x > 0 group by p.uid order by p.uid;
select uid, z from (select p.uid, p.{any} z, row_number() over (partition by p.uid order by p.{any}) n from t p) q where n = 1 order by uid;
select distinct on (p.uid) p.uid, p.{any} from t p order by p.uid, p.{any} desc nulls last;
select p.uid, max(p.{any}) from t p group by p.uid order by p.uid;
select distinct on (p.uid) p.uid, p.{any} from t p order by p.uid, p.{any} limit 2;
select p.uid, min(p.{any}) from t p group by p.uid order by p.uid limit 2;
select distinct on (p.g) p.g, p.{any} from t p order by p.g, p.{any};
select p.g, min(p.{any}) from t p group by p.g order by p.g
-- family: the greatest count
select (select count(*) from t p group by p.{key} order by count(*) desc limit 1);
select max(n) from (select count(*) n from t p group by p.{key}) q;
select (select max(count(*)) over () from t p group by p.{key} limit 1);
select (select n from (select count(*) n from t p group by p.{key}) q order by n desc limit 1);
select (select n from (select count(*) n from t p group by p.{key} order by n desc offset 0) q limit 1);
select (select count(*) from t p group by p.{key} order by count(*) limit 1);
select min(n) from (select count(*) n from t p group by p.{key}) q;
select (select count(*) from t p group by p.{key} order by 10 / count(*) limit 1)
