-- differs zeros: a NULL is all there is to add
select country, sum(case when state = 'approved' then nullif(amount, 5) else 0 end) from transactions group by country;
select country, coalesce(sum(nullif(amount, 5)) filter (where state = 'approved'), 0) from transactions group by country;
-- differs zeros: nothing to add at all
select sum(case when state = 'approved' then amount else 0 end) from transactions;
select coalesce(sum(amount) filter (where state = 'approved'), 0) from transactions;
-- differs zeros: an average counts them
select country, avg(case when state = 'approved' then amount else 0 end) from transactions group by country;
select country, coalesce(avg(amount) filter (where state = 'approved'), 0) from transactions group by country;
-- differs zeros: a maximum of negatives
select country, max(case when state = 'approved' then amount else 0 end) from transactions group by country;
select country, coalesce(max(amount) filter (where state = 'approved'), 0) from transactions group by country;
-- differs zeros: decimals of the zero
select student_id, sum(case when subject_name = 'a' then 1.5 else 0.00 end) from examinations group by student_id;
select student_id, coalesce(sum(1.5) filter (where subject_name = 'a'), 0.00) from examinations group by student_id;
-- differs zeros: a zero of a bounded type
select student_id, sum(case when subject_name = 'a' then 1.5 else 0::numeric(5,2) end) from examinations group by student_id;
select student_id, coalesce(sum(1.5) filter (where subject_name = 'a'), 0::numeric(5,2)) from examinations group by student_id;
-- differs zeros: ones are no zeros
select country, sum(case when state = 'approved' then amount else 1 end) from transactions group by country;
select country, coalesce(sum(amount) filter (where state = 'approved'), 1) from transactions group by country;
-- differs zeros: the condition may be unknown
select country, sum(case when country = 'US' then amount else 0 end) from transactions group by country;
select country, coalesce(sum(amount) filter (where not (country <> 'US')), 0) + case when country is null then 1 else 0 end from transactions group by country;
-- differs zeros: NULL is no zero
select country, sum(case when state = 'approved' then amount else null end) from transactions group by country;
select country, coalesce(sum(amount) filter (where state = 'approved'), 0) from transactions group by country;
-- differs zeros: negative zeros are added
select student_id, sum(case when subject_name = 'a' then '-0'::float8 else 0 end)::text from examinations group by student_id;
select student_id, coalesce(sum('-0'::float8) filter (where subject_name = 'a'), 0)::text from examinations group by student_id;
-- differs zeros: a different sum of different values
select country, sum(distinct case when state = 'approved' then amount else 0 end) from transactions group by country;
select country, coalesce(sum(amount) filter (where state = 'approved'), 0) from transactions group by country;
-- differs values: count of rows for count of values
select viewer_id from views group by viewer_id having count(article_id) > 1;
select distinct v.viewer_id from views v join views w on w.viewer_id = v.viewer_id and w.article_id <> v.article_id;
-- differs values: NULLs are not counted
select department_id from employee group by department_id having count(distinct salary) < 2;
select distinct e.department_id from employee e where not exists (select 1 from employee f where f.department_id = e.department_id and f.salary is distinct from e.salary);
-- differs values: none is not one
select department_id from employee group by department_id having count(distinct salary) = 1;
select distinct department_id from employee e where not exists (select 1 from employee f where f.department_id is not distinct from e.department_id and f.salary <> e.salary);
-- differs values: two are not at least two
select viewer_id from views group by viewer_id having count(distinct article_id) = 2;
select distinct v.viewer_id from views v join views w on w.viewer_id = v.viewer_id and w.article_id <> v.article_id;
-- differs values: one row is not one value
select viewer_id from views group by viewer_id having count(distinct article_id) = 1;
select viewer_id from views group by viewer_id having count(*) = 1;
-- differs values: pairs of values
select viewer_id from views group by viewer_id having count(distinct (article_id, author_id)) > 1;
select distinct v.viewer_id from views v join views w on w.viewer_id = v.viewer_id and w.article_id <> v.article_id and w.author_id <> v.author_id;
-- differs values: three values differ two by two
select viewer_id from views group by viewer_id having count(distinct article_id) > 2;
select distinct u.viewer_id from views u join views v on v.viewer_id = u.viewer_id and v.article_id <> u.article_id join views w on w.viewer_id = u.viewer_id and w.article_id <> v.article_id;
-- differs values: the group of NULL
select country from transactions group by country having count(distinct state) > 1;
select distinct t.country from transactions t join transactions u on u.country = t.country and u.state <> t.state;
-- differs values: extremes of NULLs alone
select department_id from employee group by department_id having not (min(salary) <> max(salary));
select department_id from employee group by department_id having count(distinct salary) <= 1;
-- differs values: extremes of unlike rows
select department_id from employee group by department_id having min(salary) = max(manager_id);
select department_id from employee group by department_id having count(distinct salary) = 1;
-- differs values: extremes of fewer rows
select department_id from employee group by department_id having min(salary) = max(salary) filter (where id > 3);
select department_id from employee group by department_id having count(distinct salary) = 1;
-- differs values: of equal values that look different
select student_id from examinations group by student_id having count(distinct subject_name) = 1;
select student_id from examinations group by student_id having count(distinct lower(subject_name)) = 1;
-- differs own: the value is not among them
select s.score, (select count(distinct t.score) from scores t where t.score >= s.score + 1) from scores s;
select s.score, 1 + (select count(distinct t.score) from scores t where t.score > s.score + 1) from scores s;
-- differs own: NULL is not among them
select e.id, (select count(distinct f.salary) from employee f where f.salary >= e.salary) from employee e;
select e.id, 1 + (select count(distinct f.salary) from employee f where f.salary > e.salary) from employee e;
-- differs own: among the rows of another department
select e.id, (select count(distinct f.salary) from employee f where f.salary >= e.salary and f.department_id <> e.department_id) from employee e where e.salary is not null;
select e.id, 1 + (select count(distinct f.salary) from employee f where f.salary > e.salary and f.department_id <> e.department_id) from employee e where e.salary is not null;
-- differs own: rows instead of values
select s.id, (select count(t.score) from scores t where t.score >= s.score) from scores s;
select s.id, 1 + (select count(distinct t.score) from scores t where t.score > s.score) from scores s;
-- differs own: the other direction
select s.id, (select count(distinct t.score) from scores t where t.score <= s.score) from scores s;
select s.id, dense_rank() over (order by s.score desc) from scores s;
-- differs own: dense_rank with NULLs before
select e.id, dense_rank() over (order by e.salary desc) as r from employee e;
select e.id, 1 + (select count(distinct f.salary) from employee f where f.salary > e.salary) as r from employee e;
-- differs own: another column is counted
select e.id, (select count(distinct f.manager_id) from employee f where f.salary >= e.salary) from employee e where e.salary is not null;
select e.id, 1 + (select count(distinct f.manager_id) from employee f where f.salary > e.salary) from employee e where e.salary is not null;
-- differs own: of a part of the day
select a.player_id, (select count(distinct b.event_date) from activity b where b.event_date <= a.event_date) from activity a;
select a.player_id, dense_rank() over (partition by a.player_id order by a.event_date) from activity a;
-- differs own: a smaller type
select s.score, (select count(distinct t.score::numeric(3,1)) from scores t where t.score::numeric(3,1) >= s.score) from scores s;
select s.score, 1 + (select count(distinct t.score::numeric(3,1)) from scores t where t.score::numeric(3,1) > s.score) from scores s;
-- differs own: a sum of the values
select s.score, (select sum(distinct t.score) from scores t where t.score <= s.score) from scores s;
select s.score, s.score + (select sum(distinct t.score) from scores t where t.score < s.score) from scores s;
-- differs remainder: of negatives
select id from revenue where id % 2 = 1;
select id from revenue where id % 2 <> 0;
-- differs remainder: the quotient is cut towards zero
select id from revenue where id / 2 = 0;
select id from revenue where id >= 0 and id < 2;
-- differs remainder: no even distribution
select id from revenue where id % 3 in (1, 2);
select id from revenue where id % 3 > 0 or id % 3 = -1;
-- differs remainder: quotient and rest of unlike divisors
select id from revenue where id = 4 * (id / 4) + id % 2 and id between 0 and 100;
select id from revenue where id between 0 and 100;
-- differs remainder: numeric has decimals
select id from scores where score % 2 <> 1;
select id from scores where score % 2 = 0;
-- differs remainder: numeric division does not cut
select id from revenue where id / 2.0 >= 1 and id / 2.0 <= 1;
select id from revenue where id / 2 = 1;
-- differs remainder: of a negative divisor
select id from revenue where id % -3 = 1;
select id from revenue where id % -3 = -2;
-- differs remainder: one apart either way
select a.id from seat a join seat b on abs(a.id - b.id) = 1;
select a.id from seat a join seat b on a.id - b.id = 1;
-- differs remainder: absolute values of NULL
select id from revenue where not (abs(revenue) > 3);
select id from revenue where revenue between -3 and 3 or revenue is null;
-- differs remainder: of a column that may be zero
select id, month from revenue where revenue <> 0 and id % revenue = 0;
select id, month from revenue where revenue <> 0 and id / revenue * revenue = id and id > 0;
-- differs children: a child twice for its parent
select c.com_id from company c where (select count(*) from sales_orders o where o.com_id = c.com_id) = (select count(*) from sales_person);
select c.com_id from company c where not exists (select 1 from sales_person s where not exists (select 1 from sales_orders o where o.com_id = c.com_id and o.sales_id = s.sales_id));
-- differs children: counted rows that refer to nothing of the kind
select student from courses group by student having count(*) = (select count(*) from subjects);
select distinct c.student from courses c where not exists (select 1 from subjects s where not exists (select 1 from courses d where d.student = c.student and d.class = s.subject_name));
-- differs children: all products, those that nobody bought as well
select customer_id from bought group by customer_id having count(distinct product_key) = (select count(distinct product_key) from bought);
select distinct b.customer_id from bought b where not exists (select 1 from product p where not exists (select 1 from bought c where c.customer_id = b.customer_id and c.product_key = p.product_key));
-- differs children: nobody buys all of nothing
select customer_id from customers join lateral (select id as customer_id) x on true where not exists (select 1 from product p where not exists (select 1 from bought c where c.customer_id = x.customer_id and c.product_key = p.product_key));
select customer_id from bought group by customer_id having count(distinct product_key) = (select count(*) from product);
-- differs apart: different rows in one order only
select l.num from logs l where exists (select 1 from logs m where m.num = l.num and m.id <> l.id);
select l.num from logs l where exists (select 1 from logs m where m.num = l.num and m.id < l.id);
-- differs apart: a column that may be NULL
select e.id from employee e where not exists (select 1 from employee f where f.salary <> e.salary);
select e.id from employee e where not exists (select 1 from employee f where f.salary < e.salary or f.salary > e.salary or f.salary is null);
-- differs apart: three that differ in a row
select num from logs group by num having count(*) >= 3;
select distinct a.num from logs a join logs b on b.num = a.num and b.id <> a.id join logs c on c.num = a.num and c.id <> b.id;
-- differs apart: neither less nor greater
select p.x from triangle p where exists (select 1 from triangle q where q.x < p.x or q.x > p.x);
select p.x from triangle p where exists (select 1 from triangle q where (q.x, q.y) <> (p.x, p.y));
-- differs own: a value from outside is counted, not one of the rows'
select e.id, (select count(*) from (select distinct e.salary as x from employee f where f.salary <= e.salary) t) from employee e where e.salary is not null;
select e.id, 1 + (select count(*) from (select distinct e.salary as x from employee f where f.salary < e.salary) t) from employee e where e.salary is not null;
-- differs own: a value made of both
select e.id, (select count(distinct f.salary + e.salary) from employee f where f.salary <= e.salary) from employee e where e.salary between 0 and 9 and e.id = 1;
select e.id, 2 + (select count(distinct f.salary + e.salary) from employee f where f.salary < e.salary) from employee e where e.salary between 0 and 9 and e.id = 1;
-- differs order: a condition that may be unknown
select id, salary, manager_id from employee order by case when salary > 5 then 0 else 1 end, id;
select id, salary, manager_id from employee order by salary > 5 desc, id;
-- differs order: the other way round
select id, salary, manager_id from employee order by case when salary > 5 then 0 else 1 end, id;
select id, salary, manager_id from employee order by (salary > 5) is true, id;
-- differs order: three values
select id, salary, manager_id from employee order by case when salary > 5 then 1 when salary < 3 then 0 end, id;
select id, salary, manager_id from employee order by salary > 5, id;
-- differs order: one value
select id, salary, manager_id from employee order by case when salary > 5 then 0 else 0 end, id;
select id, salary, manager_id from employee order by salary > 5, id;
-- differs order: a NULL for a value
select id, salary, manager_id from employee order by case when salary > 5 then 0 end, id;
select id, salary, manager_id from employee order by (salary > 5) is true, id;
-- differs order: descending
select id, salary, manager_id from employee order by case when id > 5 then 0 else 1 end desc, id;
select id, salary, manager_id from employee order by id > 5 desc, id;
-- differs order: texts sort otherwise
select id, salary, manager_id from employee order by case when id > 5 then '10' else '9' end, id;
select id, salary, manager_id from employee order by id > 5, id;
-- differs order: a column for a value
select id, salary, manager_id from employee order by case when id > 5 then salary else 9 end, id;
select id, salary, manager_id from employee order by id > 5, id;
-- differs order: a negative value
select id, salary, manager_id from employee order by case when id > 5 then -1 else 1 end, id;
select id, salary, manager_id from employee order by id > 5, id;
-- differs order: NULLs at the other end
select id, salary, manager_id from employee order by salary > 5 nulls first, id;
select id, salary, manager_id from employee order by (salary > 5) is true, id;
-- differs order: negated
select id, salary, manager_id from employee order by not (id > 5), id;
select id, salary, manager_id from employee order by id > 5, id;
-- differs order: another key after it
select id, salary, manager_id from employee order by case when id > 5 then 0 else 1 end, manager_id desc nulls last, id;
select id, salary, manager_id from employee order by id <= 5, manager_id, id;
-- differs quarters: the last day
select order_number from orders where extract(quarter from order_date) = 2 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-04-01' and order_date < '2019-06-30';
-- differs quarters: the next quarter
select order_number from orders where extract(quarter from order_date) = 3 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-04-01' and order_date < '2019-07-01';
-- differs quarters: half a year
select order_number from orders where extract(quarter from order_date) in (2, 3) and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-04-01' and order_date < '2019-07-01';
-- differs quarters: two of them
select order_number from orders where extract(quarter from order_date) <= 2 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-01-01' and order_date < '2019-06-01';
-- differs quarters: a month for a quarter
select order_number from orders where extract(month from order_date) = 2 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-04-01' and order_date < '2019-07-01';
-- differs quarters: weeks are no parts of months
select order_number from orders where extract(week from order_date) = 1 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-01-01' and order_date < '2019-01-08';
-- differs quarters: the ISO year
select order_number from orders where extract(quarter from order_date) = 1 and extract(isoyear from order_date) = 2016;
select order_number from orders where order_date >= '2016-01-01' and order_date < '2016-04-01';
-- differs quarters: negated, of moments without a quarter
select player_id from activity where not (extract(quarter from event_date) = 1 and extract(year from event_date) = 2019);
select player_id from activity where event_date < '2019-01-01' or event_date > '2019-04-01';
-- differs quarters: one after the year
select order_number from orders where extract(quarter from order_date) = 4 and extract(year from order_date) = 2019;
select order_number from orders where order_date >= '2019-10-01' and order_date <= '2020-01-01';
-- differs quarters: a quarter that there is not
select order_number from orders where extract(quarter from order_date) >= 1 and extract(year from order_date) >= 2019;
select order_number from orders where order_date >= '2019-01-02';
-- differs opened: two are allowed
select num from logs group by num having count(*) < 3;
select num from (select num, count(*) over (partition by num) as n from logs) t where n < 3;
-- differs opened: NULL is a group
select salary from employee group by salary having count(*) = 1;
select salary from employee e where not exists (select 1 from employee f where f.salary = e.salary and f.id <> e.id);
-- differs opened: of which there are several
select num from logs group by num having count(*) > 1;
select num from logs l where exists (select 1 from logs m where m.num = l.num and m.id <> l.id);
-- differs opened: no later one
select num from logs group by num having count(*) = 1;
select num from logs l where not exists (select 1 from logs m where m.num = l.num and m.id > l.id);
-- differs opened: alone among some
select num from logs where id > 3 group by num having count(*) = 1;
select num from logs l where id > 3 and not exists (select 1 from logs m where m.num = l.num and m.id <> l.id);
-- differs opened: alone in another column
select name from employee group by name having count(*) = 1;
select name from employee e where not exists (select 1 from employee f where f.salary = e.salary and f.id <> e.id);
-- differs opened: rows without a key
select viewer_id from views group by viewer_id having count(*) = 1;
select viewer_id from views v where not exists (select 1 from views w where w.viewer_id = v.viewer_id and w.article_id <> v.article_id);
-- differs opened: of two columns
select customer_id, amount from orders group by customer_id, amount having count(*) = 1;
select customer_id, amount from orders o where not exists (select 1 from orders p where p.customer_id = o.customer_id and p.order_number <> o.order_number);
-- differs opened: no group is empty
select x.num, (select count(*) from logs l where l.num = x.num) as n from (select distinct num from logs) x where not exists (select 1 from logs m where m.num = x.num and m.id < 10);
select num, 1 from logs l where not exists (select 1 from logs m where m.num = l.num and m.id < 10);
-- differs opened: nothing is asked of the pair
select x.num from (select distinct num from logs) x where not exists (select 1 from logs m where m.num = x.num and m.id < 10);
select num from logs l where not exists (select 1 from logs m where m.num = l.num and m.id < 10);
-- differs opened: shown without the column that tells
select x.name from (select distinct name, salary from employee) x where not exists (select 1 from employee f where f.name = x.name and f.salary <> x.salary);
select name from employee e where not exists (select 1 from employee f where f.name = e.name and f.salary <> e.salary);
-- differs children: counted by another reference
select s.sales_id from sales_person s where (select count(*) from sales_orders o where o.sales_id = s.sales_id) = (select count(*) from company);
select s.sales_id from sales_person s where not exists (select 1 from company c where not exists (select 1 from sales_orders o where o.sales_id = s.sales_id and o.com_id = c.com_id));
-- differs children: bought twice
select b.customer_id from bought b group by b.customer_id having count(*) = (select count(*) from product);
select distinct b.customer_id from bought b where not exists (select 1 from product p where not exists (select 1 from bought c where c.customer_id = b.customer_id and c.product_key = p.product_key));
-- differs children: a count of children is no count of parents
select (select count(*) from sales_orders) as n from company;
select (select count(*) from company c where exists (select 1 from sales_orders o where o.com_id = c.com_id)) as n from company;
-- differs children: more than all
select customer_id from bought group by customer_id having count(distinct product_key) >= (select count(*) from product where product_key > 3);
select distinct b.customer_id from bought b where not exists (select 1 from product p where p.product_key > 3 and not exists (select 1 from bought c where c.customer_id = b.customer_id and c.product_key = p.product_key));
-- differs children: some of them
select customer_id from bought group by customer_id having count(distinct product_key) = (select count(*) from product where product_name = 'a');
select distinct b.customer_id from bought b where not exists (select 1 from product p where p.product_name = 'a' and not exists (select 1 from bought c where c.customer_id = b.customer_id and c.product_key = p.product_key));
-- differs children: managers need not be there
select department_id from employee group by department_id having count(distinct manager_id) = (select count(*) from employee);
select distinct e.department_id from employee e where not exists (select 1 from employee m where not exists (select 1 from employee f where f.department_id = e.department_id and f.manager_id = m.id));
-- differs apart: equal ones are neither
select x, y from triangle t where exists (select 1 from triangle u where u.x <= t.x or u.x >= t.x);
select x, y from triangle t where exists (select 1 from triangle u where u.x <> t.x);
-- differs apart: NULL differs from nothing
select e.id from employee e where not exists (select 1 from employee f where f.manager_id <> e.manager_id and f.id <> e.id);
select e.id from employee e where not exists (select 1 from employee f where f.manager_id is distinct from e.manager_id and f.id <> e.id);
-- differs apart: one differs from both
select l.id from logs l where exists (select 1 from logs a, logs b where a.num = l.num and b.num = l.num and a.id <> b.id);
select l.id from logs l where exists (select 1 from logs a, logs b where a.num = l.num and b.num = l.num and a.id < b.id and b.id < l.id);
-- differs apart: of unlike columns
select e.id from employee e where exists (select 1 from employee f where f.manager_id <> e.id);
select e.id from employee e where exists (select 1 from employee f where f.id < e.id or f.id > e.id);
-- differs apart: a pair in which one is the row itself
select num from logs l where not exists (select 1 from logs a, logs b where a.num = l.num and b.num = l.num and a.id <> b.id and a.id <> l.id and b.id <> l.id);
select num from logs l where not exists (select 1 from logs a where a.num = l.num and a.id <> l.id);
-- differs apart: texts under another collation
select name from department d where exists (select 1 from department e where e.name collate "C" < d.name collate "C" or e.name collate "C" > d.name collate "C") and name <> 'x';
select name from department d where exists (select 1 from department e where e.id <> d.id) and name <> 'x';
