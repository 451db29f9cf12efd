-- 1.0 and 1.00 are equal; which of them the maximum of a frame shows depends on which comes first. A column of one scale has one look.
-- schema
create table t (id int primary key, k timestamp, n numeric, p numeric(10,2));
-- stands
select id, max(p) over (order by k range between interval '1 day' preceding and unbounded following) from t;
select id, max(p) over (order by k range between interval '1 day' preceding and unbounded following) from (select * from t order by p) q;
-- falls
select id, max(n) over (order by k range between interval '1 day' preceding and unbounded following) from t;
select id, max(n) over (order by k range between interval '1 day' preceding and unbounded following) from (select * from t order by n) q;
