-- A frame of days raises where its start is no date.
-- schema
create table v (id int primary key, at timestamp not null, q int not null);
-- stands
select id from (select id, sum(q) over (order by at range between interval '5 days' preceding and current row) s from v) x where s > 5 and s is not null;
select id from (select id, sum(q) over (order by at range between interval '5 days' preceding and current row) s from v) x where s > 5;
-- falls
select id from (select id, sum(q) over (order by at range between interval '5 days' preceding and current row) s from v) x where s is null or s is not null;
select id from v;
