-- NULL is not among the values that are counted.
-- schema
create table t (id int primary key, n int);
-- stands
select t.id, (select count(distinct u.n) from t u where u.n >= t.n) as r from t where t.n is not null;
select t.id, 1 + (select count(distinct u.n) from t u where u.n > t.n) as r from t where t.n is not null;
-- falls
select t.id, (select count(distinct u.n) from t u where u.n >= t.n) as r from t;
select t.id, 1 + (select count(distinct u.n) from t u where u.n > t.n) as r from t;
