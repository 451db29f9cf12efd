-- What begins with 'ab' need not be 'ab'.
-- schema
create table v (id int primary key, s text);
-- stands
select id from v where left(s, 2) = 'ab';
select id from v where s like 'ab%';
-- falls
select id from v where left(s, 2) = 'ab';
select id from v where s = 'ab';
