-- Sums that are NULL come first where the others are sorted from the greatest.
-- schema
create table t (id int primary key, k int not null, a int not null, b int);
-- stands
select k from (select k, rank() over (order by sum(a) desc) as r from t group by k) x where r = 1;
with g as (select k, sum(a) as s from t group by k) select k from g where not exists (select 1 from g h where h.s > g.s);
-- falls
select k from (select k, rank() over (order by sum(b) desc) as r from t group by k) x where r = 1;
with g as (select k, sum(b) as s from t group by k) select k from g where not exists (select 1 from g h where h.s > g.s);
