-- 11: OR to UNION loses duplicates
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select id from a where x = 1 or y = 1;
select id from a where x = 1 union select id from a where y = 1;
-- falls
select k from n where v = 1 or g = 1;
select k from n where v = 1 union select k from n where g = 1;
