-- F6: MATCH SIMPLE: a NULL switches the foreign key off
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select b.id from b join a on a.id = b.aid;
select id from b;
-- falls
select c.id from c join a on a.id = c.aid;
select id from c;
