-- M1: bags, not sets
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select distinct k from n;
select k from n group by k;
-- falls
select distinct k from n;
select k from n;
