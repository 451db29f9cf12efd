-- As many rows as there are of a relation refer to all of it only where no two refer to one.
-- schema
create table badge (code int primary key);
create table earned (who int not null, code int not null references badge, day date not null, primary key (who, code));
create table seen (who int not null, code int not null references badge, day date not null, primary key (who, code, day));
-- stands
select who from earned group by who having count(*) = (select count(*) from badge);
select distinct e.who from earned e where not exists (select 1 from badge b where not exists (select 1 from earned f where f.who = e.who and f.code = b.code));
-- falls
select who from seen group by who having count(*) = (select count(*) from badge);
select distinct e.who from seen e where not exists (select 1 from badge b where not exists (select 1 from seen f where f.who = e.who and f.code = b.code));
