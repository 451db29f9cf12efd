-- An array has one collation, which one element may bring: the others are compared under it, and not under their own.
-- schema
create table t (id int primary key, s text not null, c text collate "C" not null);
-- stands
select id from t where 'b' > any (array[c, c || 'x']);
select id from t where c < 'b' or c || 'x' < 'b';
-- falls
select id from t where 'b' > any (array[s, c]);
select id from t where s < 'b' or c < 'b';
