-- Rows that are taken away are those of a condition only where they are among the rows of the left side.
-- schema
create table t (id int primary key, k int not null, n int, m int);
-- stands
select k from t where n > 3 except all select k from t where n > 3 and m > 2;
select k from t where n > 3 and (m > 2) is not true;
-- falls
select k from t where n > 3 except all select k from t where m > 2;
select k from t where n > 3 and (m > 2) is not true;
