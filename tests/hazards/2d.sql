-- 2d: OFFSET and LIMIT inside EXISTS count
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k from n where exists (select 1 from m where m.k = n.k order by m.v);
select k from n where exists (select 1 from m where m.k = n.k);
-- falls
select k from n where exists (select 1 from m where m.k = n.k offset 1);
select k from n where exists (select 1 from m where m.k = n.k);
