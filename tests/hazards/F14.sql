-- F14: a snapshot older than the constraint may hold rows from before it
-- distrust: young
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
create table d (id int primary key, aid int not null constraint young references a(id));
-- stands
select b.id from b join a on a.id = b.aid;
select id from b;
-- falls
select d.id from d join a on a.id = d.aid;
select id from d;
