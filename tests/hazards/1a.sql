-- 1a: only an equality with the grouping column decorrelates
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, (select sum(b.v) from b where b.aid = a.id) s from a;
select a.id, t.s from a left join (select aid, sum(v) s from b group by aid) t on t.aid = a.id;
-- falls
select a.id, (select sum(b.v) from b where b.aid = a.id) s from a where exists (select 1 from b where b.aid = a.id);
select a.id, t.s from a join (select aid, sum(v) s from b group by aid) t on t.aid <= a.id;
