-- A row that another alternative lets in, too, is no more one of the others where its own is strict.
-- schema
create table t (id int primary key, d date not null);
-- stands
select id, (select count(*) from t p where p.d < t.d or p.id <= t.id) as n from t;
select id, (select count(*) + 1 from t p where p.d < t.d or p.id < t.id) as n from t;
-- falls
select id, (select count(*) from t p where p.d <= t.d or p.id <= t.id) as n from t;
select id, (select count(*) + 1 from t p where p.d <= t.d or p.id < t.id) as n from t;
