-- equal references: children by what they refer to, through the parent
select distinct p.id from product p join product_tag a on a.product_id = p.id join product_tag b on b.product_id = p.id where a.tag_id = 1 and b.tag_id = 2;
select b.product_id from product_tag a join product_tag b on b.product_id = a.product_id where a.tag_id = 2 and b.tag_id = 1;
-- equal references: a union of keys and references
select id from employee where salary > 200 union select manager_id from employee where manager_id is not null;
select m.id from employee m left join employee e on e.manager_id = m.id where m.salary > 200 or e.id is not null group by m.id;
-- equal references: a union of two references
select buyer_id from orders where status = 'open' union select buyer_id from visit where buyer_id is not null;
select id as buyer_id from buyer b where exists (select 1 from visit v where v.buyer_id = b.id) or exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'open');
-- differs references: a union with a reference that may be NULL
select id from employee where salary > 200 union select manager_id from employee;
select m.id from employee m where m.salary > 200 or exists (select 1 from employee e where e.manager_id = m.id);
-- differs references: what is no reference
select id from product where category = 'toys' union select price from product where category = 'toys';
select p.id from product p where p.category = 'toys' or exists (select 1 from product q where q.price = p.id and q.category = 'toys');
-- differs references: two children of one parent
select buyer_id from orders where status = 'open';
select id as buyer_id from buyer b where exists (select 1 from orders o where o.buyer_id = b.id and o.status = 'open');
-- differs references: the other tags
select a.product_id from product_tag a join product_tag b on b.product_id = a.product_id where a.tag_id = 1 and b.tag_id = 2;
select a.product_id from product_tag a join product_tag b on b.product_id = a.product_id where a.tag_id = 1 and b.tag_id = 3;
-- equal several: all of a list, by count and by joins
select product_id from product_tag where tag_id in (1, 2) group by product_id having count(distinct tag_id) > 0 and count(*) = 2;
select a.product_id from product_tag a, product_tag b where a.product_id = b.product_id and a.tag_id = 1 and b.tag_id = 2;
-- equal several: three of a kind
select num from log group by num having count(*) > 2;
select distinct a.num from log a, log b, log c where a.num = b.num and b.num = c.num and a.id < b.id and b.id < c.id;
-- equal several: fewer than two
select b.id from buyer b where (select count(*) from orders o where o.buyer_id = b.id) < 2;
select b.id from buyer b where not exists (select 1 from orders o, orders p where o.buyer_id = b.id and p.buyer_id = b.id and o.id < p.id);
-- equal several: exactly two
select b.id from buyer b where (select count(*) from orders o where o.buyer_id = b.id) = 2;
select b.id from buyer b where exists (select 1 from orders o, orders p where o.buyer_id = b.id and p.buyer_id = b.id and o.id < p.id) and not exists (select 1 from orders o, orders p, orders q where o.buyer_id = b.id and p.buyer_id = b.id and q.buyer_id = b.id and o.id < p.id and o.id < q.id and p.id < q.id);
-- differs several: two visits of the same kind are not one of each
select buyer_id from visit where pages in (5, 10) group by buyer_id having count(*) = 2;
select distinct a.buyer_id from visit a join visit b on a.buyer_id = b.buyer_id where a.pages = 5 and b.pages = 10;
-- differs several: three that need not differ
select num from log group by num having count(*) > 2;
select distinct a.num from log a, log b, log c where a.num = b.num and b.num = c.num and a.id <> b.id and b.id <> c.id;
-- differs several: at least two and exactly two
select num from log group by num having count(*) > 1;
select num from log group by num having count(*) = 2;
-- differs several: fewer than two, and a row beside itself
select b.id from buyer b where (select count(*) from orders o where o.buyer_id = b.id) < 2;
select b.id from buyer b where not exists (select 1 from orders o, orders p where o.buyer_id = b.id and p.buyer_id = b.id and o.id <= p.id);
-- equal names: a function and an operator
select id from log where mod(num, 3) = 1;
select id from log where num % 3 = 1;
-- equal names: two names of a length and of a part
select id, char_length(name) as n from buyer where substr(email, 1, 1) = '1';
select id, length(name) as n from buyer where substring(email, 1, 1) = '1';
-- differs names: the operands the other way round
select id from log where mod(num + 1, id) = 1;
select id from log where id % (num + 1) = 1;
-- differs names: characters and bytes
select id from buyer where char_length(name || 'é') = 3;
select id from buyer where octet_length(name || 'é') = 3;
-- equal spans: a condition that follows, above a frame of days
select id from (select id, sum(total) over (order by placed range between interval '5 days' preceding and current row) as s from orders) x where s > 5 and s is not null;
select id from (select id, sum(total) over (order by placed range between '5 days' preceding and current row) as s from orders) x where s > 5;
-- differs spans: another length
select id, sum(total) over (order by placed range between interval '5 days' preceding and current row) as s from orders;
select id, sum(total) over (order by placed range between interval '4 days' preceding and current row) as s from orders;
-- differs spans: ahead and behind
select id, sum(total) over (order by placed range between interval '5 days' preceding and current row) as s from orders;
select id, sum(total) over (order by placed range between current row and interval '5 days' following) as s from orders;
-- differs spans: a condition inside and outside
select id from (select id, total, count(*) over (order by placed range between interval '5 days' preceding and current row) as n from orders) x where n > 3 and total > 100;
select id from (select id, count(*) over (order by placed range between interval '5 days' preceding and current row) as n from orders where total > 100) x where n > 3;
-- equal seconds: the second highest by OFFSET and by maxima
select (select distinct salary from employee order by salary desc limit 1 offset 1) as second;
select max(salary) as second from employee where salary < (select max(salary) from employee);
-- equal seconds: the third lowest of each department
select d.id, (select distinct e.hired from employee e where e.department_id = d.id order by e.hired offset 2 limit 1) as third from department d;
select d.id, (select min(e.hired) from employee e where e.department_id = d.id and e.hired > (select min(f.hired) from employee f where f.department_id = d.id and f.hired > (select min(g.hired) from employee g where g.department_id = d.id))) as third from department d;
-- equal seconds: NULLs last
select (select distinct points from score order by points desc nulls last limit 1 offset 1) as second;
select max(points) as second from score where points < (select max(points) from score);
-- differs seconds: the first of which there may be two
select (select grade from (select hired, salary as grade from employee) e order by grade desc limit 1 offset 1) as second;
select max(salary) as second from employee where salary < (select max(salary) from employee);
-- differs seconds: NULLs first
select (select distinct points from score order by points desc limit 1 offset 1) as second;
select max(points) as second from score where points < (select max(points) from score);
-- differs seconds: beyond the greatest of all departments
select d.id, (select distinct e.salary from employee e where e.department_id = d.id order by e.salary desc offset 1 limit 1) as s from department d;
select d.id, (select max(e.salary) from employee e where e.department_id = d.id and e.salary < (select max(f.salary) from employee f)) as s from department d;
-- equal children: tagged with all tags, counted and twice NOT EXISTS
select product_id from product_tag group by product_id having count(*) = (select count(*) from tag);
select distinct a.product_id from product_tag a where not exists (select 1 from tag t where not exists (select 1 from product_tag b where b.product_id = a.product_id and b.tag_id = t.id));
-- differs children: in all orders, products that come in one of them twice
select product_id from line group by product_id having count(*) = (select count(*) from orders where id < 6);
select distinct a.product_id from line a where not exists (select 1 from orders o where o.id < 6 and not exists (select 1 from line b where b.product_id = a.product_id and b.order_id = o.id));
-- equal values: one order or none, counted and NOT EXISTS of two
select id from buyer b where (select count(*) from orders o where o.buyer_id = b.id) < 2;
select id from buyer b where not exists (select 1 from orders o join orders p on o.id <> p.id where o.buyer_id = b.id and p.buyer_id = b.id);
-- equal values: a buyer with a single order
select buyer_id from orders group by buyer_id having count(*) = 1;
select o.buyer_id from orders o where not exists (select 1 from orders p where p.buyer_id = o.buyer_id and p.id <> o.id);
-- differs values: a buyer with a single order of a status
select buyer_id from orders group by buyer_id having count(*) = 1;
select o.buyer_id from orders o where not exists (select 1 from orders p where p.buyer_id = o.buyer_id and p.status = o.status and p.id <> o.id);
-- equal windows: the hire after each in a department, joined by LATERAL and read by lead()
select a.id, b.id as next from employee a join lateral (select e.id from employee e where e.department_id = a.department_id and e.id > a.id order by e.id limit 1) b on true;
select x.id, x.next from (select id, lead(id) over (partition by department_id order by id) as next from employee where department_id is not null) x where x.next is not null;
-- differs windows: the row itself comes first
select a.id, b.id as next from employee a join lateral (select e.id from employee e where e.department_id = a.department_id and e.id >= a.id order by e.id limit 1) b on true;
select x.id, x.next from (select id, lead(id) over (partition by department_id order by id) as next from employee where department_id is not null) x where x.next is not null;
-- differs windows: rows without a department are in one of their own
select a.id, b.id as next from employee a join lateral (select e.id from employee e where e.department_id = a.department_id and e.id > a.id order by e.id limit 1) b on true;
select x.id, x.next from (select id, lead(id) over (partition by department_id order by id) as next from employee) x where x.next is not null;
-- equal windows: the next later day by groups of rows that tie
select v.id, (select min(w.day) from visit w where w.day > v.day) as next from visit v;
select id, min(day) over (order by day groups between 1 following and 1 following) as next from visit;
-- differs windows: the next row's day
select v.id, (select min(w.day) from visit w where w.day > v.day) as next from visit v;
select id, min(day) over (order by day rows between 1 following and 1 following) as next from visit;
-- equal joins: buyers with a large order, their visits joined besides
select b.country, bool_or(o.total > 100) as large from buyer b join orders o on o.buyer_id = b.id left join visit v on v.buyer_id = b.id and v.pages > 2 group by b.country;
select b.country, bool_or(o.total > 100) as large from buyer b join orders o on o.buyer_id = b.id group by b.country;
-- equal joins: buyers of no order, whose lines are joined besides
select id from buyer where id not in (select o.buyer_id from orders o left join line l on l.order_id = o.id);
select id from buyer where id not in (select buyer_id from orders);
-- differs joins: only buyers with a visit
select b.country, bool_or(o.total > 100) as large from buyer b join orders o on o.buyer_id = b.id join visit v on v.buyer_id = b.id group by b.country;
select b.country, bool_or(o.total > 100) as large from buyer b join orders o on o.buyer_id = b.id group by b.country;
-- differs joins: the condition of the join asked of its rows
select id from buyer where id not in (select o.buyer_id from orders o left join line l on l.order_id = o.id where l.qty > 1);
select id from buyer where id not in (select o.buyer_id from orders o left join line l on l.order_id = o.id and l.qty > 1);
-- equal values: a total in an order, and its first rows
select sum(total) as s, count(*) as n from orders order by sum(total) desc limit 10;
select sum(total) as s, count(*) as n from orders;
-- differs values: none of its rows
select sum(total) as s, count(*) as n from orders limit 0;
select sum(total) as s, count(*) as n from orders;
