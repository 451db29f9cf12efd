-- 12: a volatile CTE that is used twice is not two calls
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
with t as (select k from n) select t1.k from t t1 join t t2 on t1.k = t2.k;
select t1.k from n t1 join n t2 on t1.k = t2.k;
-- falls
with t as (select random() r) select x.r, y.r from t x, t y;
select random() r, random() r;
