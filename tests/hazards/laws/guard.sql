-- CASE computes a quotient only where its condition holds; a condition that lets zeros through keeps nothing from failing.
-- schema
create table a (id int primary key, x numeric(10,2), y numeric(10,2));
-- stands
with t as materialized (select id, case when y > 0 then x / y end q from a) select id from t;
select id from a;
-- falls
with t as materialized (select id, case when y >= 0 then x / y end q from a) select id from t;
select id from a;
