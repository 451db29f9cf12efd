-- Each row with such a partner as the others lack is asked for only if no more is asked of it.
-- schema
create table t (id int primary key, g int);
create table c (id int primary key, f int not null references t, n int);
create table s (id int primary key, f int not null references t, m int);
-- stands
select g from t where id not in (select c.f from c left join s on s.f = c.id);
select g from t where id not in (select f from c);
-- falls
select g from t where exists (select 1 from c, s where c.f = t.id and s.f = c.id and s.m > 3) or exists (select 1 from c where c.f = t.id and not exists (select 1 from s where s.f = c.id));
select g from t where exists (select 1 from c where c.f = t.id);
