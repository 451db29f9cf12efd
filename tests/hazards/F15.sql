-- F15: nothing but triggers keeps a foreign key: with rows that came in around them its proofs fall
-- doubted: d
-- doubt: F15
-- schema
create table a (id int primary key);
create table b (id int primary key, aid int not null references a(id));
create table d (id int primary key, aid int not null references a(id));
-- stands
select b.id from b join a on a.id = b.aid;
select id from b;
-- falls
select d.id from d join a on a.id = d.aid;
select id from d;
