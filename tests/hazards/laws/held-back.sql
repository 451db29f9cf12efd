-- What reads no row of a block is asked before its rows are made: nothing fails where it is not TRUE.
-- schema
create table t (id int primary key, k int);
create table u (id int primary key, z int not null);
-- stands
select x from (select distinct z as x from u) a where not exists (select from t);
select x from (select distinct z as x from u) a left join t on true where t.id is null;
-- falls
select x from (select distinct 10 / z as x from u) a where not exists (select from t);
select x from (select distinct 10 / z as x from u) a left join t on true where t.id is null;
