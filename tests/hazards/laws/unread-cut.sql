-- How many rows a cut keeps does not depend on ties, which of them it keeps does, where any of it is read.
-- schema
create table t (id int primary key, k int not null, w int not null);
-- stands
select t.id from t left join lateral (select u.id from t u where u.k = t.w order by u.w limit 1) l on true;
select id from t;
-- falls
select t.id, l.id from t left join lateral (select u.id from t u where u.k = t.w order by u.w limit 1) l on true;
select t.id, (select u.id from t u where u.k = t.w order by u.w limit 1) from t;
