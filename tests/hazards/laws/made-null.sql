-- lower() of a text is NULL for NULL only, lower() of a range also where it is empty or has no lower bound.
-- schema
create table t (id int primary key, r int4range, s text);
-- stands
select id from t where lower(s) is null;
select id from t where s is null;
-- falls
select id from t where lower(r) is null;
select id from t where r is null;
