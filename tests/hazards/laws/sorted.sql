-- Equal texts, but one column sorts under "C" and the other as the database does.
-- schema
create table t (id int primary key, s text, c text collate "C");
-- stands
select id, c from t where s = c order by c, id;
select id, s as c from t where s = c order by c collate "C", id;
-- falls
select id, s from t where s = c order by s, id;
select id, s from t where s = c order by c, id;
