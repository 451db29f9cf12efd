-- The first row of a group is the one with NULL where NULLs come first; a maximum passes them over.
-- schema
create table t (id int primary key, k int not null, a int not null, n int);
-- stands
select k, a from (select k, a, row_number() over (partition by k order by a desc) as r from t) x where r = 1;
select k, max(a) from t group by k;
-- falls
select k, n from (select k, n, row_number() over (partition by k order by n desc) as r from t) x where r = 1;
select k, max(n) from t group by k;
