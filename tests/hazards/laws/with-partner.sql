-- A row with a partner is one of the rows that are asked for without one only if it is asked the same.
-- schema
create table t (id int primary key, g int);
create table c (id int primary key, f int not null references t, n int);
create table s (id int primary key, f int not null references t, m int);
-- stands
select g, bool_or(c.n > 4) from t join c on c.f = t.id left join s on s.f = t.id and s.m > 3 group by g;
select g, bool_or(c.n > 4) from t join c on c.f = t.id group by g;
-- falls
select g from t where exists (select 1 from c, s where c.f = t.id and s.f = c.id) or exists (select 1 from c where c.f = t.id and c.n > 3 and not exists (select 1 from s where s.f = c.id));
select g from t where exists (select 1 from c where c.f = t.id and c.n > 3);
