-- M7: errors are behaviour
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
with t as materialized (select k, v / 2 q from n) select k from t;
select k from n;
-- falls
with t as materialized (select k, v / g q from n) select k from t;
select k from n;
