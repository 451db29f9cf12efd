-- equal unmatched: customers who never order, NOT IN and LEFT JOIN
select name from buyer where id not in (select buyer_id from orders);
select b.name from buyer b left join orders o on o.buyer_id = b.id where o.id is null;
-- equal unmatched: products never sold, count = 0 and NOT IN
select p.id, p.name from product p where (select count(*) from line l where l.product_id = p.id) = 0;
select id, name from product where id not in (select product_id from line);
-- equal unmatched: products never sold, grouped left join with HAVING and NOT EXISTS
select p.id, p.name from product p left join line l on l.product_id = p.id group by p.id, p.name having count(l.order_id) = 0;
select p.id, p.name from product p where not exists (select from line l where l.product_id = p.id);
-- equal unmatched: all against any
select id from buyer where id <> all (select buyer_id from visit where buyer_id is not null);
select b.id from buyer b left join visit v on v.buyer_id = b.id where v.buyer_id is null;
-- equal top: second highest salary, OFFSET of the distinct and a maximum below the maximum
select (select distinct salary from employee order by salary desc limit 1 offset 1) as second;
select max(salary) as second from employee where salary < (select max(salary) from employee);
-- equal top: highest salary, ALL and maximum
select name from employee where salary >= all (select salary from employee);
select name from employee where salary = (select max(salary) from employee);
-- equal top: three highest salaries, dense_rank and counting distinct higher ones
select name, salary from (select name, salary, dense_rank() over (order by salary desc) as r from employee) x where r <= 3;
select e.name, e.salary from employee e where (select count(distinct f.salary) from employee f where f.salary > e.salary) < 3;
-- equal top: first order of each buyer, DISTINCT ON and lateral
select distinct on (buyer_id) buyer_id, id from orders order by buyer_id, placed, id;
select b.id as buyer_id, x.id from buyer b join lateral (select id from orders where buyer_id = b.id order by placed, id limit 1) x on true order by b.id;
-- equal top: first order of each buyer, row_number and lateral left joined from DISTINCT
select buyer_id, id from (select buyer_id, id, row_number() over (partition by buyer_id order by placed, id) as n from orders) x where n = 1;
select d.buyer_id, x.id from (select distinct buyer_id from orders) d left join lateral (select o.id from orders o where o.buyer_id = d.buyer_id order by placed, id limit 1) x on true;
-- equal top: above the department's average, grouped join and correlated
select e.id from employee e join (select department_id, avg(salary) as a from employee group by department_id) g on g.department_id = e.department_id where e.salary > g.a;
with averages as (select department_id, avg(salary) as a from employee where department_id is not null group by department_id) select e.id from employee e, averages g where e.salary > g.a and e.department_id = g.department_id;
-- equal top: order with the most lines, HAVING ALL and rank
select order_id from line group by order_id having count(*) >= all (select count(*) from line group by order_id);
select order_id from (select order_id, rank() over (order by count(*) desc) as r from line group by order_id) x where r = 1;
-- equal groups: duplicate e-mails, HAVING and a self-join
select country from buyer where country is not null group by country having count(*) > 1;
select distinct a.country from buyer a join buyer b on a.country = b.country and a.id <> b.id;
-- equal groups: duplicate countries, window and HAVING
select distinct country from (select country, count(*) over (partition by country) as n from buyer) x where n > 1;
select country from buyer group by country having count(*) > 1;
-- equal groups: at least two people, EXISTS of a pair
select d.id from department d join employee e on e.department_id = d.id group by d.id having count(*) > 1;
select d.id from department d where exists (select 1 from employee a join employee b on a.department_id = b.department_id and a.id < b.id where a.department_id = d.id);
-- equal groups: number of employees, left join and scalar subquery
select d.id, count(e.id) as n from department d left join employee e on e.department_id = d.id group by d.id;
select d.id, (select count(*) from employee e where e.department_id = d.id) as n from department d;
-- equal groups: HAVING on the grouping column
select category, count(*) from product group by category having category <> 'toys';
select category, count(*) from product where category <> 'toys' group by category;
-- equal groups: counts of two kinds, FILTER and CASE
select buyer_id, count(*) filter (where status = 'paid') as paid, count(*) filter (where status = 'open') as open from orders group by buyer_id;
select buyer_id, sum(case when status = 'paid' then 1 else 0 end) as paid, sum(case status when 'open' then 1 else 0 end) as open from orders group by buyer_id;
-- equal groups: pivot by joins and by FILTER
select b.id, p.n as paid from buyer b left join (select buyer_id, count(*) as n from orders where status = 'paid' group by buyer_id) p on p.buyer_id = b.id;
select b.id, nullif(count(o.id) filter (where o.status = 'paid'), 0) as paid from buyer b left join orders o on o.buyer_id = b.id group by b.id;
-- equal groups: count distinct of a child's key and EXISTS
select count(distinct o.buyer_id) from orders o where o.status = 'paid';
select count(*) from buyer b where exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'paid');
-- equal groups: distinct products by country, join and nested DISTINCT
select b.country, count(distinct l.product_id) as n from buyer b join orders o on o.buyer_id = b.id join line l on l.order_id = o.id group by b.country;
select country, count(*) as n from (select distinct b.country, l.product_id from line l join orders o on o.id = l.order_id join buyer b on b.id = o.buyer_id) x group by country;
-- equal groups: SUM over a grouped child and over a join
select o.buyer_id, sum(l.qty) as q from orders o join line l on l.order_id = o.id group by o.buyer_id;
select o.buyer_id, sum(x.q)::bigint as q from orders o join (select order_id, sum(qty) as q from line group by order_id) x on x.order_id = o.id group by o.buyer_id;
-- equal groups: buyers with orders in all states, count distinct and three EXISTS
select buyer_id from orders group by buyer_id having count(distinct status) = 3;
select b.id from buyer b where exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'open') and exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'paid') and exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'shipped');
-- equal groups: only paid orders, HAVING bool_and and NOT EXISTS
select buyer_id from orders group by buyer_id having bool_and(status = 'paid');
select distinct buyer_id from orders o where not exists (select 1 from orders p where p.buyer_id = o.buyer_id and p.status <> 'paid');
-- equal sets: bought A and bought B, INTERSECT and EXISTS
select o.buyer_id from orders o join line l on l.order_id = o.id where l.product_id = 1 intersect select o.buyer_id from orders o join line l on l.order_id = o.id where l.product_id = 2;
select b.id from buyer b where exists (select 1 from orders o join line l on l.order_id = o.id where o.buyer_id = b.id and l.product_id = 1) and exists (select 1 from orders o join line l on l.order_id = o.id where o.buyer_id = b.id and l.product_id = 2);
-- equal sets: bought A but not B, EXCEPT and a pair of IN
select buyer_id from orders where id in (select order_id from line where product_id = 1) except select buyer_id from orders where id in (select order_id from line where product_id = 2);
select id from buyer where id in (select o.buyer_id from orders o, line l where l.order_id = o.id and l.product_id = 1) and id not in (select o.buyer_id from orders o, line l where l.order_id = o.id and l.product_id = 2);
-- equal sets: tagged with both, two joins and HAVING
select a.product_id from product_tag a join product_tag b on b.product_id = a.product_id where a.tag_id = 1 and b.tag_id = 2;
select product_id from product_tag where tag_id in (1, 2) group by product_id having count(*) = 2;
-- equal sets: tagged with both, DISTINCT over joins and IN
select distinct p.id, p.name from product p join product_tag a on a.product_id = p.id join product_tag b on b.product_id = p.id where a.tag_id = 1 and b.tag_id = 2;
select id, name from product where id in (select product_id from product_tag where tag_id = 1) and id in (select product_id from product_tag where tag_id = 2);
-- equal sets: either of two children, two EXISTS and UNION
select b.id from buyer b where exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'open') or exists (select 1 from visit v where v.buyer_id = b.id);
select b.id from buyer b join orders o on o.buyer_id = b.id and o.status = 'open' union select b.id from buyer b join visit v on v.buyer_id = b.id;
-- equal sets: own column or child, LEFT JOIN with DISTINCT and OR EXISTS
select distinct e.id, e.name from employee e left join employee r on r.manager_id = e.id where e.salary > 100 or r.salary > 100;
select e.id, e.name from employee e where e.salary > 100 or exists (select 1 from employee r where r.manager_id = e.id and r.salary > 100);
-- equal sets: friends of both sides counted
select id, count(*) as num from (select follower as id from follows union all select followed from follows) x group by id;
select b.id, (select count(*) from follows f where f.follower = b.id) + (select count(*) from follows f where f.followed = b.id) as num from buyer b where exists (select 1 from follows f where b.id in (f.follower, f.followed));
-- equal sets: mutual follows, self-join and IN of pairs
select a.follower, a.followed from follows a join follows b on a.follower = b.followed and a.followed = b.follower where a.follower < a.followed;
select follower, followed from follows where (followed, follower) in (select follower, followed from follows) and follower < followed;
-- equal sets: one or the other category, OR and UNION ALL
select id, name from product where category = 'toys' or category = 'books';
select id, name from product where category = 'toys' union all select id, name from product where category = 'books';
-- equal sets: big or cheap, OR and UNION
select id, name from product where price > 100 or category = 'books';
select id, name from product where price > 100 union select id, name from product where category = 'books';
-- equal sets: subtotal by GROUPING SETS and UNION ALL
select category, count(*) as n from product group by rollup (category);
select category, count(*) as n from product group by category union all select null, count(*) from product;
-- equal sets: two groupings and UNION ALL
select status, buyer_id, count(*) as n from orders group by grouping sets ((status), (buyer_id));
select status, null as buyer_id, count(*) as n from orders group by status union all select null, buyer_id, count(*) from orders group by buyer_id;
-- equal joins: employees earning more than their manager
select e.name from employee e join employee m on m.id = e.manager_id where e.salary > m.salary;
select name from employee e where salary > (select salary from employee where id = e.manager_id);
-- equal joins: employees earning more than their manager, EXISTS
select e.name from employee e, employee m where e.manager_id = m.id and e.salary > m.salary;
select e.name from employee e where exists (select * from employee m where m.id = e.manager_id and m.salary < e.salary);
-- equal joins: managers with three reports, grouped join
select m.name from employee m join employee e on e.manager_id = m.id group by m.id, m.name having count(*) >= 3;
select m.name from employee m where (select count(*) from employee e where e.manager_id = m.id) > 2;
-- equal joins: buyers with a paid order, DISTINCT join and IN
select distinct b.id, b.email from buyer b join orders o on o.buyer_id = b.id where o.status = 'paid';
select b.id, b.email from buyer b where b.id in (select buyer_id from orders where status = 'paid');
-- equal joins: distinct by a unique column
select distinct b.email from buyer b join orders o on o.buyer_id = b.id;
select email from buyer b where exists (select 1 from orders o where b.id = o.buyer_id);
-- equal joins: a left join turned inner by a filter
select o.id, b.name from orders o left join buyer b on b.id = o.buyer_id where b.country = 'DE';
select o.id, b.name from orders o join buyer b on b.id = o.buyer_id and b.country = 'DE';
-- equal joins: a needless inner join by foreign key
select l.order_id, l.no from line l join orders o on o.id = l.order_id join buyer b on b.id = o.buyer_id;
select order_id, no from line;
-- equal joins: a nullable foreign key without its parent
select e.id from employee e join department d on d.id = e.department_id;
select id from employee where department_id is not null;
-- equal joins: two lookups of one row
select o.id, (select name from buyer where id = o.buyer_id) as name, (select country from buyer where id = o.buyer_id) as country from orders o;
select o.id, b.name, b.country from orders o join buyer b on b.id = o.buyer_id;
-- equal joins: RIGHT JOIN and LEFT JOIN
select d.name, e.name from employee e right join department d on e.department_id = d.id;
select d.name, e.name from department d left join employee e on d.id = e.department_id;
-- equal joins: USING and ON
select order_id, sum(l.qty) from line l join (select id as order_id from orders where status = 'paid') o using (order_id) group by order_id;
select l.order_id, sum(l.qty) from line l where l.order_id in (select id from orders where status = 'paid') group by l.order_id;
-- equal windows: running total, window and self-join
select id, sum(num) over (order by id) as running from log;
select a.id, sum(b.num) as running from log a join log b on b.id <= a.id group by a.id;
-- equal windows: previous row, lag and self-join on the day before
select w.id from log w join log p on p.id = w.id - 1 where w.num > p.num;
select w.id from log w where w.num > (select p.num from log p where p.id = w.id - 1);
-- equal windows: three in a row, joins and EXISTS
select distinct a.num from log a join log b on b.id = a.id + 1 and b.num = a.num join log c on c.id = a.id + 2 and c.num = a.num;
select distinct a.num from log a where exists (select 1 from log b where b.id = a.id + 1 and b.num = a.num) and exists (select 1 from log c where c.id = a.id + 2 and c.num = a.num);
-- differs windows: moving count by dates
select day, count(*) over (order by day range between interval '6 days' preceding and current row) as n from visit;
select v.day, (select count(*) from visit w where w.day > v.day - 7 and w.day <= v.day) as n from visit v;
-- equal windows: share of a partition
select id, salary, sum(salary) over (partition by department_id) as total from employee where department_id is not null;
select e.id, e.salary, g.total from employee e join (select department_id, sum(salary) as total from employee group by department_id) g using (department_id);
-- equal windows: rank by counting
select student, exam, rank() over (partition by exam order by points desc nulls last) as r from score where points is not null;
select s.student, s.exam, 1 + (select count(*) from score t where t.exam = s.exam and t.points > s.points) as r from score s where s.points is not null;
-- equal windows: partition by an enum in another order of columns
select id, row_number() over (partition by grade, department_id order by id) as n from employee;
select id, row_number() over (partition by department_id, grade order by id) as n from employee;
-- equal windows: DISTINCT of a window and GROUP BY
select distinct department_id, max(salary) over (partition by department_id) as m from employee;
select department_id, max(salary) as m from employee group by department_id;
-- equal windows: first_value and a correlated minimum
select id, first_value(placed) over (partition by buyer_id order by placed) as f from orders;
select o.id, (select min(p.placed) from orders p where p.buyer_id = o.buyer_id) as f from orders o;
-- equal dates: orders of a month, date_trunc and range
select id from orders where date_trunc('month', placed) = date '2024-03-01';
select id from orders where placed >= '2024-03-01' and placed < '2024-04-01';
-- equal dates: orders of a year, extract and range
select count(*) from orders where extract(year from placed) = 2024;
select count(*) from orders where placed >= timestamp '2024-01-01' and placed < timestamp '2025-01-01';
-- equal dates: orders of a day, cast and range
select id from orders where placed::date = '2024-03-05';
select id from orders where placed >= '2024-03-05' and placed < '2024-03-06';
-- equal dates: year and month by two extracts
select id from visit where extract(year from day) = 2024 and extract(month from day) = 2;
select id from visit where day between '2024-02-01' and '2024-02-29';
-- differs dates: group by month, date_trunc and to_char of it
select to_char(date_trunc('month', placed), 'YYYY-MM') as m, count(*) from orders group by date_trunc('month', placed);
select to_char(placed, 'YYYY-MM') as m, count(*) from orders group by 1;
-- equal dates: days within a range, interval and date arithmetic
select id from visit where day >= date '2024-06-30' - interval '29 days' and day <= date '2024-06-30';
select id from visit where day > date '2024-06-30' - 30 and day <= date '2024-06-30';
-- equal values: COALESCE in a condition
select id from buyer where coalesce(country, '?') = 'DE';
select id from buyer where country = 'DE';
-- equal values: COALESCE with not equal
select id from buyer where coalesce(country, '?') <> 'DE';
select id from buyer where country <> 'DE' or country is null;
-- equal values: COALESCE of a column without NULLs
select id, coalesce(name, 'nobody') as name from buyer;
select id, name from buyer;
-- equal values: BETWEEN, IN and OR
select id from product where price between 10 and 12;
select id from product where price in (10, 11, 12);
-- equal values: a status not among the others
select id from orders where status not in ('open', 'paid');
select id from orders where status = 'shipped';
-- equal values: NULLIF and CASE
select id, nullif(country, '') as c from buyer;
select id, case when country = '' then null else country end as c from buyer;
-- equal values: greatest of two
select id, greatest(price, 10) as p from product;
select id, case when price > 10 then price else 10 end as p from product;
-- equal values: odd ids
select id from log where mod(id, 2) = 1;
select id from log where id % 2 = 1;
-- equal ctes: chained steps and one query
with paid as (select * from orders where status = 'paid'), big as (select * from paid where total > 50) select buyer_id, count(*) from big group by buyer_id;
select buyer_id, count(*) from orders where status = 'paid' and total > 50 group by buyer_id;
-- equal ctes: totals of a buyer joined twice and computed once
with t as (select buyer_id, sum(total) as s from orders group by buyer_id) select b.id, t.s from buyer b left join t on t.buyer_id = b.id where coalesce(t.s, 0) < 100;
select b.id, (select sum(o.total) from orders o where o.buyer_id = b.id) as s from buyer b where coalesce((select sum(o.total) from orders o where o.buyer_id = b.id), 0) < 100;
-- equal ctes: counts of two children, subqueries and separate groupings
select b.id, (select count(*) from orders o where o.buyer_id = b.id) as n, (select count(*) from visit v where v.buyer_id = b.id) as v from buyer b;
select b.id, coalesce(o.n, 0) as n, coalesce(v.n, 0) as v from buyer b left join (select buyer_id, count(*) n from orders group by 1) o on o.buyer_id = b.id left join (select buyer_id, count(*) n from visit group by 1) v on v.buyer_id = b.id;
-- equal ctes: counts of two children, count distinct over the fan and subqueries
select b.id, count(distinct o.id) as n, count(distinct v.id) as v from buyer b left join orders o on o.buyer_id = b.id left join visit v on v.buyer_id = b.id group by b.id;
select b.id, (select count(*) from orders where buyer_id = b.id) as n, (select count(*) from visit where buyer_id = b.id) as v from buyer b;
-- equal ctes: pagination, count over and page
select id, name from product where category = 'toys' order by id limit 10 offset 20;
select id, name from (select id, name, row_number() over (order by id) as rn from product where category = 'toys') x where rn between 21 and 30 order by rn;
-- equal ctes: total beside each row by a window and by a subquery
select id, category, count(*) over () as n from product where price > 5;
select id, category, (select count(*) from product where price > 5) as n from product where price > 5;
-- equal ctes: a department's best paid by a lateral and by rank over a total order
select d.id, x.name from department d cross join lateral (select e.name from employee e where e.department_id = d.id order by e.salary desc, e.id limit 1) x;
select department_id as id, name from (select department_id, name, row_number() over (partition by department_id order by salary desc, id) as n from employee where department_id is not null) y where n = 1;
-- equal ctes: bought every product (relational division), counts and double NOT EXISTS
select o.buyer_id from orders o join line l on l.order_id = o.id group by o.buyer_id having count(distinct l.product_id) = (select count(*) from product);
select o.buyer_id from orders o join line l on l.order_id = o.id group by o.buyer_id having count(distinct l.product_id) >= (select count(id) from product);
-- equal ctes: the sum of orders above a limit as nested and flat
select buyer_id from (select buyer_id, sum(total) as s from orders group by buyer_id) x where s > 1000;
select buyer_id from orders group by buyer_id having sum(total) > 1000;
-- equal values: scaled price by CASE in ORDER BY
select id, price from product order by case when category = 'toys' then 0 else 1 end, id;
select id, price from product order by category <> 'toys', id;
-- equal joins: people and their manager's manager by nested lookups
select e.id, g.name from employee e left join employee m on m.id = e.manager_id left join employee g on g.id = m.manager_id;
select e.id, (select g.name from employee m join employee g on g.id = m.manager_id where m.id = e.manager_id) as name from employee e;
-- differs unmatched: NOT IN over a nullable column
select id from buyer where id not in (select buyer_id from visit);
select b.id from buyer b where not exists (select 1 from visit v where v.buyer_id = b.id);
-- differs unmatched: IS NULL of a nullable column
select b.id from buyer b left join line l on l.product_id = b.id where l.discount is null;
select b.id from buyer b where not exists (select 1 from line l where l.product_id = b.id);
-- differs unmatched: EXCEPT drops duplicates
select country from buyer except select city from department;
select country from buyer b where not exists (select 1 from department d where d.city is not distinct from b.country);
-- differs top: second highest salary without DISTINCT
select (select distinct salary from employee order by salary desc limit 1 offset 1) as second;
select (select salary from employee order by salary desc limit 1 offset 1) as second;
-- differs top: second highest salary, no row and NULL
select distinct salary as second from employee order by salary desc limit 1 offset 1;
select max(salary) as second from employee where salary < (select max(salary) from employee);
-- differs top: highest of a department where some have none
select e.id from employee e where (e.department_id, e.salary) in (select department_id, max(salary) from employee group by department_id);
select id from (select id, rank() over (partition by department_id order by salary desc) as r from employee) x where r = 1;
-- differs top: ALL over a nullable column
select student from score where points >= all (select points from score);
select student from score where points = (select max(points) from score);
-- differs top: three highest by WITH TIES and dense_rank
select id from employee order by salary desc fetch first 3 rows with ties;
select id from (select id, dense_rank() over (order by salary desc) as r from employee) x where r <= 3;
-- differs top: latest order, ties of the time
select o.id from orders o where not exists (select 1 from orders p where p.buyer_id = o.buyer_id and p.placed > o.placed);
select distinct on (buyer_id) id from orders order by buyer_id, placed desc, id desc;
-- differs top: filter before and after the first
select buyer_id, id from (select distinct on (buyer_id) buyer_id, id, status from orders order by buyer_id, placed, id) x where status = 'paid';
select distinct on (buyer_id) buyer_id, id from orders where status = 'paid' order by buyer_id, placed, id;
-- differs groups: COUNT(*) of a left join
select d.id, count(*) as n from department d left join employee e on e.department_id = d.id group by d.id;
select d.id, (select count(*) from employee e where e.department_id = d.id) as n from department d;
-- differs groups: duplicates by self-join without key inequality
select distinct a.country from buyer a join buyer b on a.country = b.country;
select country from buyer where country is not null group by country having count(*) > 1;
-- differs groups: duplicate countries and the NULL country
select country from buyer group by country having count(*) > 1;
select distinct a.country from buyer a join buyer b on a.country = b.country and a.id < b.id;
-- differs groups: average of averages
select avg(salary) from employee where department_id is not null;
select avg(a) from (select avg(salary) as a from employee where department_id is not null group by department_id) x;
-- differs groups: FILTER sum and CASE ELSE 0 over no rows
select sum(qty) filter (where discount > 0) from line;
select sum(case when discount > 0 then qty else 0 end) from line;
-- differs groups: HAVING and WHERE on a non-grouping column
select category from product group by category having max(price) > 10 and min(price) > 5;
select category from product where price > 5 group by category having max(price) > 10;
-- differs groups: all of a group and any of it
select buyer_id from orders group by buyer_id having bool_and(status = 'paid');
select distinct buyer_id from orders where status = 'paid';
-- differs groups: empty table, scalar aggregate and GROUP BY
select count(*) from orders where status = 'open';
select count(*) from orders where status = 'open' group by status;
-- differs sets: tagged with both or either
select product_id from product_tag where tag_id in (1, 2) group by product_id having count(*) = 2;
select distinct product_id from product_tag where tag_id in (1, 2);
-- differs sets: either of two children, UNION ALL
select b.id from buyer b where exists (select 1 from orders o where o.buyer_id = b.id) or exists (select 1 from visit v where v.buyer_id = b.id);
select buyer_id as id from orders union all select buyer_id from visit where buyer_id is not null;
-- differs sets: either of two children, one nullable
select b.id from buyer b where exists (select 1 from orders o where o.buyer_id = b.id) or exists (select 1 from visit v where v.buyer_id = b.id);
select buyer_id as id from orders union select buyer_id from visit;
-- differs sets: OR and UNION ALL that overlap
select id from product where price > 100 or category = 'books';
select id from product where price > 100 union all select id from product where category = 'books';
-- differs sets: guard with NULLs
select id from line l join orders o on o.id = l.order_id where l.qty > 5 or l.discount > 3;
select id from line l join orders o on o.id = l.order_id where l.qty > 5 union all select id from line l join orders o on o.id = l.order_id where l.discount > 3 and not l.qty > 5 union all select id from line l join orders o on o.id = l.order_id where l.discount is null;
-- differs sets: ROLLUP of a table without rows
select category, count(*) as n from product group by rollup (category);
select category, count(*) as n from product group by category union all select null, count(*) from product having count(*) > 0;
-- differs sets: DISTINCT joins of one tag and of two
select distinct p.id from product p join product_tag a on a.product_id = p.id join product_tag b on b.product_id = p.id where a.tag_id = 1 or b.tag_id = 2;
select distinct p.id from product p join product_tag a on a.product_id = p.id where a.tag_id = 1;
-- differs joins: a left join that multiplies
select b.id from buyer b left join orders o on o.buyer_id = b.id;
select id from buyer;
-- differs joins: distinct names and distinct buyers
select distinct b.name from buyer b join orders o on o.buyer_id = b.id;
select b.name from buyer b where exists (select 1 from orders o where o.buyer_id = b.id);
-- differs joins: lookup with an inner join
select e.id, (select d.name from department d where d.id = e.department_id) as dept from employee e;
select e.id, d.name as dept from employee e join department d on d.id = e.department_id;
-- differs joins: managers by name
select e.name from employee e join employee m on m.id = e.manager_id where e.salary > m.salary;
select distinct e.name from employee e join employee m on m.id = e.manager_id where e.salary > m.salary;
-- differs windows: lag and the row of the day before
select id from (select id, num, lag(num) over (order by id) as p from log) x where num > p;
select w.id from log w join log p on p.id = w.id - 1 where w.num > p.num;
-- differs windows: RANGE of two and ROWS of two
select id, sum(num) over (order by id range between 2 preceding and current row) as s from log;
select id, sum(num) over (order by id rows between 2 preceding and current row) as s from log;
-- differs windows: count over a filtered set
select id, category, count(*) over () as n from product where price > 5;
select id, category, (select count(*) from product) as n from product where price > 5;
-- differs windows: last_value with the default frame
select id, last_value(placed) over (partition by buyer_id order by placed) as f from orders;
select o.id, (select max(p.placed) from orders p where p.buyer_id = o.buyer_id) as f from orders o;
-- differs windows: a window in place of a filtered group
select distinct department_id, max(salary) over () as m from employee;
select department_id, max(salary) as m from employee group by department_id;
-- differs dates: BETWEEN of a timestamp ends at midnight
select id from orders where placed between '2024-03-01' and '2024-03-31';
select id from orders where placed >= '2024-03-01' and placed < '2024-04-01';
-- differs dates: week and days
select id from orders where date_trunc('week', placed) = date '2024-03-04';
select id from orders where placed >= '2024-03-04' and placed < '2024-03-10';
-- differs values: CASE bands overlap
select id from employee where case when salary < 200 then 'low' when salary < 300 then 'mid' else 'high' end = 'mid';
select id from employee where salary > 200 and salary < 300;
-- differs values: NOT of a NULL
select order_id, no from line where not (qty > 3 or discount = 2);
select order_id, no from line where qty <= 3 and (discount <> 2 or discount is null);
-- differs values: BETWEEN the wrong way round
select id from product where price between 12 and 10;
select id from product where price between symmetric 12 and 10;
-- differs ctes: loose index scan that loses NULLs
select distinct discount from line;
with recursive s as ((select discount from line order by discount limit 1) union all select (select l.discount from line l where l.discount > s.discount order by l.discount limit 1) from s where s.discount is not null) select discount from s where discount is not null;
-- differs ctes: pagination off by one
select id, name from product where category = 'toys' order by id limit 10 offset 20;
select id, name from (select id, name, row_number() over (order by id) as rn from product where category = 'toys') x where rn between 20 and 30 order by rn;
-- differs ctes: counts of two children over the fan
select b.id, count(o.id) as n, count(v.id) as v from buyer b left join orders o on o.buyer_id = b.id left join visit v on v.buyer_id = b.id group by b.id;
select b.id, (select count(*) from orders where buyer_id = b.id) as n, (select count(*) from visit where buyer_id = b.id) as v from buyer b;
-- differs ctes: division with an empty list
select o.buyer_id from orders o join line l on l.order_id = o.id group by o.buyer_id having count(l.product_id) >= (select count(*) from product);
select o.buyer_id from orders o join line l on l.order_id = o.id group by o.buyer_id having count(distinct l.product_id) = (select count(*) from product);
