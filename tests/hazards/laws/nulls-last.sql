-- DESC puts NULLs first: the first row's value is no maximum then.
-- schema
create table a (id int primary key);
create table v (id int primary key, aid int, q int, w int not null);
-- stands
select (select w from v where aid = a.id order by w desc limit 1), (select q from v where aid = a.id order by q limit 1) from a;
select (select max(w) from v where aid = a.id), (select min(q) from v where aid = a.id) from a;
-- falls
select (select q from v where aid = a.id order by q desc limit 1) from a;
select (select max(q) from v where aid = a.id) from a;
