-- A function in FROM may give a value several times; a series whose step is not 0 gives none again.
-- schema
create table t (id int primary key, xs int[] not null, k int not null);
-- stands
select g, count(t.id) from generate_series(1, 900, 2) g left join t on t.k = g group by g;
select g, (select count(*) from t where k = g) from generate_series(1, 900, 2) g;
-- falls
select distinct g from unnest((select xs from t where id = 1)) g;
select g from unnest((select xs from t where id = 1)) g;
