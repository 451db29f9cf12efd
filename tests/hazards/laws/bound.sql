-- A bound that is NULL lies above nothing, though no row is beyond it.
-- schema
create table o (id int primary key, k int not null, a int);
create table t (id int primary key, k int not null, b int not null);
-- stands
select id from o where (select max(b) from t where t.k = o.k) < 5;
select id from o where exists (select 1 from t where t.k = o.k) and not exists (select 1 from t where t.k = o.k and b >= 5);
-- falls
select id from o where (select max(b) from t where t.k = o.k) < a;
select id from o where exists (select 1 from t where t.k = o.k) and not exists (select 1 from t where t.k = o.k and b >= a);
