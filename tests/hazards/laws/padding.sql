-- 'a ' and 'a  ' are equal and have different lengths in bytes; two columns char(n) of one n can not.
-- accept: types
-- schema
create table a (id int primary key, x char(4) not null);
create table b (id int primary key, y char(4) unique, z char(6) unique);
-- stands
select b.y from a join b on b.y = a.x;
select a.x from a where exists (select 1 from b where b.y = a.x);
-- falls
select b.z from a join b on b.z = a.x;
select a.x from a where exists (select 1 from b where b.z = a.x);
