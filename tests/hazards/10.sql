-- 10: a self-join on a nullable key by IS NOT DISTINCT FROM pairs up the NULLs
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select p.id from a p join a q on q.u = p.u;
select id from a where u is not null;
-- falls
select p.id from a p join a q on p.u is not distinct from q.u;
select id from a;
