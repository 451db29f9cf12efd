-- 6e: a sum of counts is NULL where there is nothing to sum
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select count(*) from n;
select coalesce(sum(ct), 0)::bigint from (select count(*) ct from n group by k) t;
-- falls
select count(*) from n;
select sum(ct)::bigint from (select count(*) ct from n group by k) t;
