-- What is taken away is told by what is shown: another column of the same row is no such row.
-- schema
create table t (id int primary key, k int not null, n int, m int);
-- stands
select k from t except all select k from t where n > 3;
select k from t where n <= 3 or n is null;
-- falls
select k from t except all select id from t where n > 3;
select k from t where n <= 3 or n is null;
