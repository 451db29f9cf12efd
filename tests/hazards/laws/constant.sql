-- What CASE chooses from becomes a bigint where all of it fits one; 99999999999999999999 raises an error.
-- schema
create table a (id int primary key, x int);
-- stands
select id from a where (case when x > 0 then 9223372036854775807::numeric else 0 end)::bigint >= 1;
select id from a where x > 0;
-- falls
select id from a where (case when x > 0 then 99999999999999999999 else 0 end)::bigint >= 1;
select id from a where x > 0;
