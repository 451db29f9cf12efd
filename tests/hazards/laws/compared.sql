-- What equals a value is not NULL, while what is not distinct from it may be.
-- schema
create table u (id int primary key, k int);
create table t (id int primary key, g int);
-- stands
select id, exists (select 1 from u where u.k = t.g) and t.g is null from t;
select id, false from t;
-- falls
select id, exists (select 1 from u where u.k is not distinct from t.g) and t.g is null from t;
select id, false from t;
