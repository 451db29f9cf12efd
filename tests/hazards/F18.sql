-- F18: a key whose equality is a user's function, which may be replaced under the index
-- doubted: changed
-- doubt: F18
-- schema
create table kept (id int primary key);
create table changed (id int primary key);
-- stands
select distinct id from kept;
select id from kept;
-- falls
select distinct id from changed;
select id from changed;
