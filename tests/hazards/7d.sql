-- 7d: = and IS NOT DISTINCT FROM do not mix
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select n.k from n join a on a.id is not distinct from n.k;
select n.k from n join a on a.id = n.k;
-- falls
select n.k from n join m on m.k is not distinct from n.k;
select n.k from n join m on m.k = n.k;
