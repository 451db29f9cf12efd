-- A product of two int4 stays in bigint, not in int4; an output is made of the rows that pass the filter, a condition is not.
-- schema
create table a (id int primary key, x int, y int not null);
-- stands
select id from (select id, x::bigint * y q from a) t;
select id from a;
-- falls
select id from (select id, x * y q from a) t;
select id from a;
