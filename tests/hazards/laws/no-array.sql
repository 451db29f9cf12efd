-- Of no array it is not known whether it holds a value.
-- schema
create table t (id int primary key, a int[]);
-- stands
select id, a @> array[1] from t where a is not null;
select id, (1 = any (a)) is true from t where a is not null;
-- falls
select id, a @> array[1] from t;
select id, (1 = any (a)) is true from t;
