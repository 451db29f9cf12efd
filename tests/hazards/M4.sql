-- M4: numeric 1.0 and 1.00 are equal and not the same
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
create table nu (x numeric);
-- stands
select k from n where k = 1;
select 1 as k from n where k = 1;
-- falls
select x from nu where x = 1.0;
select 1.0 as x from nu where x = 1.0;
