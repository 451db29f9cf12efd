-- A row is among those that come no later than it in an order of several keys, unless one of them is NULL.
-- schema
create table t (id int primary key, g int not null, d date not null, e date);
-- stands
select id, (select count(*) from t p where p.g = t.g and (p.d < t.d or p.d = t.d and p.id <= t.id)) as n from t;
select id, row_number() over (partition by g order by d, id) as n from t;
-- falls
select id, (select count(*) from t p where p.g = t.g and (p.e < t.e or p.e = t.e and p.id <= t.id)) as n from t;
select id, (select count(*) + 1 from t p where p.g = t.g and (p.e < t.e or p.e = t.e and p.id < t.id)) as n from t;
