-- equal zeros: a CASE with ELSE 0 and FILTER
select country, sum(case when state = 'approved' then amount else 0 end) as total from transactions group by country;
select country, coalesce(sum(amount) filter (where state = 'approved'), 0) as total from transactions group by country;
-- equal zeros: several arms
select country, sum(case when state = 'approved' then amount when amount > 5 then amount else 0 end) from transactions group by country;
select country, coalesce(sum(amount) filter (where state = 'approved' or amount > 5), 0) from transactions group by country;
-- equal zeros: of bounded numerics
select count(*), sum(case when id > 3 then score else 0 end) from scores having count(*) > 0;
select count(*), coalesce(sum(score) filter (where id > 3), 0) from scores having count(*) > 0;
-- equal values: more than one, counted and joined
select viewer_id from views group by viewer_id having count(distinct article_id) > 1;
select distinct v.viewer_id from views v join views w on v.viewer_id = w.viewer_id and v.article_id <> w.article_id;
-- equal values: one, counted and NOT EXISTS
select viewer_id from views group by viewer_id having count(distinct article_id) = 1;
select distinct v.viewer_id from views v where not exists (select 1 from views w where w.viewer_id = v.viewer_id and w.article_id <> v.article_id);
-- equal values: minimum and maximum, and counted
select viewer_id from views group by viewer_id having min(view_date) = max(view_date);
select viewer_id from views group by viewer_id having count(distinct view_date) = 1;
-- equal values: minimum below maximum, and joined
select viewer_id from views group by viewer_id having min(view_date) < max(view_date);
select distinct v.viewer_id from views v join views w on v.viewer_id = w.viewer_id and v.view_date > w.view_date;
-- equal values: of nullable columns
select department_id from employee where department_id is not null group by department_id having count(distinct salary) > 1;
select distinct e.department_id from employee e join employee f on f.department_id = e.department_id and f.salary < e.salary;
-- equal values: exactly one row, windowed
select id from (select id, count(*) over (partition by num) as n from logs) t where n = 1;
select id from logs l where not exists (select 1 from logs m where m.num = l.num and m.id <> l.id);
-- equal own: the values up to a row's own, and dense_rank
select s.id, (select count(distinct t.score) from scores t where t.score >= s.score) as rank from scores s;
select id, dense_rank() over (order by score desc) as rank from scores;
-- equal own: one more than those before, of dates
select v.viewer_id, (select count(distinct w.view_date) from views w where w.view_date <= v.view_date) from views v;
select v.viewer_id, 1 + (select count(distinct w.view_date) from views w where w.view_date < v.view_date) from views v;
-- equal remainder: odd numbers
select id from logs where id % 2 = 1;
select id from logs where mod(id, 2) <> 0;
-- equal remainder: pages of ten
select id from logs where id / 10 = 3;
select id from logs where id >= 30 and id < 40;
-- equal remainder: a leap
select id from logs where id % 4 = 0 and id % 2 = 1;
select id from logs where false;
-- equal apart: either side of a pair
select c.customer_id from orders c where exists (select 1 from orders d where d.customer_id = c.customer_id and d.order_number <> c.order_number);
select c.customer_id from orders c where exists (select 1 from orders d where d.customer_id = c.customer_id and d.order_number < c.order_number) or exists (select 1 from orders d where d.customer_id = c.customer_id and d.order_number > c.order_number);
-- equal order: a CASE and a condition
select id, salary, manager_id from employee order by case when salary > 5 then 0 else 1 end, id;
select id, salary, manager_id from employee order by (salary > 5) is not true, id;
-- equal order: two cases
select id, salary, manager_id from employee order by case when salary is null then 2 else 1 end, salary, id;
select id, salary, manager_id from employee order by case when salary is not null then 0 else 1 end, salary, id;
-- equal order: where NULLs would go
select id, salary, manager_id from employee order by case when id > 5 then 7 else -1 end desc, id;
select id, salary, manager_id from employee order by id > 5 desc nulls last, id;
-- equal quarters: a quarter of a year and a range
select order_number from orders where extract(quarter from order_date) = 2 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-04-01' and order_date < '2019-07-01';
-- equal values: exactly one row, grouped and NOT EXISTS
select num from logs group by num having count(*) = 1;
select num from logs l where not exists (select 1 from logs m where m.num = l.num and m.id <> l.id);
-- equal values: one that nobody shares, grouped and windowed
select num from logs group by num having count(*) < 2;
select num from (select num, count(*) over (partition by num) as n from logs) t where n = 1;
