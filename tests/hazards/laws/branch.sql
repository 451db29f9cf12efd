-- COALESCE is under "C", also where its first value is never NULL and the others fall away; lower() reads it as that.
-- schema
create table t (id int primary key, s text, c text collate "C");
-- stands
select s from t union all select c from t order by 1;
select c from t union all select s from t order by 1;
-- falls
select lower(coalesce(s, c)) from t where s is not null;
select lower(s) from t where s is not null;
