-- The first of several that tie is any one of them; no other comes before each.
-- accept: tie-order
-- schema
create table v (id int primary key, k int, q int);
-- stands
select id from (select id, row_number() over (partition by k order by q desc, id) r from v) t where r = 1;
select a.id from v a where not exists (select 1 from v b where b.k is not distinct from a.k and (b.q > a.q or (b.q is null and a.q is not null) or (b.q is not distinct from a.q and b.id < a.id)));
-- falls
select id from (select id, row_number() over (partition by k order by q desc) r from v) t where r = 1;
select a.id from v a where not exists (select 1 from v b where b.k is not distinct from a.k and (b.q > a.q or (b.q is null and a.q is not null)));
