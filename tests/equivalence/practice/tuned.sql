-- equal p02 phones used twice, HAVING and self-join
select phone from rider group by phone having count(phone) > 1;
select distinct a.phone from rider a join rider b on a.phone = b.phone and a.id <> b.id;
-- differs p03 pages seen twice, NULL pages are counted by HAVING only
select page from visit group by page having count(*) > 1;
select page from visit where page is not null group by page having count(*) > 1;
-- equal p04 riders without a ticket, left join and NOT EXISTS
select r.name from rider r left join ticket t on t.rider_id = r.id where t.rider_id is null;
select name from rider r where not exists (select * from ticket where rider_id = r.id);
-- equal p07 best paid of each ship, IN of pairs and a window maximum
select name, ship_id, wage from crew where (ship_id, wage) in (select ship_id, max(wage) from crew group by ship_id);
select name, ship_id, wage from (select c.*, max(wage) over (partition by ship_id) as m from crew c) t where wage = m and ship_id is not null;
-- differs p08 best paid of each ship, rank puts NULL wages first
select name, wage from crew where ship_id is not null and (ship_id, wage) in (select ship_id, max(wage) from crew group by ship_id);
select name, wage from (select name, wage, ship_id, rank() over (partition by ship_id order by wage desc) as r from crew where ship_id is not null) t where r = 1;
-- equal p09 the same number three times running, three joins and IN of pairs
select distinct a.num from letter a join letter b on b.id = a.id + 1 join letter c on c.id = a.id + 2 where a.num = b.num and b.num = c.num;
select distinct num from letter where (id + 1, num) in (select id, num from letter) and (id + 2, num) in (select id, num from letter);
-- equal p10 one rider for each phone, MIN of ids and row_number
select id, phone from rider where id in (select min(id) from rider group by phone);
select id, phone from (select id, phone, row_number() over (partition by phone order by id) as rn from rider) t where rn = 1;
-- equal p13 takings of the quarters side by side, CASE and left joins
select shop, max(case when quarter = 1 then amount end) as q1, max(case when quarter = 2 then amount end) as q2 from takings group by shop;
select s.shop, a.amount as q1, b.amount as q2 from (select distinct shop from takings) s left join takings a on a.shop = s.shop and a.quarter = 1 left join takings b on b.shop = s.shop and b.quarter = 2;
-- equal p14 prices below each other, UNION and LATERAL VALUES
select product, 'north' as store, north as price from shelf where north is not null union select product, 'south', south from shelf where south is not null union select product, 'west', west from shelf where west is not null;
select s.product, v.store, v.price from shelf s cross join lateral (values ('north', s.north), ('south', s.south), ('west', s.west)) v(store, price) where v.price is not null;
-- differs p16 odd films, remainder of a negative number
select id, title from film where mod(id, 2) = 1;
select id, title from film where mod(id, 2) <> 0;
-- equal p18 visits by length, UNION ALL of counts and a list of bounds
select 'short' as bin, count(*) as total from visit where seconds >= 0 and seconds < 300 union all select 'long', count(*) from visit where seconds >= 300 and seconds < 3600;
select b.bin, count(v.seconds) as total from (values ('short', 0, 300), ('long', 300, 3600)) b(bin, lo, hi) left join visit v on v.seconds >= b.lo and v.seconds < b.hi group by b.bin;
-- differs p19 visits by length, SUM of CASE over no visits
select count(*) filter (where seconds < 300) as short, count(*) filter (where seconds >= 300) as long from visit;
select sum(case when seconds < 300 then 1 else 0 end) as short, sum(case when seconds >= 300 then 1 else 0 end) as long from visit;
-- differs p21 running points, rows of one day add up or not
select player_id, played, sum(points) over (partition by player_id order by played) as total from score;
select player_id, played, sum(points) over (partition by player_id order by played rows between unbounded preceding and current row) as total from score;
-- equal p22 friends both ways, smaller and greater counted twice
select f.a_id, f.b_id from friend f join friend g on g.a_id = f.b_id and g.b_id = f.a_id where f.a_id < f.b_id;
select least(a_id, b_id) as a_id, greatest(a_id, b_id) as b_id from friend where a_id <> b_id group by least(a_id, b_id), greatest(a_id, b_id) having count(*) = 2;
-- equal p23 most friends, WITH TIES and rank
select id, count(*) as num from (select a_id as id from friend union all select b_id from friend) t group by id order by count(*) desc fetch first 1 row with ties;
select id, num from (select id, count(*) as num, rank() over (order by count(*) desc) as r from (select a_id as id from friend union all select b_id from friend) t group by id) u where r = 1 order by num desc;
-- equal p24 first day of each player, MIN and first_value
select player_id, min(played) as first_day from score group by player_id;
select distinct player_id, first_value(played) over (partition by player_id order by played) as first_day from score;
-- differs p29 cheapest store, ALL over NULL prices
select product, store from stock s where price = (select min(price) from stock t where t.product = s.product);
select product, store from stock s where price <= all (select price from stock t where t.product = s.product);
-- equal p33 players by month, text and parts
select to_char(played, 'YYYY-MM') as month, count(distinct player_id) as players from score group by to_char(played, 'YYYY-MM');
select to_char(min(played), 'YYYY-MM') as month, count(distinct player_id) as players from score group by extract(year from played), extract(month from played);
-- equal p36 three best paid of each ship with ties, rank and fewer above
select ship_id, name, wage from (select ship_id, name, wage, rank() over (partition by ship_id order by wage desc) as r from crew where wage is not null and ship_id is not null) t where r <= 3;
select ship_id, name, wage from crew c where wage is not null and ship_id is not null and (select count(*) from crew d where d.ship_id = c.ship_id and d.wage > c.wage) < 3;
-- equal p37 users who saw two pages in a day, HAVING and self-join
select user_id, visited from visit where user_id is not null and visited is not null group by user_id, visited having count(distinct page) >= 2;
select distinct a.user_id, a.visited from visit a join visit b on a.user_id = b.user_id and a.visited = b.visited and a.page <> b.page;
-- differs p39 greatest number that stands alone, NULL comes first
select max(num) as num from (select num from letter group by num having count(*) = 1) t;
select (select num from letter group by num having count(*) = 1 order by num desc limit 1) as num;
-- equal p41 bought tea and milk but no sugar, set operations and HAVING
select buyer from basket where product = 'tea' intersect select buyer from basket where product = 'milk' except select buyer from basket where product = 'sugar';
select buyer from basket group by buyer having count(*) filter (where product = 'tea') > 0 and count(*) filter (where product = 'milk') > 0 and count(*) filter (where product = 'sugar') = 0;
-- equal p42 pages of friends not seen yet, anti-join and EXCEPT
select distinct l.page from friend f join visit l on l.user_id = f.b_id where f.a_id = 1 and l.page is not null and not exists (select 1 from visit m where m.user_id = 1 and m.page = l.page);
select page from visit where page is not null and user_id in (select b_id from friend where a_id = 1) except select page from visit where user_id = 1;
-- equal p43 best course of each student, DISTINCT ON and MIN of the best
select distinct on (student_id) student_id, course, grade from enrol order by student_id, grade desc, course;
select student_id, min(course) as course, grade from enrol where (student_id, grade) in (select student_id, max(grade) from enrol group by student_id) group by student_id, grade order by student_id;
-- equal p44 rate of users who rated, count of rows and of distinct pairs
select round((select count(*) from (select distinct user_id, question from quiz) d)::numeric / nullif((select count(*) from quiz), 0), 2) as rate;
select round(count(distinct (user_id, question))::numeric / nullif(count(*), 0), 2) as rate from quiz;
-- equal p48 best riders by fares, maximum of sums and rank
select rider_id from ticket group by rider_id having sum(fare) = (select max(total) from (select sum(fare) as total from ticket group by rider_id) x);
select rider_id from (select rider_id, rank() over (order by sum(fare) desc) as r from ticket group by rider_id) t where r = 1;
-- equal p49 crossings sold only in spring, MIN and MAX and EXCEPT
select crossing_id from ticket group by crossing_id having min(bought) >= '2024-03-01' and max(bought) <= '2024-05-31';
select crossing_id from ticket where bought between '2024-03-01' and '2024-05-31' except select crossing_id from ticket where bought < '2024-03-01' or bought > '2024-05-31';
-- equal p50 three days running, self-joins and lead
select distinct a.user_id from checkin a join checkin b on b.user_id = a.user_id and b.day = a.day + 1 join checkin c on c.user_id = a.user_id and c.day = a.day + 2;
select distinct user_id from (select user_id, day, lead(day, 2) over (partition by user_id order by day) as later from checkin) t where later = day + 2;
-- equal p52 low paid whose chief left, NOT IN and NOT EXISTS
select id from crew where wage < 300 and chief_id not in (select id from crew) order by id;
select c.id from crew c where c.wage < 300 and c.chief_id is not null and not exists (select 1 from crew b where b.id = c.chief_id) order by c.id;
-- equal p54 first letter in capitals, left and substring
select id, upper(left(name, 1)) || lower(substr(name, 2)) as name from player order by id;
select id, upper(substring(name from 1 for 1)) || lower(substring(name from 2)) as name from player order by id;
-- equal p55 a word begins with DIAB1, LIKE and a regular expression
select id, name from clinic where conditions like 'DIAB1%' or conditions like '% DIAB1%';
select id, name from clinic where conditions ~ '(^| )DIAB1';
-- equal p56 balances above 10000, HAVING and join of sums
select r.name, sum(t.amount) as balance from rider r join tx t on t.account = r.id group by r.id, r.name having sum(t.amount) > 10000;
select r.name, b.balance from rider r, (select account, sum(amount) as balance from tx group by account) b where b.account = r.id and b.balance > 10000;
-- differs p57 triangles, NULL sides
select x, y, z, case when x + y > z and x + z > y and y + z > x then 'Yes' else 'No' end as triangle from triple;
select x, y, z, case when x + y <= z or x + z <= y or y + z <= x then 'No' else 'Yes' end as triangle from triple;
-- equal p58 small bonuses, OR IS NULL and COALESCE
select c.name, b.extra from crew c left join bonus b on b.crew_id = c.id where b.extra < 1000 or b.extra is null;
select c.name, (select extra from bonus where crew_id = c.id) as extra from crew c where coalesce((select extra from bonus where crew_id = c.id), 0) < 1000;
-- equal p59 clients not sent by 2, IS NULL and NOT IN
select name from client where sent_by <> 2 or sent_by is null;
select name from client where id not in (select id from client where sent_by = 2);
-- equal p60 best paid of each ship, nobody above by left join
select a.name, a.ship_id from crew a left join crew b on b.ship_id = a.ship_id and b.wage > a.wage where b.id is null and a.wage is not null and a.ship_id is not null;
select c.name, c.ship_id from crew c join (select ship_id, max(wage) as m from crew group by ship_id) g on g.ship_id = c.ship_id and g.m = c.wage;
