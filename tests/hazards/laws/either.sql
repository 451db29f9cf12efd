-- Another row of the group need not come sooner.
-- schema
create table t (id int primary key, g int not null);
-- stands
select id from t where exists (select 1 from t u where u.g = t.g and u.id <> t.id);
select id from t where exists (select 1 from t u where u.g = t.g and u.id < t.id) or exists (select 1 from t u where u.g = t.g and u.id > t.id);
-- falls
select id from t where exists (select 1 from t u where u.g = t.g and u.id <> t.id);
select id from t where exists (select 1 from t u where u.g = t.g and u.id > t.id);
