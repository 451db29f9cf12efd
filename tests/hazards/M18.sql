-- M18: a contradiction between these constants is none for others
-- scope: any
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k from n where v > $1;
select k from n where v > $1 and v is not null;
-- falls
select k from n where v > 5 and v < 3;
select k from n where false;
