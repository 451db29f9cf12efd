-- equal first: the newest account's kind, as a scalar subquery and as a numbered left join
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id desc limit 1) from customer c;
select c.id, x.kind from customer c left join (select customer_id, kind, row_number() over (partition by customer_id order by id desc) as rn from account) x on x.customer_id = c.id and x.rn = 1;
-- equal first: a scalar subquery with LIMIT 1 and a left join of DISTINCT ON
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id desc limit 1) as kind from customer c;
select c.id, x.kind from customer c left join (select distinct on (customer_id) customer_id, kind from account order by customer_id, id desc) x on x.customer_id = c.id;
-- equal first: LATERAL with LIMIT 1 and DISTINCT ON, left joined
select c.id, x.kind, x.balance from customer c left join lateral (select a.kind, a.balance from account a where a.customer_id = c.id order by a.opened desc nulls last, a.id limit 1) x on true;
select c.id, x.kind, x.balance from customer c left join (select distinct on (customer_id) customer_id, kind, balance from account order by customer_id, opened desc nulls last, id) x on x.customer_id = c.id;
-- equal first: CROSS JOIN LATERAL with LIMIT 1 and a numbered join
select c.name, x.id, x.kind from customer c cross join lateral (select a.id, a.kind from account a where a.customer_id = c.id order by a.id limit 1) x;
select c.name, x.id, x.kind from customer c join (select id, kind, customer_id, row_number() over (partition by customer_id order by id) rn from account) x on x.customer_id = c.id where x.rn = 1;
-- equal first: DISTINCT ON and row_number() = 1 by themselves
select distinct on (account_id) account_id, at, amount from txn order by account_id, at desc;
select account_id, at, amount from (select account_id, at, amount, row_number() over (partition by account_id order by at desc) as rn from txn) t where rn = 1 order by account_id;
-- equal first: no later row and row_number() = 1
select t.account_id, t.amount from txn t where not exists (select 1 from txn u where u.account_id = t.account_id and u.at > t.at);
select account_id, amount from (select account_id, amount, row_number() over (partition by account_id order by at desc) as rn from txn) z where rn = 1;
-- equal first: join with the greatest time and row_number() = 1
select t.account_id, t.amount, t.note from txn t join (select account_id, max(at) as m from txn group by account_id) g on g.account_id = t.account_id and g.m = t.at;
select account_id, amount, note from (select t.*, row_number() over (partition by account_id order by at desc) as rn from txn t) x where rn = 1;
-- equal first: row_number() = 1 and rank() = 1 over a key
select id, team from (select id, team, row_number() over (partition by team order by points desc, id) as n from player) z where n = 1;
select id, team from (select id, team, rank() over (partition by team order by points desc, id) as n from player) z where n = 1;
-- equal first: IN of pairs with the greatest and DISTINCT ON
select account_id, amount from txn where (account_id, at) in (select account_id, max(at) from txn group by account_id);
select account_id, amount from (select distinct on (account_id) account_id, amount from txn order by account_id, at desc) z;
-- equal first: the row of the greatest key and LIMIT 1
select name, points from player where id = (select max(id) from player);
select name, points from player order by id desc limit 1;
-- equal first: a maximum and the first of a descending order
select max(points) from player;
select (select points from player order by points desc limit 1);
-- equal first: two scalar subqueries of one row and one LATERAL
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id desc limit 1) as k, (select a.balance from account a where a.customer_id = c.id order by a.id desc limit 1) as b from customer c;
select c.id, x.kind as k, x.balance as b from customer c left join lateral (select a.kind, a.balance from account a where a.customer_id = c.id order by a.id desc limit 1) x on true;
-- differs first: a left join of first rows and a join of them
select c.id, (select a.kind from account a where a.customer_id = c.id order by a.id desc limit 1) from customer c;
select c.id, x.kind from customer c join (select customer_id, kind, row_number() over (partition by customer_id order by id desc) as rn from account) x on x.customer_id = c.id and x.rn = 1;
-- differs first: rank() = 1 and row_number() = 1 with ties
select id, team from (select id, team, row_number() over (partition by team order by points desc) as n from player) z where n = 1;
select id, team from (select id, team, rank() over (partition by team order by points desc) as n from player) z where n = 1;
-- differs first: NULLs first and last
select c.id, (select a.opened from account a where a.customer_id = c.id order by a.opened desc, a.id limit 1) from customer c;
select c.id, (select a.opened from account a where a.customer_id = c.id order by a.opened desc nulls last, a.id limit 1) from customer c;
-- differs first: a condition before and after the first row is taken
select account_id, amount from (select account_id, amount, row_number() over (partition by account_id order by at desc) as rn from txn where amount > 0) z where rn = 1;
select account_id, amount from (select account_id, amount, row_number() over (partition by account_id order by at desc) as rn from txn) z where rn = 1 and amount > 0;
-- differs first: the first in the other direction
select a.id, (select t.amount from txn t where t.account_id = a.id order by t.at limit 1) from account a;
select a.id, x.amount from account a left join (select distinct on (account_id) account_id, amount from txn order by account_id, at desc) x on x.account_id = a.id;
-- differs first: no row as late and no later row
select t.account_id, t.amount from txn t where not exists (select 1 from txn u where u.account_id = t.account_id and u.at >= t.at);
select account_id, amount from (select account_id, amount, row_number() over (partition by account_id order by at desc) as rn from txn) z where rn = 1;
-- differs first: the greatest of a nullable group, joined
select c.id from customer c join (select region, max(since) as m from customer group by region) g on g.region = c.region and g.m = c.since;
select id from (select id, rank() over (partition by region order by since desc) r from customer) x where r = 1;
-- equal top: LATERAL LIMIT 2 and row_number() <= 2
select c.id, x.id, x.kind from customer c cross join lateral (select a.id, a.kind from account a where a.customer_id = c.id order by a.id desc limit 2) x;
select c.id, x.id, x.kind from customer c join (select id, kind, customer_id, row_number() over (partition by customer_id order by id desc) as n from account) x on x.customer_id = c.id and x.n <= 2;
-- equal top: LEFT JOIN LATERAL LIMIT 2 and row_number() <= 2 in the join's condition
select c.id, x.kind from customer c left join lateral (select a.kind from account a where a.customer_id = c.id order by a.id limit 2) x on true;
select c.id, x.kind from customer c left join (select customer_id, kind, row_number() over (partition by customer_id order by id) n from account) x on x.customer_id = c.id and x.n <= 2;
-- equal top: LIMIT 5 and row_number() <= 5
select id, name from player order by id limit 5;
select id, name from (select id, name, row_number() over (order by id) as rn from player) x where rn <= 5 order by id;
-- equal top: LIMIT and OFFSET as numbers of rows
select id, name from customer order by id limit 5 offset 5;
select id, name from (select id, name, row_number() over (order by id) as n from customer) x where n between 6 and 10 order by id;
-- equal top: ordered by the number of the row
select id, name from player order by points, id limit 4;
select id, name from (select id, name, row_number() over (order by points, id) as rn from player) x where rn <= 4 order by rn;
-- equal top: fewer than 3 before and row_number() <= 3
select p.id from player p where (select count(*) from player q where q.team = p.team and q.id > p.id) < 3;
select id from (select id, row_number() over (partition by team order by id desc) as n from player) x where n <= 3;
-- equal top: WITH TIES and rank()
select id, points from (select id, points from player order by points desc fetch first 3 rows with ties) z;
select id, points from (select id, points, rank() over (order by points desc) r from player) x where r <= 3;
-- equal top: a limit within a limit
select id from (select id, points from player order by points desc, id limit 10) x order by points desc, id limit 3;
select id from player order by points desc, id limit 3;
-- equal top: LIMIT through a join along a foreign key
select t.id, t.amount, a.kind from txn t join account a on a.id = t.account_id order by t.id limit 10;
select t.id, t.amount, a.kind from (select * from txn order by id limit 10) t join account a on a.id = t.account_id order by t.id;
-- equal top: LIMIT through a left join of a key
select c.id, c.name, p.score from customer c left join profile p on p.customer_id = c.id order by c.id limit 7;
select c.id, c.name, p.score from (select id, name from customer order by id limit 7) c left join profile p on p.customer_id = c.id order by c.id;
-- equal top: LIMIT with a condition through a join along a foreign key
select t.id, a.kind from txn t join account a on a.id = t.account_id where t.amount > 5 order by t.id limit 3;
select t.id, a.kind from (select id, account_id from txn where amount > 5 order by id limit 3) t join account a on a.id = t.account_id order by t.id;
-- equal top: LIMIT of UNION ALL and of its arms
select 'a' as src, id, sold from sale_a union all select 'b', id, sold from sale_b order by sold desc, id, src limit 5;
select * from ((select 'a' as src, id, sold from sale_a order by sold desc, id, src limit 5) union all (select 'b', id, sold from sale_b order by sold desc, id limit 5)) u order by sold desc, id, src limit 5;
-- equal top: a condition into a limited UNION ALL's arms
select id, sold, p from (select id, store, sold, 1 as p from sale_a union all select id, store, sold, 2 from sale_b) u where store = 3 order by sold, id, p limit 2;
select id, sold, p from ((select id, sold, 1 as p from sale_a where store = 3 order by sold, id limit 2) union all (select id, sold, 2 as p from sale_b where store = 3 order by sold, id limit 2)) u order by sold, id, p limit 2;
-- differs top: LIMIT through a join that drops rows
select c.id, p.score from customer c join profile p on p.customer_id = c.id order by c.id limit 7;
select c.id, p.score from (select id from customer order by id limit 7) c join profile p on p.customer_id = c.id order by c.id;
-- differs top: LIMIT through a left join that doubles rows
select c.id from customer c left join account a on a.customer_id = c.id order by c.id limit 3;
select c.id from (select id from customer order by id limit 3) c left join account a on a.customer_id = c.id order by c.id;
-- differs top: OFFSET below a join and above it again
select c.id, p.bio from customer c left join profile p on p.customer_id = c.id order by c.id limit 3 offset 2;
select c.id, p.bio from (select id from customer order by id limit 3 offset 2) c left join profile p on p.customer_id = c.id order by c.id limit 3 offset 2;
-- differs top: arms in another order than the whole
select u.id, u.sold from (select id, sold from sale_a union all select id + 1000, sold from sale_b) u order by u.sold, u.id limit 3;
select u.id, u.sold from ((select id, sold from sale_a order by id limit 3) union all (select id + 1000, sold from sale_b order by sold, id limit 3)) u order by u.sold, u.id limit 3;
-- differs top: two rows each and three
select c.id, x.kind from customer c cross join lateral (select a.kind from account a where a.customer_id = c.id order by a.id limit 3) x;
select c.id, x.kind from customer c join (select kind, customer_id, row_number() over (partition by customer_id order by id) as n from account) x on x.customer_id = c.id and x.n <= 2;
-- differs top: WITH TIES and LIMIT
select points from (select points from player order by points desc fetch first 3 rows with ties) z;
select points from (select points from player order by points desc limit 3) z;
-- differs top: a page that starts one row early
select id, name from customer order by id limit 5 offset 5;
select id, name from (select id, name, row_number() over (order by id) as n from customer) x where n between 5 and 10 order by id;
-- differs top: the first ones shown backwards
select id, name from player order by id limit 5;
select id, name from (select id, name, row_number() over (order by id) as rn from player) x where rn <= 5 order by id desc;
-- differs top: as many ahead as allowed
select p.id from player p where (select count(*) from player q where q.team = p.team and q.points > p.points) <= 2;
select id from (select id, rank() over (partition by team order by points desc) as n from player) x where n <= 2;
-- equal window: the greatest of each group by a join and by rank() = 1
select p.id, p.name from player p join (select team, max(points) as mp from player group by team) g on g.team = p.team and g.mp = p.points;
select id, name from (select id, name, rank() over (partition by team order by points desc) as r from player) x where r = 1;
-- equal window: the greatest by a window and by rank() = 1
select id from (select id, points, max(points) over (partition by team) as m from player) x where points = m;
select id from (select id, rank() over (partition by team order by points desc) as r from player) x where r = 1;
-- equal window: ROWS and RANGE over a key
select id, sum(amount) over (order by id) from txn;
select id, sum(amount) over (order by id rows between unbounded preceding and current row) from txn;
-- equal window: GROUPS and RANGE up to the peers
select id, min(amount) over (partition by store order by sold groups between unbounded preceding and current row) from sale_a;
select id, min(amount) over (partition by store order by sold) from sale_a;
-- equal window: a running sum and a correlated sum
select t.id, sum(t.amount) over (partition by t.account_id order by t.at) from txn t;
select t.id, (select sum(u.amount) from txn u where u.account_id = t.account_id and u.at <= t.at) from txn t;
-- equal window: lag and a correlated LIMIT 1
select id, lag(amount) over (partition by account_id order by at) from txn;
select t.id, (select u.amount from txn u where u.account_id = t.account_id and u.at < t.at order by u.at desc limit 1) from txn t;
-- equal window: lead and lag in the other order
select id, lead(amount) over (partition by account_id order by at) from txn;
select id, lag(amount) over (partition by account_id order by at desc) from txn;
-- equal window: lag with its default distance
select id, lag(amount) over (order by id) from txn;
select id, lag(amount, 1) over (order by id) from txn;
-- equal window: lag and a frame of one row
select id, lag(amount) over (order by id) from txn;
select id, first_value(amount) over (order by id rows between 1 preceding and 1 preceding) from txn;
-- equal window: a default of lag and COALESCE over a column without NULLs
select id, lag(amount, 1, 0) over (order by id) from txn;
select id, coalesce(lag(amount) over (order by id), 0) from txn;
-- equal window: first_value and a correlated LIMIT 1
select id, first_value(amount) over (partition by account_id order by at) from txn;
select t.id, (select u.amount from txn u where u.account_id = t.account_id order by u.at limit 1) from txn t;
-- equal window: first_value and nth_value
select id, first_value(name) over (partition by team order by id) from player;
select id, nth_value(name, 1) over (partition by team order by id) from player;
-- equal window: last_value over the whole partition and first_value backwards
select sensor, at, last_value(val) over (partition by sensor order by at range between unbounded preceding and unbounded following) from reading;
select sensor, at, first_value(val) over (partition by sensor order by at desc) from reading;
-- equal window: first_value backwards and a maximum of the sort key
select id, first_value(points) over (partition by team order by points desc) from player;
select id, max(points) over (partition by team) from player;
-- equal window: the first of array_agg and row_number() = 1
select sensor, (array_agg(val order by at))[1] from reading group by sensor;
select sensor, val from (select sensor, val, row_number() over (partition by sensor order by at) n from reading) z where n = 1;
-- equal window: DISTINCT maximum over a partition and GROUP BY
select distinct team, max(points) over (partition by team) from player;
select team, max(points) from player group by team;
-- equal window: DISTINCT minimum over a nullable partition and GROUP BY
select distinct region, min(since) over (partition by region) as m from customer;
select region, min(since) as m from customer group by region;
-- equal window: the greatest dense_rank() and count(DISTINCT)
select team, max(d) from (select team, dense_rank() over (partition by team order by points) as d from player) x group by team;
select team, count(distinct points) from player group by team;
-- equal window: dense_rank() and a correlated count(DISTINCT)
select id, dense_rank() over (partition by team order by points desc) from player;
select p.id, 1 + (select count(distinct q.points) from player q where q.team = p.team and q.points > p.points) from player p;
-- equal window: row_number() over a key and a correlated count
select id, row_number() over (partition by team order by id) from player;
select p.id, (select count(*) from player q where q.team = p.team and q.id <= p.id) from player p;
-- equal window: counts of partitions and a correlated count
select id, count(*) over (partition by team) from player;
select p.id, (select count(*) from player q where q.team = p.team) from player p;
-- equal window: above the average of the partition and of a correlated subquery
select p.id from player p where p.points > (select avg(q.points) from player q where q.team = p.team);
select id from (select id, points, avg(points) over (partition by team) as a from player) x where points > a;
-- equal window: from the last row backwards
select id, count(*) over (partition by team) - row_number() over (partition by team order by id) + 1 as n from player;
select id, row_number() over (partition by team order by id desc) as n from player;
-- equal window: rank() and row_number() over a key
select id, rank() over (order by id) from customer;
select id, row_number() over (order by id) from customer;
-- equal window: a window that is not read
select id from (select id, row_number() over (order by points) as n, max(points) over () as m from player) x where id > 3;
select id from player where id > 3;
-- equal window: a partition that a condition makes one
select id, rank() over (partition by team order by points) as r from player where team = 2;
select id, rank() over (order by points) as r from player where team = 2;
-- equal window: the partition's key among the sort keys
select id, sum(points) over (partition by team order by team, id) from player;
select id, sum(points) over (partition by team order by id) from player;
-- differs window: ROWS and RANGE with peers
select id, sum(points) over (partition by team order by points) from player;
select id, sum(points) over (partition by team order by points rows between unbounded preceding and current row) from player;
-- differs window: a default of lag and COALESCE over a nullable column
select sensor, at, lag(val, 1, 0) over (partition by sensor order by at) from reading;
select sensor, at, coalesce(lag(val) over (partition by sensor order by at), 0) from reading;
-- differs window: lag and lead
select id, lag(amount) over (partition by account_id order by at) from txn;
select id, lead(amount) over (partition by account_id order by at) from txn;
-- differs window: last_value under the default frame
select id, last_value(amount) over (partition by account_id order by at) from txn;
select id, first_value(amount) over (partition by account_id order by at desc) from txn;
-- differs window: first_value and the minimum of another column
select sensor, at, first_value(val) over (partition by sensor order by at) from reading;
select sensor, at, min(val) over (partition by sensor) from reading;
-- differs window: the greatest dense_rank() and count(DISTINCT) of a nullable column
select sensor, max(d) from (select sensor, dense_rank() over (partition by sensor order by val) as d from reading) x group by sensor;
select sensor, count(distinct val) from reading group by sensor;
-- differs window: the greatest dense_rank() of no rows and count(DISTINCT)
select max(d) from (select dense_rank() over (order by sold) as d from sale_a) x;
select count(distinct sold) from sale_a;
-- differs window: a partition dropped though it is not one
select id, rank() over (partition by team order by points) as r from player where team in (1, 2);
select id, rank() over (order by points) as r from player where team in (1, 2);
-- differs window: a sum of groups with a condition of its own
select id, sum(amount) over (partition by store) as total from sale_a where amount > 10;
select s.id, g.total from sale_a s join (select store, sum(amount) as total from sale_a group by store) g on g.store = s.store where s.amount > 10;
-- differs window: a maximum over a partition without DISTINCT
select team, max(points) over (partition by team) from player;
select team, max(points) from player group by team;
-- differs window: the first of array_agg without NULLs
select sensor, (array_agg(val order by at))[1] from reading group by sensor;
select sensor, (array_agg(val order by at) filter (where val is not null))[1] from reading group by sensor;
-- differs window: counts of values and of rows over a partition
select sensor, count(val) over (partition by sensor) from reading;
select sensor, count(*) over (partition by sensor) from reading;
-- differs window: a running sum before the row and through it
select t.id, sum(t.amount) over (partition by t.account_id order by t.at) from txn t;
select t.id, (select sum(u.amount) from txn u where u.account_id = t.account_id and u.at < t.at) from txn t;
-- differs window: without the current row
select id, sum(points) over (partition by team rows between unbounded preceding and unbounded following exclude current row) from player;
select id, sum(points) over (partition by team) from player;
-- differs window: row_number() and a count of peers
select id, row_number() over (partition by store order by sold) as n from sale_a;
select id, count(*) over (partition by store order by sold) as n from sale_a;
-- equal recursion: the step with its tables the other way round
with recursive r as (select id, parent, name from category where parent is null union select c.id, c.parent, c.name from r join category c on c.parent = r.id) select id, name from r;
with recursive r as (select id, parent, name from category where parent is null union select c.id, c.parent, c.name from category c, r where r.id = c.parent) select id, name from r;
-- equal recursion: a condition on an unchanged column into the anchor
with recursive r as (select id as root, id from category union select r.root, c.id from r join category c on c.parent = r.id) select * from r where root = 3;
with recursive r as (select id as root, id from category where id = 3 union select r.root, c.id from r join category c on c.parent = r.id) select * from r;
-- equal recursion: an anchor by IN and by a join
with recursive r as (select a.id, a.customer_id from account a where a.customer_id in (select id from customer where region = 1) union select a.id, a.customer_id from r join account a on a.customer_id = r.customer_id and a.id > r.id) select id from r;
with recursive r as (select a.id, a.customer_id from account a join customer c on c.id = a.customer_id where c.region = 1 union select a.id, a.customer_id from r join account a on a.customer_id = r.customer_id and a.id > r.id) select id from r;
-- equal recursion: what reads the closure, in two forms
with recursive r as (select id from category where parent is null union select c.id from r join category c on c.parent = r.id) select c.name from category c where c.id in (select id from r);
with recursive r as (select id from category where parent is null union select c.id from r join category c on c.parent = r.id) select c.name from category c where exists (select 1 from r where r.id = c.id);
-- equal recursion: a recursive query that nobody reads
with recursive r as (select id from category where parent is null union select c.id from r join category c on c.parent = r.id) select name from category where place = 1;
select name from category where place = 1;
-- equal recursion: duplicates dropped in an arm of UNION
with recursive r(n) as (select distinct dst from edge where src = 1 union select distinct e.dst from r join edge e on e.src = r.n) select n from r;
with recursive r(n) as (select dst from edge where src = 1 union select e.dst from r join edge e on e.src = r.n) select n from r;
-- differs recursion: a condition on a changing column into the anchor
with recursive r as (select id, place from category where parent is null union select c.id, c.place from r join category c on c.parent = r.id) select id from r where place = 2;
with recursive r as (select id, place from category where parent is null and place = 2 union select c.id, c.place from r join category c on c.parent = r.id) select id from r;
-- differs recursion: UNION and UNION ALL
with recursive r(id, d) as (select dst, 1 from edge where src = 1 union select e.dst, r.d + 1 from r join edge e on e.src = r.id where r.d < 3) select * from r;
with recursive r(id, d) as (select dst, 1 from edge where src = 1 union all select e.dst, r.d + 1 from r join edge e on e.src = r.id where r.d < 3) select * from r;
-- differs recursion: one level deeper
with recursive r(id, d) as (select id, 1 from category where parent is null union all select c.id, r.d + 1 from r join category c on c.parent = r.id where r.d < 2) select id, d from r;
with recursive r(id, d) as (select id, 1 from category where parent is null union all select c.id, r.d + 1 from r join category c on c.parent = r.id where r.d <= 2) select id, d from r;
-- differs recursion: the anchor left out
with recursive r(n) as (select dst from edge where src = 1 union select e.dst from r join edge e on e.src = r.n) select n from r;
with recursive r(n) as (select 1 union select e.dst from r join edge e on e.src = r.n) select n from r;
-- refines order: a fuller ORDER BY
select team, name, points from player order by team;
select team, name, points from player order by team, points desc;
-- refines order: ties below a LIMIT that a key decides
select id, points from player order by points desc limit 3;
select id, points from player order by points desc, id limit 3;
-- refines order: the row of DISTINCT ON that a key decides
select distinct on (team) team, name from player order by team, points desc;
select distinct on (team) team, name from player order by team, points desc, id;
-- differs order: a shorter ORDER BY
select team, name, points from player order by team, points desc;
select team, name, points from player order by team;
-- differs order: a LIMIT whose order is shorter
select id, points from player order by points desc, id limit 3;
select id, points from player order by points desc limit 3;
-- differs order: the direction of the last key
select team, points from player order by team, points;
select team, points from player order by team, points desc;
