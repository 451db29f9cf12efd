-- Two columns of one row may differ.
-- schema
create table a (id int primary key, x int);
create table v (id int primary key, j int, k int);
-- stands
select a.id, b.id from a, a b where exists (select 1 from v where v.k = a.x and v.k = b.x);
select a.id, b.id from a, a b where a.x = b.x and exists (select 1 from v where v.k = b.x);
-- falls
select a.id, b.id from a, a b where exists (select 1 from v where v.k = a.x and v.j = b.x);
select a.id, b.id from a, a b where a.x = b.x and exists (select 1 from v where v.k = a.x);
