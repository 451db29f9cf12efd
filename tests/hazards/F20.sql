-- F20: before PostgreSQL 18 a child may drop the NOT NULL of its parent, or never have had it
-- schema
create table par (id int not null, x int);
create table chi (z int) inherits (par);
-- stands
select count(id) from only par;
select count(*) from only par;
-- falls
select count(id) from par;
select count(*) from par;
