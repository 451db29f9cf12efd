-- The year of an infinite date is infinite, its month is NULL.
-- schema
create table t (id int primary key, d date not null, at timestamp not null, n numeric(6,2) not null, w numeric(6,0) not null);
-- stands
select y from (select extract(year from d) as y, sum(n) as s from t group by extract(year from d)) x where exists (select 1 from t where extract(year from d) = x.y);
select y from (select extract(year from d) as y, sum(n) as s from t group by extract(year from d)) x;
-- falls
select y from (select extract(month from d) as y, sum(n) as s from t group by extract(month from d)) x where exists (select 1 from t where extract(month from d) = x.y);
select y from (select extract(month from d) as y, sum(n) as s from t group by extract(month from d)) x;
