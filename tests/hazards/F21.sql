-- F21: a CHECK that calls a user's function was kept for the function that was, which may have been replaced
-- accept: errors
-- schema
create function f(int) returns int language sql immutable as 'select 1';
create table a (id int primary key, x int not null check (x > 0));
create table b (id int primary key, x int not null, check (f(x) > 0));
-- stands
select id from a where x > 0 or x is null;
select id from a;
-- falls
select id from b where f(x) > 0 or f(x) is null;
select id from b;
