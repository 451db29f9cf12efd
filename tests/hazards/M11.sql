-- M11: the default frame ends at the current row's peers
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k, sum(v) over (partition by g) s from n;
select k, sum(v) over (partition by g order by k rows between unbounded preceding and unbounded following) s from n;
-- falls
select k, sum(v) over (partition by g order by k) s from n;
select k, sum(v) over (partition by g) s from n;
