-- F19: a partition that is a foreign table obeys no NOT NULL
-- foreign-children: remote
-- schema
create table here (id int not null, x int) partition by list (x);
create table remote (id int not null, x int) partition by list (x);
-- stands
select count(id) from here;
select count(*) from here;
-- falls
select count(id) from remote;
select count(*) from remote;
