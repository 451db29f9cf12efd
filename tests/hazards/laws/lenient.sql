-- An array of one number concatenated with NULL is that array, a text concatenated with NULL is NULL.
-- accept: errors
-- schema
create table t (id int primary key, a int[], b int[], s text, u text);
-- stands
select id from t where s || u = 'x';
select id from t where s || u = 'x' and u is not null;
-- falls
select id from t where a || b = array[1];
select id from t where a || b = array[1] and b is not null;
