-- equal p01 paid more than the chief, comma join and a scalar subquery in a CTE
select c.name from crew c, crew b where c.chief_id = b.id and c.wage > b.wage;
with pays as (select name, wage, (select b.wage from crew b where b.id = c.chief_id) as chief_wage from crew c) select name from pays where wage > chief_wage;
-- differs p05 riders without a ticket, NOT IN over a nullable column
select name from rider where id not in (select rider_id from ticket);
select name from rider r where not exists (select 1 from ticket t where t.rider_id = r.id);
-- equal p06 second highest wage, NOT IN and less than
select max(wage) as second from crew where wage not in (select max(wage) from crew);
select max(c.wage) as second from crew c join (select max(wage) as top from crew) m on c.wage < m.top;
-- equal p11 higher than the day before, days moved on either side
select g.id from gauge g, gauge y where g.day = y.day + 1 and g.level > y.level;
select g.id from gauge g join gauge y on y.day = g.day - 1 where y.level < g.level;
-- equal p12 students of every course, counts and two NOT EXISTS
select student from attends group by student having count(distinct title) = (select count(*) from course);
select distinct a.student from attends a where not exists (select 1 from course c where not exists (select 1 from attends b where b.student = a.student and b.title = c.title));
-- equal p15 odd films that are not dull, bit and remainder
select id, title, rating from film where id % 2 <> 0 and kind <> 'dull' order by rating desc, id;
select id, title, rating from film where id & 1 = 1 and not (kind = 'dull') order by rating desc, id;
-- equal p17 share of right answers, average of CASE and quotient
select user_id, round(avg(case when correct then 1 else 0 end), 2) as share from quiz group by user_id;
select user_id, round(sum(case when correct then 1 else 0 end)::numeric / count(*), 2) as share from quiz group by user_id;
-- equal p20 running fares by day, DISTINCT window and correlated sum
select distinct bought, sum(fare) over (order by bought) as total from ticket where bought is not null;
select d.bought, (select sum(t.fare) from ticket t where t.bought <= d.bought) as total from (select distinct bought from ticket where bought is not null) d;
-- equal p25 games of the first day, IN of pairs and join
select player_id, game from score where (player_id, played) in (select player_id, min(played) from score group by player_id);
with f as (select player_id, min(played) as d from score group by player_id) select s.player_id, s.game from score s inner join f on f.player_id = s.player_id and f.d = s.played;
-- differs p26 game of the first day, row_number takes one of a tie
select player_id, game from score where (player_id, played) in (select player_id, min(played) from score group by player_id);
select player_id, game from (select player_id, game, row_number() over (partition by player_id order by played) as rn from score where player_id is not null and played is not null) t where rn = 1;
-- equal p27 chiefs of five, IN with HAVING and join with HAVING
select name from crew where id in (select chief_id from crew group by chief_id having count(*) >= 5);
select b.name from crew b join crew c on c.chief_id = b.id group by b.id, b.name having count(c.id) >= 5;
-- equal p28 points of players, UNION ALL and two subqueries
select p.id, coalesce(sum(m.pts), 0) as total from player p left join (select first_id as id, first_points as pts from matchup union all select second_id, second_points from matchup) m on m.id = p.id group by p.id;
select p.id, coalesce((select sum(first_points) from matchup where first_id = p.id), 0) + coalesce((select sum(second_points) from matchup where second_id = p.id), 0) as total from player p;
-- equal p30 free neighbours, abs and two EXISTS
select distinct a.no from room a join room b on abs(a.no - b.no) = 1 where a.free = 1 and b.free = 1;
select no from room a where free = 1 and (exists (select 1 from room b where b.no = a.no + 1 and b.free = 1) or exists (select 1 from room b where b.no = a.no - 1 and b.free = 1));
-- equal p31 crew of each ship without keys, subquery and left join of counts
select s.id, s.name, (select count(*) from crew c where c.ship_id = s.id) as n from ship s;
select s.id, s.name, coalesce(x.n, 0) as n from ship s left join (select ship_id, count(*) as n from crew group by ship_id) x on x.ship_id = s.id;
-- differs p32 crew of each ship, ships of one name
select s.name, count(c.id) as n from ship s left join crew c on c.ship_id = s.id group by s.name;
select s.name, count(c.id) as n from ship s left join crew c on c.ship_id = s.id group by s.id, s.name;
-- equal p34 tickets of a year, range and EXTRACT
select rider_id, count(*) as n from ticket where bought >= '2024-01-01' and bought < '2025-01-01' group by rider_id;
select rider_id, count(*) as n from ticket where extract(year from bought) = 2024 group by rider_id;
-- equal p35 poor answers in percent, CASE and FILTER
select user_id, round(100.0 * sum(case when rating < 3 then 1 else 0 end) / count(*), 2) as poor from quiz group by user_id;
select user_id, round(count(*) filter (where rating < 3) * 100.0 / count(*), 2) as poor from quiz group by user_id;
-- equal p38 users of more than one page, minimum and maximum
select user_id from visit group by user_id having count(distinct page) > 1;
select user_id from visit group by user_id having min(page) <> max(page);
-- equal p40 riders never on the Albatross, NOT IN and NOT EXISTS
select name from rider where id not in (select t.rider_id from ticket t join crossing c on t.crossing_id = c.id join ship s on s.id = c.ship_id where s.name = 'Albatross' and t.rider_id is not null);
select r.name from rider r where not exists (select 1 from ticket t, crossing c, ship s where t.rider_id = r.id and c.id = t.crossing_id and s.id = c.ship_id and s.name = 'Albatross');
-- equal p45 fares of frequent riders on rare crossings, IN and windows
select sum(fare) as total from ticket where rider_id in (select rider_id from ticket group by rider_id having count(*) > 1) and crossing_id in (select crossing_id from ticket group by crossing_id having count(*) = 1);
select sum(fare) as total from (select rider_id, crossing_id, fare, count(*) over (partition by rider_id) as a, count(*) over (partition by crossing_id) as b from ticket) t where a > 1 and b = 1 and rider_id is not null and crossing_id is not null;
-- equal p46 share of riders who are allowed, join and IN
select t.bought, count(*) as n from ticket t join rider r on r.id = t.rider_id and r.banned = 'No' where t.bought between '2024-10-01' and '2024-10-03' group by t.bought;
select bought, count(*) as n from ticket where rider_id in (select id from rider where banned = 'No') and bought >= '2024-10-01' and bought <= '2024-10-03' group by bought;
-- equal p47 share of players back on the second day, IN of pairs and join
select round(count(*)::numeric / nullif((select count(distinct player_id) from score), 0), 2) as share from (select player_id, min(played) as f from score group by player_id) m where (player_id, f + 1) in (select player_id, played from score);
select round(count(distinct s.player_id)::numeric / nullif((select count(distinct player_id) from score), 0), 2) as share from score s join (select player_id, min(played) as f from score group by player_id) m on m.player_id = s.player_id and s.played = m.f + 1;
-- equal p51 three days running, islands and EXISTS
select distinct user_id from (select user_id, day - (row_number() over (partition by user_id order by day))::int as island from checkin) t group by user_id, island having count(*) >= 3;
select distinct user_id from checkin a where exists (select 1 from checkin b where b.user_id = a.user_id and b.day = a.day + 1) and exists (select 1 from checkin c where c.user_id = a.user_id and c.day = a.day + 2);
-- differs p53 names in capitals, initcap knows words
select id, initcap(name) as name from player order by id;
select id, upper(left(name, 1)) || lower(substr(name, 2)) as name from player order by id;
-- equal p61 pairs of mates, join and formula
select a.ship_id, count(*) as pairs from crew a join crew b on a.ship_id = b.ship_id and a.id < b.id group by a.ship_id;
select ship_id, n * (n - 1) / 2 as pairs from (select ship_id, count(*) as n from crew where ship_id is not null group by ship_id) t where n > 1;
-- equal p62 average price of items sold, join and CTE
select s.item, round(sum(s.units * r.price)::numeric / sum(s.units), 2) as average from sold s join rate r on r.item = s.item and s.day between r.begins and r.ends group by s.item having sum(s.units) > 0;
with x as (select s.item, s.units, r.price from sold s, rate r where s.item = r.item and s.day >= r.begins and s.day <= r.ends), g as (select item, sum(units * price) as money, sum(units) as n from x group by item) select item, round(money / n::numeric, 2) as average from g where n > 0;
-- differs p63 most visited page, one of a tie
select page from visit where page is not null group by page order by count(*) desc, page limit 1;
select page from visit where page is not null group by page having count(*) = (select max(n) from (select count(*) as n from visit where page is not null group by page) t);
