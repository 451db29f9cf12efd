-- What COALESCE gives of no rows may stand for a CASE that gives the same where there are none.
-- accept: errors
-- schema
create table t (id int primary key, k int, w int not null);
-- stands
select case when exists (select 1 from t where k = 1) then coalesce((select array_agg(w order by id) from t where k = 1), '{}'::int[]) else '{}'::int[] end;
select coalesce((select array_agg(w order by id) from t where k = 1), '{}'::int[]);
-- falls
select case when exists (select 1 from t where k = 1) then coalesce((select array_agg(w order by id) from t where k = 1), '{}'::int[]) else '{0}'::int[] end;
select coalesce((select array_agg(w order by id) from t where k = 1), '{}'::int[]);
