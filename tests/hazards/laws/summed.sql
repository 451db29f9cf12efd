-- A sum is the greatest where none is greater only if there is something to add.
-- schema
create table t (id int primary key, k int not null, a int not null, b int);
-- stands
with g as (select k, sum(a) as s from t group by k) select k from g where s = (select max(s) from g);
with g as (select k, sum(a) as s from t group by k) select k from g where not exists (select 1 from g h where h.s > g.s);
-- falls
with g as (select k, sum(b) as s from t group by k) select k from g where s = (select max(s) from g);
with g as (select k, sum(b) as s from t group by k) select k from g where not exists (select 1 from g h where h.s > g.s);
