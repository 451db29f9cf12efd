-- CASE computes a quotient only where its condition holds; a condition that lets zeros through keeps nothing from failing.
-- schema
create table a (id int primary key, x numeric(10,2), y numeric(10,2));
-- stands
select id from (select id, case when y > 0 then x / y end q from a) t;
select id from a;
-- falls
select id from (select id, case when y >= 0 then x / y end q from a) t;
select id from a;
