-- A product of two int4 stays in bigint, not in int4; an output is made of the rows that pass the filter, a condition is not.
-- schema
create table a (id int primary key, x int, y int not null);
-- stands
with t as materialized (select id, x::bigint * y q from a) select id from t;
select id from a;
-- falls
with t as materialized (select id, x * y q from a) select id from t;
select id from a;
