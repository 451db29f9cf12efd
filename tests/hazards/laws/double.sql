-- A numeric(10,2) has a float8, a numeric(500,0) may be too large for one.
-- schema
create table t (id int primary key, n numeric(10,2), big numeric(500,0));
-- stands
select id from t where n::float8 > 1 or (n::float8 > 1) is not true;
select id from t;
-- falls
select id from t where big::float8 > 1 or (big::float8 > 1) is not true;
select id from t;
