-- Groups that agree on a sort key are one row where it determines all that they are grouped by: LIMIT then has no choice.
-- schema
create table a (id int primary key, x int, y int);
-- stands
select id, x, count(y) from a group by id, x order by count(y), id limit 2;
select id, x, count(y) from a group by id, x having count(*) > 0 order by count(y), id limit 2;
-- falls
select x, y, count(id) from a group by x, y order by count(id), x limit 2;
select x, y, count(id) from a group by x, y having count(*) > 0 order by count(id), x limit 2;
