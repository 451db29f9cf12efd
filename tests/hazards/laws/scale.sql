-- 1.00 and 1.0000 are equal and look different; two columns of one scale can not.
-- accept: types
-- schema
create table a (id int primary key, x numeric(10,2) not null);
create table b (id int primary key, y numeric(10,2) unique, z numeric(12,4) unique);
-- stands
select b.y from a join b on b.y = a.x;
select a.x from a where exists (select 1 from b where b.y = a.x);
-- falls
select b.z from a join b on b.z = a.x;
select a.x from a where exists (select 1 from b where b.z = a.x);
