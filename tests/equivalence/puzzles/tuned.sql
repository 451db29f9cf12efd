-- equal cheapest room, ordered first and minimum
select (select price from room order by price limit 1) as cheapest;
select min(price) as cheapest from room;
-- differs cheapest beds, ordered first and minimum
select (select beds from room order by beds desc limit 1) as most;
select max(beds) as most from room;
-- equal members who never borrowed, left join and NOT IN
select m.name from member m left join loan l on l.member_id = m.id where l.id is null;
select name from member where id not in (select member_id from loan);
-- differs members nobody refers to, left join and NOT IN
select m.name from member m left join member r on r.referrer = m.id where r.id is null;
select name from member where id not in (select referrer from member);
-- equal teams' points, union of home and guest and one CASE
select t.id, coalesce(sum(p.points), 0) as points from team t left join (select home as team, case when home_goals > guest_goals then 3 when home_goals = guest_goals then 1 else 0 end as points from game union all select guest, case when guest_goals > home_goals then 3 when home_goals = guest_goals then 1 else 0 end from game) p on p.team = t.id group by t.id;
select t.id, coalesce(sum(case when g.home_goals = g.guest_goals then 1 when (g.home = t.id) = (g.home_goals > g.guest_goals) then 3 else 0 end), 0) as points from team t left join game g on g.home = t.id or g.guest = t.id group by t.id;
-- differs teams' points, union of home and guest and one CASE
select t.id, coalesce(sum(p.points), 0) as points from team t left join (select home as team, case when home_goals > guest_goals then 3 when home_goals = guest_goals then 1 else 0 end as points from game union select guest, case when guest_goals > home_goals then 3 when home_goals = guest_goals then 1 else 0 end from game) p on p.team = t.id group by t.id;
select t.id, coalesce(sum(case when g.home_goals = g.guest_goals then 1 when (g.home = t.id) = (g.home_goals > g.guest_goals) then 3 else 0 end), 0) as points from team t left join game g on g.home = t.id or g.guest = t.id group by t.id;
-- equal readings higher than both neighbours, lag and lead and joins
select id from (select id, value, lag(id) over (order by id) as pi, lag(value) over (order by id) as pv, lead(id) over (order by id) as ni, lead(value) over (order by id) as nv from reading) t where pi = id - 1 and ni = id + 1 and value > pv and value > nv;
select b.id from reading a join reading b on b.id = a.id + 1 join reading c on c.id = b.id + 1 where b.value > a.value and b.value > c.value;
-- differs readings higher than both neighbours, lag and lead and joins
select id from (select id, value, lag(value) over (order by id) as pv, lead(value) over (order by id) as nv from reading) t where value > pv and value > nv;
select b.id from reading a join reading b on b.id = a.id + 1 join reading c on c.id = b.id + 1 where b.value > a.value and b.value > c.value;
-- equal running visitors, window and correlated sum
select day, sum(visitors) over (order by day) as total from daily;
select day, (select sum(b.visitors) from daily b where b.day <= a.day) as total from daily a;
-- differs running visitors, window and correlated sum
select day, sum(visitors) over (order by day) as total from daily;
select day, (select sum(b.visitors) from daily b where b.day < a.day) as total from daily a;
-- equal seven-day totals, range frame and correlated
select day, sum(visitors) over (order by day range between interval '6 days' preceding and current row) as week from daily;
select day, (select sum(b.visitors) from daily b where b.day between a.day - 6 and a.day) as week from daily a;
-- differs seven-day totals, rows frame and correlated
select day, sum(visitors) over (order by day rows between 6 preceding and current row) as week from daily;
select day, (select sum(b.visitors) from daily b where b.day between a.day - 6 and a.day) as week from daily a;
-- equal most borrowed books, ties kept, ALL and rank
select book_id from loan group by book_id having count(*) >= all (select count(*) from loan group by book_id);
select book_id from (select book_id, rank() over (order by count(*) desc) as r from loan group by book_id) t where r = 1;
-- differs most borrowed books, one and rank
select book_id from loan group by book_id order by count(*) desc limit 1;
select book_id from (select book_id, rank() over (order by count(*) desc) as r from loan group by book_id) t where r = 1;
-- equal most borrowed books, ALL and the maximum of counts
select book_id from loan group by book_id having count(*) >= all (select count(*) from loan group by book_id);
select book_id from loan group by book_id having count(*) = (select max(n) from (select count(*) as n from loan group by book_id) t);
-- differs most borrowed books, ALL of members and the maximum of counts
select book_id from loan group by book_id having count(*) >= all (select count(*) from loan group by member_id);
select book_id from loan group by book_id having count(*) = (select max(n) from (select count(*) as n from loan group by book_id) t);
-- equal share of paid invoices, average of CASE and quotient
select client, avg(case when paid then 1.0 else 0.0 end) as share from invoice group by client;
select client, avg(case when not paid then 0.0 else 1.0 end) as share from invoice group by client;
-- differs share of paid invoices, average of CASE and integer quotient
select client, avg(case when paid then 1.0 else 0.0 end) as share from invoice group by client;
select client, (count(*) filter (where paid) / count(*))::numeric as share from invoice group by client;
-- equal clients with paid and unpaid, bool_or and different values
select client from invoice group by client having bool_or(paid) and not bool_and(paid);
select client from invoice group by client having count(distinct paid) = 2;
-- differs clients with paid and unpaid, bool_or and different values
select client from invoice group by client having bool_or(paid) and bool_and(paid);
select client from invoice group by client having count(distinct paid) = 2;
-- equal price on a day, last change and maximum day
select p.product, p.price from price p where p.day = (select max(q.day) from price q where q.product = p.product and q.day <= date '2019-08-16');
select product, price from (select product, price, row_number() over (partition by product order by day desc) as r from price where day <= date '2019-08-16') t where r = 1;
-- differs price on a day, last change and maximum day
select p.product, p.price from price p where p.day = (select max(q.day) from price q where q.product = p.product and q.day <= date '2019-08-16');
select product, price from (select product, price, day, row_number() over (partition by product order by day desc) as r from price) t where r = 1 and day <= date '2019-08-16';
-- equal price on a day, DISTINCT ON and IN of pairs
select distinct on (product) product, price from price where day <= date '2019-08-16' order by product, day desc;
select product, price from price where (product, day) in (select product, max(day) from price where day <= date '2019-08-16' group by product) order by product;
-- differs price on a day, DISTINCT ON and IN of pairs
select distinct on (product) product, price from price where day <= date '2019-08-16' order by product, day desc;
select product, price from price where (product, day) in (select product, max(day) from price group by product) and day <= date '2019-08-16';
-- equal median, two counts of the smaller and the greater
select recipe, step from (select recipe, step, row_number() over (partition by recipe order by step) as up, row_number() over (partition by recipe order by step desc) as down from recipe_step) t where up = down;
select recipe, step from recipe_step s where (select count(*) from recipe_step t where t.recipe = s.recipe and t.step < s.step) = (select count(*) from recipe_step t where t.recipe = s.recipe and t.step > s.step);
-- differs median, two counts of the smaller and the greater
select recipe, step from (select recipe, step, row_number() over (partition by recipe order by step) as up, row_number() over (partition by recipe order by step desc) as down from recipe_step) t where up = down;
select recipe, step from recipe_step s where (select count(*) from recipe_step t where t.recipe = s.recipe and t.step < s.step) = (select count(*) from recipe_step t where t.recipe = s.recipe and t.step >= s.step);
-- equal missing steps, the next step is not there
select recipe, step + 1 as missing from recipe_step s where not exists (select 1 from recipe_step t where t.recipe = s.recipe and t.step = s.step + 1);
select s.recipe, s.step + 1 as missing from recipe_step s left join recipe_step t on t.recipe = s.recipe and t.step = s.step + 1 where t.recipe is null;
-- differs missing steps, the next step is not there
select recipe, step + 1 as missing from recipe_step s where not exists (select 1 from recipe_step t where t.recipe = s.recipe and t.step = s.step + 1);
select s.recipe, s.step + 1 as missing from recipe_step s left join recipe_step t on t.step = s.step + 1 where t.recipe is null;
-- equal episodes heard by all who heard anything, double NOT EXISTS and counts
select episode from play group by episode having count(distinct listener) = (select count(distinct listener) from play);
select distinct p.episode from play p where not exists (select 1 from play l where not exists (select 1 from play h where h.episode = p.episode and h.listener = l.listener));
-- differs episodes heard by all who heard anything, counts of plays
select episode from play group by episode having count(listener) = (select count(distinct listener) from play);
select distinct p.episode from play p where not exists (select 1 from play l where not exists (select 1 from play h where h.episode = p.episode and h.listener = l.listener));
-- equal first play of each listener, minimum and row_number
select listener, min(at) as first from play group by listener;
select listener, at as first from (select listener, at, row_number() over (partition by listener order by at) as r from play) t where r = 1;
-- differs first episode of each listener, minimum and row_number
select p.listener, p.episode from play p join (select listener, min(at) as first from play group by listener) f on f.listener = p.listener and f.first = p.at;
select listener, episode from (select listener, episode, row_number() over (partition by listener order by at) as r from play) t where r = 1;
-- equal rooms never taken in May, left join with the condition in ON and NOT EXISTS
select r.id from room r left join stay s on s.room_id = r.id and s.arrives < date '2024-06-01' and s.leaves > date '2024-05-01' where s.id is null;
select id from room r where not exists (select 1 from stay s where s.room_id = r.id and s.leaves > date '2024-05-01' and s.arrives < date '2024-06-01');
-- differs rooms never taken in May, left join with the condition in WHERE
select r.id from room r left join stay s on s.room_id = r.id where s.id is null or not (s.arrives < date '2024-06-01' and s.leaves > date '2024-05-01');
select id from room r where not exists (select 1 from stay s where s.room_id = r.id and s.leaves > date '2024-05-01' and s.arrives < date '2024-06-01');
-- equal round trips, self-join and LEAST with GREATEST
select distinct a.origin, a.target from flight a join flight b on b.origin = a.target and b.target = a.origin where a.origin < a.target;
select least(origin, target) as origin, greatest(origin, target) as target from flight where origin <> target group by 1, 2 having count(distinct origin) = 2;
-- differs round trips, self-join and LEAST with GREATEST
select distinct a.origin, a.target from flight a join flight b on b.origin = a.target and b.target = a.origin where a.origin < a.target;
select least(origin, target) as origin, greatest(origin, target) as target from flight where origin <> target group by 1, 2 having count(*) = 2;
-- equal cheapest flights of each route, minimum and NOT EXISTS
select f.id from flight f where f.fare = (select min(g.fare) from flight g where g.origin = f.origin and g.target = f.target);
select f.id from flight f where not exists (select 1 from flight g where g.origin = f.origin and g.target = f.target and g.fare < f.fare);
-- differs cheapest flights of each route, minimum and NOT EXISTS
select f.id from flight f where f.fare = (select min(g.fare) from flight g where g.origin = f.origin and g.target = f.target);
select f.id from flight f where not exists (select 1 from flight g where g.origin = f.origin and g.fare < f.fare);
-- equal top two fares of each origin, dense_rank and counted
select id from (select id, dense_rank() over (partition by origin order by fare desc) as r from flight) t where r <= 2;
select id from flight f where (select count(distinct g.fare) from flight g where g.origin = f.origin and g.fare > f.fare) < 2;
-- differs top two fares of each origin, rank and counted
select id from (select id, rank() over (partition by origin order by fare desc) as r from flight) t where r <= 2;
select id from flight f where (select count(distinct g.fare) from flight g where g.origin = f.origin and g.fare > f.fare) < 2;
-- equal members and who referred them, left join and scalar subquery
select m.name, r.name as by from member m left join member r on r.id = m.referrer;
select m.name, (select r.name from member r where r.id = m.referrer) as by from member m;
-- differs members and who referred them, join
select m.name, r.name as by from member m join member r on r.id = m.referrer;
select m.name, (select r.name from member r where r.id = m.referrer) as by from member m;
-- equal referrers of at least five, join and grouping in IN
select name from member where id in (select referrer from member group by referrer having count(*) >= 5);
select r.name from member r join member m on m.referrer = r.id group by r.id, r.name having count(m.id) >= 5;
-- differs referrers of at least five, grouped by name
select name from member where id in (select referrer from member group by referrer having count(*) >= 5);
select r.name from member r join member m on m.referrer = r.id group by r.name having count(m.id) >= 5;
-- equal months' totals by CASE and FILTER
select client, sum(case when extract(month from issued) = 1 then amount else 0 end) as jan, sum(case when extract(month from issued) = 2 then amount else 0 end) as feb from invoice group by client;
select client, coalesce(sum(amount) filter (where extract(month from issued) = 1), 0) as jan, coalesce(sum(amount) filter (where extract(month from issued) = 2), 0) as feb from invoice group by client;
-- differs months' totals by CASE and FILTER
select client, sum(case when extract(month from issued) = 1 then amount else 0 end) as jan from invoice group by client;
select client, sum(amount) filter (where extract(month from issued) = 1) as jan from invoice group by client;
-- equal parcels delivered as promised, share of zones
select zone, count(*) filter (where delivered <= shipped + 3) as good, count(*) as n from parcel group by zone;
select zone, sum(case when delivered - shipped <= 3 then 1 else 0 end) as good, count(*) as n from parcel group by zone;
-- differs parcels delivered as promised, those not shipped
select zone, count(*) filter (where delivered <= shipped + 3) as good, count(*) as n from parcel group by zone;
select zone, count(*) filter (where not (delivered > shipped + 3) or delivered is null) as good, count(*) as n from parcel group by zone;
-- equal candidates' ballots shared, weight by count
select candidate, count(*) as n from vote where candidate is not null group by candidate having count(*) > 1;
select candidate, n from (select candidate, count(candidate) as n from vote group by candidate) t where n > 1;
-- differs candidates' ballots, NULL is a group
select candidate, count(*) as n from vote group by candidate having count(*) > 1;
select candidate, n from (select candidate, count(candidate) as n from vote group by candidate) t where n > 1;
-- equal books nobody has now, NOT EXISTS and counting
select id from book b where not exists (select 1 from loan l where l.book_id = b.id and l.returned is null);
select b.id from book b left join loan l on l.book_id = b.id group by b.id having count(*) filter (where l.id is not null and l.returned is null) = 0;
-- differs books nobody has now, those lent once
select id from book b where not exists (select 1 from loan l where l.book_id = b.id and l.returned is null);
select b.id from book b join loan l on l.book_id = b.id group by b.id having count(*) filter (where l.returned is null) = 0;
-- equal difference of visitors to the day before, lag and left join on the next date
select a.day, a.visitors - b.visitors as more from daily a join daily b on b.day + 1 = a.day;
select day, visitors - v as more from (select day, visitors, lag(visitors) over (order by day) as v, lag(day) over (order by day) as d from daily) t where d + 1 = day;
-- differs difference of visitors to the row before
select a.day, a.visitors - b.visitors as more from daily a join daily b on b.day + 1 = a.day;
select day, visitors - v as more from (select day, visitors, lag(visitors) over (order by day) as v from daily) t where v is not null;
-- equal authors with a short book and no long one
select distinct author from book where pages < 100 and author not in (select author from book where pages > 500);
select author from book group by author having min(pages) < 100 and max(pages) <= 500;
-- differs authors with a short book and no long one
select distinct author from book where pages < 100 and author not in (select author from book where pages > 500);
select author from book group by author having min(pages) < 100 and max(pages) < 500;
