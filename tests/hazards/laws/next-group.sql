-- Of the next group is the least beyond the current one, if the order is its own.
-- by: parts
-- schema
create table t (id int primary key, k int, v int, w int not null);
-- stands
select id, min(w) over (order by w groups between 1 following and 1 following) from t;
select id, (select min(w) from t u where u.w > t.w) from t;
-- falls
select id, min(w) over (order by k groups between 1 following and 1 following) from t;
select id, min(w) over (order by k groups between 1 following and unbounded following) from t;
