-- 5e: a deferrable foreign key may be violated inside a transaction
-- schema
create table a (id int primary key);
create table good (id int primary key, aid int not null references a(id));
create table c (id int primary key, aid int not null);
alter table c add constraint c_fk foreign key (aid) references a(id) deferrable initially deferred;
-- stands
select good.id from good join a on a.id = good.aid;
select id from good;
-- falls
select c.id from c join a on a.id = c.aid;
select id from c;
