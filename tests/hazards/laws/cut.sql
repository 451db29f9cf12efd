-- -3 % 2 is -1.
-- schema
create table t (id int primary key, n int not null check (n >= 0), m int not null);
-- stands
select id from t where n % 2 = 1;
select id from t where n % 2 <> 0;
-- falls
select id from t where m % 2 = 1;
select id from t where m % 2 <> 0;
