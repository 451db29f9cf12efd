-- equal sums and products of numbers in either order
select id, 2.5 * p + n, f * 2 + s, s * kind from measure;
select id, n + p * 2.5, s + 2 * f, kind * s from measure;
-- equal days and moments moved in either order
select id, 7 + bought, interval '1 hour' + bought from purchase;
select id, bought + 7, bought + interval '1 hour' from purchase;
-- equal a product of two columns of which each is in either place
select l.purchase_id from line l join item i on i.id = l.item_id where l.pieces * i.price > 500;
select l.purchase_id from line l join item i on i.id = l.item_id where 500 < i.price * l.pieces;
-- equal a condition as a number
select client_id, sum(paid::int), avg(paid::int) from purchase group by client_id;
select client_id, count(*) filter (where paid), avg(case when paid then 1 else 0 end) from purchase group by client_id;
-- equal a number as a condition
select id from item where price::bool;
select id from item where price <> 0;
-- equal a condition that may be NULL as a number
select id, b::int from measure;
select id, case when b then 1 when not b then 0 end from measure;
-- equal sums of products with a number of the group
select m.id, sum(l.pieces * m.p) from measure m left join line l on l.item_id = m.kind group by m.id;
select m.id, m.p * (select sum(pieces) from line l where l.item_id = m.kind) from measure m;
-- equal sums of products with a constant that has decimals
select kind, sum(p * 0.25) from measure group by kind;
select kind, 0.25 * sum(p) from measure group by kind;
-- equal sums of products with a number that may be NULL
select a.id, (select sum(x.s * a.q) from measure x where x.kind = a.s) from measure a;
select a.id, a.q * (select sum(x.s) from measure x where x.kind = a.s) from measure a;
-- equal the greatest count by order and by max
select (select count(*) from rating group by client_id order by count(*) desc limit 1);
select max(n) from (select count(*) as n from rating group by client_id) t;
-- equal counts in order, one by one and of a subquery
select count(*) as n from rating group by client_id order by n desc limit 3;
select n from (select count(*) as n from rating group by client_id) t order by n desc limit 3;
-- equal rounded shares
select client_id, round(100.0 * count(*) filter (where paid) / count(*), 2) from purchase group by client_id;
select client_id, round(sum(case when paid then 1 else 0 end) * 100.0 / count(*), 2) from purchase group by client_id;
-- equal days by cast and by function
select date(at), count(*) from transfer group by date(at);
select at::date, count(*) from transfer group by 1;
-- equal the first of each by DISTINCT ON and by min
select distinct on (client_id) client_id, day from login order by client_id, day, device;
select client_id, min(day) from login group by client_id order by client_id;
-- equal the last of each by DISTINCT ON, below a join
select c.name, x.day from client c join (select distinct on (client_id) client_id, day from login order by client_id, day desc) x on x.client_id = c.id;
select c.name, x.day from client c join (select client_id, max(day) as day from login group by client_id) x on x.client_id = c.id;
-- equal the order of what DISTINCT ON keeps
select distinct on (client_id) client_id, device from login order by client_id, day;
select client_id, device from (select distinct on (client_id) client_id, device, day from login order by client_id, day) t order by client_id;
-- equal a day told by its year, month and number
select id from purchase where extract(year from bought) = 2024 and extract(month from bought) = 3 and extract(day from bought) = 17;
select id from purchase where bought = '2024-03-17';
-- equal the first days of a month
select id from transfer where extract(day from at) <= 10 and date_part('month', at) = 2 and date_part('year', at) = 2024;
select id from transfer where at >= '2024-02-01' and at < '2024-02-11';
-- equal the number of a day within a month
select id from transfer where extract(day from at) = 17 and at >= '2024-03-01' and at < '2024-04-01';
select id from transfer where at::date = '2024-03-17';
-- equal hours added up to days
select date_trunc('day', at), sum(amount) from transfer group by 1;
select date_trunc('day', h), sum(paid)::bigint from (select date_trunc('hour', at) as h, sum(amount) as paid from transfer group by 1) by_hour group by 1;
-- equal weekdays of days
select extract(dow from date_trunc('day', at)) from transfer;
select extract(dow from at) from transfer;
-- equal shares of a shop's purchases by a window over counts
select shop_id, client_id, count(*)::numeric / (select count(*) from purchase x where x.shop_id = p.shop_id) from purchase p group by shop_id, client_id;
select shop_id, client_id, count(*)::numeric / sum(count(*)) over (partition by shop_id) from purchase group by shop_id, client_id;
-- equal shares of what all senders sent, by a window over sums
select sender, receiver, 100.0 * sum(amount) / (select sum(x.amount) from transfer x) from transfer group by sender, receiver;
select sender, receiver, 100.0 * sum(amount) / sum(sum(amount)) over () from transfer group by sender, receiver;
