-- F1: a deferrable key may be violated inside a transaction
-- schema
create table k (id int not null unique deferrable, x int);
create table good (id int not null unique, x int);
-- stands
select distinct id, x from good;
select id, x from good;
-- falls
select distinct id, x from k;
select id, x from k;
