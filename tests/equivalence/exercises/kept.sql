-- equal second highest salary, dense_rank and below the maximum
select max(salary) as second from (select salary, dense_rank() over (order by salary desc) as r from employee where salary is not null) t where r = 2;
select max(salary) as second from employee where salary < (select max(salary) from employee);
-- differs second highest salary, dense_rank and below the maximum
select max(salary) as second from (select salary, dense_rank() over (order by salary desc) as r from employee where salary is not null) t where r = 2;
select max(salary) as second from employee where salary <= (select max(salary) from employee);
-- equal consecutive numbers, three copies and two EXISTS
select distinct a.num from logs a, logs b, logs c where a.id = b.id - 1 and b.id = c.id - 1 and a.num = b.num and b.num = c.num;
select distinct num from logs l where exists (select 1 from logs m where m.id = l.id + 1 and m.num = l.num) and exists (select 1 from logs m where m.id = l.id + 2 and m.num = l.num);
-- differs consecutive numbers, three copies and two EXISTS
select distinct a.num from logs a, logs b, logs c where a.id = b.id - 1 and b.id = c.id - 1 and a.num = b.num and b.num = c.num;
select distinct num from logs l where exists (select 1 from logs m where m.id = l.id + 1 and m.num = l.num) and exists (select 1 from logs m where m.id = l.id + 3 and m.num = l.num);
-- equal duplicate emails, grouped and joined
select email from person group by email having count(*) > 1;
select distinct p.email from person p join person q on p.email = q.email and p.id <> q.id;
-- differs duplicate emails, grouped and joined
select email from person group by email having count(*) > 1;
select p.email from person p join person q on p.email = q.email and p.id < q.id;
-- equal department top three salaries, counted and dense_rank
select d.name, e.name, e.salary from employee e join department d on d.id = e.department_id where e.salary is not null and 3 > (select count(distinct f.salary) from employee f where f.salary > e.salary and f.department_id = e.department_id);
select d.name, t.name, t.salary from (select *, dense_rank() over (partition by department_id order by salary desc) as r from employee where salary is not null) t join department d on d.id = t.department_id where t.r <= 3;
-- differs department top three salaries, counted and dense_rank
select d.name, e.name, e.salary from employee e join department d on d.id = e.department_id where e.salary is not null and 3 > (select count(distinct f.salary) from employee f where f.salary > e.salary and f.department_id = e.department_id);
select d.name, t.name, t.salary from (select *, rank() over (partition by department_id order by salary desc) as r from employee where salary is not null) t join department d on d.id = t.department_id where t.r <= 3;
-- equal first login, minimum and first_value
select player_id, min(event_date) as first_login from activity group by player_id;
select distinct player_id, first_value(event_date) over (partition by player_id order by event_date) as first_login from activity;
-- differs first login, minimum and first_value
select player_id, min(event_date) as first_login from activity group by player_id;
select distinct player_id, last_value(event_date) over (partition by player_id order by event_date desc) as first_login from activity;
-- equal games played so far, ROWS frame and correlated
select player_id, event_date, sum(games_played) over (partition by player_id order by event_date rows between unbounded preceding and current row) as total from activity;
select player_id, event_date, (select sum(b.games_played) from activity b where b.player_id = a.player_id and b.event_date <= a.event_date) as total from activity a;
-- differs games played so far, ROWS frame and correlated
select player_id, event_date, sum(games_played) over (partition by player_id order by event_date rows between unbounded preceding and current row) as total from activity;
select player_id, event_date, (select sum(b.games_played) from activity b where b.event_date <= a.event_date) as total from activity a;
-- equal classes with five students, HAVING and a window
select class from courses group by class having count(student) >= 5;
select distinct class from (select class, count(*) over (partition by class) as n from courses) t where n >= 5;
-- differs classes with five students, HAVING and a window
select class from courses group by class having count(student) >= 5;
select distinct class from (select class, count(*) over (partition by student) as n from courses) t where n >= 5;
-- equal department table reformatted, CASE and left joins
select id, max(case when month = 'Jan' then revenue end) as jan, max(case when month = 'Feb' then revenue end) as feb from revenue group by id;
select d.id, j.revenue as jan, f.revenue as feb from (select distinct id from revenue) d left join revenue j on j.id = d.id and j.month = 'Jan' left join revenue f on f.id = d.id and f.month = 'Feb';
-- differs department table reformatted, CASE and left joins
select id, max(case when month = 'Jan' then revenue end) as jan, max(case when month = 'Feb' then revenue end) as feb from revenue group by id;
select j.id, j.revenue as jan, f.revenue as feb from revenue j left join revenue f on f.id = j.id and f.month = 'Feb' where j.month = 'Jan';
-- equal cooperated three times, HAVING and EXISTS
select actor_id, director_id from actor_director group by actor_id, director_id having count(*) >= 3;
select distinct a.actor_id, a.director_id from actor_director a join actor_director b on a.actor_id = b.actor_id and a.director_id = b.director_id and a.ts < b.ts join actor_director c on c.actor_id = b.actor_id and c.director_id = b.director_id and b.ts < c.ts;
-- differs cooperated three times, HAVING and EXISTS
select actor_id, director_id from actor_director group by actor_id, director_id having count(*) >= 3;
select distinct a.actor_id, a.director_id from actor_director a join actor_director b on a.actor_id = b.actor_id and a.director_id = b.director_id and a.ts < b.ts join actor_director c on c.actor_id = b.actor_id and c.director_id = b.director_id and a.ts < c.ts;
-- equal last person to fit in, window and correlated sum
select person_name from (select person_name, turn, sum(weight) over (order by turn) as total from queue) t where total <= 1000 order by turn desc limit 1;
select q.person_name from queue q where (select sum(p.weight) from queue p where p.turn <= q.turn) <= 1000 order by q.turn desc limit 1;
-- differs last person to fit in, window and correlated sum
select person_name from (select person_name, turn, sum(weight) over (order by turn) as total from queue) t where total <= 1000 order by turn desc limit 1;
select q.person_name from queue q where (select sum(p.weight) from queue p where p.turn < q.turn) <= 1000 order by q.turn desc limit 1;
-- equal no sales to RED, NOT IN and a left join
select name from sales_person where sales_id not in (select o.sales_id from sales_orders o join company c on o.com_id = c.com_id where c.name = 'RED');
select s.name from sales_person s left join (select distinct o.sales_id from sales_orders o where o.com_id in (select com_id from company where name = 'RED')) r on r.sales_id = s.sales_id where r.sales_id is null;
-- differs no sales to RED, NOT IN and a left join
select name from sales_person where sales_id not in (select o.sales_id from sales_orders o join company c on o.com_id = c.com_id where c.name = 'RED');
select s.name from sales_person s where s.sales_id in (select o.sales_id from sales_orders o join company c on o.com_id = c.com_id where c.name <> 'RED');
-- equal salary categories, three counts and VALUES with a left join
select 'Low' as category, count(*) as n from accounts where income < 20000 union all select 'Average', count(*) from accounts where income between 20000 and 50000 union all select 'High', count(*) from accounts where income > 50000;
select c.category, count(a.account_id) as n from (values ('Low'), ('Average'), ('High')) c(category) left join (select account_id, case when income < 20000 then 'Low' when income <= 50000 then 'Average' else 'High' end as category from accounts) a on a.category = c.category group by c.category;
-- differs salary categories, three counts and VALUES with a left join
select 'Low' as category, count(*) as n from accounts where income < 20000 union all select 'Average', count(*) from accounts where income between 20000 and 50000 union all select 'High', count(*) from accounts where income > 50000;
select case when income < 20000 then 'Low' when income <= 50000 then 'Average' else 'High' end as category, count(*) as n from accounts group by 1;
-- equal calls between two persons, LEAST and CASE
select least(from_id, to_id) as person1, greatest(from_id, to_id) as person2, count(*) as n, sum(duration) as total from calls group by least(from_id, to_id), greatest(from_id, to_id);
select case when from_id < to_id then from_id else to_id end as person1, case when from_id < to_id then to_id else from_id end as person2, count(*) as n, sum(duration) as total from calls group by 1, 2;
-- differs calls between two persons, LEAST and CASE
select least(from_id, to_id) as person1, greatest(from_id, to_id) as person2, count(*) as n, sum(duration) as total from calls group by least(from_id, to_id), greatest(from_id, to_id);
select from_id as person1, to_id as person2, count(*) as n, sum(duration) as total from calls group by 1, 2;
-- equal sexes swapped, CASE and another CASE
select user_id, case sex when 'm' then 'f' else 'm' end as sex from users;
select user_id, case when sex = 'f' then 'm' when sex = 'm' then 'f' end as sex from users;
-- differs sexes swapped, CASE and another CASE
select user_id, case sex when 'm' then 'f' else 'm' end as sex from users;
select user_id, case when sex = 'f' then 'f' else 'm' end as sex from users;
-- equal shortest distance, one direction and lag
select min(b.x - a.x) as shortest from point a, point b where b.x > a.x;
select min(x - p) as shortest from (select x, lag(x) over (order by x) as p from point) t;
-- differs shortest distance, one direction and lag
select min(b.x - a.x) as shortest from point a, point b where b.x > a.x;
select min(x - p) as shortest from (select x, lag(x, 2) over (order by x) as p from point) t;
-- equal cumulative percent, windows and subqueries
select order_number, round(100.0 * sum(amount) over (order by order_number) / nullif(sum(amount) over (), 0), 2) as pct from orders;
select order_number, round(100.0 * (select sum(p.amount) from orders p where p.order_number <= o.order_number) / nullif((select sum(amount) from orders), 0), 2) as pct from orders o;
-- differs cumulative percent, windows and subqueries
select order_number, round(100.0 * sum(amount) over (order by order_number) / nullif(sum(amount) over (), 0), 2) as pct from orders;
select order_number, round(100.0 * (select sum(p.amount) from orders p where p.order_number <= o.order_number) / nullif((select sum(amount) from orders q where q.customer_id = o.customer_id), 0), 2) as pct from orders o;
