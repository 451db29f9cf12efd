-- 4e: ON conditions on the preserved side are no filters
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, b.v from a left join b on b.aid = a.id where a.y = 1;
select a.id, b.v from (select * from a where y = 1) a left join b on b.aid = a.id;
-- falls
select a.id, b.v from a left join b on b.aid = a.id and a.y = 1;
select a.id, b.v from (select * from a where y = 1) a left join b on b.aid = a.id;
