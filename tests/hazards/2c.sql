-- 2c: DISTINCT on the output needs the outer's key
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id from a where a.id in (select b.aid from b);
select distinct a.id from a join b on b.aid = a.id;
-- falls
select n.k from n where n.k in (select m.k from m);
select distinct n.k from n join m on m.k = n.k;
