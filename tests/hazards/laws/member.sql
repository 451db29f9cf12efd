-- A row is not below the minimum of the rows it belongs to; of others it may be.
-- schema
create table day (id int primary key, year int);
create table sale (id int primary key, day int);
-- stands
select s.id from sale s join day d on d.id = s.day where d.year = 1999 and s.day >= (select min(id) from day where year = 1999);
select s.id from sale s join day d on d.id = s.day where d.year = 1999;
-- falls
select s.id from sale s join day d on d.id = s.day where d.year = 1999 and s.day >= (select min(id) from day where year = 1998);
select s.id from sale s join day d on d.id = s.day where d.year = 1999;
