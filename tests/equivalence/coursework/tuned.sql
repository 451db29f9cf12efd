-- equal clients without purchases, LEFT JOIN and NOT EXISTS
select c.name from client c left join purchase p on p.client_id = c.id where p.id is null;
select name from client c where not exists (select 1 from purchase p where p.client_id = c.id);
-- equal clients without purchases, NOT IN and EXCEPT by id
select name from client where id not in (select client_id from purchase);
select c.name from client c join (select id from client except select client_id from purchase) x on x.id = c.id;
-- equal duplicate e-mail addresses, HAVING and self join
select email from client where email is not null group by email having count(*) > 1;
select distinct a.email from client a join client b on a.email = b.email and a.id <> b.id;
-- equal best paid of each shop, IN of pairs and rank
select shop_id, name, salary from staff where (shop_id, salary) in (select shop_id, max(salary) from staff group by shop_id);
select shop_id, name, salary from (select s.*, rank() over (partition by shop_id order by salary desc) r from staff s) t where r = 1;
-- equal three best salaries of each shop, dense_rank and counting distinct ones
select shop_id, name, salary from (select s.*, dense_rank() over (partition by shop_id order by salary desc) r from staff s) t where r <= 3;
select shop_id, name, salary from staff s where 3 > (select count(distinct t.salary) from staff t where t.shop_id = s.shop_id and t.salary > s.salary);
-- equal second best salary, OFFSET and nested MAX
select (select distinct salary from staff order by salary desc offset 1 limit 1) as second;
select max(salary) as second from staff where salary < (select max(salary) from staff);
-- equal device of the first login, join with MIN and row_number
select l.client_id, l.device from login l join (select client_id, min(day) as d from login group by client_id) f on f.client_id = l.client_id and f.d = l.day;
select client_id, device from (select client_id, device, row_number() over (partition by client_id order by day) n from login) t where n = 1;
-- equal minutes up to each day, window and self join
select client_id, day, sum(minutes) over (partition by client_id order by day) as so_far from login;
select a.client_id, a.day, sum(b.minutes) as so_far from login a join login b on b.client_id = a.client_id and b.day <= a.day group by a.client_id, a.day;
-- equal items never rated, NOT IN and LEFT JOIN
select title from item where id not in (select item_id from rating);
select i.title from item i left join rating r on r.item_id = i.id where r.item_id is null;
-- equal clients who bought every item of a category, double NOT EXISTS and HAVING
select c.id from client c where not exists (select 1 from item i where i.category = 'tea' and not exists (select 1 from purchase p join line l on l.purchase_id = p.id where p.client_id = c.id and l.item_id = i.id)) and exists (select 1 from item where category = 'tea');
select p.client_id from purchase p join line l on l.purchase_id = p.id join item i on i.id = l.item_id where i.category = 'tea' group by p.client_id having count(distinct i.id) = (select count(*) from item where category = 'tea');
-- equal takings of each item, grouped before and after the join
select i.id, i.title, sum(l.pieces * i.price) as takings from item i join line l on l.item_id = i.id group by i.id, i.title;
select i.id, i.title, i.price * s.n as takings from item i join (select item_id, sum(pieces) as n from line group by item_id) s on s.item_id = i.id;
-- equal purchases a client with zeros, LEFT JOIN and scalar subquery
select c.id, c.name, count(p.id) as n from client c left join purchase p on p.client_id = c.id group by c.id, c.name;
select id, name, (select count(*) from purchase p where p.client_id = c.id) as n from client c;
-- equal scores as columns, CASE and joins
select s.id, max(case when e.subject = 'art' then e.score end) as art, max(case when e.subject = 'law' then e.score end) as law from student s left join exam e on e.student = s.id group by s.id;
select s.id, a.score as art, l.score as law from student s left join exam a on a.student = s.id and a.subject = 'art' left join exam l on l.student = s.id and l.subject = 'law';
-- equal every student with every subject, cross join two ways
select s.id, u.name, count(e.student) as taken from student s cross join subject u left join exam e on e.student = s.id and e.subject = u.name group by s.id, u.name;
select s.id, u.name, case when exists (select 1 from exam e where e.student = s.id and e.subject = u.name) then 1 else 0 end as taken from student s, subject u;
-- equal free seats beside a free one, OR join and two EXISTS
select distinct a.no from seat a join seat b on abs(a.no - b.no) = 1 where a.free and b.free order by a.no;
select no from seat a where free and (exists (select 1 from seat b where b.free and b.no = a.no - 1) or exists (select 1 from seat b where b.free and b.no = a.no + 1)) order by no;
-- equal free seats beside a free one, lag and lead
select no from (select no, free, lag(no) over w as p, lag(free) over w as pf, lead(no) over w as n, lead(free) over w as nf from seat window w as (order by no)) t where free and ((p = no - 1 and pf) or (n = no + 1 and nf)) order by no;
select distinct a.no from seat a, seat b where a.free and b.free and (b.no = a.no - 1 or b.no = a.no + 1) order by a.no;
-- equal followers of followers, join and IN
select distinct a.follower, b.followed from follow a join follow b on a.followed = b.follower where a.follower <> b.followed;
select distinct a.follower, b.followed from follow a, follow b where b.follower = a.followed and not a.follower = b.followed;
-- equal mutual follows, self join and INTERSECT
select a.follower, a.followed from follow a join follow b on b.follower = a.followed and b.followed = a.follower;
select follower, followed from follow intersect select followed, follower from follow;
-- equal money in less money out, UNION ALL and two sums
select who, sum(x) as balance from (select receiver as who, amount as x from transfer union all select sender, -amount from transfer) t group by who;
select w.who, coalesce((select sum(amount) from transfer where receiver = w.who), 0) - coalesce((select sum(amount) from transfer where sender = w.who), 0) as balance from (select sender as who from transfer union select receiver from transfer) w;
-- equal calls between two people, LEAST and CASE
select least(sender, receiver) as a, greatest(sender, receiver) as b, count(*) as n from transfer group by least(sender, receiver), greatest(sender, receiver);
select case when sender < receiver then sender else receiver end as a, case when sender < receiver then receiver else sender end as b, count(*) as n from transfer group by 1, 2;
-- equal share of purchases paid, AVG of CASE and count
select client_id, avg(case when paid then 1 else 0 end) as share from purchase group by client_id;
select client_id, avg(paid::int) as share from purchase group by client_id;
-- equal months by EXTRACT and date_trunc range
select id from purchase where extract(year from bought) = 2024 and extract(month from bought) = 2;
select id from purchase where bought >= date '2024-02-01' and bought < date '2024-03-01';
-- equal bosses of at least five, join and IN
select b.name from staff b join staff s on s.boss = b.id group by b.id, b.name having count(*) >= 5;
select name from staff where id in (select boss from staff group by boss having count(*) >= 5);
-- equal the boss's boss, nested IN and joins
select s.id from staff s join staff b on s.boss = b.id where b.boss = 1;
select id from staff where boss in (select id from staff where boss = 1);
-- equal purchases on consecutive days, window difference and join
select distinct client_id from (select client_id, day, lead(day) over (partition by client_id order by day) as n from login) t where n = day + 1;
select distinct a.client_id from login a join login b on a.client_id = b.client_id and b.day = a.day + 1;
-- equal three days running, self joins and lag
select distinct a.client_id from login a join login b on b.client_id = a.client_id and b.day = a.day + 1 join login c on c.client_id = a.client_id and c.day = a.day + 2;
select distinct client_id from (select client_id, day, lag(day, 2) over (partition by client_id order by day) as before from login) t where before = day - 2;
-- equal ids missing from another table, EXCEPT and NOT EXISTS
select id from item except select item_id from line;
select id from item i where not exists (select 1 from line l where l.item_id = i.id);
-- equal swapped values, CASE two spellings
select no, case when no % 2 = 1 then no + 1 else no - 1 end as other from seat where no between 1 and 100;
select no, case no % 2 when 0 then no - 1 when 1 then no + 1 else no - 1 end as other from seat where no >= 1 and no <= 100;
-- equal who rated most, HAVING ALL and MAX
select client_id from rating group by client_id having count(*) >= all (select count(*) from rating group by client_id);
select client_id from rating group by client_id having count(*) = (select max(n) from (select count(*) as n from rating group by client_id) t);
-- equal who rated most, rank over counts
select client_id from (select client_id, rank() over (order by count(*) desc) as r from rating group by client_id) t where r = 1;
select client_id from rating group by client_id having count(*) = (select count(*) from rating group by client_id order by count(*) desc limit 1);
-- equal price buckets, CASE and UNION ALL with zeros
select (select count(*) from item where price < 100) as low, (select count(*) from item where price between 100 and 999) as mid, (select count(*) from item where price > 999) as high;
select count(case when price < 100 then 1 end) as low, count(case when price >= 100 and price <= 999 then 1 end) as mid, count(case when price > 999 then 1 end) as high from item;
-- equal price buckets, rows
select 'low' as bucket, count(*) as n from item where price < 100 union all select 'high', count(*) from item where price >= 100;
select b.bucket, count(i.id) as n from (values ('low'), ('high')) b(bucket) left join item i on (b.bucket = 'low' and i.price < 100) or (b.bucket = 'high' and i.price >= 100) group by b.bucket;
-- equal difference to the day before, lag and join
select a.client_id, a.day, a.minutes - b.minutes as more from login a join login b on b.client_id = a.client_id and b.day = a.day - 1;
select client_id, day, minutes - before as more from (select client_id, day, minutes, lag(minutes) over w as before, lag(day) over w as d from login window w as (partition by client_id order by day)) t where d = day - 1;
-- equal moving sum of seven days, frame and join
select client_id, day, sum(minutes) over (partition by client_id order by day range between interval '6 days' preceding and current row) as week from login;
select a.client_id, a.day, (select sum(b.minutes) from login b where b.client_id = a.client_id and b.day between a.day - 6 and a.day) as week from login a;
-- equal shops whose manager works there, join and EXISTS
select s.id from shop s join staff m on m.id = s.manager and m.shop_id = s.id;
select id from shop s where exists (select 1 from staff m where m.id = s.manager and m.shop_id = s.id);
-- equal bought together, self join with order
select a.item_id as x, b.item_id as y, count(*) as times from line a join line b on a.purchase_id = b.purchase_id and a.item_id < b.item_id group by a.item_id, b.item_id;
select x, y, count(*) as times from (select a.purchase_id, a.item_id as x, b.item_id as y from line a, line b where a.purchase_id = b.purchase_id and b.item_id > a.item_id) t group by x, y;
-- equal total per category even without sales
select c.category, coalesce(sum(l.pieces), 0) as pieces from item c left join line l on l.item_id = c.id group by c.category;
select category, sum(coalesce(n, 0))::bigint as pieces from (select i.category, (select sum(pieces) from line l where l.item_id = i.id) as n from item i) t group by category;
-- equal active on both devices, INTERSECT and HAVING
select client_id from login where device = 'phone' intersect select client_id from login where device = 'tablet';
select client_id from login where device in ('phone', 'tablet') group by client_id having count(distinct device) = 2;
-- equal not the newest of each client
select id from purchase p where exists (select 1 from purchase q where q.client_id = p.client_id and q.id > p.id);
select id from purchase where id not in (select max(id) from purchase group by client_id);
-- equal stars of friends, semi join spelled three ways
select distinct r.item_id from rating r where r.client_id in (select followed from follow where follower = 1) and r.item_id not in (select item_id from rating where client_id = 1);
select r.item_id from follow f join rating r on r.client_id = f.followed left join rating m on m.client_id = 1 and m.item_id = r.item_id where f.follower = 1 and m.item_id is null group by r.item_id;
