-- That no row is below a bound says of a row that it is not, and not that it has a value.
-- schema
create table t (id int primary key, k int not null, a int not null, b int);
-- stands
select k from t except select k from t where a < 5;
select k from t where a >= 5 except select k from t where a < 5;
-- falls
select k from t except select k from t where b < 5;
select k from t where b >= 5 except select k from t where b < 5;
