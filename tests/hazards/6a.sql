-- 6a: the pushed GROUP BY needs every grouping column
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k, g, sum(v) from n group by k, g;
select k, g, (select sum(x.v) from n x where x.k is not distinct from t.k and x.g is not distinct from t.g) from (select distinct k, g from n) t;
-- falls
select k, g, sum(v) from n group by k, g;
select k, g, (select sum(x.v) from n x where x.k is not distinct from t.k) from (select distinct k, g from n) t;
