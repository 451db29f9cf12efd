-- Two children of one parent are two rows.
-- schema
create table ticket (id int primary key, mine int);
create table tagged (id int primary key, ticket int not null references ticket, tag int not null, unique (tag, ticket));
-- stands
select a.ticket from tagged a, tagged b where a.ticket = b.ticket and a.tag = 1 and b.tag = 2;
select t.id from ticket t where exists (select 1 from tagged where ticket = t.id and tag = 2) and exists (select 1 from tagged where ticket = t.id and tag = 1);
-- falls
select a.ticket from tagged a where a.tag > 1;
select t.id from ticket t where exists (select 1 from tagged where ticket = t.id and tag > 1);
