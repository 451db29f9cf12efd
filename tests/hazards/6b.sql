-- 6b: COUNT DISTINCT does not add up
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k, count(distinct v) from n group by k;
select k, count(v) from (select distinct k, v from n) t group by k;
-- falls
select k, count(distinct v) from n group by k;
select k, count(v) from n group by k;
