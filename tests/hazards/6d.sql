-- 6d: the final GROUP BY is dropped only over a key
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, a.y, sum(b.v) from a join b on b.aid = a.id group by a.id, a.y;
select a.id, a.y, t.s from a join (select aid, sum(v) s from b group by aid) t on t.aid = a.id;
-- falls
select n.k, n.g, count(*) from n group by n.k, n.g;
select n.k, n.g, (select count(*) from n x where x.k is not distinct from n.k and x.g is not distinct from n.g) from n;
