-- 3a: the column tested for NULL must be NOT NULL inside
-- schema
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a(id), v int, w int not null);
create table c (id int primary key, aid int references a(id), v int);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
-- stands
select a.id from a where not exists (select 1 from b where b.aid = a.id);
select a.id from a left join b on b.aid = a.id where b.id is null;
-- falls
select a.id from a where not exists (select 1 from b where b.aid = a.id);
select a.id from a left join b on b.aid = a.id where b.v is null;
