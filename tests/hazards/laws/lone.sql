-- Of one group there is one row, and its sum is the row's; of several values the maximum is not the minimum.
-- schema
create table v (id int primary key, k int, q int);
-- stands
select k, max(s) from (select k, sum(q) s from v group by k) t group by k;
select k, sum(q) from v group by k;
-- falls
select k, max(s) from (select distinct k, q s from v) t group by k;
select k, min(s) from (select distinct k, q s from v) t group by k;
