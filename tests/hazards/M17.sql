-- M17: a security barrier view is a boundary
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
create view pv as select k from n where v > 0;
create view sv with (security_barrier) as select k from n where v > 0;
-- stands
select k from pv where k > 1;
select k from n where v > 0 and k > 1;
-- falls
select k from sv where k > 1;
select k from n where v > 0 and k > 1;
