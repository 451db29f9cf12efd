-- 4d: LEFT JOIN ON TRUE is no CROSS JOIN when the right may be empty
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select n.k from n left join (select count(*) ct from m) t on true;
select n.k from n cross join (select count(*) ct from m) t;
-- falls
select n.k, m.v from n left join m on true;
select n.k, m.v from n cross join m;
