-- What is added up is known for the rows alone where nothing of it is NULL.
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select sum(w::bigint + m)::bigint from t;
select (sum(w) + sum(m))::bigint from t;
-- falls
select sum(w::bigint + v)::bigint from t;
select (sum(w) + sum(v))::bigint from t;
