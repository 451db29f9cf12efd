-- A range of days may have infinity as its upper bound and in it.
-- schema
create table t (id int primary key, days daterange, span tsrange);
-- stands
select id from t where days @> date '2024-02-29';
select id from t where not isempty(days) and (lower_inf(days) or lower(days) <= '2024-02-29') and (upper_inf(days) or upper(days) > '2024-02-29');
-- falls
select id from t where days @> date 'infinity';
select id from t where not isempty(days) and (lower_inf(days) or lower(days) <= 'infinity') and (upper_inf(days) or upper(days) > 'infinity');
