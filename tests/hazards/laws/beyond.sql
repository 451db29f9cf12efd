-- A row after n others is there if there are more than n, and LIMIT keeps one: a number that is known.
-- accept: errors
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select id from t where exists (select 1 from t u where u.m = t.w limit 1 offset 2);
select id from t where (select count(*) from t u where u.m = t.w) > 2;
-- falls
select id from t where exists (select 1 from t u where u.m = t.w limit (select count(*) from t z where z.k = 1) offset 2);
select id from t where (select count(*) from t u where u.m = t.w) > 2;
