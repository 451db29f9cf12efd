-- M13: a recursive CTE is more than its first term
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
with t as (select k from n) select k from t;
select k from n;
-- falls
with recursive t(k) as (select k from n union all select k + 1 from t where k < 5) select k from t;
select k from n;
