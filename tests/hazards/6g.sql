-- 6g: groups hold NULLs together, joins lose them
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k, count(*) from n group by k;
select k, (select count(*) from n x where x.k is not distinct from t.k) from (select distinct k from n) t;
-- falls
select k, count(*) from n group by k;
select k, (select count(*) from n x where x.k = t.k) from (select distinct k from n) t;
