-- M19: INTERSECT may show either side's value, and numeric(10,2) does not look like numeric(10,3)
-- schema
create table a (id int primary key, p numeric(10,2), q numeric(10,2));
create table b (id int primary key, p numeric(10,2), r numeric(10,3));
-- stands
select p from a where p is not null intersect select p from b;
select distinct p from a where p in (select p from b);
-- falls
select p from a where p is not null intersect select r from b;
select distinct p::numeric from a where p in (select r from b);
