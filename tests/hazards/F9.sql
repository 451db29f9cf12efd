-- F9: NOT NULL holds on stored rows, not on the padded side of an outer join
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id from a join b on b.aid = a.id where b.w is null;
select id from a where false;
-- falls
select a.id from a left join b on b.aid = a.id where b.w is null;
select id from a where false;
