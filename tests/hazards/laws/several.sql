-- Of three rows each two differ.
-- schema
create table v (k text primary key, g int);
-- stands
select g from v group by g having count(*) > 1;
select distinct a.g from v a join v b on a.g is not distinct from b.g where a.k <> b.k;
-- falls
select g from v where g is not null group by g having count(*) > 2;
select distinct a.g from v a, v b, v c where a.g = b.g and b.g = c.g and a.k <> b.k and b.k <> c.k;
