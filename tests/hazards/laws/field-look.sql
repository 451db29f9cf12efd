-- The epoch of a date has no decimals, that of a timestamp six; years have none.
-- schema
create table t (id int primary key, d date not null, at timestamp not null, n numeric(6,2) not null, w numeric(6,0) not null);
-- stands
select x.y from (select distinct extract(year from at) as y from t) x join t k on x.y = extract(year from k.d);
select extract(year from k.d) as y from (select distinct extract(year from at) as y from t) x join t k on x.y = extract(year from k.d);
-- falls
select x.y from (select distinct extract(epoch from at) as y from t) x join t k on x.y = extract(epoch from k.d);
select extract(epoch from k.d) as y from (select distinct extract(epoch from at) as y from t) x join t k on x.y = extract(epoch from k.d);
