-- M14: a function of another schema with a built-in's name
-- accept: errors
-- schema
create table st (s text);
create function public.lower(text) returns text language sql immutable strict as 'select upper($1)';
-- stands
select pg_catalog.lower(s) from st;
select lower(s) from st;
-- falls
select public.lower(s) from st;
select lower(s) from st;
