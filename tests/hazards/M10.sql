-- M10: ORDER BY inside an ordered aggregate
-- schema
create table st (s text);
-- stands
select string_agg(s, ',' order by s) from st;
select string_agg(s, ',' order by s) from st where true;
-- falls
select string_agg(s, ',' order by s) from st;
select string_agg(s, ',' order by s desc) from st;
