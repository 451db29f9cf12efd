-- A percentile is told by its fraction, its order and its values.
-- accept: errors
-- schema
create table t (id int primary key, k int not null, w int not null);
-- stands
select k, percentile_disc(0.5) within group (order by w) from t where k > 3 group by k;
select k, percentile_disc(0.50) within group (order by w) from t group by k having k > 3;
-- falls
select k, percentile_disc(0.5) within group (order by w) from t where k > 3 group by k;
select k, percentile_disc(0.9) within group (order by w) from t group by k having k > 3;
