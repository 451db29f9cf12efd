-- What a row of t makes TRUE is that t has a row, not that a scalar subquery of t is TRUE.
-- accept: errors
-- schema
create table t (id int primary key, b boolean not null);
create table c (id int primary key, r int not null);
-- stands
select u.id, c.r, (select t.b from t) as x, count(*) filter (where exists (select t.b from t)) as m from c, t u group by u.id, c.r;
select u.id, c.r, (select t.b from t) as x, count(*) as m from c, t u group by u.id, c.r;
-- falls
select u.id, c.r, (select t.b from t) as x, count(*) filter (where (select t.b from t)) as m from c, t u group by u.id, c.r;
select u.id, c.r, (select t.b from t) as x, count(*) as m from c, t u group by u.id, c.r;
