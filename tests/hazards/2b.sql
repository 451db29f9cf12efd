-- 2b: a semi-join is a join only over unique inner rows
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select b.id from b where b.aid in (select a.id from a where y = 1);
select b.id from b join a on a.id = b.aid and a.y = 1;
-- falls
select n.k from n where n.k in (select m.k from m);
select n.k from n join m on m.k = n.k;
