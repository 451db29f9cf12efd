-- M16: the meaning of a timestamp with time zone depends on the session's TimeZone
-- accept: errors
-- schema
create table ts (t timestamptz);
-- stands
select (t at time zone 'UTC')::date from ts;
select (t at time zone 'UTC')::date from ts where true;
-- falls
select (t at time zone 'UTC')::timestamp from ts;
select t::timestamp from ts;
