-- equal r01 projections merged over a filter
select x + 1 as y, g from (select pay + perk as x, grade as g, bno from clerk) as t where t.bno = 10;
select pay + perk + 1 as y, grade as g from clerk where bno = 10;
-- equal r06 condition of ON below both sides of a semi-join
select c.cno from clerk as c where exists (select 1 from trainee as t where t.bno = c.bno and c.pay > 10 and t.pay > 20);
select t0.cno from (select * from clerk where pay > 10) as t0 where t0.bno in (select bno from trainee where pay > 20 and bno is not null);
-- equal r09 filter below EXCEPT and INTERSECT
select bno from (select bno, grade from clerk except select bno, grade from trainee) as t where grade = 'A' and bno < 50;
select bno from (select bno, grade from clerk where grade = 'A' and bno < 50) as t except select bno from trainee where grade = 'A';
-- equal r10 filter below a window's partition
select cno, s from (select cno, bno, grade, sum(pay) over (partition by bno, grade order by cno) as s from clerk) as w where w.bno = 20 and w.s > 10;
select cno, s from (select cno, sum(pay) over (partition by grade order by cno) as s from clerk where bno = 20) as w where w.s > 10;
-- differs r13 two aggregates merged, no rows
select sum(t.n)::bigint as n from (select bno, count(*) as n from clerk group by bno) as t;
select count(*) as n from clerk;
-- equal r14 count of distinct values over a grouping
select bno, count(distinct grade) as g, max(pay) as p from trainee group by bno;
select t.bno, count(t.grade) as g, max(t.p) as p from (select bno, grade, max(pay) as p from trainee group by bno, grade) as t group by t.bno;
-- equal r15 count of distinct values joined back
select bno, count(distinct grade) as g, sum(pay) as s from trainee group by bno;
select a.bno, b.g, a.s from (select bno, sum(pay) as s from trainee group by bno) as a inner join (select bno, count(grade) as g from (select distinct bno, grade from trainee) as d group by bno) as b on a.bno is not distinct from b.bno;
-- equal r16 distinct aggregates through grouping sets
select bno, count(distinct grade) as g, sum(pay) as s from clerk group by bno;
select t.bno, count(t.grade) filter (where t.k = 0) as g, min(t.s) filter (where t.k = 1) as s from (select bno, grade, grouping(bno, grade) as k, sum(pay) as s from clerk group by grouping sets ((bno, grade), (bno))) as t group by t.bno;
-- equal r17 joins commuted, right to left
select c.cname, b.bname, d.amount from deal as d right join clerk as c on d.cno = c.cno inner join branch as b on b.bno = c.bno;
select t.cname, t.bname, d.amount from (select c.cno, c.cname, b.bname from branch as b inner join clerk as c on c.bno = b.bno) as t left join deal as d on d.cno = t.cno;
-- differs r19 left joins associated without rejecting NULL
select c.cno, t.pay, a.perk from clerk as c left join trainee as t on t.bno = c.bno left join award as a on a.grade = c.grade;
select c.cno, x.pay, x.perk from clerk as c left join (select t.bno, t.pay, a.grade, a.perk from trainee as t left join award as a on true) as x on x.bno = c.bno and x.grade = c.grade;
-- equal r21 join with a grouped side is a semi-join
select c.cno, c.pay from clerk as c inner join (select bno from trainee where perk > 4 group by bno) as t on c.bno = t.bno;
select c.cno, c.pay from clerk as c where exists (select tno from trainee as t where t.perk > 4 and t.bno = c.bno);
-- equal r24 constants through a join
select c.cno, d.client from clerk as c inner join deal as d on c.cno = d.cno where d.client = 5 and c.cno = 3;
select 3 as cno, 5 as client from (select 1 from clerk where cno = 3) as t cross join (select dno from deal where cno = 3 and client = 5) as t0;
-- equal r25 contradictions take an arm away
select cno from clerk where pay > 10 and pay < 5 union all select tno from trainee where bno = 3 and not (bno <> 3) union all select dno from deal where amount is null;
select tno as cno from trainee where bno = 3;
-- equal r26 joins with nothing
select c.cno, e.perk from clerk as c left join (select * from award where false) as e on e.grade = c.grade union all select c.cno, a.perk from clerk as c inner join (select * from award where null) as a on a.grade = c.grade;
select cno, null::int as perk from clerk;
-- differs r27 aggregate over nothing
select count(*) as n, max(pay) as m from clerk where pay > 10 and pay < 10;
select 0::bigint as n, null::int as m from clerk where false;
-- equal r28 distinct over a key
select distinct c.cno, b.town from clerk as c left join branch as b on b.bno = c.bno;
select c.cno, b.town from clerk as c left join branch as b on b.bno = c.bno;
-- equal r30 sort keys after a key and constants
select cno, pay, bno from clerk where bno = 5 order by bno, cno, pay desc, grade;
select t.cno, t.pay, 5 as bno from (select cno, pay from clerk where bno = 5 order by pay) as t order by t.cno;
-- equal r31 limit below a left join on a key
select c.cno, b.bname from clerk as c left join branch as b on b.bno = c.bno order by c.pay, c.cno limit 5;
select t.cno, b.bname from (select cno, pay, bno from clerk order by pay, cno limit 5) as t left join branch as b on b.bno = t.bno order by t.pay, t.cno;
-- differs r34 limit below an inner join
select c.cno, d.amount from clerk as c inner join deal as d on d.cno = c.cno order by c.cno, d.dno limit 4;
select t.cno, d.amount from (select cno from clerk order by cno limit 4) as t inner join deal as d on d.cno = t.cno order by t.cno, d.dno limit 4;
-- equal r35 ROLLUP as UNION ALL
select bno, grade, sum(pay) as s from clerk group by rollup (bno, grade);
select bno, grade, sum(pay) as s from clerk group by bno, grade union all select bno, null, sum(pay) from clerk group by bno union all select null, null, sum(pay) from clerk;
-- equal r38 EXISTS under OR as a marked left join
select c.cno from clerk as c where c.pay > 100 or exists (select 1 from trainee as t where t.bno = c.bno and t.grade = 'A');
select c.cno from clerk as c left join (select bno, true as i from trainee where grade = 'A' group by bno) as t on t.bno = c.bno where c.pay > 100 or t.i is not null;
-- equal r39 NOT IN with counts
select c.cno from clerk as c where c.perk not in (select t.perk from trainee as t);
select c.cno from clerk as c cross join (select count(*) as n, count(perk) as k from trainee) as ct left join (select perk, true as i from trainee group by perk) as dt on c.perk = dt.perk where ct.n = 0 or dt.i is null and c.perk is not null and ct.k >= ct.n;
-- equal r40 IN as a value with counts
select c.cno, c.perk in (select t.perk from trainee as t) as f from clerk as c;
select c.cno, case when ct.n = 0 then false when c.perk is null then null when dt.i is not null then true when ct.k < ct.n then null else false end as f from clerk as c cross join (select count(*) as n, count(perk) as k from trainee) as ct left join (select distinct perk, true as i from trainee) as dt on c.perk = dt.perk;
-- equal r41 scalar subquery as a join
select c.cno, c.pay from clerk as c where c.pay > (select avg(t.pay) from trainee as t where t.grade = 'A');
select c.cno, c.pay from clerk as c inner join (select avg(pay) as a from trainee where grade = 'A') as t on c.pay > t.a;
-- equal r42 OR in ON as UNION ALL
select c.cno, t.tno from clerk as c inner join trainee as t on c.bno = t.bno or c.perk = t.perk;
select c.cno, t.tno from clerk as c inner join trainee as t on c.bno = t.bno union all select c.cno, t.tno from clerk as c inner join trainee as t on c.perk = t.perk and (c.bno = t.bno) is not true;
-- equal r44 one-sided conditions drawn from OR
select c.cno, b.bname from clerk as c inner join branch as b on c.bno = b.bno where (b.town = 'Ely' and c.pay > 10) or (b.town = 'Rye' and c.pay > 20);
select c.cno, b.bname from (select * from clerk where pay > 10 or pay > 20) as c inner join (select * from branch where town in ('Ely', 'Rye')) as b on c.bno = b.bno and (b.town = 'Ely' and c.pay > 10 or b.town = 'Rye' and c.pay > 20);
-- equal r45 IN list as a join with VALUES
select cno from clerk where bno in (1, 2, 3) and pay > 2;
select c.cno from clerk as c inner join (values (1), (2), (3)) as v(x) on c.bno = v.x where c.pay > 2;
-- equal r46 UNION as DISTINCT over UNION ALL, arms flattened
select bno, grade from clerk union (select bno, grade from trainee union all select 1, 'A' from award);
select distinct u.bno, u.grade from (select bno, grade from clerk union all select bno, grade from trainee union all select 1, 'A' from award) as u;
-- equal r47 INTERSECT as counts over UNION ALL
select bno, grade from clerk intersect select bno, grade from trainee;
select u.bno, u.grade from (select bno, grade, 1 as a, null::int as b from clerk union all select bno, grade, null, 1 from trainee) as u group by u.bno, u.grade having count(u.a) > 0 and count(u.b) > 0;
-- equal r48 EXCEPT as counts over grouped arms
select perk from clerk except select perk from trainee where pay > 3;
select u.perk from (select perk, true as l, false as r from clerk group by perk union all select perk, false, true from trainee where pay > 3 group by perk) as u group by u.perk having bool_or(u.l) and not bool_or(u.r);
-- equal r49 aggregate below a join on a key
select b.bname, b.bno, sum(c.pay) as s, count(*) as n from clerk as c inner join branch as b on c.bno = b.bno group by b.bno, b.bname;
select b.bname, b.bno, t.s, t.n from (select bno, sum(pay) as s, count(*) as n from clerk group by bno) as t inner join branch as b on t.bno = b.bno;
-- equal r50 aggregates below both sides of a join
select c.bno, sum(c.pay)::numeric as s from clerk as c inner join trainee as t on c.bno = t.bno group by c.bno;
select x.bno, (x.s * y.n)::numeric as s from (select bno, sum(pay) as s from clerk group by bno) as x inner join (select bno, count(*) as n from trainee group by bno) as y on x.bno = y.bno;
-- equal r52 grouping keys that are constant
select bno, grade, 1 as one, count(*) as n from clerk where bno = 10 group by bno, grade, 1;
select 10 as bno, t.grade, 1 as one, t.n from (select grade, count(*) as n from clerk where bno = 10 group by grade) as t;
-- differs r53 the only grouping key is constant
select 10 as bno, count(*) as n from clerk where bno = 10 group by bno;
select 10 as bno, count(*) as n from clerk where bno = 10;
-- equal r54 CASE in aggregates as FILTER
select bno, sum(case when grade = 'A' then pay end) as a, count(case when grade <> 'A' then 1 end) as b, sum(case when perk > 3 then 1 else 0 end) as c from clerk group by bno;
select bno, sum(pay) filter (where grade = 'A') as a, count(*) filter (where grade <> 'A') as b, count(*) filter (where perk > 3) as c from clerk group by bno;
-- equal r55 full join that filters make inner and left
select c.cno, t.tno from clerk as c full join trainee as t on c.bno = t.bno where c.pay > 3 and (t.pay > 5 or c.perk = 2);
select c.cno, t.tno from (select * from clerk where pay > 3) as c left join trainee as t on c.bno = t.bno where t.pay > 5 or c.perk = 2;
-- differs r56 full join with a filter on one side's column
select c.cno, t.tno from clerk as c full join trainee as t on c.bno = t.bno where coalesce(c.pay, 4) > 3;
select c.cno, t.tno from (select * from clerk where pay > 3) as c left join trainee as t on c.bno = t.bno;
-- equal r57 window aggregate joined back
select tno, sum(pay) over (partition by bno) as s, count(*) over (partition by bno) as n from trainee;
select t.tno, g.s, g.n from trainee as t inner join (select bno, sum(pay) as s, count(*) as n from trainee group by bno) as g on t.bno is not distinct from g.bno;
-- equal r58 filter over VALUES and a count that cannot be NULL
select c.cno, v.b from clerk as c inner join (values (1, 'x'), (2, 'y'), (3, 'z')) as v(a, b) on v.a = c.bno where v.a > 1 and v.b <> 'z' and c.cno is not null;
select cno, 'y' as b from clerk where bno = 2;
-- equal r59 IS NOT NULL drawn from a join and COUNT of a filled column
select t.bno, count(t.bno) as n, count(c.pay) as m from trainee as t inner join clerk as c on t.bno = c.bno group by t.bno;
select t0.bno, count(*) as n, count(*) as m from (select bno from trainee where bno is not null) as t0 inner join clerk as c on t0.bno = c.bno group by t0.bno;
-- differs r60 COUNT of a column that may be NULL
select c.bno, count(t.pay) as n from clerk as c left join trainee as t on t.bno = c.bno group by c.bno;
select c.bno, count(*) as n from clerk as c left join trainee as t on t.bno = c.bno group by c.bno;
-- equal r63 EXISTS over an aggregate and a self-join on a key
select c.cno, d.pay from clerk as c inner join clerk as d on c.cno = d.cno where exists (select count(*) from trainee as t where t.bno = c.bno) and d.bno > 4;
select cno, pay from clerk where bno > 4;
-- equal r64 aggregates through UNION ALL
select u.bno, sum(u.pay) as s, count(*) as n, min(u.pay) as m from (select bno, pay from clerk union all select bno, pay from trainee) as u group by u.bno;
select v.bno, sum(v.s)::bigint as s, sum(v.n)::bigint as n, min(v.m) as m from (select bno, sum(pay) as s, count(*) as n, min(pay) as m from clerk group by bno union all select bno, sum(pay), count(*), min(pay) from trainee group by bno) as v group by v.bno;
