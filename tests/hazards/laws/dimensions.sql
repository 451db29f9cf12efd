-- An array of numbers can always be made, one of arrays only where all have the same dimensions.
-- schema
create table t (id int primary key, x int, y int, p int[], q int[]);
-- stands
select id from t where (array[x, y])[1] is null or (array[x, y])[1] is not null;
select id from t;
-- falls
select id from t where (array[p, q])[1] is null or (array[p, q])[1] is not null;
select id from t;
