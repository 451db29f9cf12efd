-- F8: CHECK is satisfied by NULL
-- schema
create table ch (x int check (x > 0));
-- stands
select x from ch where x <= 0;
select x from ch where false;
-- falls
select x from ch where x > 0;
select x from ch;
