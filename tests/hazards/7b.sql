-- 7b: never through LIMIT
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select id from (select id from a) t where id > 1;
select id from (select id from a where id > 1) t;
-- falls
select id from (select id from a order by id limit 2) t where id > 1;
select id from (select id from a where id > 1 order by id limit 2) t;
