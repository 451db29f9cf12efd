-- What refers to nothing is no row that is referred to.
-- schema
create table ticket (id int primary key, mine int);
create table note (id int primary key, ticket int references ticket, author int);
-- stands
select id from ticket where mine = 7 union select ticket from note where author = 7 and ticket is not null;
select t.id from ticket t where t.mine = 7 or exists (select 1 from note n where n.ticket = t.id and n.author = 7);
-- falls
select id from ticket where mine = 7 union select ticket from note where author = 7;
select t.id from ticket t where t.mine = 7 or exists (select 1 from note n where n.ticket = t.id and n.author = 7);
