-- equal arms: a constant that does not meet the condition around
select * from (select cno as k, pay from clerk union select tno, 5 from trainee) as u where u.pay > 7;
select cno as k, pay from clerk where pay > 7;
-- equal partners: an outer join that an extreme does not need
select t.bno, max(t.pay) as m from trainee as t left join clerk as c on c.bno = t.bno group by t.bno;
select bno, max(pay) as m from trainee group by bno;
-- equal constants: as long as the column
select cno, grade from clerk where grade = 'B';
select cno, cast('B' as varchar(10)) as grade from clerk where grade = 'B';
