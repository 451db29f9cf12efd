-- Groups of NULL and of one value are two different groups, though no two of them are unequal.
-- schema
create table t (id int primary key, g int not null, n int);
-- stands
select g from t group by g having count(distinct n) > 1;
select distinct t.g from t join t u on u.g = t.g and u.n <> t.n;
-- falls
select g from (select distinct g, n from t) x group by g having count(*) > 1;
select distinct t.g from t join t u on u.g = t.g and u.n <> t.n;
