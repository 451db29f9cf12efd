-- family: down a tree
with recursive r(id, a) as (select id, id from nd where p is null union all select s.id, r.a from nd s, r where s.p = r.id) select id, a from r;
with recursive r(id, a) as (select id, id from nd where p is null union select s.id, r.a from nd s join r on r.id = s.p) select id, a from r;
with recursive r(a, id) as (select id, id from nd where p is null union select r.a, s.id from nd s, r where s.p = r.id) select id, a from r;
with recursive r(a, id, w) as (select id, id, w from nd where p is null union select r.a, s.id, s.w from nd s, r where s.p = r.id) select id, a from r;
with recursive r(a, id, w) as (select id, id, w from nd where p is null union all select r.a, s.id, s.w from nd s, r where s.p = r.id) select distinct id, a from r;
with recursive r(id, a) as (select id, id from nd where p is null union select s.id, r.a from nd s, r where s.p = r.a) select id, a from r;
with recursive r(id, a) as (select id, id from nd where q is null union all select s.id, r.a from nd s, r where s.q = r.id) select id, a from r;
with recursive r(id, a) as (select id, id from nd where q is null union select s.id, r.a from nd s, r where s.q = r.id) select id, a from r;
with recursive r(id, a) as (select id, id from nd where p is null union select s.id, r.a from nd s, r where s.q = r.id) select id, a from r;
with recursive r(id, a) as (select id, id from nd where p is null union select s.id, r.a from nd s, r, u where s.p = r.id) select id, a from r;
with recursive r(id, a) as (select id, p from nd where p is null union select s.id, r.id from nd s, r where s.p = r.id) select id, a from r
-- family: counts of trees
with recursive r(id, a) as (select id, id from nd where p is null union all select s.id, r.a from nd s, r where s.p = r.id) select a, count(*) from r group by a;
with recursive r(id, a) as (select id, id from nd where p is null union all select s.id, r.a from nd s, r where s.p = r.id) select a, count(distinct id) from r group by a;
with recursive r(id, a) as (select id, id from nd where p is null union select s.id, r.a from nd s, r where s.p = r.id) select a, count(id) from r group by a;
with recursive r(id, a) as (select id, v from nd where p is null union select s.id, r.a from nd s, r where s.p = r.id) select a, count(a) from r group by a;
with recursive r(id, a) as (select id, v from nd where p is null union all select s.id, r.a from nd s, r where s.p = r.id) select a, count(*) from r group by a;
with recursive r(id, a) as (select id, id from nd where p is null union all select s.id, r.a from nd s, r where s.p = r.id) select a, count(distinct a) from r group by a;
with recursive r(id, a, v) as (select id, id, v from nd where p is null union all select s.id, r.a, s.v from nd s, r where s.p = r.id) select a, count(v) from r group by a;
with recursive r(id, a, v) as (select id, id, v from nd where p is null union select s.id, r.a, s.v from nd s, r where s.p = r.id) select a, count(*) from r group by a
-- family: values in periods
select t.id from t left join pe c on c.days @> t.x;
select t.id from t left join pe c on t.x <@ c.days;
select t.id from t left join pe c on c.days @> t.y;
select t.id from t;
select t.id from t left join pe c on c.days @> t.x and c.room = 1;
select t.id from t left join pe c on c.day @> t.d;
select t.id from t left join pe c on c.days && int4range(t.x, t.x + 1);
select t.id from t left join pe c on not c.days @> t.x;
select t.id from t left join pe c on c.days @> t.x or c.id = 1;
select t.id from t left join pe c on c.days = int4range(t.x, t.x)
-- family: what holds in a period
select t.id, c.id from t join pe c on c.days @> t.x;
select distinct t.id, c.id from t join pe c on c.days @> t.x;
select t.id, (select c.id from pe c where c.days @> t.x) from t where exists (select from pe c where c.days @> t.x);
select t.id, c.id from t join pe c on c.days @> t.x join pe d on t.x <@ d.days;
select t.id, c.id from t join pe c on c.days @> t.x join pe d on t.y <@ d.days;
select t.id, max(c.id) from t join pe c on c.days @> t.x group by t.id;
select t.id, min(c.room) from t join pe c on c.days @> t.x group by t.id;
select t.id, c.room from t join pe c on c.days @> t.x;
select t.id, c.id from t join pe c on c.day @> t.d;
select distinct t.id, c.room from t join pe c on c.days @> t.x
-- family: none of what is referred to
select t.id from t where t.uid in (select id from u where {told});
select t.id from t where t.uid not in (select id from u where not ({told}));
select t.id from t where not exists (select from u where u.id = t.uid and ({told}) is not true);
select t.id from t where not exists (select from u where u.id = t.uid and not ({told}));
select t.id from t where t.oid in (select id from u where {told});
select t.id from t where not exists (select from u where u.id = t.oid and ({told}) is not true);
select t.id from t join u on u.id = t.uid where {told};
select t.id from t join u on u.id = t.oid where {told};
select t.id from t where t.x in (select k from u where {told});
select t.id from t where not exists (select from u where u.k = t.x and ({told}) is not true);
select t.id from t where t.oid is null or t.oid in (select id from u where {told})
-- family: arms of unions
select {one_arm} from t union select {other_arm} from u;
select {one_arm} from t union all select {other_arm} from u where {other_arm} not in (select {one_arm} from t);
select {one_arm} from t union all select {other_arm} from u where not exists (select from t where {one_arm} = {other_arm});
select distinct {one_arm} from t union all select distinct {other_arm} from u where not exists (select from t where {one_arm} is not distinct from {other_arm});
select {other_arm} from u union select {one_arm} from t;
select {one_arm} from t union all select {other_arm} from u except select {one_arm} from t;
select distinct {one_arm} from t union all select distinct {other_arm} from u
-- family: groups by a condition
select {flag}, count(*), min(x) from t group by {flag};
select true, count(*), min(x) from t where {flag} group by {flag} union all select false, count(*), min(x) from t where not ({flag}) group by {flag};
select true, count(*), min(x) from t where {flag} having count(*) > 0 union all select false, count(*), min(x) from t where not ({flag}) having count(*) > 0;
select true, count(*), min(x) from t where {flag} union all select false, count(*), min(x) from t where not ({flag});
select {flag}, count(*), min(x) from t where ({flag}) is not null group by {flag};
select true, count(*), min(x) from t where {flag} group by {flag} union all select false, count(*), min(x) from t where ({flag}) is not true group by {flag}
-- family: the n-th value
select max({ranked}) from t where {ranked} < (select max({ranked}) from t);
select max({ranked}) from (select {ranked}, dense_rank() over (order by {ranked} desc) r from t) q where r = 2;
select max({ranked}) from (select {ranked}, dense_rank() over (order by {ranked} desc) r from t where {ranked} is not null) q where r = 2;
select min({ranked}) from (select {ranked}, dense_rank() over (order by {ranked} desc nulls last) r from t where {ranked} is not null) q where r = 2;
select max({ranked}) from (select {ranked}, rank() over (order by {ranked} desc) r from t where {ranked} is not null) q where r = 2;
select (select distinct {ranked} from t where {ranked} is not null order by {ranked} desc limit 1 offset 1);
select min({ranked}) from t where {ranked} > (select min({ranked}) from t);
select max({ranked}) from (select {ranked}, dense_rank() over (order by {ranked}) r from t where {ranked} is not null) q where r = 2;
select max({ranked}) from (select {ranked}, dense_rank() over (partition by g order by {ranked} desc) r from t where {ranked} is not null) q where r = 2;
select max({ranked}) from t where {ranked} < (select max({ranked}) from t where {ranked} < (select max({ranked}) from t));
select max({ranked}) from (select {ranked}, dense_rank() over (order by {ranked} desc) r from t where {ranked} is not null) q where r = 3
-- family: signs by a case
select {factor} * case when {sign} then -1 else 1 end from t;
select case when {sign} then -{factor} else {factor} end from t;
select case when {sign} then 1 else -1 end * {factor} from t;
select case when {sign} then {factor} else -{factor} end from t;
select case when not ({sign}) then {factor} else -{factor} end from t;
select {factor} * case when {sign} then -1 when {sign} is null then 1 else 1 end from t;
select {factor} * case when {sign} then -1 when not ({sign}) then 1 end from t;
select case when {sign} then -{factor} when not ({sign}) then {factor} end from t
