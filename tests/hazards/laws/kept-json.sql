-- A json text stays as it is in json, and may hold what jsonb does not take, which is an error.
-- schema
create table p (id int primary key);
create table t (id int primary key, p int not null references p, j json);
-- stands
select p.id, coalesce((select json_agg(json_build_object('a', t.j) order by t.id) from t where t.p = p.id), '[]') from p;
select p.id, coalesce(x.j, '[]') from p left join lateral (select json_agg(json_build_object('a', t.j) order by t.id) j from t where t.p = p.id) x on true;
-- falls
select p.id, coalesce((select jsonb_agg(jsonb_build_object('a', t.j) order by t.id) from t where t.p = p.id), '[]') from p;
select p.id, coalesce(x.j, '[]') from p left join lateral (select jsonb_agg(jsonb_build_object('a', t.j) order by t.id) j from t where t.p = p.id) x on true;
