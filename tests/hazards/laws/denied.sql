-- A reference that may be NULL has no row at all.
-- schema
create table o (id int primary key, gone boolean not null);
create table p (id int primary key, o int not null references o, q int references o);
-- stands
select id from p where o in (select id from o where not gone);
select id from p where not exists (select from o where o.id = p.o and o.gone);
-- falls
select id from p where q in (select id from o where not gone);
select id from p where not exists (select from o where o.id = p.q and o.gone);
