-- 5d: duplicates do not matter under min and max, they do under sum
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select max(n.v) from n join m on m.k = n.k;
select max(n.v) from n where exists (select 1 from m where m.k = n.k);
-- falls
select sum(n.v) from n join m on m.k = n.k;
select sum(n.v) from n where exists (select 1 from m where m.k = n.k);
