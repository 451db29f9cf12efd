-- Of nothing but NULLs neither is known.
-- schema
create table a (id int primary key);
create table v (id int primary key, aid int, f boolean);
-- stands
select coalesce((select bool_or(f) from v where aid = a.id), false) from a;
select exists (select 1 from v where aid = a.id and f) from a;
-- falls
select (select bool_or(f) from v where aid = a.id) from a;
select exists (select 1 from v where aid = a.id and f) from a;
