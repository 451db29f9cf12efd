-- 2a: IN as a value is three-valued
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select b.id, (b.aid in (select a.id from a)) r from b;
select b.id, exists (select 1 from a where a.id = b.aid) r from b;
-- falls
select k, (n.k in (select m.k from m)) r from n;
select k, exists (select 1 from m where m.k = n.k) r from n;
