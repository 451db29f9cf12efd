-- The second of equal values is the first.
-- schema
create table v (id int primary key, q int not null);
-- stands
select (select distinct q from v order by q desc limit 1 offset 1) as s;
select max(q) as s from v where q < (select max(q) from v);
-- falls
select (select q from v order by q desc limit 1 offset 1) as s;
select max(q) as s from v where q < (select max(q) from v);
