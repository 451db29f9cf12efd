-- 1b: outside a null-rejecting comparison the outer row must survive
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select c.id, (select a.y from a where a.id = c.aid) y from c;
select c.id, a.y from c left join a on a.id = c.aid;
-- falls
select c.id, (select a.y from a where a.id = c.aid) y from c;
select c.id, a.y from c join a on a.id = c.aid;
