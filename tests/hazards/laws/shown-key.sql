-- What is shown beside a unique column is not found by it where it is NULL.
-- schema
create table x (v int, day date not null);
create table y (k int primary key, name text, v int);
create table z (k int unique, name text, v int);
-- stands
select distinct y.k, y.name, x.day from x join y on y.v < x.v;
select s.k, y.name, s.day from (select distinct y.k, x.day from x join y on y.v < x.v) s join y on y.k = s.k;
-- falls
select distinct z.k, z.name, x.day from x join z on z.v < x.v;
select s.k, z.name, s.day from (select distinct z.k, x.day from x join z on z.v < x.v) s join z on z.k = s.k;
