-- F17: a unique index over texts is searched in their order: under another version of the collation it lets duplicates in
-- doubted: changed
-- doubt: F17
-- schema
create table kept (name text primary key);
create table changed (name text primary key);
-- stands
select distinct name from kept;
select name from kept;
-- falls
select distinct name from changed;
select name from changed;
