-- F2: UNIQUE lets many NULLs in
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select distinct u from a where u is not null;
select u from a where u is not null;
-- falls
select distinct u from a;
select u from a;
