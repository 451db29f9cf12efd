-- differs first: max
select k, b from (select k, b, row_number() over (partition by k order by b) r from g) t where r = 1;
select k, max(b) from g group by k;
-- differs first: nullable ascending is nulls last but shows
select k, a from (select k, a, row_number() over (partition by k order by a nulls first) r from g) t where r = 1;
select k, min(a) from g group by k;
-- differs first: another column
select k, id from (select k, id, row_number() over (partition by k order by b) r from g) t where r = 1;
select k, min(id) from g group by k;
-- differs first: second key
select k, a from (select k, a, row_number() over (partition by k order by b, a) r from g) t where r = 1;
select k, min(a) from g group by k;
-- differs first: a filter after
select k, b from (select k, b, a, row_number() over (partition by k order by b) r from g) t where r = 1 and a > 0;
select k, min(b) from g where a > 0 group by k;
-- differs first: a filter after on the value
select k, b from (select k, b, row_number() over (partition by k order by b) r from g) t where r = 1 and b > 0;
select k, min(b) from g where b > 0 group by k;
-- differs first: r = 2
select k, b from (select k, b, row_number() over (partition by k order by b) r from g) t where r = 2;
select k, min(b) from g group by k;
-- differs first: r <= 2
select k, b from (select k, b, row_number() over (partition by k order by b) r from g) t where r <= 2;
select k, min(b) from g group by k;
-- differs first: rank
select k, b from (select k, b, rank() over (partition by k order by b) r from g) t where r = 1;
select k, min(b) from g group by k;
-- differs first: nullable partition
select kn, b from (select kn, b, row_number() over (partition by kn order by b) r from g) t where r = 1;
select kn, min(b) from g where kn is not null group by kn;
-- differs first: partition of numerics
select n, b from (select n, b, row_number() over (partition by n order by b) r from g) t where r = 1;
select n, min(b) from g group by n;
-- differs first: collation
select k, s from (select k, s, row_number() over (partition by k order by s collate "C") r from g) t where r = 1;
select k, min(s) from g group by k;
-- differs first: expression's argument
select k, b from (select k, b, row_number() over (partition by k order by b % 10) r from g) t where r = 1;
select k, min(b) from g group by k;
-- differs first: abs
select k, b from (select k, b, row_number() over (partition by k order by abs(b)) r from g) t where r = 1;
select k, min(abs(b)) from g group by k;
-- differs first: partition differs from group
select k, b from (select k, b, row_number() over (partition by k, a order by b) r from g) t where r = 1;
select k, min(b) from g group by k;
-- differs first: no partition
select b from (select b, row_number() over (order by b) r from g) t where r = 1;
select min(b) from g;
-- differs first: join beside
select t.k, t.b from (select k, b, id, row_number() over (partition by k order by b) r from g) t join day on day.v = t.id where r = 1;
select k, min(b) from g join day on day.v = g.id group by k;
-- differs first: join beside on the key
select t.k, t.b from (select k, b, row_number() over (partition by k order by b) r from g) t join day on day.v = t.k where r = 1;
select k, min(b) from g group by k;
-- differs first: limit inside
select k, b from (select k, b, row_number() over (partition by k order by b) r from (select * from g order by id limit 5) y) t where r = 1;
select k, min(b) from g group by k;
-- differs first: exists beside
select t.k, t.b from (select k, b, id, row_number() over (partition by k order by b) r from g) t where r = 1 and exists (select 1 from day where v = t.id);
select k, min(b) from g where exists (select 1 from day where v = g.id) group by k;
-- differs first: shown twice with its row
select t.k, t.b, t.id from (select k, b, id, row_number() over (partition by k order by b) r from g) t where r = 1;
select k, min(b), min(id) from g group by k;
-- differs first: order by of text in char
select k, c::text from (select k, c, row_number() over (partition by k order by c) r from g) t where r = 1;
select k, min(c)::text || ' ' from g group by k;
-- differs days: infinity
select id from g where dn + 1 > dn;
select id from g where dn is not null;
-- differs days: a difference
select id from g where dn - d = 1;
select id from g where dn = d + 1;
-- differs days: a difference the other way
select id from g where dn - d = 1;
select id from g where dn + 1 = d;
-- differs days: between
select a.d from day a where exists (select 1 from day b where b.d > a.d and b.d < a.d + 2);
select a.d from day a where exists (select 1 from day b where b.d = a.d + 2);
-- differs days: equal after moving
select a.id from g a, g b where a.d + 1 = b.d + 1 and a.id < b.id;
select a.id from g a, g b where a.d = b.d and a.id <= b.id;
-- differs days: timestamps are no days
select id from g where ts > d and ts < d + 1;
select id from g where ts::date = d;
-- differs days: timestamps between
select a.id from g a where exists (select 1 from g b where b.ts > a.d and b.ts < a.d + 1);
select a.id from g a where false;
-- differs days: date and timestamp equal
select id from g where ts = d + 1;
select id from g where ts::date = d + 1;
-- differs days: moments with zone
select id from g where z::date = d + 1;
select id from g where z = d + 1;
-- differs days: minus zero
select id from g where dn - 0 = dn;
select id from g;
-- differs days: difference as a number
select id, dn - d from g where dn > d and dn < d + 2;
select id, 2 from g where dn > d and dn < d + 2;
-- differs days: infinity between
select id, dn + 5, d + 5 from g where dn + 5 = d + 5;
select id, dn + 5, d + 5 from g where dn = d - 0 and d < '2100-01-01';
-- differs days: moves by a column
select id, dn + b from g where dn + b > dn;
select id, dn + b from g where b > 0 and dn is not null;
-- differs days: integers are no dates
select id from g where b + 1 > b;
select id from g where d + 1 > d;
-- differs counts: one has a row more
select id from g where (select count(*) from g h where h.b < g.b) + 1 = (select count(*) from g h where h.b > g.b);
select id from g where (select count(*) from g h where h.b < g.b) = (select count(*) from g h where h.b > g.b);
-- differs counts: with the row itself on one side
select id from g where (select count(*) from g h where h.b <= g.b) = (select count(*) from g h where h.b > g.b);
select id from g where (select count(*) from g h where h.b < g.b) = (select count(*) from g h where h.b > g.b);
-- differs counts: rows of ties
select id from (select id, row_number() over (order by b, id) as up, row_number() over (order by b desc, id) as down from g) t where up = down;
select id from g where (select count(*) from g h where h.b < g.b or h.b = g.b and h.id < g.id) = (select count(*) from g h where h.b > g.b or h.b = g.b and h.id > g.id);
-- differs counts: ranks compared with a number between
select id from (select id, rank() over (order by b) as up, rank() over (order by b desc) as down from g) t where up < down + 1;
select id from g where (select count(*) from g h where h.b < g.b) < (select count(*) from g h where h.b > g.b);
-- differs days: two days before is the row before
select d, v from (select d, v, lag(d) over (order by d) as e from day) t where e = d - 2;
select a.d, a.v from day a join day b on b.d = a.d - 2;
-- differs days: the row before without its day
select d, v from (select d, v, lag(d) over (order by d) as e from day) t where e is not null;
select a.d, a.v from day a join day b on b.d = a.d - 1;
-- differs days: before the first of all is none but itself
select d, v from (select d, v, lag(d) over (order by d) as e from day) t where e = d - 1;
select a.d, a.v from day a join day b on b.d = a.d - 1;
-- differs A and not B
select distinct c from buy where p = 'A' and id not in (select c from buy where p = 'B');
select c from buy group by c having count(*) filter (where p = 'A') > 0 and count(*) filter (where p = 'B') = 0;
-- differs bounds: all and some
select k from g group by k having max(b) < 5;
select distinct k from g where b < 5;
-- differs bounds: all, the bound itself
select k from g group by k having max(b) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b > 5);
-- differs bounds: nullable, all NULL
select k from g group by k having max(a) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.a >= 5);
-- differs bounds: nullable, none NULL
select k from g group by k having max(a) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and (i.a >= 5) is not false);
-- differs bounds: minimum above or equal
select k from g group by k having min(b) >= 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b <= 5);
-- differs bounds: minimum below
select k from g group by k having min(b) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b >= 5);
-- differs bounds: negated with nothing
select k from g group by k having not max(a) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.a < 5);
-- differs bounds: of a value that is NULL
select o.id from g o where (select max(i.b) from g i where i.k = o.k) < o.a;
select o.id from g o where not exists (select 1 from g i where i.k = o.k and i.b >= o.a);
-- differs bounds: no rows
select o.id from g o where (select max(i.v) from day i where i.d = o.d) < 5;
select o.id from g o where not exists (select 1 from day i where i.d = o.d and i.v >= 5);
-- differs bounds: filter
select k from g group by k having max(b) filter (where a > 0) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b >= 5 and i.a > 0);
-- differs bounds: collation
select k from g group by k having max(s collate "C") < 'm';
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.s >= 'm');
-- differs bounds: as numbers
select k from g group by k having max(b) < 5.5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b >= 6) and k <> 6;
-- differs bounds: floats and NaN
select k from g group by k having max(f) < 'NaN';
select distinct k from g o where f < 'NaN';
-- differs bounds: numerics shown
select k, max(n)::text from g group by k having max(n) <= 5;
select k, min(n)::text from g group by k having max(n) <= 5;
-- differs bounds: whole table
select max(b) from g having max(b) < 5;
select max(b) from g where not exists (select 1 from g where b >= 5);
-- differs bounds: sum of CASE
select k from g group by k having sum(case when a > 0 then 1 else 0 end) = 0;
select distinct k from g o where a <= 0;
-- differs bounds: sum of CASE and NULL
select k from g group by k having sum(case when a > 0 then 1 end) = 0;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.a > 0);
-- differs bounds: sum of twos
select k from g group by k having sum(case when a > 0 then 2 else 0 end) > 1;
select k from g where a > 0 group by k having count(*) > 1;
-- differs bounds: one year away
select k from g group by k having max(d) < date '2024-01-01';
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.ts >= timestamp '2024-01-01');
-- differs bounds: maximum against minimum
select k from g group by k having max(b) < min(a);
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b >= i.a);
