-- Where the condition beside a division keeps zeros from it, the server might have failed, or not; where it lets zeros pass it fails.
-- schema
create table a (id int primary key, x numeric(10,2), y numeric(10,2));
-- stands
select id from a where y > 0 and x / y > 1;
select id from a where y > 0 and x / nullif(y, 0) > 1;
-- falls
select id from a where y >= 0 and x / y > 1 and id is null;
select id from a where false;
