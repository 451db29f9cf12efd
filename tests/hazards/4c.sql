-- 4c: a nullable foreign key may have no partner
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select b.id, a.y from b left join a on a.id = b.aid;
select b.id, a.y from b join a on a.id = b.aid;
-- falls
select c.id, a.y from c left join a on a.id = c.aid;
select c.id, a.y from c join a on a.id = c.aid;
