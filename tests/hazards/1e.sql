-- 1e: joining first and grouping after needs a key of the outer
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, count(b.v) from a left join b on b.aid = a.id group by a.id;
select a.id, (select count(b.v) from b where b.aid = a.id) from a;
-- falls
select n.k, count(*) from n group by n.k;
select n.k, (select count(*) from n x where x.k is not distinct from n.k) from n;
