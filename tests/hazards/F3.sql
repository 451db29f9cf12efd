-- F3: a partial unique index covers only some rows
-- schema
create table p (x int not null, y int);
create unique index p_x on p (x) where y > 0;
create table good (id int not null);
create unique index good_id on good (id);
-- stands
select distinct id from good;
select id from good;
-- falls
select distinct x from p;
select x from p;
