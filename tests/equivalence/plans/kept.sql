-- equal r02 filter below a projection of an expression
select t.s, t.cname from (select cname, coalesce(perk, 0) as s from (select * from clerk where pay > 5) as t0) as t where t.s > 100 and t.cname like 'A%';
select coalesce(t0.perk, 0) as s, t0.cname from (select * from clerk where coalesce(perk, 0) > 100 and cname like 'A%' and pay > 5) as t0;
-- equal r03 filter into a join, to both sides by the join's equality
select c.cname, b.bname from clerk as c inner join branch as b on c.bno = b.bno where b.bno = 10 and c.pay > 100 and c.grade <> b.town;
select t.cname, t0.bname from (select * from clerk where bno = 10 and pay > 100) as t inner join (select * from branch where bno = 10 and town is not null) as t0 on t.bno = t0.bno and t.grade <> t0.town;
-- equal r04 filter over a left join makes it inner
select t.cname, d.amount from clerk as t left join deal as d on t.cno = d.cno and d.amount > 3 where d.signed > date '2020-01-01' or d.amount = 7;
select t.cname, t1.amount from clerk as t inner join (select cno, amount from deal where amount > 3 and (signed > date '2020-01-01' or amount = 7)) as t1 on t.cno = t1.cno;
-- differs r05 filter over a left join moved into its ON
select c.cname, d.amount from clerk as c left join deal as d on c.cno = d.cno where d.amount > 3 or d.amount is null;
select c.cname, d.amount from clerk as c left join (select * from deal where amount > 3) as d on c.cno = d.cno;
-- equal r07 filter below an aggregate
select * from (select bno, grade, sum(pay) as s, count(perk) as n from clerk group by bno, grade) as t where t.bno > 10 and t.s > 5 and t.grade = 'B';
select bno, 'B'::varchar(10) as grade, sum(pay) as s, count(perk) as n from (select bno, pay, perk from clerk where bno > 10 and grade = 'B') as t0 group by bno having sum(pay) > 5;
-- equal r08 filter below UNION, arms folded
select * from (select cno as k, pay from clerk union select tno, 5 from trainee) as u where u.pay > 7 and u.k > 0;
select cno as k, pay from clerk where pay > 7 and cno > 0;
-- differs r11 filter below a window that is not in the partition
select cno, s from (select cno, bno, grade, sum(pay) over (partition by bno) as s from clerk) as w where w.grade = 'A';
select cno, sum(pay) over (partition by bno) as s from clerk where grade = 'A';
-- equal r12 two aggregates merged
select t.bno, sum(t.s)::bigint as s, max(t.m) as m, sum(t.n)::bigint as n from (select bno, grade, sum(pay) as s, max(perk) as m, count(*) as n from clerk group by bno, grade) as t group by t.bno;
select bno, sum(pay) as s, max(perk) as m, count(*) as n from clerk group by bno;
-- equal r18 joins associated with a filter among them
select c.cname, d.amount, k.name from (select * from clerk where pay > 3) as c inner join deal as d on c.cno = d.cno inner join client as k on d.client = k.client and k.town = c.grade;
select c.cname, t.amount, t.name from clerk as c inner join (select d.cno, d.amount, k.name, k.town from deal as d inner join client as k on d.client = k.client where k.town is not null) as t on c.cno = t.cno and t.town = c.grade where c.pay > 3;
-- equal r20 left joins associated, the upper one rejects NULL
select c.cno, d.amount, k.name from clerk as c left join deal as d on d.cno = c.cno left join client as k on k.client = d.client;
select c.cno, x.amount, x.name from clerk as c left join (select d.cno, d.amount, k.name from deal as d left join client as k on d.client = k.client) as x on x.cno = c.cno;
-- equal r22 semi-join that a foreign key always passes
select c.cno, c.pay from clerk as c where c.bno in (select bno from branch where bno is not null) and c.pay > 3;
select cno, pay from clerk where pay > 3;
-- equal r23 constants put in for columns
select c.cno, c.bno, c.pay + c.bno as s from clerk as c where c.bno = 7 and c.pay + c.bno > 100 and c.grade in ('A');
select t.cno, 7 as bno, t.pay + 7 as s from (select cno, pay from clerk where bno = 7 and grade = 'A') as t where t.pay + 7 > 100;
-- differs r29 distinct over what is no key
select distinct d.cno, k.town from deal as d left join client as k on k.client = d.client;
select d.cno, k.town from deal as d left join client as k on k.client = d.client;
-- equal r32 limit below UNION ALL
select k, v from (select 1 as a, cno as k, pay as v from clerk union all select 2, dno, amount from deal) as u order by v, a, k limit 3;
select k, v from ((select 1 as a, cno as k, pay as v from clerk order by pay, cno limit 3) union all (select 2, dno, amount from deal order by amount, dno limit 3)) as u order by v, a, k limit 3;
-- equal r33 limits merged
select cno, pay from (select cno, pay from clerk order by cno limit 10 offset 2) as t order by cno limit 5 offset 1;
select cno, pay from clerk order by cno limit 5 offset 3;
-- equal r36 grouping sets a filter leaves
select bno, grade, s from (select bno, grade, grouping(bno) as gb, sum(pay) as s from clerk group by cube (bno, grade)) as t where t.gb = 0;
select bno, grade, sum(pay) as s from clerk group by grouping sets ((bno, grade), (bno));
-- equal r37 scalar aggregate unnested
select b.bno, (select count(*) from clerk as c where c.bno = b.bno and c.pay > 3) as n, (select max(c.pay) from clerk as c where c.bno = b.bno and c.pay > 3) as m from branch as b;
select b.bno, coalesce(t.n, 0) as n, t.m from branch as b left join (select bno, count(*) as n, max(pay) as m from clerk where pay > 3 group by bno) as t on t.bno = b.bno;
-- differs r43 OR in ON as UNION ALL without IS NOT TRUE
select c.cno, t.tno from clerk as c inner join trainee as t on c.bno = t.bno or c.perk = t.perk;
select c.cno, t.tno from clerk as c inner join trainee as t on c.bno = t.bno union all select c.cno, t.tno from clerk as c inner join trainee as t on c.perk = t.perk and not (c.bno = t.bno);
-- equal r51 join that an aggregate does not need
select t.bno, max(t.pay) as m from trainee as t left join clerk as c on c.bno = t.bno left join branch as b on b.bno = c.bno group by t.bno;
select bno, max(pay) as m from trainee group by bno;
-- equal r61 AVG split, grouped by a key
select bno, avg(pay) as a from trainee group by bno having avg(pay) > 3;
select t.bno, t.s::numeric / t.n as a from (select bno, sum(pay) as s, count(pay) as n from trainee group by bno) as t where t.n > 0 and t.s::numeric / nullif(t.n, 0) > 3;
-- equal r62 grouping by a key taken away
select cno, sum(pay) as s, min(perk) as m, count(perk) as n from clerk group by cno;
select cno, pay::bigint as s, perk as m, case when perk is null then 0 else 1 end::bigint as n from clerk;
-- equal r65 anti-join by a grouped left join
select c.cno from clerk as c where not exists (select 1 from deal as d where d.cno = c.cno and d.amount > 5);
select c.cno from clerk as c left join (select cno, count(*) as n from deal where amount > 5 group by cno) as t on t.cno = c.cno where t.n is null;
-- equal r66 window over a constant partition and casts taken away
select cno, rank() over (partition by bno order by pay) as r from clerk where bno = 5 and pay::bigint = 10;
select cno, 1::bigint as r from clerk where bno = 5 and pay = 10;
