-- A day is all moments from midnight to midnight; a month begins on its first.
-- schema
create table v (id int primary key, at timestamp, d date, q int);
-- stands
select id from v where at::date = '2000-01-15' and extract(year from d) <= 1999.5;
select id from v where at >= '2000-01-15' and at < '2000-01-16' and d < '2000-01-01';
-- falls
select id from v where date_trunc('day', at) = '2000-01-15 12:00';
select id from v where at >= '2000-01-15' and at < '2000-01-16';
