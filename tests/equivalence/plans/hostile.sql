-- differs arms: a constant that meets the condition around
select * from (select cno as k, pay from clerk union select tno, 5 from trainee) as u where u.pay > 4;
select cno as k, pay from clerk where pay > 4;
-- differs arms: NULL is asked for
select * from (select cno as k, perk from clerk union select tno, null from trainee) as u where u.perk is null;
select cno as k, perk from clerk where perk is null;
-- differs partners: a sum needs them
select t.bno, sum(t.pay) as m from trainee as t left join clerk as c on c.bno = t.bno group by t.bno;
select bno, sum(pay) as m from trainee group by bno;
-- differs partners: an inner join with NULL keys
select t.bno, max(t.pay) as m from trainee as t join clerk as c on c.bno is not distinct from t.bno group by t.bno;
select bno, max(pay) as m from trainee group by bno;
-- differs constants: longer than it may be
select cno, grade from clerk where grade = 'BB';
select cno, cast('BB' as varchar(1))::varchar(10) as grade from clerk where grade = 'BB';
