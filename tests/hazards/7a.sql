-- 7a: only conditions on grouping columns pass a GROUP BY
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select * from (select k, sum(v) s from n group by k) t where k > 1;
select k, sum(v) s from n where k > 1 group by k;
-- falls
select k, (select sum(v) from m where m.k = n.k and m.v > 1) s from n;
select k, (select sum(v) from m where m.k = n.k) s from n;
