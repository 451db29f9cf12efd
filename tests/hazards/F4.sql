-- F4: a parent's key does not cover the rows of its inheritance children
-- schema
create table par (id int primary key, x int);
create table chi (z int) inherits (par);
-- stands
select distinct id from only par;
select id from only par;
-- falls
select distinct id from par;
select id from par;
