-- Which of 1.0 and 1.00 DISTINCT keeps is open: a condition on the text finds the row or not. A condition on the value does not care.
-- accept: tie-order
-- schema
create table t (id int primary key, n numeric);
-- stands
select distinct n from t where n > 1;
select n from (select distinct n from t) q where n > 1;
-- falls
select distinct n from t where n::text = '1.0';
select n from (select distinct n from t) q where n::text = '1.0';
