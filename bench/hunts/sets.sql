-- family: keys of grouping sets that show one value
select d.a, d.b, count(*) from (select p.g as a, p.g as b from t p) d group by grouping sets ((d.a), (d.b));
select d.a, d.a, count(*) from (select p.g as a, p.g as b from t p) d group by grouping sets ((d.a), (d.a));
select p.g, p.g, count(*) from t p group by grouping sets ((p.g), (p.g));
with d as (select p.g as a, p.g as b from t p) select d.a, d.b, count(*) from d group by grouping sets ((d.a), (d.b));
select d.a, d.b, count(*) from (select p.g as a, p.g as b from t p offset 0) d group by grouping sets ((d.a), (d.b))
-- family: keys of grouping sets written in several ways
select p.x + (1 + 1), p.x + 2, count(*) from t p group by cube (p.x + (1 + 1), p.x + 2);
select p.x + 2, p.x + 2, count(*) from t p group by cube (p.x + 2, p.x + 2);
select p.x + 2, p.x + (1 + 1), count(*) from t p group by cube (p.x + 2, p.x + (1 + 1));
select d.a, d.b, count(*) from (select p.x + 2 as a, p.x + 2 as b from t p) d group by cube (d.a, d.b)
-- family: keys of grouping sets within each other
select d.a + 1, d.b, count(*) from (select p.x as a, p.x + 1 as b from t p) d group by rollup (d.b, d.a);
select p.x + 1, p.x + 1, count(*) from t p group by rollup (p.x + 1, p.x);
select d.b, d.b, count(*) from (select p.x as a, p.x + 1 as b from t p) d group by rollup (d.b, d.a)
