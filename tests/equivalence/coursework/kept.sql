-- equal staff paid more than their boss, join and subquery
select s.name from staff s join staff b on s.boss = b.id where s.salary > b.salary;
select name from staff s where salary > (select salary from staff b where b.id = s.boss);
-- equal best paid of each shop, nobody earns more
select shop_id, name, salary from staff s where not exists (select 1 from staff t where t.shop_id = s.shop_id and t.salary > s.salary);
select s.shop_id, s.name, s.salary from staff s join (select shop_id, max(salary) as m from staff group by shop_id) g on g.shop_id = s.shop_id and g.m = s.salary;
-- equal first login of each client, MIN and DISTINCT ON
select client_id, min(day) as first from login group by client_id order by client_id;
select distinct on (client_id) client_id, day as first from login order by client_id, day;
-- equal came back the next day, join and EXISTS
select count(*) from login f where f.day = (select min(day) from login m where m.client_id = f.client_id) and exists (select 1 from login n where n.client_id = f.client_id and n.day = f.day + 1);
select count(*) from (select client_id, min(day) as d from login group by client_id) f join login n on n.client_id = f.client_id and n.day = f.d + 1;
-- equal bought tea but never coffee, EXISTS and counts
select c.id from client c where exists (select 1 from purchase p join line l on l.purchase_id = p.id join item i on i.id = l.item_id where p.client_id = c.id and i.category = 'tea') and not exists (select 1 from purchase p join line l on l.purchase_id = p.id join item i on i.id = l.item_id where p.client_id = c.id and i.category = 'coffee');
select p.client_id from purchase p join line l on l.purchase_id = p.id join item i on i.id = l.item_id group by p.client_id having sum(case when i.category = 'tea' then 1 else 0 end) > 0 and sum(case when i.category = 'coffee' then 1 else 0 end) = 0;
-- equal paid and unpaid counted, CASE and FILTER
select client_id, sum(case when paid then 1 else 0 end) as paid, sum(case when not paid then 1 else 0 end) as open from purchase group by client_id;
select client_id, count(*) filter (where paid) as paid, count(*) filter (where paid = false) as open from purchase group by client_id;
-- equal passed all, MIN and NOT EXISTS
select student from exam group by student having min(score) >= 50;
select distinct student from exam e where not exists (select 1 from exam f where f.student = e.student and f.score < 50);
-- equal last who fits, running sum and self join
select name from (select name, turn, sum(weight) over (order by turn) as total from queue) t where total <= 1000 order by turn desc limit 1;
select a.name from queue a join queue b on b.turn <= a.turn group by a.turn, a.name having sum(b.weight) <= 1000 order by a.turn desc limit 1;
-- equal mutual follows, EXISTS and row IN
select follower, followed from follow f where exists (select 1 from follow g where g.follower = f.followed and g.followed = f.follower);
select follower, followed from follow where (followed, follower) in (select follower, followed from follow);
-- equal kind of a node, CASE and UNION
select id, case when parent is null then 'root' when id in (select parent from node) then 'inner' else 'leaf' end as kind from node;
select id, case when parent is null then 'root' when exists (select 1 from node c where c.parent = n.id) then 'inner' else 'leaf' end as kind from node n;
-- equal months by to_char and range
select client_id, count(*) from purchase where to_char(bought, 'YYYY-MM') = '2024-02' group by client_id;
select client_id, count(*) from purchase where bought between '2024-02-01' and '2024-02-29' group by client_id;
-- equal salaries above the average of the shop, window and correlated
select id from (select id, salary, avg(salary) over (partition by shop_id) as a from staff) t where salary > a;
select id from staff s where salary > (select avg(salary) from staff t where t.shop_id = s.shop_id);
-- equal most expensive of each category with LATERAL
select c.category, i.id, i.price from (select distinct category from item) c cross join lateral (select id, price from item where category = c.category order by price desc, id limit 1) i order by c.category;
select distinct on (category) category, id, price from item order by category, price desc, id;
-- equal average stars with zero for none
select i.id, coalesce(round(avg(r.stars), 2), 0) as stars from item i left join rating r on r.item_id = i.id group by i.id;
select i.id, coalesce((select round(avg(stars), 2) from rating r where r.item_id = i.id), 0) as stars from item i;
-- equal clients of exactly one town each, count and distinct
select town from client where town is not null group by town having count(*) = 1;
select town from client c where town is not null and not exists (select 1 from client d where d.town = c.town and d.id <> c.id);
-- equal tasks open or late, OR and UNION
select id from task where state = 'open' or (estimate is not null and done > estimate);
select id from task where state = 'open' union select id from task where done > estimate;
-- equal nth purchase of each, row_number and count before
select client_id, id from (select client_id, id, row_number() over (partition by client_id order by id) as n from purchase) t where n = 3;
select p.client_id, p.id from purchase p where (select count(*) from purchase q where q.client_id = p.client_id and q.id < p.id) = 2;
-- equal first purchase paid, two ways of first
select count(*) from purchase p where p.paid and p.id = (select min(q.id) from purchase q where q.client_id = p.client_id);
select count(*) from (select distinct on (client_id) client_id, paid from purchase order by client_id, id) t where paid;
-- equal median by counting and percentile_disc of odd ranks
select count(*) from (select id from item where price > 10 order by price limit 5) t;
select least(count(*), 5) from item where price > 10;
