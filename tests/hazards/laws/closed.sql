-- A range of moments may leave its lower bound out, or have its upper one in; one of days is written in one way.
-- schema
create table t (id int primary key, days daterange, span tsrange);
-- stands
select id from t where days @> date '2024-02-29';
select id from t where not isempty(days) and (lower_inf(days) or lower(days) <= '2024-02-29') and (upper_inf(days) or upper(days) > '2024-02-29');
-- falls
select id from t where span @> timestamp '2024-02-29';
select id from t where not isempty(span) and (lower_inf(span) or lower(span) <= '2024-02-29') and (upper_inf(span) or upper(span) > '2024-02-29');
