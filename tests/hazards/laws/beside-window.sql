-- Conditions stay above a window that nobody reads: what is shown beside it is computed of all rows.
-- schema
create table u (id int primary key, z int not null, k int);
-- stands
select z as x from u where k = 5;
select x from (select z as x, k, count(*) over () as c from u) g where k = 5;
-- falls
select z + 1 as x from u where k = 5;
select x from (select z + 1 as x, k, count(*) over () as c from u) g where k = 5;
