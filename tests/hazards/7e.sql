-- 7e: as a value NULL is not FALSE
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k from n where v > 1 and v <= 1;
select k from n where false;
-- falls
select k, (v > 1 and v <= 1) r from n;
select k, (v is null and false) r from n;
