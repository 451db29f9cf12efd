-- A series of moments fails at the ends of its type, and so do dates that are made of them.
-- schema
create table t (id int primary key, d date not null, at timestamptz not null);
-- stands
select s::date, count(t.id) from generate_series(date '2024-01-01', current_date, interval '1 day') s left join t on t.d = s::date group by s;
select s::date, (select count(*) from t where d = s::date) from generate_series(date '2024-01-01', current_date, interval '1 day') s;
-- falls
select s::date, count(t.id) from generate_series(date '2024-01-01', (select at from t where id = 1), interval '1 day') s left join t on t.d = s::date group by s;
select s::date, (select count(*) from t where d = s::date) from generate_series(date '2024-01-01', (select at from t where id = 1), interval '1 day') s;
