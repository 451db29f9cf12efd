-- The greatest flag says of some row what the least says of all.
-- schema
create table t (id int primary key, k int, n int not null);
-- stands
select k from t group by k having max(case when n > 5 then 1 else 0 end) = 1 and min(case when n > 1 then 1 else 0 end) = 1;
select k from t group by k having bool_or(n > 5) and bool_and(n > 1);
-- falls
select k from t group by k having max(case when n > 5 then 1 else 0 end) = 1;
select k from t group by k having bool_and(n > 5);
