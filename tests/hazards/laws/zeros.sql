-- A group has a row, the whole of a table may have none: then the sum is NULL.
-- schema
create table t (id int primary key, g int not null, n int not null, s text not null);
-- stands
select g, sum(case when s = 'a' then n else 0 end) as total from t group by g;
select g, coalesce(sum(n) filter (where s = 'a'), 0) as total from t group by g;
-- falls
select sum(case when s = 'a' then n else 0 end) as total from t;
select coalesce(sum(n) filter (where s = 'a'), 0) as total from t;
