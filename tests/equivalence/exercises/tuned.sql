-- equal second highest salary, below the maximum and LIMIT 1 OFFSET 1
select max(salary) as second from employee where salary < (select max(salary) from employee);
select (select distinct salary from employee where salary is not null order by salary desc limit 1 offset 1) as second;
-- differs second highest salary, below the maximum and LIMIT 1 OFFSET 1
select max(salary) as second from employee where salary < (select max(salary) from employee);
select (select distinct salary from employee order by salary desc limit 1 offset 1) as second;
-- equal third highest salary, counted and ranked
select distinct salary from employee e where 3 = (select count(distinct f.salary) from employee f where f.salary >= e.salary);
select salary from (select salary, dense_rank() over (order by salary desc) as r from employee where salary is not null) t where r = 3 group by salary;
-- differs third highest salary, counted and ranked
select distinct salary from employee e where 3 = (select count(distinct f.salary) from employee f where f.salary >= e.salary);
select salary from (select salary, rank() over (order by salary desc) as r from employee where salary is not null) t where r = 3 group by salary;
-- equal rank of scores, dense_rank and counted
select score, dense_rank() over (order by score desc) as rank from scores order by score desc;
select s.score, (select count(distinct t.score) from scores t where t.score >= s.score) as rank from scores s order by s.score desc;
-- differs rank of scores, dense_rank and counted
select score, dense_rank() over (order by score desc) as rank from scores order by score desc;
select s.score, (select count(t.score) from scores t where t.score >= s.score) as rank from scores s order by s.score desc;
-- equal consecutive rows, looking forward and back
select distinct num from (select num, lead(num, 1) over (order by id) as n1, lead(num, 2) over (order by id) as n2 from logs) t where num = n1 and num = n2;
select distinct num from (select num, lag(num, 1) over (order by id) as n1, lag(num, 2) over (order by id) as n2 from logs) t where num = n1 and num = n2;
-- differs consecutive rows, looking forward and back
select distinct num from (select num, lead(num, 1) over (order by id) as n1, lead(num, 2) over (order by id) as n2 from logs) t where num = n1 and num = n2;
select distinct num from (select num, lag(num, 1) over (order by id) as n1, lag(num, 3) over (order by id) as n2 from logs) t where num = n1 and num = n2;
-- equal earning more than the manager, join and scalar subquery
select e.name from employee e join employee m on e.manager_id = m.id where e.salary > m.salary;
select name from employee e where salary > (select salary from employee m where m.id = e.manager_id);
-- differs earning more than the manager, join and scalar subquery
select e.name from employee e join employee m on e.manager_id = m.id where e.salary > m.salary;
select name from employee e where salary >= (select salary from employee m where m.id = e.manager_id);
-- equal customers who never order, NOT IN and LEFT JOIN
select name as customers from customers where id not in (select customer_id from orders);
select c.name as customers from customers c left join orders o on c.id = o.customer_id where o.order_number is null;
-- differs customers who never order, NOT IN and LEFT JOIN
select name as customers from customers where id not in (select customer_id from orders);
select c.name as customers from customers c where not exists (select 1 from orders o where o.order_number = c.id);
-- equal department highest salary, IN of pairs and rank
select d.name as department, e.name as employee, e.salary from employee e join department d on e.department_id = d.id where (e.department_id, e.salary) in (select department_id, max(salary) from employee group by department_id);
select department, employee, salary from (select d.name as department, e.name as employee, e.salary, rank() over (partition by d.id order by e.salary desc) as r from employee e join department d on e.department_id = d.id where e.salary is not null) t where r = 1;
-- differs department highest salary, IN of pairs and rank
select d.name as department, e.name as employee, e.salary from employee e join department d on e.department_id = d.id where (e.department_id, e.salary) in (select department_id, max(salary) from employee group by department_id);
select department, employee, salary from (select d.name as department, e.name as employee, e.salary, rank() over (partition by d.name order by e.salary desc) as r from employee e join department d on e.department_id = d.id where e.salary is not null) t where r = 1;
-- equal kept of duplicate emails, minimum and NOT EXISTS
select id, email from person where id in (select min(id) from person group by email);
select p.id, p.email from person p where not exists (select 1 from person q where q.email = p.email and q.id < p.id);
-- differs kept of duplicate emails, minimum and NOT EXISTS
select id, email from person where id in (select min(id) from person group by email);
select p.id, p.email from person p where not exists (select 1 from person q where q.email = p.email and q.id <> p.id);
-- equal rising temperature, joined and lag
select w.id from weather w join weather y on w.record_date = y.record_date + 1 where w.temperature > y.temperature;
select id from (select id, temperature, record_date, lag(temperature) over (order by record_date) as pt, lag(record_date) over (order by record_date) as pd from weather) t where temperature > pt and record_date - pd = 1;
-- differs rising temperature, joined and lag
select w.id from weather w join weather y on w.record_date = y.record_date + 1 where w.temperature > y.temperature;
select id from (select id, temperature, record_date, lag(temperature) over (order by record_date) as pt, lag(record_date) over (order by record_date) as pd from weather) t where temperature > pt;
-- equal first device, IN of pairs and row_number
select player_id, device_id from activity where (player_id, event_date) in (select player_id, min(event_date) from activity group by player_id);
select player_id, device_id from (select *, row_number() over (partition by player_id order by event_date) as rn from activity) t where rn = 1;
-- differs first device, IN of pairs and row_number
select player_id, device_id from activity where (player_id, event_date) in (select player_id, min(event_date) from activity group by player_id);
select player_id, device_id from (select *, row_number() over (partition by device_id order by event_date) as rn from activity) t where rn = 1;
-- equal games played so far, window and self-join
select player_id, event_date, sum(games_played) over (partition by player_id order by event_date) as total from activity;
select a.player_id, a.event_date, sum(b.games_played) as total from activity a join activity b on a.player_id = b.player_id and b.event_date <= a.event_date group by a.player_id, a.event_date;
-- differs games played so far, window and self-join
select player_id, event_date, sum(games_played) over (partition by player_id order by event_date) as total from activity;
select a.player_id, a.event_date, sum(b.games_played) as total from activity a join activity b on a.player_id = b.player_id and b.event_date < a.event_date group by a.player_id, a.event_date;
-- equal friends counted, UNION ALL and two counts
select id, count(*) as num from (select requester_id as id from request_accepted union all select accepter_id from request_accepted) t group by id;
select id, sum(c)::bigint as num from (select requester_id as id, count(*) as c from request_accepted group by requester_id union all select accepter_id, count(*) from request_accepted group by accepter_id) t group by id;
-- differs friends counted, UNION ALL and two counts
select id, count(*) as num from (select requester_id as id from request_accepted union all select accepter_id from request_accepted) t group by id;
select id, count(*) as num from (select requester_id as id, accepter_id as other from request_accepted union select accepter_id, requester_id from request_accepted) t group by id;
-- equal big countries, OR and UNION
select name, population, area from world where area >= 3000000 or population >= 25000000;
select name, population, area from world where area >= 3000000 union select name, population, area from world where population >= 25000000;
-- differs big countries, OR and UNION
select name, population, area from world where area >= 3000000 or population >= 25000000;
select name, population, area from world where area >= 3000000 union all select name, population, area from world where population >= 25000000;
-- equal biggest single number, grouped and NOT EXISTS
select max(num) as num from (select num from logs group by num having count(*) = 1) t;
select max(num) as num from logs l where not exists (select 1 from logs m where m.num = l.num and m.id <> l.id);
-- differs biggest single number, grouped and NOT EXISTS
select max(num) as num from (select num from logs group by num having count(*) = 1) t;
select max(num) as num from logs l where not exists (select 1 from logs m where m.num = l.num and m.id > l.id);
-- equal exchange seats, CASE and UNION ALL
select case when id % 2 = 0 then id - 1 when id < (select max(id) from seat) then id + 1 else id end as id, student from seat order by 1;
select id, student from (select id - 1 as id, student from seat where id % 2 = 0 union all select id + 1, student from seat where id % 2 = 1 and id < (select max(id) from seat) union all select id, student from seat where id % 2 = 1 and id = (select max(id) from seat)) t order by id;
-- differs exchange seats, CASE and UNION ALL
select case when id % 2 = 0 then id - 1 when id < (select max(id) from seat) then id + 1 else id end as id, student from seat order by 1;
select id, student from (select id - 1 as id, student from seat where id % 2 = 0 union all select id + 1, student from seat where id % 2 = 1 union all select id, student from seat where id % 2 = 1 and id = (select max(id) from seat)) t order by id;
-- equal department table reformatted, CASE and FILTER
select id, sum(case month when 'Jan' then revenue else null end) as jan, sum(case month when 'Feb' then revenue else null end) as feb from revenue group by id order by id;
select id, sum(revenue) filter (where month = 'Jan') as jan, sum(revenue) filter (where month = 'Feb') as feb from revenue group by id order by id;
-- differs department table reformatted, CASE and FILTER
select id, sum(case month when 'Jan' then revenue else null end) as jan, sum(case month when 'Feb' then revenue else null end) as feb from revenue group by id order by id;
select id, coalesce(sum(revenue) filter (where month = 'Jan'), 0) as jan, sum(revenue) filter (where month = 'Feb') as feb from revenue group by id order by id;
-- equal monthly transactions, CASE sums and FILTER
select to_char(trans_date, 'YYYY-MM') as month, country, count(*) as n, sum(case when state = 'approved' then 1 else 0 end) as approved, sum(case when state = 'approved' then amount else 0 end) as total from transactions group by to_char(trans_date, 'YYYY-MM'), country;
select to_char(trans_date, 'YYYY-MM') as month, country, count(*) as n, count(*) filter (where state = 'approved') as approved, coalesce(sum(amount) filter (where state = 'approved'), 0) as total from transactions group by 1, 2;
-- differs monthly transactions, CASE sums and FILTER
select to_char(trans_date, 'YYYY-MM') as month, country, count(*) as n, sum(case when state = 'approved' then 1 else 0 end) as approved, sum(case when state = 'approved' then amount else 0 end) as total from transactions group by to_char(trans_date, 'YYYY-MM'), country;
select to_char(trans_date, 'YYYY-MM') as month, country, count(*) as n, count(*) filter (where state = 'approved') as approved, sum(amount) filter (where state = 'approved') as total from transactions group by 1, 2;
-- equal bought all products, counted and double NOT EXISTS
select customer_id from bought group by customer_id having count(distinct product_key) = (select count(*) from product);
select distinct b.customer_id from bought b where not exists (select 1 from product p where not exists (select 1 from bought c where c.customer_id = b.customer_id and c.product_key = p.product_key));
-- differs bought all products, counted and double NOT EXISTS
select customer_id from bought group by customer_id having count(distinct product_key) = (select count(*) from product);
select customer_id from bought group by customer_id having count(product_key) = (select count(*) from product);
-- equal viewed more than one article on a day, counted and joined
select distinct viewer_id from views group by viewer_id, view_date having count(distinct article_id) > 1;
select distinct v.viewer_id from views v join views w on v.viewer_id = w.viewer_id and v.view_date = w.view_date and v.article_id <> w.article_id;
-- differs viewed more than one article on a day, counted and joined
select distinct viewer_id from views group by viewer_id, view_date having count(distinct article_id) > 1;
select distinct viewer_id from views group by viewer_id, view_date having count(article_id) > 1;
-- equal triangle, three conditions and the negated ones
select x, y, z, case when x + y > z and y + z > x and x + z > y then 'Yes' else 'No' end as triangle from triangle;
select x, y, z, case when x + y <= z or x + z <= y or y + z <= x then 'No' else 'Yes' end as triangle from triangle;
-- differs triangle, three conditions and the negated ones
select x, y, z, case when x + y > z and y + z > x and x + z > y then 'Yes' else 'No' end as triangle from triangle;
select x, y, z, case when x + y < z or x + z < y or y + z < x then 'No' else 'Yes' end as triangle from triangle;
-- equal nodes of a tree, CASE with IN and UNION
select id, case when p_id is null then 'Root' when id in (select p_id from tree) then 'Inner' else 'Leaf' end as type from tree;
select id, 'Root' as type from tree where p_id is null union all select t.id, 'Inner' from tree t where p_id is not null and exists (select 1 from tree c where c.p_id = t.id) union all select t.id, 'Leaf' from tree t where p_id is not null and not exists (select 1 from tree c where c.p_id = t.id);
-- differs nodes of a tree, CASE with IN and UNION
select id, case when p_id is null then 'Root' when id in (select p_id from tree) then 'Inner' else 'Leaf' end as type from tree;
select id, case when p_id is null then 'Root' when id not in (select p_id from tree) then 'Leaf' else 'Inner' end as type from tree;
-- equal neighbouring free seats, EXISTS and join
select c.seat_id from cinema c where c.free and exists (select 1 from cinema d where d.free and (d.seat_id = c.seat_id + 1 or d.seat_id = c.seat_id - 1)) order by c.seat_id;
select distinct a.seat_id from cinema a join cinema b on abs(a.seat_id - b.seat_id) = 1 where a.free = true and b.free = true order by a.seat_id;
-- differs neighbouring free seats, EXISTS and join
select c.seat_id from cinema c where c.free and exists (select 1 from cinema d where d.free and (d.seat_id = c.seat_id + 1 or d.seat_id = c.seat_id - 1)) order by c.seat_id;
select a.seat_id from cinema a join cinema b on abs(a.seat_id - b.seat_id) = 1 where a.free = true and b.free = true order by a.seat_id;
-- equal examinations attended, cross join with left join and correlated count
select s.student_id, s.student_name, u.subject_name, count(e.student_id) as attended from students s cross join subjects u left join examinations e on e.student_id = s.student_id and e.subject_name = u.subject_name group by s.student_id, s.student_name, u.subject_name order by s.student_id, u.subject_name;
select s.student_id, s.student_name, u.subject_name, (select count(*) from examinations e where e.student_id = s.student_id and e.subject_name = u.subject_name) as attended from students s, subjects u order by 1, 3;
-- differs examinations attended, cross join with left join and correlated count
select s.student_id, s.student_name, u.subject_name, count(e.student_id) as attended from students s cross join subjects u left join examinations e on e.student_id = s.student_id and e.subject_name = u.subject_name group by s.student_id, s.student_name, u.subject_name order by s.student_id, u.subject_name;
select s.student_id, s.student_name, u.subject_name, count(*) as attended from students s cross join subjects u left join examinations e on e.student_id = s.student_id and e.subject_name = u.subject_name group by s.student_id, s.student_name, u.subject_name order by s.student_id, u.subject_name;
-- equal salary categories in one row, CASE sums and FILTER
select count(case when income < 20000 then 1 end) as low, count(case when income >= 20000 and income <= 50000 then 1 end) as average, count(case when income > 50000 then 1 end) as high from accounts;
select count(*) filter (where income < 20000) as low, count(*) filter (where income between 20000 and 50000) as average, (select count(*) from accounts where income > 50000) as high from accounts;
-- differs salary categories in one row, CASE sums and FILTER
select count(case when income < 20000 then 1 end) as low, count(case when income >= 20000 and income <= 50000 then 1 end) as average, count(case when income > 50000 then 1 end) as high from accounts;
select sum(case when income < 20000 then 1 else 0 end) as low, count(*) filter (where income between 20000 and 50000) as average, (select count(*) from accounts where income > 50000) as high from accounts;
-- equal manager left, NOT IN and LEFT JOIN
select id from employee where salary < 30000 and manager_id not in (select id from employee) order by id;
select e.id from employee e left join employee m on e.manager_id = m.id where e.salary < 30000 and e.manager_id is not null and m.id is null order by e.id;
-- differs manager left, NOT IN and LEFT JOIN
select id from employee where salary < 30000 and manager_id not in (select id from employee) order by id;
select e.id from employee e left join employee m on e.manager_id = m.id where e.salary < 30000 and m.id is null order by e.id;
-- equal insured with shared value at places of their own, windows and subqueries
select sum(tiv_2016) as tiv from (select tiv_2016, count(*) over (partition by tiv_2015) as a, count(*) over (partition by lat, lon) as b from insurance) t where a > 1 and b = 1;
select sum(tiv_2016) as tiv from insurance i where exists (select 1 from insurance j where j.pid <> i.pid and j.tiv_2015 = i.tiv_2015) and not exists (select 1 from insurance j where j.pid <> i.pid and j.lat = i.lat and j.lon = i.lon);
-- differs insured with shared value at places of their own, windows and subqueries
select sum(tiv_2016) as tiv from (select tiv_2016, count(*) over (partition by tiv_2015) as a, count(*) over (partition by lat, lon) as b from insurance) t where a > 1 and b = 1;
select sum(tiv_2016) as tiv from insurance i where exists (select 1 from insurance j where j.pid <> i.pid and j.tiv_2015 = i.tiv_2015) and not exists (select 1 from insurance j where j.pid <> i.pid and (j.lat = i.lat or j.lon = i.lon));
-- equal missing information, FULL JOIN and UNION
select coalesce(e.employee_id, s.employee_id) as employee_id from staff e full join salaries s on e.employee_id = s.employee_id where e.name is null or s.salary is null order by 1;
select employee_id from staff where employee_id not in (select employee_id from salaries) union select employee_id from salaries where employee_id not in (select employee_id from staff) order by employee_id;
-- differs missing information, FULL JOIN and UNION
select coalesce(e.employee_id, s.employee_id) as employee_id from staff e full join salaries s on e.employee_id = s.employee_id where e.name is null or s.salary is null order by 1;
select employee_id from staff union select employee_id from salaries except (select e.employee_id from staff e) order by employee_id;
-- equal distance of all users, left join and correlated sum
select u.name, coalesce(sum(r.distance), 0) as travelled from users u left join rides r on r.user_id = u.user_id group by u.user_id, u.name order by travelled desc, u.name;
select name, travelled from (select name, coalesce((select sum(r.distance) from rides r where r.user_id = u.user_id), 0) as travelled from users u) t order by travelled desc, name;
-- differs distance of all users, left join and correlated sum
select u.name, coalesce(sum(r.distance), 0) as travelled from users u left join rides r on r.user_id = u.user_id group by u.user_id, u.name order by travelled desc, u.name;
select u.name, coalesce(sum(r.distance), 0) as travelled from users u left join rides r on r.user_id = u.user_id group by u.name order by travelled desc, u.name;
-- equal shortest distance, both directions and one
select min(abs(a.x - b.x)) as shortest from point a join point b on a.x <> b.x;
select min(b.x - a.x) as shortest from point a, point b where b.x > a.x;
-- differs shortest distance, both directions and one
select min(abs(a.x - b.x)) as shortest from point a join point b on a.x <> b.x;
select min(abs(a.x - b.x)) as shortest from point a, point b where b.x >= a.x;
-- equal orders of a year per customer, extract and a range
select c.id, c.name, count(o.order_number) as n from customers c left join orders o on o.customer_id = c.id and extract(year from o.order_date) = 2019 group by c.id, c.name;
select c.id, c.name, (select count(*) from orders o where o.customer_id = c.id and o.order_date >= '2019-01-01' and o.order_date < '2020-01-01') as n from customers c;
-- differs orders of a year per customer, extract and a range
select c.id, c.name, count(o.order_number) as n from customers c left join orders o on o.customer_id = c.id and extract(year from o.order_date) = 2019 group by c.id, c.name;
select c.id, c.name, count(o.order_number) as n from customers c left join orders o on o.customer_id = c.id where o.order_date >= '2019-01-01' and o.order_date < '2020-01-01' group by c.id, c.name;
-- equal median, positions as integers and as halves
select id, salary from (select employee_id as id, salary, row_number() over (order by salary, employee_id) as rn, count(*) over () as n from salaries) t where rn in ((n + 1) / 2, (n + 2) / 2);
select id, salary from (select employee_id as id, salary, row_number() over (order by salary, employee_id) as rn, count(*) over () as n from salaries) t where rn >= n / 2.0 and rn <= n / 2.0 + 1;
-- differs median, positions as integers and as halves
select id, salary from (select employee_id as id, salary, row_number() over (order by salary, employee_id) as rn, count(*) over () as n from salaries) t where rn in ((n + 1) / 2, (n + 2) / 2);
select id, salary from (select employee_id as id, salary, row_number() over (order by salary, employee_id) as rn, count(*) over () as n from salaries) t where rn >= n / 2 and rn <= n / 2 + 1;
-- equal customer with the most orders, ALL and LIMIT with ties
select customer_id from orders group by customer_id having count(*) >= all (select count(*) from orders group by customer_id);
select customer_id from (select customer_id, rank() over (order by count(*) desc) as r from orders group by customer_id) t where r = 1;
-- differs customer with the most orders, ALL and LIMIT with ties
select customer_id from orders group by customer_id having count(*) >= all (select count(*) from orders group by customer_id);
select customer_id from orders group by customer_id having count(*) > all (select count(*) from orders group by customer_id);
-- equal approval rate, CASE and FILTER
select country, round(100.0 * sum(case when state = 'approved' then 1 else 0 end) / count(*), 2) as rate from transactions group by country;
select country, round(100.0 * count(*) filter (where state = 'approved') / count(*), 2) as rate from transactions group by country;
-- differs approval rate, CASE and FILTER
select country, round(100.0 * sum(case when state = 'approved' then 1 else 0 end) / count(*), 2) as rate from transactions group by country;
select country, round(100.0 * count(*) filter (where state = 'approved') / count(country), 2) as rate from transactions where country is not null group by country;
