-- 6f: below the padded side COUNT needs COALESCE, SUM does not
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id, (select sum(v) from b where b.aid = a.id) from a;
select a.id, t.s from a left join (select aid, sum(v) s from b group by aid) t on t.aid = a.id;
-- falls
select a.id, count(b.id) from a left join b on b.aid = a.id group by a.id;
select a.id, t.ct from a left join (select aid, count(*) ct from b group by aid) t on t.aid = a.id;
