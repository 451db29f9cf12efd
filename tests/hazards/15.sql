-- 15: COUNT(e) is COUNT(*) only where e is not NULL
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select count(y) from a;
select count(*) from a;
-- falls
select count(v) from n;
select count(*) from n;
