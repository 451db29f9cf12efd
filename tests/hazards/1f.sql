-- 1f: a scalar subquery of more than one row is an error, the join's duplicates are not
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select b.id, (select a.y from a where a.id = b.aid) r from b;
select b.id, a.y r from b left join a on a.id = b.aid;
-- falls
select a.id, (select b.v from b where b.aid = a.id) r from a;
select a.id, b.v r from a left join b on b.aid = a.id;
