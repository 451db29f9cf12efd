-- A row is looked up after grouping only where what is grouped by leaves one.
-- schema
create table x (k int not null, day date not null, v int);
create table y (k int primary key, name text not null);
create table z (k int not null, name text not null);
-- stands
select y.name, x.day, count(*) from x join y on y.k = x.k group by y.k, y.name, x.day;
select y.name, s.day, s.n from (select k, day, count(*) as n from x group by k, day) s join y on y.k = s.k;
-- falls
select z.name, x.day from x join z on z.k = x.k group by z.k, z.name, x.day;
select z.name, s.day from (select k, day from x group by k, day) s join z on z.k = s.k;
