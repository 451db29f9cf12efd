-- Of different values the NULL is left out only by count(DISTINCT …): it is a row of its own in SELECT DISTINCT.
-- schema
create table t (id int primary key, n int);
create table u (id int primary key);
-- stands
select id from u where (select count(distinct n) from t) = 1;
select id from u where (select min(n) = max(n) from t);
-- falls
select id from u where (select count(*) from (select distinct n from t) x) = 1;
select id from u where (select min(n) = max(n) from t);
