-- 6c: the multiplicity of the other side must be kept
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select sum(b.v) from a join b on b.aid = a.id;
select sum(b.v) from b where exists (select 1 from a where a.id = b.aid);
-- falls
select sum(n.v) from m join n on m.k = n.k;
select sum(n.v) from n where exists (select 1 from m where m.k = n.k);
