-- The others are one less than all only where the row itself is among these.
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select id, (select count(*) from t u where u.w > 3 and u.id <> t.id) from t where w > 3;
select id, (select count(*) from t u where u.w > 3) - 1 from t where w > 3;
-- falls
select id, (select count(*) from t u where u.w > 3 and u.id <> t.id) from t;
select id, (select count(*) from t u where u.w > 3) - 1 from t;
