-- CURRENT_TIMESTAMP(n) is rounded.
-- schema
create table t (id int primary key, at timestamptz);
-- stands
select id from t where at < current_timestamp;
select id from t where at < now();
-- falls
select id from t where at < current_timestamp(0);
select id from t where at < now();
