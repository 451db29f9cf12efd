-- 1.0 and 1.00 are equal; which of them the maximum of a frame shows depends on which comes first. A column of one scale has one look.
-- schema
create table t (id int primary key, k int, n numeric, p numeric(10,2));
-- stands
select k, max(p) over (order by k range between current row and unbounded following) from t;
select k, max(p) over (order by k range between current row and unbounded following) from (select * from t order by p) q;
-- falls
select k, max(n) over (order by k range between current row and unbounded following) from t;
select k, max(n) over (order by k range between current row and unbounded following) from (select * from t order by n) q;
