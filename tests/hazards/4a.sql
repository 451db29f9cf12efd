-- 4a: OR rejects NULLs only if every part does
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, b.v from a left join b on b.aid = a.id where b.v > 0 or b.w = 1;
select a.id, b.v from a join b on b.aid = a.id where b.v > 0 or b.w = 1;
-- falls
select a.id, b.v from a left join b on b.aid = a.id where b.v > 0 or a.y = 1;
select a.id, b.v from a join b on b.aid = a.id where b.v > 0 or a.y = 1;
