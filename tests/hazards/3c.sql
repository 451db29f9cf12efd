-- 3c: below an outer join a NOT NULL column is nullable
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id from a where a.id not in (select b.aid from n join b on b.aid = n.k);
select a.id from a where not exists (select 1 from n join b on b.aid = n.k where b.aid = a.id);
-- falls
select a.id from a where a.id not in (select b.aid from n left join b on b.aid = n.k);
select a.id from a where not exists (select 1 from n left join b on b.aid = n.k where b.aid = a.id);
