-- The solver counts days by integers; 2020-01-01 is not the number of its day.
-- accept: types
-- schema
create table t (id int primary key, d date);
-- stands
select d from t where d = '2020-01-01';
select date '2020-01-01' from t where d = '2020-01-01';
-- falls
select d from t where d = '2020-01-01';
select 737425 from t where d = '2020-01-01';
