-- 5c: LEFT JOIN elimination needs at most one match
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select n.k from n left join a on a.u = n.k;
select k from n;
-- falls
select n.k from n left join m on m.k = n.k;
select k from n;
