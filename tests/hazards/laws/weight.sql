-- Groups have rows; a correlated count may have none, and then adds a 0 where the join adds nothing.
-- schema
create table a (id int primary key, y numeric(10,2) not null);
create table b (id int primary key, aid int not null, w numeric(10,2) not null);
-- stands
select sum(n * w) from (select w, count(*) n from b group by w) g;
select sum(w) from b;
-- falls
select sum((select count(*) from b where b.aid = a.id) * a.y) from a;
select sum(a.y) from a join b on b.aid = a.id;
