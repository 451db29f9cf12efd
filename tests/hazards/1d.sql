-- 1d: HAVING in the subquery may make the group vanish
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, (select count(*) from b where b.aid = a.id having true) c from a;
select a.id, (select count(*) from b where b.aid = a.id) c from a;
-- falls
select a.id, (select count(*) from b where b.aid = a.id having count(*) > 1) c from a;
select a.id, (select count(*) from b where b.aid = a.id) c from a;
