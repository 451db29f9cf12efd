-- equal unmatched: customers who never order, NOT EXISTS and EXCEPT
select id from buyer b where not exists (select 1 from orders o where o.buyer_id = b.id);
select id from buyer except select buyer_id from orders;
-- equal unmatched: managers without reports of their own, NOT IN with a guard and NOT EXISTS
select e.id from employee e where e.id not in (select manager_id from employee where manager_id is not null);
select e.id from employee e where not exists (select 1 from employee r where r.manager_id = e.id);
-- equal top: highest salary of each department, IN of pairs and a window
select d.name, e.name, e.salary from employee e join department d on d.id = e.department_id where (e.department_id, e.salary) in (select department_id, max(salary) from employee group by department_id);
select dept, name, salary from (select d.name as dept, e.name, e.salary, rank() over (partition by e.department_id order by e.salary desc) as r from employee e join department d on d.id = e.department_id) x where r = 1;
-- equal top: latest order of each buyer, anti-join and lateral
select o.id, o.buyer_id from orders o where not exists (select 1 from orders p where p.buyer_id = o.buyer_id and (p.placed > o.placed or p.placed = o.placed and p.id > o.id));
select x.id, x.buyer_id from buyer b cross join lateral (select o.id, o.buyer_id from orders o where o.buyer_id = b.id order by o.placed desc, o.id desc limit 1) x;
-- equal top: above the department's average, window and correlated
select id, name from (select id, name, salary, avg(salary) over (partition by department_id) as a from employee where department_id is not null) x where salary > a;
select e.id, e.name from employee e where e.salary > (select avg(f.salary) from employee f where f.department_id = e.department_id);
-- equal top: most lines by the maximum of counts and by WITH TIES
select order_id from line group by order_id having count(*) = (select max(c) from (select count(*) as c from line group by order_id) x);
with counts as (select order_id, count(*) as c from line group by order_id) select order_id from counts where c = (select max(c) from counts);
-- equal groups: departments with at least two people, join and subquery
select d.name from department d join employee e on e.department_id = d.id group by d.id, d.name having count(*) >= 2;
select d.name from department d where (select count(*) from employee e where e.department_id = d.id) >= 2;
-- equal groups: number of employees, grouped subquery with COALESCE
select d.id, d.name, count(e.id) as n from department d left join employee e on e.department_id = d.id group by d.id;
select d.id, d.name, coalesce(g.n, 0) as n from department d left join (select department_id, count(*) as n from employee group by department_id) g on g.department_id = d.id;
-- equal groups: counts of two kinds, FILTER and count of CASE
select count(*) filter (where qty > 3) as big, count(*) as n from line;
select count(case when qty > 3 then 1 end) as big, count(*) as n from line;
-- equal groups: count distinct and DISTINCT subquery
select count(distinct product_id) from line where qty > 2;
select count(*) from (select distinct product_id from line where qty > 2) x;
-- equal groups: join elimination of the parent in a grouped sum
select p.category, sum(l.qty) from line l join product p on p.id = l.product_id join orders o on o.id = l.order_id group by p.category;
select p.category, sum(l.qty) from line l, product p where p.id = l.product_id group by p.category;
-- equal groups: only paid orders, min = max
select buyer_id from orders group by buyer_id having min(status) = 'paid' and max(status) = 'paid';
select buyer_id from orders group by buyer_id having count(*) = count(*) filter (where status = 'paid');
-- equal sets: bought A but not B, HAVING sums
select o.buyer_id from orders o join line l on l.order_id = o.id group by o.buyer_id having sum(case when l.product_id = 1 then 1 else 0 end) > 0 and sum(case when l.product_id = 2 then 1 else 0 end) = 0;
select b.id from buyer b where exists (select 1 from orders o join line l on l.order_id = o.id where o.buyer_id = b.id and l.product_id = 1) and not exists (select 1 from orders o join line l on l.order_id = o.id where o.buyer_id = b.id and l.product_id = 2);
-- equal sets: either of two children, LEFT JOIN with OR and UNION
select distinct b.id from buyer b left join orders o on o.buyer_id = b.id left join visit v on v.buyer_id = b.id where o.status = 'open' or v.pages > 10;
select buyer_id as id from orders where status = 'open' union select buyer_id from visit where pages > 10 and buyer_id is not null;
-- equal sets: friends of both sides, UNION and CASE
select followed as other from follows where follower = 5 union select follower from follows where followed = 5;
select distinct case when follower = 5 then followed else follower end as other from follows where 5 in (follower, followed);
-- equal sets: mutual follows, INTERSECT and join
select follower, followed from follows intersect select followed, follower from follows;
select a.follower, a.followed from follows a, follows b where a.follower = b.followed and b.follower = a.followed;
-- equal sets: UNION ALL with a guard
select id from product where price > 100 or category = 'books';
select id from product where price > 100 union all select id from product where category = 'books' and price <= 100;
-- equal sets: a total beside groups by CUBE and three arms
select category, price, sum(price) from product group by cube (category, price);
select category, price, sum(price) from product group by category, price union all select category, null, sum(price) from product group by category union all select null, price, sum(price) from product group by price union all select null, null, sum(price) from product;
-- equal joins: managers with three reports
select m.name from employee m join (select manager_id from employee group by manager_id having count(*) >= 3) g on g.manager_id = m.id;
select name from employee where id in (select manager_id from employee where manager_id is not null group by manager_id having count(id) >= 3);
-- equal joins: buyers with a paid order, grouped by key
select b.id, b.name from buyer b, orders o where b.id = o.buyer_id and o.total > 100 group by b.id, b.name;
select id, name from buyer where exists (select 1 from orders where buyer_id = buyer.id and total > 100);
-- equal joins: a needless left join
select o.id, o.total from orders o left join buyer b on b.id = o.buyer_id where o.status = 'open';
select id, total from orders where status = 'open';
-- equal joins: lookup as a scalar subquery and as a left join
select e.id, (select d.name from department d where d.id = e.department_id) as dept from employee e;
select e.id, d.name as dept from employee e left join department d on d.id = e.department_id;
-- equal joins: FULL JOIN of groups with keys on one side only
select b.id, coalesce(o.n, 0) as n from buyer b full join (select buyer_id, count(*) as n from orders group by buyer_id) o on o.buyer_id = b.id;
select b.id, coalesce(o.n, 0) as n from buyer b left join (select buyer_id, count(*) as n from orders group by buyer_id) o on o.buyer_id = b.id;
-- equal windows: running total, RANGE frame spelled out and the default
select id, sum(num) over (order by id range between unbounded preceding and current row) as s from log;
select id, sum(num) over (order by id rows unbounded preceding) as s from log;
-- equal windows: moving sum over a RANGE of integers and a correlated sum
select id, sum(num) over (order by id range between 2 preceding and current row) as s from log;
select a.id, (select sum(b.num) from log b where b.id between a.id - 2 and a.id) as s from log a;
-- equal windows: share of the whole
select id, qty_total from (select order_id as id, sum(qty) as qty_total, sum(sum(qty)) over () as everything from line group by order_id) x where qty_total * 2 > everything;
select order_id as id, sum(qty) as qty_total from line group by order_id having sum(qty) * 2 > (select sum(qty) from line);
-- equal windows: partition by a name and by its key
select e.id, count(*) over (partition by d.name) as n from employee e join department d on d.id = e.department_id;
select e.id, count(*) over (partition by e.department_id) as n from employee e where e.department_id is not null;
-- equal windows: a named window
select id, rank() over w as a, dense_rank() over w as b from employee window w as (partition by grade order by salary desc);
select id, rank() over (partition by grade order by salary desc) as a, dense_rank() over (partition by grade order by salary desc) as b from employee;
-- differs dates: orders of a month, to_char and range
select id from orders where to_char(placed, 'YYYY-MM') = '2024-03';
select id from orders where placed >= '2024-03-01' and placed < '2024-04-01';
-- equal dates: hired in a year, date_part and BETWEEN
select id from employee where date_part('year', hired) = 2020;
select id from employee where hired between date '2020-01-01' and date '2020-12-31';
-- equal values: salary band by CASE in WHERE and by ranges
select id from employee where case when salary < 100 then 'low' when salary < 200 then 'mid' else 'high' end = 'mid';
select id from employee where salary >= 100 and salary < 200;
-- equal values: not referred by, IS DISTINCT FROM
select name from buyer where country is distinct from 'DE';
select name from buyer where country is null or country != 'DE';
-- equal values: NOT IN of constants
select id from product where category not in ('toys', 'books');
select id from product where category <> 'toys' and category <> 'books';
-- equal values: CASE in SUM and FILTER with COALESCE
select product_id, coalesce(sum(qty) filter (where discount > 0), 0) as q from line group by product_id;
select product_id, sum(case when discount > 0 then qty else 0 end) as q from line group by product_id;
-- equal values: the row's opposite conditions
select id from line l join orders o on o.id = l.order_id where not (l.qty > 3 or l.discount is null);
select o.id from orders o, line l where o.id = l.order_id and l.qty <= 3 and l.discount is not null;
-- equal ctes: two counts in one grouped query and in two subqueries
select b.id, (select count(*) from orders o where o.buyer_id = b.id) as n, (select max(o.placed) from orders o where o.buyer_id = b.id) as last from buyer b;
select b.id, count(o.id) as n, max(o.placed) as last from buyer b left join orders o on o.buyer_id = b.id group by b.id;
-- equal ctes: loose index scan by recursion
select distinct product_id from line;
with recursive s as ((select product_id from line order by product_id limit 1) union all select (select l.product_id from line l where l.product_id > s.product_id order by l.product_id limit 1) from s where s.product_id is not null) select product_id from s where product_id is not null;
-- equal ctes: filtered aggregate and a joined filtered CTE
with g as (select buyer_id, count(*) as n from orders group by buyer_id) select b.name from buyer b join g on g.buyer_id = b.id where g.n > 2;
select b.name from buyer b where b.id in (select buyer_id from orders group by buyer_id having count(*) > 2);
-- equal ctes: has all tags of a list
select p.id from product p where not exists (select 1 from tag t where t.id in (1, 2, 3) and not exists (select 1 from product_tag pt where pt.product_id = p.id and pt.tag_id = t.id));
select p.id from product p where (select count(*) from tag t where t.id in (1, 2, 3)) = (select count(*) from product_tag pt where pt.product_id = p.id and pt.tag_id in (1, 2, 3));
-- equal groups: DISTINCT and GROUP BY
select distinct category, price from product;
select category, price from product group by category, price;
-- differs unmatched: the filter after the left join
select b.id from buyer b left join orders o on o.buyer_id = b.id and o.status = 'paid' where o.id is null;
select b.id from buyer b left join orders o on o.buyer_id = b.id where o.id is null or o.status <> 'paid';
-- differs unmatched: EXCEPT and NOT IN with NULLs in the column
select country from buyer except select city from department;
select distinct country from buyer where country not in (select city from department where city is not null);
-- differs top: highest paid, rank and row_number
select id from (select id, rank() over (partition by department_id order by salary desc) as r from employee) x where r = 1;
select id from (select id, row_number() over (partition by department_id order by salary desc, id) as r from employee) x where r = 1;
-- differs top: three highest by rank and dense_rank
select name from (select name, dense_rank() over (order by salary desc) as r from employee) x where r <= 3;
select name from (select name, rank() over (order by salary desc) as r from employee) x where r <= 3;
-- differs top: latest order, of buyers without one
select b.id, x.id as o from buyer b left join lateral (select o.id from orders o where o.buyer_id = b.id order by o.placed desc, o.id limit 1) x on true;
select buyer_id as id, id as o from (select buyer_id, id, row_number() over (partition by buyer_id order by placed desc, id) as n from orders) x where n = 1;
-- differs groups: count of a nullable column
select d.id, count(e.manager_id) as n from department d left join employee e on e.department_id = d.id group by d.id;
select d.id, (select count(*) from employee e where e.department_id = d.id) as n from department d;
-- differs groups: sum of two children over a fan
select b.id, sum(o.total) as s, count(distinct v.id) as n from buyer b join orders o on o.buyer_id = b.id join visit v on v.buyer_id = b.id group by b.id;
select b.id, (select sum(o.total) from orders o where o.buyer_id = b.id) as s, (select count(*) from visit v where v.buyer_id = b.id) as n from buyer b where exists (select 1 from orders o where o.buyer_id = b.id) and exists (select 1 from visit v where v.buyer_id = b.id);
-- differs groups: HAVING count of states, one of them twice
select buyer_id from orders group by buyer_id having count(status) = 3;
select buyer_id from orders group by buyer_id having count(distinct status) = 3;
-- differs groups: count distinct and count over join
select b.country, count(distinct l.product_id) as n from buyer b join orders o on o.buyer_id = b.id join line l on l.order_id = o.id group by b.country;
select b.country, count(l.product_id) as n from buyer b join orders o on o.buyer_id = b.id join line l on l.order_id = o.id group by b.country;
-- differs sets: bought both in one order and at all
select o.buyer_id from orders o where exists (select 1 from line l where l.order_id = o.id and l.product_id = 1) and exists (select 1 from line l where l.order_id = o.id and l.product_id = 2);
select b.id from buyer b where exists (select 1 from orders o join line l on l.order_id = o.id where o.buyer_id = b.id and l.product_id = 1) and exists (select 1 from orders o join line l on l.order_id = o.id where o.buyer_id = b.id and l.product_id = 2);
-- differs sets: OR and UNION without a key
select category from product where price > 100 or category = 'books';
select category from product where price > 100 union select category from product where category = 'books';
-- differs sets: guard that is NULL
select order_id, no from line where discount > 3 or qty > 5;
select order_id, no from line where discount > 3 union all select order_id, no from line where qty > 5 and not (discount > 3);
-- differs joins: a needed inner join by a nullable foreign key
select e.id from employee e join department d on d.id = e.department_id;
select id from employee;
-- differs joins: ON and WHERE of the preserved side
select b.id, o.id as o from buyer b left join orders o on o.buyer_id = b.id and b.country = 'DE';
select b.id, o.id as o from buyer b left join orders o on o.buyer_id = b.id where b.country = 'DE';
-- differs windows: running total with ties, ROWS and RANGE
select id, sum(salary) over (order by hired) as s from employee;
select e.id, (select sum(f.salary) from employee f where f.hired < e.hired or f.hired = e.hired and f.id <= e.id) as s from employee e;
-- differs windows: RANGE bounds, off by one
select day, count(*) over (order by day range between interval '6 days' preceding and current row) as n from visit;
select v.day, (select count(*) from visit w where w.day >= v.day - 7 and w.day <= v.day) as n from visit v;
-- differs windows: rank and count of others with NULLs
select student, exam, rank() over (partition by exam order by points desc) as r from score;
select s.student, s.exam, 1 + (select count(*) from score t where t.exam = s.exam and t.points > s.points) as r from score s;
-- differs dates: month of any year
select id from orders where extract(month from placed) = 3;
select id from orders where placed >= '2024-03-01' and placed < '2024-04-01';
-- differs values: not equal and NULL
select id from buyer where coalesce(country, '?') <> 'DE';
select id from buyer where country <> 'DE';
-- differs values: greatest and CASE with NULL
select order_id, no, greatest(discount, 10) as p from line;
select order_id, no, case when discount > 10 then discount else 10 end + 0 * discount as p from line;
-- differs ctes: has all tags or as many
select p.id from product p where not exists (select 1 from tag t where t.id in (1, 2, 3) and not exists (select 1 from product_tag pt where pt.product_id = p.id and pt.tag_id = t.id));
select p.id from product p where (select count(*) from product_tag pt where pt.product_id = p.id and pt.tag_id in (1, 2, 3)) = 3;
