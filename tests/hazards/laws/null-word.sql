-- NULL in the text of an array is no text.
-- schema
create table t (id int primary key, tags text[]);
-- stands
select id from t where tags @> '{one}';
select id from t where 'one' = any (tags);
-- falls
select id from t where tags @> '{null}';
select id from t where 'null' = any (tags);
