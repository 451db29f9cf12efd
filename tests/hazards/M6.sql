-- M6: float sums depend on the order of addition
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
create table fl (f double precision);
-- stands
select sum(k) from (select k from n order by k) t;
select sum(k) from n;
-- falls
select sum(f) from (select f from fl order by f) t;
select sum(f) from fl;
