-- A filter above the window may drop the row that was numbered one, and with it the group.
-- accept: tie-order
-- schema
create table v (id int primary key, k int, q int);
-- stands
select k from (select k, row_number() over (partition by k order by id) r from v where q > 3) t where r = 1;
select distinct k from v where q > 3;
-- falls
select k from (select k, q, row_number() over (partition by k order by id) r from v where k < 9) t where r = 1 and q > 3 and k < 9;
select distinct k from v where q > 3 and k < 9;
