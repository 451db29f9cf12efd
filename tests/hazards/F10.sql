-- F10: data without NULLs today is no fact
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select coalesce(y, 0) from a;
select y from a;
-- falls
select coalesce(v, 0) from n;
select v from n;
