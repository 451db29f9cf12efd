-- A factor of a sum may be taken out where it is finite, which the year of an infinite date is not.
-- schema
create table t (id int primary key, d date not null, at timestamp not null, n numeric(6,2) not null, w numeric(6,0) not null);
-- stands
select x.y, (select sum(n * x.y) from t) as s from (select distinct w as y from t) x;
select x.y, (select sum(n) from t) * x.y as s from (select distinct w as y from t) x;
-- falls
select x.y, (select sum(n * x.y) from t) as s from (select distinct extract(year from d) as y from t) x;
select x.y, (select sum(n) from t) * x.y as s from (select distinct extract(year from d) as y from t) x;
