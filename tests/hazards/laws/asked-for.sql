-- What leaves its type in a subquery that both queries share is an error only where some row asks for it.
-- schema
create table t (id int primary key, z int not null);
create table u (id int primary key, z int not null);
-- by: parts
-- stands
select t.id, case when t.z = 5 then (select max(x) from (select distinct z as x from u) a) end from t;
select t.id, case when t.z = 5 then x.m end from t cross join (select max(x) as m from (select distinct z as x from u) a) x;
-- falls
select t.id, case when t.z = 5 then (select max(x) from (select distinct z + 1 as x from u) a) end from t;
select t.id, case when t.z = 5 then x.m end from t cross join (select max(x) as m from (select distinct z + 1 as x from u) a) x;
