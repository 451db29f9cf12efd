-- F7: under row-level security the referenced table is its filtered self
-- schema
create table a (id int primary key);
create table s (id int primary key);
alter table s enable row level security;
create table good (id int primary key, aid int not null references a(id));
create table c (id int primary key, aid int not null references s(id));
-- stands
select good.id from good join a on a.id = good.aid;
select id from good;
-- falls
select c.id from c join s on s.id = c.aid;
select id from c;
