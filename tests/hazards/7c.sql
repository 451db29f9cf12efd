-- 7c: a WHERE on the padded side is no ON condition
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, b.v from a left join b on b.aid = a.id and b.v > 0;
select a.id, b.v from a left join (select * from b where v > 0) b on b.aid = a.id;
-- falls
select a.id, b.v from a left join b on b.aid = a.id and b.v > 0;
select a.id, b.v from a left join b on b.aid = a.id where b.v > 0;
