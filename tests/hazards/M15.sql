-- M15: a foreign table's constraints are declared, not kept
-- foreign: ft
-- schema
create table good (y int not null);
create table ft (x int not null);
-- stands
select coalesce(y, 0) from good;
select y from good;
-- falls
select coalesce(x, 0) from ft;
select x from ft;
