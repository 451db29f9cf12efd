-- F11: NOT NULL NOT VALID: stored rows may hold NULLs
-- unchecked: x
-- schema
create table q (x int, y int not null);
alter table q add constraint q_x not null x not valid;
-- stands
select coalesce(y, 0) from q;
select y from q;
-- falls
select coalesce(x, 0) from q;
select x from q;
