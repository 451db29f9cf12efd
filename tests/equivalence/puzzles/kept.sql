-- equal days busier than the day before, lag and join
select day from (select day, visitors, lag(day) over (order by day) as before, lag(visitors) over (order by day) as v from daily) t where before = day - 1 and visitors > v;
select a.day from daily a join daily b on b.day = a.day - 1 where a.visitors > b.visitors;
-- differs days busier than the day before, lag and join
select day from (select day, visitors, lag(visitors) over (order by day) as v from daily) t where visitors > v;
select a.day from daily a join daily b on b.day = a.day - 1 where a.visitors > b.visitors;
-- equal third highest price of a room, nested maxima and dense_rank
select max(price) as third from room where price < (select max(price) from room where price < (select max(price) from room));
select max(price) as third from (select price, dense_rank() over (order by price desc) as r from room) t where r = 3;
-- differs third highest price of a room, nested maxima and dense_rank
select max(price) as third from room where price < (select max(price) from room where price < (select max(price) from room));
select max(price) as third from (select price, rank() over (order by price desc) as r from room) t where r = 3;
-- equal third highest price of a room, offset and dense_rank
select (select distinct price from room order by price desc limit 1 offset 2) as third;
select max(price) as third from (select price, dense_rank() over (order by price desc) as r from room) t where r = 3;
-- differs third highest price of a room, offset and dense_rank
select (select price from room order by price desc limit 1 offset 2) as third;
select max(price) as third from (select price, dense_rank() over (order by price desc) as r from room) t where r = 3;
-- equal latest invoice of each client, DISTINCT ON and maximum of the number
select distinct on (client) client, id, amount from invoice order by client, id desc;
select i.client, i.id, i.amount from invoice i join (select client, max(id) as last from invoice group by client) m on m.last = i.id order by i.client;
-- differs latest invoice of each client, DISTINCT ON and maximum of the number
select distinct on (client) client, id, amount from invoice order by client, issued desc;
select i.client, i.id, i.amount from invoice i join (select client, max(issued) as last from invoice group by client) m on m.client = i.client and m.last = i.issued;
-- equal clients with paid and unpaid, two counts and two EXISTS
select client from invoice group by client having count(*) filter (where paid) > 0 and count(*) filter (where not paid) > 0;
select distinct client from invoice i where exists (select 1 from invoice j where j.client = i.client and j.paid) and exists (select 1 from invoice j where j.client = i.client and not j.paid);
-- differs clients with paid and unpaid, two counts and two EXISTS
select client from invoice group by client having count(*) filter (where paid) > 1 and count(*) filter (where not paid) > 0;
select distinct client from invoice i where exists (select 1 from invoice j where j.client = i.client and j.paid) and exists (select 1 from invoice j where j.client = i.client and not j.paid);
-- equal median step's minutes, row_number up and down
select recipe, minutes from (select recipe, minutes, row_number() over (partition by recipe order by minutes, step) as up, row_number() over (partition by recipe order by minutes desc, step desc) as down from recipe_step) t where up = down;
select recipe, minutes from (select recipe, minutes, row_number() over (partition by recipe order by minutes, step) as up, count(*) over (partition by recipe) as n from recipe_step) t where 2 * up = n + 1;
-- differs median step's minutes, row_number up and down with other ties
select recipe, minutes from (select recipe, minutes, row_number() over (partition by recipe order by minutes, step) as up, row_number() over (partition by recipe order by minutes desc, step) as down from recipe_step) t where up = down;
select recipe, minutes from (select recipe, minutes, row_number() over (partition by recipe order by minutes, step) as up, count(*) over (partition by recipe) as n from recipe_step) t where 2 * up = n + 1;
-- equal median, row_number up and down within one
select recipe, step from (select recipe, step, row_number() over (partition by recipe order by step) as up, row_number() over (partition by recipe order by step desc) as down from recipe_step) t where abs(up - down) <= 1;
select recipe, step from (select recipe, step, row_number() over (partition by recipe order by step) as up, row_number() over (partition by recipe order by step desc) as down from recipe_step) t where up in (down, down - 1, down + 1);
-- differs median, row_number up and down within one
select recipe, step from (select recipe, step, row_number() over (partition by recipe order by step) as up, row_number() over (partition by recipe order by step desc) as down from recipe_step) t where abs(up - down) <= 1;
select recipe, step from (select recipe, step, row_number() over (partition by recipe order by step) as up, row_number() over (partition by recipe order by step desc) as down from recipe_step) t where up in (down, down - 1);
-- equal listeners who came back the next day
select count(distinct a.listener) from play a where exists (select 1 from play b where b.listener = a.listener and b.at::date = a.at::date + 1);
select count(distinct a.listener) from play a join play b on b.listener = a.listener and b.at::date - a.at::date = 1;
-- differs listeners who came back the next day
select count(distinct a.listener) from play a where exists (select 1 from play b where b.listener = a.listener and b.at::date = a.at::date + 1);
select count(a.listener) from play a join play b on b.listener = a.listener and b.at::date - a.at::date = 1;
-- equal overlapping stays, join and EXISTS
select distinct a.id from stay a join stay b on b.room_id = a.room_id and b.id <> a.id and a.arrives < b.leaves and b.arrives < a.leaves;
select id from stay a where exists (select 1 from stay b where b.room_id = a.room_id and b.id <> a.id and not (b.leaves <= a.arrives or b.arrives >= a.leaves));
-- differs overlapping stays, join and EXISTS
select distinct a.id from stay a join stay b on b.room_id = a.room_id and b.id <> a.id and a.arrives <= b.leaves and b.arrives < a.leaves;
select id from stay a where exists (select 1 from stay b where b.room_id = a.room_id and b.id <> a.id and not (b.leaves <= a.arrives or b.arrives >= a.leaves));
-- equal swap of neighbouring readings, CASE and arithmetic
select case when id % 2 = 1 then id + 1 else id - 1 end as id, value from reading;
select case when mod(id, 2) <> 0 then id + 1 else id - 1 end as id, value from reading;
-- differs swap of neighbouring readings, the last stays
select case when id % 2 = 1 then id + 1 else id - 1 end as id, value from reading;
select case when id % 2 = 1 and id < (select max(id) from reading) then id + 1 when id % 2 = 1 then id else id - 1 end as id, value from reading;
-- equal three readings in a row over 100, positions and EXISTS
select distinct a.id from reading a, reading b, reading c where a.value > 100 and b.value > 100 and c.value > 100 and ((b.id = a.id + 1 and c.id = a.id + 2) or (b.id = a.id - 1 and c.id = a.id + 1) or (b.id = a.id - 1 and c.id = a.id - 2));
select a.id from reading a where a.value > 100 and ((exists (select 1 from reading b where b.id = a.id + 1 and b.value > 100) and exists (select 1 from reading b where b.id = a.id + 2 and b.value > 100)) or (exists (select 1 from reading b where b.id = a.id - 1 and b.value > 100) and exists (select 1 from reading b where b.id = a.id + 1 and b.value > 100)) or (exists (select 1 from reading b where b.id = a.id - 1 and b.value > 100) and exists (select 1 from reading b where b.id = a.id - 2 and b.value > 100)));
-- differs three readings in a row over 100, one way
select distinct a.id from reading a, reading b, reading c where a.value > 100 and b.value > 100 and c.value > 100 and b.id = a.id + 1 and c.id = a.id + 2;
select a.id from reading a where a.value > 100 and exists (select 1 from reading b where b.id = a.id - 1 and b.value > 100) and exists (select 1 from reading b where b.id = a.id + 1 and b.value > 100);
-- equal workouts of every kind, counts and relational division
select m.id from member m where not exists (select 1 from workout k where not exists (select 1 from workout w where w.member_id = m.id and w.kind = k.kind)) and exists (select 1 from workout w where w.member_id = m.id);
select member_id from workout group by member_id having count(distinct kind) = (select count(distinct kind) from workout);
-- differs workouts of every kind, counted by day
select m.id from member m where not exists (select 1 from workout k where not exists (select 1 from workout w where w.member_id = m.id and w.kind = k.kind));
select member_id from workout group by member_id having count(distinct kind) = (select count(distinct kind) from workout);
-- equal longest workout of each member with its day, rank and join on the maximum
select member_id, day, minutes from (select *, rank() over (partition by member_id order by minutes desc) as r from workout) t where r = 1;
select w.member_id, w.day, w.minutes from workout w join (select member_id, max(minutes) as most from workout group by member_id) m on m.member_id = w.member_id and m.most = w.minutes;
-- differs longest workout of each member with its day, row_number
select member_id, day, minutes from (select *, row_number() over (partition by member_id order by minutes desc) as r from workout) t where r = 1;
select w.member_id, w.day, w.minutes from workout w join (select member_id, max(minutes) as most from workout group by member_id) m on m.member_id = w.member_id and m.most = w.minutes;
