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
-- equal days: between two that follow each other is none
select a.d, a.d + 1, b.d from day a, day b where b.d = a.d + 1 and not exists (select 1 from day c where c.d > a.d and c.d < b.d);
select a.d, a.d + 1, b.d from day a, day b where b.d = a.d + 1;
-- equal A and not B, distinct not in, having
select distinct c from buy where p = 'A' and c not in (select c from buy where p = 'B');
select c from buy group by c having count(*) filter (where p = 'A') > 0 and count(*) filter (where p = 'B') = 0;
-- equal A and not B, sum case
select distinct c from buy where p = 'A' and c not in (select c from buy where p = 'B');
select c from buy group by c having sum(case when p = 'A' then 1 else 0 end) > 0 and sum(case when p = 'B' then 1 else 0 end) = 0;
-- equal A and not B, from customers
select id from cust where id in (select c from buy where p = 'A') and id not in (select c from buy where p = 'B');
select b.c from buy b join cust on cust.id = b.c group by b.c having count(*) filter (where p = 'A') > 0 and count(*) filter (where p = 'B') = 0;
-- equal small and no big, distinct and having
select distinct c from buy b where amount < 5 and not exists (select 1 from buy d where d.c = b.c and d.amount > 10);
select c from buy group by c having min(amount) < 5 and max(amount) <= 10;
-- equal no big
select distinct c from buy b where not exists (select 1 from buy d where d.c = b.c and d.amount > 10);
select c from buy group by c having max(amount) <= 10;
-- equal small
select distinct c from buy b where amount < 5;
select c from buy group by c having min(amount) < 5;
-- equal two products
select a.c from buy a join buy b on a.c = b.c where a.p = 'A' and b.p = 'B' group by a.c;
select c from buy where p in ('A', 'B') group by c having count(distinct p) = 2;
-- equal exists and bool_or
select c from buy group by c having bool_or(p = 'A') and not bool_or(p = 'B');
select distinct c from buy where p = 'A' and c not in (select c from buy where p = 'B');
-- equal bounds: all
select k from g group by k having max(b) < 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b >= 5);
-- equal bounds: nullable
select k from g group by k having max(a) < 5;
select distinct k from g o where a is not null and not exists (select 1 from g i where i.k = o.k and i.a >= 5);
-- equal bounds: minimum above
select k from g group by k having min(b) > 5;
select distinct k from g o where not exists (select 1 from g i where i.k = o.k and i.b <= 5);
-- equal bounds: minimum at most
select k from g group by k having min(b) <= 5;
select distinct k from g where b <= 5;
-- equal bounds: negated
select k from g group by k having not max(a) < 5;
select distinct k from g o where a >= 5;
-- equal bounds: of a value that may be NULL
select o.id from g o where (select max(i.b) from g i where i.k = o.k) < o.a;
select o.id from g o where o.a is not null and not exists (select 1 from g i where i.k = o.k and i.b >= o.a);
-- equal bounds: filter
select k from g group by k having max(b) filter (where a > 0) >= 5;
select distinct k from g where b >= 5 and a > 0;
