-- Keys of a path that may be numbers are those of arrays, too.
-- schema
create table t (id int primary key, j jsonb);
-- stands
select id, j #>> '{a,b}' from t;
select id, j -> 'a' ->> 'b' from t;
-- falls
select id, j #>> '{a,1}' from t;
select id, j -> 'a' ->> '1' from t;
