-- An arm of UNION goes where none of its rows meets what is asked outside.
-- schema
create table t (id int primary key, a int not null, b int);
-- stands
select * from (select id, a from t union select b, 5 from t) u where a > 7;
select id, a from t where a > 7;
-- falls
select * from (select a from t union select b from t) u where a > 7;
select distinct b from t where b > 7;
