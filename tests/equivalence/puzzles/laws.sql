-- equal first
select k, b from (select k, b, row_number() over (partition by k order by b) r from g) t where r = 1;
select k, min(b) from g group by k;
-- equal first: nullable ascending
select k, a from (select k, a, row_number() over (partition by k order by a) r from g) t where r = 1;
select k, min(a) from g group by k;
-- equal first: a filter after on the value, having
select k, b from (select k, b, row_number() over (partition by k order by b) r from g) t where r = 1 and b > 0;
select k, min(b) from g group by k having min(b) > 0;
-- equal first: a filter before
select k, b from (select k, b, row_number() over (partition by k order by b) r from g where a > 0) t where r = 1;
select k, min(b) from g where a > 0 group by k;
-- equal first: nullable partition
select kn, b from (select kn, b, row_number() over (partition by kn order by b) r from g) t where r = 1;
select kn, min(b) from g group by kn;
-- equal first: text
select k, s from (select k, s, row_number() over (partition by k order by s) r from g) t where r = 1;
select k, min(s) from g group by k;
-- equal first: two partition keys
select k, a, b from (select k, a, b, row_number() over (partition by k, a order by b desc) r from g) t where r = 1;
select k, a, max(b) from g group by k, a;
-- equal first: join inside
select k, b from (select k, b, row_number() over (partition by k order by b) r from g join day on day.v = g.id) t where r = 1;
select k, min(b) from g join day on day.v = g.id group by k;
-- equal counts: of the rows before and after
select id from (select id, row_number() over (order by b, id) as up, row_number() over (order by b desc, id desc) as down from g) t where up = down;
select id from g where (select count(*) from g h where h.b < g.b or h.b = g.b and h.id < g.id) = (select count(*) from g h where h.b > g.b or h.b = g.b and h.id > g.id);
-- equal counts: more before than after
select id from (select id, rank() over (order by b) as up, rank() over (order by b desc) as down from g) t where up < down;
select id from g where (select count(*) from g h where h.b < g.b) < (select count(*) from g h where h.b > g.b);
-- equal days: the day before is the row before
select day, visitors from (select day, visitors, lag(day) over (order by day) as e from daily) t where e = day - 1;
select a.day, a.visitors from daily a join daily b on b.day = a.day - 1;
-- equal days: between two that follow each other is none
select a.d, a.d + 1, b.d from day a, day b where b.d = a.d + 1 and not exists (select 1 from day c where c.d > a.d and c.d < b.d);
select a.d, a.d + 1, b.d from day a, day b where b.d = a.d + 1;
