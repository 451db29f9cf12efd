-- The least value of a group stands in one row only where it and the group tell rows apart.
-- schema
create table lap (id int primary key, heat int not null, best int not null, secs int not null, unique (heat, best));
-- stands
select heat, best from lap l where best = (select min(best) from lap m where m.heat = l.heat);
select heat, min(best) from lap group by heat;
-- falls
select heat, secs from lap l where secs = (select min(secs) from lap m where m.heat = l.heat);
select heat, min(secs) from lap group by heat;
