-- 17: a scalar aggregate always has its row
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select g, count(*) from n where false group by g;
select g, 0::bigint from n where false;
-- falls
select count(*) from n where false;
select 0::bigint from n where false;
