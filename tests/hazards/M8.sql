-- M8: random() differs at each call
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select k from (select k, v r from n) t where r < 3;
select k from n where v < 3;
-- falls
select k from (select k, random() r from n) t where r < 0.5;
select k from n where random() < 0.5;
