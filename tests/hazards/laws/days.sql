-- No number of days moves an infinite date.
-- accept: errors overflow
-- schema
create table t (id int primary key, d date);
-- stands
select id, d + 1 from t where d + 1 > d and d > '1900-01-01' and d < '2100-01-01';
select id, d + 1 from t where d > '1900-01-01' and d < '2100-01-01';
-- falls
select id, d + 1 from t where d + 1 > d;
select id, d + 1 from t where d is not null;
