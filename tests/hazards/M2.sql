-- M2: <> ALL over NULLs is NULL, not TRUE
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select w <> all (select b.w from b) from b;
select not (w = any (select b.w from b)) from b;
-- falls
select k, (v <> all (select m.v from m)) r from n;
select k, not exists (select 1 from m where m.v = n.v) r from n;
