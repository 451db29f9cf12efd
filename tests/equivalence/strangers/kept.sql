-- equal first: the last amount of each account, as a scalar subquery and as a numbered left join
select a.id, a.kind, (select t.amount from txn t where t.account_id = a.id order by t.at desc limit 1) as last from account a;
select a.id, a.kind, l.amount as last from account a left join (select t.account_id, t.amount, row_number() over (partition by t.account_id order by t.at desc) as n from txn t) l on l.account_id = a.id and l.n = 1;
-- equal first: a scalar subquery with LIMIT 1 and a CTE of DISTINCT ON
select a.id, (select t.note from txn t where t.account_id = a.id order by t.at limit 1) as first_note from account a where a.balance > 10;
with firsts as (select distinct on (account_id) account_id, note from txn order by account_id, at) select a.id, f.note as first_note from account a left join firsts f on f.account_id = a.id where a.balance > 10;
-- equal first: LATERAL with LIMIT 1 and DISTINCT ON over a filtered table
select a.id, x.at, x.amount from account a left join lateral (select t.at, t.amount from txn t where t.account_id = a.id and t.amount > 0 order by t.at desc limit 1) x on true;
select a.id, x.at, x.amount from account a left join (select distinct on (t.account_id) t.account_id, t.at, t.amount from txn t where t.amount > 0 order by t.account_id, t.at desc) x on x.account_id = a.id;
-- equal first: CROSS JOIN LATERAL with LIMIT 1 and a join of DISTINCT ON
select a.kind, x.at from account a cross join lateral (select t.at from txn t where t.account_id = a.id order by t.at desc limit 1) x;
select a.kind, x.at from account a join (select distinct on (account_id) account_id, at from txn order by account_id, at desc) x on x.account_id = a.id;
-- equal first: DISTINCT ON in a subquery and row_number() = 1
select count(*), sum(amount) from (select distinct on (sensor) sensor, val as amount from reading order by sensor, at) f;
select count(*), sum(amount) from (select sensor, val as amount, row_number() over (partition by sensor order by at) rn from reading) f where rn = 1;
-- equal first: anti-join to a later row and DISTINCT ON
select r.sensor, r.val from reading r left join reading later on later.sensor = r.sensor and later.at > r.at where later.sensor is null;
select sensor, val from (select distinct on (sensor) sensor, val from reading order by sensor, at desc) z;
-- equal first: join with the least time and DISTINCT ON
select r.sensor, r.val, r.ok from reading r join (select sensor, min(at) as m from reading group by sensor) g on g.sensor = r.sensor and g.m = r.at;
select d.sensor, d.val, d.ok from (select distinct on (sensor) sensor, val, ok from reading order by sensor, at) d;
-- equal first: row_number() = 1 and dense_rank() = 1 over a unique column
select sensor, val from (select sensor, val, row_number() over (partition by sensor order by at) as n from reading) z where n = 1;
select sensor, val from (select sensor, val, dense_rank() over (partition by sensor order by at) as n from reading) z where n < 2;
-- equal first: the greatest by a correlated maximum and rank() = 1
select t.id from txn t where t.at = (select max(u.at) from txn u where u.account_id = t.account_id);
select id from (select id, rank() over (partition by account_id order by at desc) r from txn) x where r = 1;
-- equal first: the row of the least key and LIMIT 1
select name, region from customer where id = (select min(c.id) from customer c);
select name, region from customer order by id limit 1;
-- equal first: a minimum of a nullable column and the first that is not NULL
select c.id, (select min(a.opened) from account a where a.customer_id = c.id) from customer c;
select c.id, (select a.opened from account a where a.customer_id = c.id and a.opened is not null order by a.opened limit 1) from customer c;
-- equal first: two scalar subqueries of one row and one numbered join
select a.id, (select t.at from txn t where t.account_id = a.id order by t.at limit 1) as at, (select t.amount from txn t where t.account_id = a.id order by t.at limit 1) as amount from account a;
select a.id, x.at, x.amount from account a left join (select account_id, at, amount, row_number() over (partition by account_id order by at) rn from txn) x on x.account_id = a.id and x.rn = 1;
-- differs first: the number of the row in WHERE after a left join
select a.id, (select t.amount from txn t where t.account_id = a.id order by t.at desc limit 1) as last from account a;
select a.id, l.amount as last from account a left join (select t.account_id, t.amount, row_number() over (partition by t.account_id order by t.at desc) as n from txn t) l on l.account_id = a.id where l.n = 1;
-- differs first: rank() = 1 and DISTINCT ON with ties
select team, points from (select team, points, rank() over (partition by team order by points desc) n from player) z where n = 1;
select team, points from (select distinct on (team) team, points from player order by team, points desc) z;
-- differs first: a maximum and the first of a nullable column
select c.id, (select max(a.opened) from account a where a.customer_id = c.id) from customer c;
select c.id, (select a.opened from account a where a.customer_id = c.id order by a.opened desc limit 1) from customer c;
-- differs first: a condition in DISTINCT ON and above it
select x.sensor, x.val from (select distinct on (sensor) sensor, val, ok from reading where ok order by sensor, at) x;
select x.sensor, x.val from (select distinct on (sensor) sensor, val, ok from reading order by sensor, at) x where x.ok;
-- differs first: partitions that are too fine
select id from (select id, row_number() over (partition by customer_id order by id) rn from account) x where rn = 1;
select id from (select id, row_number() over (partition by customer_id, kind order by id) rn from account) x where rn = 1;
-- differs first: groups of a nullable key, looked up by equality
select distinct on (region) region, name from customer order by region, id;
select r.region, x.name from (select distinct region from customer) r cross join lateral (select c.name from customer c where c.region = r.region order by c.id limit 1) x order by r.region;
-- differs first: OFFSET 1 and the first row
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id limit 1) from customer c;
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id offset 1 limit 1) from customer c;
-- equal top: LATERAL LIMIT 3 over a filtered table and row_number() < 4
select a.id, x.at, x.amount from account a join lateral (select t.at, t.amount from txn t where t.account_id = a.id and t.note is not null order by t.at limit 3) x on true where a.balance > 0;
select a.id, x.at, x.amount from account a join (select account_id, at, amount, row_number() over (partition by account_id order by at) n from txn where note is not null) x on x.account_id = a.id where a.balance > 0 and x.n < 4;
-- equal top: LEFT JOIN LATERAL LIMIT 5 and a numbered CTE
select a.id, x.amount from account a left join lateral (select t.amount from txn t where t.account_id = a.id order by t.at desc limit 5) x on true;
with n as (select account_id, amount, row_number() over (partition by account_id order by at desc) as rn from txn) select a.id, n.amount from account a left join n on n.account_id = a.id and n.rn <= 5;
-- equal top: LIMIT 3 by a descending key and row_number() < 4
select id, points from player order by points desc, id limit 3;
select id, points from (select id, points, row_number() over (order by points desc, id) as rn from player) x where rn < 4 order by points desc, id;
-- equal top: OFFSET alone as numbers of rows
select id, amount from txn order by id offset 3;
select id, amount from (select id, amount, row_number() over (order by id) as n from txn) x where n > 3 order by id;
-- equal top: a page ordered by the number of the row
select id, kind from account order by balance desc, id desc limit 2 offset 2;
select id, kind from (select id, kind, row_number() over (order by balance desc, id desc) as rn from account) x where rn in (3, 4) order by rn;
-- equal top: fewer than 2 ahead and rank() <= 2
select p.id, p.points from player p where (select count(*) from player q where q.team = p.team and q.points > p.points) < 2;
select id, points from (select id, points, rank() over (partition by team order by points desc) as n from player) x where n <= 2;
-- equal top: FETCH FIRST ROW WITH TIES and the greatest
select name from (select name from player order by points desc fetch first 1 row with ties) z;
select name from player where points = (select max(points) from player);
-- equal top: a smaller limit within a limit
select id, at from (select id, at from txn order by id limit 2) x order by id limit 10;
select id, at from txn order by id limit 2;
-- equal top: LIMIT through two joins along foreign keys
select t.id, c.name from txn t join account a on a.id = t.account_id join customer c on c.id = a.customer_id order by t.id desc limit 4;
select t.id, c.name from (select id, account_id from txn order by id desc limit 4) t join account a on a.id = t.account_id join customer c on c.id = a.customer_id order by t.id desc;
-- equal top: LIMIT through a left join of a grouping
select c.id, g.n from customer c left join (select customer_id, count(*) as n from account group by customer_id) g on g.customer_id = c.id order by c.since, c.id limit 3;
select c.id, g.n from (select id, since from customer order by since, id limit 3) c left join (select customer_id, count(*) as n from account group by customer_id) g on g.customer_id = c.id order by c.since, c.id;
-- equal top: LIMIT with OFFSET through a left join of a key
select c.id, p.bio from customer c left join profile p on p.customer_id = c.id where c.region = 2 order by c.id limit 3 offset 2;
select c.id, p.bio from (select id from customer where region = 2 order by id limit 3 offset 2) c left join profile p on p.customer_id = c.id order by c.id;
-- equal top: LIMIT over a derived UNION ALL and of its arms
select u.id, u.amount from (select id, amount, 1 as p from sale_a union all select id, amount, 2 from sale_b) u order by u.id, u.p limit 4;
select u.id, u.amount from ((select id, amount, 1 as p from sale_a order by id limit 4) union all (select id, amount, 2 from sale_b order by id limit 4)) u order by u.id, u.p limit 4;
-- equal top: OFFSET over arms that are long enough
select id, p from (select id, 1 as p from sale_a union all select id, 2 from sale_b) u order by id, p limit 2 offset 2;
select id, p from ((select id, 1 as p from sale_a order by id limit 4) union all (select id, 2 from sale_b order by id limit 4)) u order by id, p limit 2 offset 2;
-- differs top: LIMIT through a join with a condition on the parent
select t.id, a.kind from txn t join account a on a.id = t.account_id where a.balance > 5 order by t.id limit 3;
select t.id, a.kind from (select id, account_id from txn order by id limit 3) t join account a on a.id = t.account_id where a.balance > 5 order by t.id;
-- differs top: LIMIT over children and over parents
select a.id, t.amount from txn t join account a on a.id = t.account_id order by a.id, t.id limit 3;
select a.id, t.amount from txn t join (select id from account order by id limit 3) a on a.id = t.account_id order by a.id, t.id;
-- differs top: arms cut too short for the OFFSET
select id, p from (select id, 1 as p from sale_a union all select id, 2 from sale_b) u order by id, p limit 2 offset 2;
select id, p from ((select id, 1 as p from sale_a order by id limit 2) union all (select id, 2 from sale_b order by id limit 2)) u order by id, p limit 2 offset 2;
-- differs top: UNION and UNION ALL below a LIMIT
select sold from (select sold from sale_a union all select sold from sale_b) u order by sold limit 3;
select sold from (select sold from sale_a union select sold from sale_b) u order by sold limit 3;
-- differs top: dense_rank() and LIMIT
select p.id from (select distinct team from player) t cross join lateral (select q.id from player q where q.team = t.team order by q.points desc, q.id limit 2) p;
select id from (select id, dense_rank() over (partition by team order by points desc) n from player) x where n <= 2;
-- differs top: rank() and row_number() up to 3
select team, points from (select team, points, rank() over (partition by team order by points) n from player) z where n <= 3;
select team, points from (select team, points, row_number() over (partition by team order by points) n from player) z where n <= 3;
-- differs top: a page counted from 0
select id, amount from txn order by id offset 3;
select id, amount from (select id, amount, row_number() over (order by id) as n from txn) x where n >= 3 order by id;
-- differs top: a limit within a limit in another order
select id from (select id, points from player order by id limit 10) x order by points desc, id limit 3;
select id from player order by points desc, id limit 3;
-- differs top: fewer than 3 no worse, counting oneself
select p.id from player p where (select count(*) from player q where q.team = p.team and q.points >= p.points) <= 2;
select id from (select id, rank() over (partition by team order by points desc) as n from player) x where n <= 2;
-- equal window: the least of each group by IN and by dense_rank() = 1
select id from player where (team, points) in (select team, min(points) from player group by team);
select id from (select id, dense_rank() over (partition by team order by points) as r from player) x where r = 1;
-- equal window: the least by a window and by a correlated minimum
select id, store from (select id, store, amount, min(amount) over (partition by store) as m from sale_a) x where amount = m;
select s.id, s.store from sale_a s where s.amount = (select min(z.amount) from sale_a z where z.store = s.store);
-- equal window: ROWS and RANGE over a key of the partition
select sensor, at, count(val) over (partition by sensor order by at) from reading;
select sensor, at, count(val) over (partition by sensor order by at rows unbounded preceding) from reading;
-- equal window: GROUPS and ROWS over a key
select id, max(amount) over (order by id groups between 1 preceding and current row) from txn;
select id, max(amount) over (order by id rows between 1 preceding and current row) from txn;
-- equal window: a running count over ROWS and a self-join
select id, count(*) over (partition by team order by id rows unbounded preceding) as n from player;
select p.id, count(*) as n from player p join player q on q.team = p.team and q.id <= p.id group by p.id;
-- equal window: lead and a correlated LIMIT 1
select sensor, at, lead(val) over (partition by sensor order by at) as nxt from reading;
select r.sensor, r.at, (select s.val from reading s where s.sensor = r.sensor and s.at > r.at order by s.at limit 1) as nxt from reading r;
-- equal window: lag of several rows and lead in the other order
select id, lag(name, 2) over (order by points, id) from player;
select id, lead(name, 2) over (order by points desc, id desc) from player;
-- equal window: lag and lead by a negative distance
select id, lag(amount, 1) over (order by id) from txn;
select id, lead(amount, -1) over (order by id) from txn;
-- equal window: lead and a maximum over a frame of one row
select sensor, at, lead(val) over (partition by sensor order by at) from reading;
select sensor, at, max(val) over (partition by sensor order by at rows between 1 following and 1 following) from reading;
-- equal window: a default of lead and COALESCE over a column without NULLs
select id, coalesce(lead(name) over (partition by team order by id), 'none') from player;
select id, lead(name, 1, 'none') over (partition by team order by id) from player;
-- equal window: first_value and a join of DISTINCT ON
select sensor, at, first_value(val) over (partition by sensor order by at desc) as newest from reading;
select r.sensor, r.at, d.val as newest from reading r join (select distinct on (sensor) sensor, val from reading order by sensor, at desc) d on d.sensor = r.sensor;
-- equal window: first_value and last_value of the reversed order
select id, first_value(amount) over (partition by account_id order by at) from txn;
select id, last_value(amount) over (partition by account_id order by at desc rows between unbounded preceding and unbounded following) from txn;
-- equal window: first_value of the sort key and a minimum
select id, first_value(at) over (partition by account_id order by at) from txn;
select id, min(at) over (partition by account_id) from txn;
-- equal window: the first of array_agg and DISTINCT ON
select account_id, (array_agg(amount order by at desc))[1] as last from txn group by account_id;
select distinct on (account_id) account_id, amount as last from txn order by account_id, at desc;
-- equal window: the first of array_agg and a scalar subquery
select c.id, (select (array_agg(a.kind order by a.id desc))[1] from account a where a.customer_id = c.id) from customer c;
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id desc limit 1) from customer c;
-- equal window: DISTINCT count and sum over a partition and GROUP BY
select distinct store, count(*) over w as n, sum(amount) over w as total from sale_a window w as (partition by store);
select store, count(*) as n, sum(amount) as total from sale_a group by store;
-- equal window: DISTINCT first_value and DISTINCT ON
select distinct team, first_value(name) over (partition by team order by points desc, id) as best from player;
select distinct on (team) team, name as best from player order by team, points desc, id;
-- equal window: the greatest dense_rank() of all and count(DISTINCT)
select max(d) from (select dense_rank() over (order by sold) as d from sale_a) x where d > 0 having count(*) > 0;
select count(distinct sold) from sale_a having count(*) > 0;
-- equal window: rank() and a correlated count
select id, rank() over (partition by store order by sold) as r from sale_a;
select s.id, (select count(*) from sale_a z where z.store = s.store and z.sold < s.sold) + 1 as r from sale_a s;
-- equal window: row_number() over a key and a running count
select id, row_number() over (partition by account_id order by at) as n from txn;
select id, count(*) over (partition by account_id order by at) as n from txn;
-- equal window: sums of partitions and a join with groups
select id, amount, sum(amount) over (partition by store) as total from sale_a;
select s.id, s.amount, g.total from sale_a s join (select store, sum(amount) as total from sale_a group by store) g on g.store = s.store;
-- equal window: above the average of the join's groups and of the partition
select s.id, s.amount from sale_b s join (select store, avg(amount) as a from sale_b group by store) g on g.store = s.store where s.amount >= g.a;
select id, amount from (select id, amount, avg(amount) over (partition by store) as a from sale_b) z where amount >= a;
-- equal window: the last row and the first backwards
select id from (select id, row_number() over (partition by team order by id) n, count(*) over (partition by team) c from player) x where n = c;
select id from (select id, row_number() over (partition by team order by id desc) n from player) x where n = 1;
-- equal window: dense_rank() and row_number() over a key of the partition
select sensor, at, dense_rank() over (partition by sensor order by at desc) from reading;
select sensor, at, row_number() over (partition by sensor order by at desc) from reading;
-- equal window: a condition on the partition's key, below and above
select id, r from (select id, team, rank() over (partition by team order by points) as r from player) x where team = 2;
select id, rank() over (partition by team order by points) as r from player where team = 2;
-- equal window: sort keys after a key
select id, row_number() over (partition by team order by id, points, name) from player;
select id, row_number() over (partition by team order by id) from player;
-- differs window: ROWS and RANGE where the key is another partition's
select at, count(*) over (order by at) from reading;
select at, count(*) over (order by at rows unbounded preceding) from reading;
-- differs window: lag by one row and by two
select id, lag(amount) over (partition by account_id order by at) from txn;
select id, lag(amount, 2) over (partition by account_id order by at) from txn;
-- differs window: lag within partitions and over all
select id, lag(amount) over (partition by account_id order by at) from txn;
select id, lag(amount) over (order by account_id, at) from txn;
-- differs window: the second of a running frame and of the whole
select id, nth_value(name, 2) over (partition by team order by id) from player;
select id, nth_value(name, 2) over (partition by team order by id rows between unbounded preceding and unbounded following) from player;
-- differs window: first_value of a nullable sort key and a maximum
select id, first_value(opened) over (partition by customer_id order by opened desc) from account;
select id, max(opened) over (partition by customer_id) from account;
-- differs window: the greatest rank() and count(DISTINCT)
select team, max(d) from (select team, rank() over (partition by team order by points) as d from player) x group by team;
select team, count(distinct points) from player group by team;
-- differs window: a condition on another column, below and above
select id, r from (select id, points, rank() over (partition by team order by points) as r from player) x where points > 3;
select id, rank() over (partition by team order by points) as r from player where points > 3;
-- differs window: the average over rows that were filtered first
select p.id from player p where p.id > 5 and p.points > (select avg(q.points) from player q where q.team = p.team);
select id from (select id, points, avg(points) over (partition by team) as a from player where id > 5) x where points > a;
-- differs window: DISTINCT running maximum and GROUP BY
select distinct team, max(points) over (partition by team order by id) from player;
select team, max(points) from player group by team;
-- differs window: the first of array_agg and the greatest
select account_id, (array_agg(amount order by at desc))[1] from txn group by account_id;
select account_id, max(amount) from txn group by account_id;
-- differs window: the second of array_agg and the first row
select sensor, (array_agg(val order by at))[2] from reading group by sensor;
select sensor, val from (select sensor, val, row_number() over (partition by sensor order by at) n from reading) z where n = 2;
-- differs window: rank() and dense_rank()
select id, rank() over (partition by team order by points) from player;
select id, dense_rank() over (partition by team order by points) from player;
-- differs window: the group before and the row before
select id, min(sold) over (order by sold groups between 1 preceding and current row) from sale_a;
select id, min(sold) over (order by sold, id rows between 1 preceding and current row) from sale_a;
-- differs window: the last row and the first
select id from (select id, row_number() over (partition by team order by id) n, count(*) over (partition by team) c from player) x where n = c;
select id from (select id, row_number() over (partition by team order by id) n from player) x where n = 1;
-- equal recursion: UNION ALL with equal anchors
with recursive r(id, d) as (select id, 1 from category where id in (1, 2) union all select c.id, r.d + 1 from r join category c on c.parent = r.id where r.d < 5) select * from r;
with recursive r(id, d) as (select id, 1 from category where id = 1 or id = 2 union all select c.id, r.d + 1 from category c join r on r.id = c.parent and r.d < 5) select * from r;
-- equal recursion: reachable nodes from one source, filtered in and out
with recursive reach(src, dst) as (select src, dst from edge union select reach.src, e.dst from reach join edge e on e.src = reach.dst) select dst from reach where src = 1;
with recursive reach(src, dst) as (select src, dst from edge where src = 1 union select reach.src, e.dst from reach join edge e on e.src = reach.dst) select dst from reach;
-- equal recursion: a step by EXISTS and by a join of a key
with recursive r as (select id from category where place > 3 union select c.id from r join category c on c.parent = r.id where exists (select 1 from category p where p.id = c.id and p.place > 0)) select count(*) from r;
with recursive r as (select id from category where place > 3 union select c.id from r join category c on c.parent = r.id join category p on p.id = c.id where p.place > 0) select count(*) from r;
-- equal recursion: the closure counted by DISTINCT and by itself
with recursive r(n) as (select dst from edge where src = 1 union select e.dst from r join edge e on e.src = r.n) select count(distinct n) from r;
with recursive r(n) as (select dst from edge where src = 1 union select e.dst from r join edge e on e.src = r.n) select count(*) from r;
-- equal recursion: RECURSIVE without recursion
with recursive r as (select id from category where parent is null) select c.name from category c join r on r.id = c.parent;
select c.name from category c join category r on r.id = c.parent where r.parent is null;
-- equal recursion: a column that nobody reads, under UNION ALL
with recursive r(id, d, nm) as (select id, 1, name from category where parent is null union all select c.id, r.d + 1, c.name from r join category c on c.parent = r.id where r.d < 4) select id, d from r;
with recursive r(id, d) as (select id, 1 from category where parent is null union all select c.id, r.d + 1 from r join category c on c.parent = r.id where r.d < 4) select id, d from r;
-- differs recursion: a condition on a changing column into both arms
with recursive r(n) as (select dst from edge where src = 1 union select e.dst from r join edge e on e.src = r.n) select n from r where n > 2;
with recursive r(n) as (select dst from edge where src = 1 and dst > 2 union select e.dst from r join edge e on e.src = r.n where e.dst > 2) select n from r;
-- differs recursion: downwards and upwards
with recursive r as (select id, parent from category where place = 2 union select c.id, c.parent from r join category c on c.parent = r.id) select id from r;
with recursive r as (select id, parent from category where place = 2 union select c.id, c.parent from r join category c on c.id = r.parent) select id from r;
-- differs recursion: a condition in the step instead of the anchor
with recursive r as (select id, place from category where place > 1 union select c.id, c.place from r join category c on c.parent = r.id) select id from r;
with recursive r as (select id, place from category union select c.id, c.place from r join category c on c.parent = r.id where c.place > 1) select id from r;
-- differs recursion: the root's column taken from the step
with recursive r as (select id as root, id from category union select r.root, c.id from r join category c on c.parent = r.id) select root, id from r where root = 3;
with recursive r as (select id as root, id from category where id = 3 union select c.parent, c.id from r join category c on c.parent = r.id) select root, id from r;
-- refines order: an ORDER BY where there was none
select id, kind from account where balance > 5;
select id, kind from account where balance > 5 order by id;
-- refines order: the first of ties in a scalar subquery
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.opened limit 1) from customer c;
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.opened, a.id limit 1) from customer c;
-- refines order: row_number() over ties that a key decides
select id from (select id, row_number() over (partition by team order by points desc) as n from player) z where n = 1;
select id from (select id, row_number() over (partition by team order by points desc, id) as n from player) z where n = 1;
-- differs order: another key first
select id, team, points from player order by team, id;
select id, team, points from player order by id, team;
-- differs order: ties decided against a stated order
select id, points from player order by points desc, id limit 3;
select id, points from player order by points desc, id desc limit 3;
-- differs order: ties of a LIMIT under a sort key that came first
select id, points from player order by points desc limit 3;
select id, points from player order by id, points desc limit 3;
