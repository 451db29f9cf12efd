-- A condition that is not TRUE may be NULL.
-- schema
create table t (id int primary key, n int);
create table u (id int primary key, t int not null, n int);
-- stands
select id from t where n > all (select u.n from u where u.t = t.id);
select id from t where not exists (select 1 from u where u.t = t.id and (t.n > u.n) is not true);
-- falls
select id from t where not exists (select 1 from u where u.t = t.id and not t.n > u.n);
select id from t where not exists (select 1 from u where u.t = t.id and (t.n > u.n) is not true);
