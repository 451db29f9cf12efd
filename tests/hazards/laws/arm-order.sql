-- An arm of a UNION ALL that is cut keeps the first rows of its own order; one arm under "C" has all of the union sorted so.
-- by: parts
-- schema
create table t (id int primary key, s text not null);
create table u (id int primary key, s text not null, c text collate "C" not null);
-- stands
select s, id from ((select s, id from t order by s, id limit 3) union all (select s, id from u order by s, id limit 3)) y order by s, id limit 3;
select s, id from (select s, id from t union all select s, id from u) y order by s, id limit 3;
-- falls
select s, id from ((select s, id from t order by s, id limit 3) union all (select c, id from u order by c, id limit 3)) y order by s, id limit 3;
select s, id from (select s, id from t union all select c, id from u) y order by s, id limit 3;
