-- differs what is taken away in either order
select id, p - 2 from measure;
select id, 2 - p from measure;
-- differs a quotient in either order
select id, p / 2.5 from measure;
select id, 2.5 / p from measure where p <> 0;
-- differs texts joined in either order
select id, t || u from measure;
select id, u || t from measure;
-- differs a date less days, and days less
select id, bought - 7 from purchase;
select id, bought + 7 from purchase;
-- differs a condition that may be NULL as a number, and 0 for it
select id, b::int from measure;
select id, case when b then 1 else 0 end from measure;
-- differs a sum of conditions that may be NULL and their count
select sum(b::int) from measure;
select count(*) filter (where b) from measure;
-- differs sums of products with a number that may be infinite
select a.id, (select sum(x.m * a.m) from measure x) from measure a;
select a.id, a.m * (select sum(x.m) from measure x) from measure a;
-- differs sums of products with a number of each row
select kind, sum(s * id) from measure group by kind;
select kind, max(id) * sum(s) from measure group by kind;
-- differs means of products rounded before and after
select kind, avg(p * 0.33) from measure group by kind;
select kind, 0.33 * avg(p) from measure group by kind;
-- differs sums of products where the number is NULL and 0
select t.id, coalesce((select sum(u.done * t.estimate) from task u), 0) from task t;
select t.id, coalesce(t.estimate, 1) * coalesce((select sum(u.done) from task u), 0) from task t;
-- differs the greatest and the least count
select (select count(*) from rating group by client_id order by count(*) desc limit 1);
select min(n) from (select count(*) as n from rating group by client_id) t;
-- differs the greatest that may be NULL
select (select max(done) from task group by owner order by max(done) desc limit 1);
select max(n) from (select max(done) as n from task group by owner) t;
-- differs counts in order and their groups
select count(*) as n from rating group by client_id order by n desc limit 3;
select count(*) as n from rating group by item_id order by n desc limit 3;
-- differs a number as a condition and its opposite
select id from measure where kind::bool;
select id from measure where kind > 0;
-- differs sums of products with a number that may be NULL, and with 1 for it
select a.id, (select sum(x.s * a.q) from measure x) from measure a;
select a.id, coalesce(a.q, 1) * (select sum(x.s) from measure x) from measure a;
-- differs rounded shares, and shares of what was rounded
select kind, round(100.0 * count(*) filter (where b) / count(*), 2) from measure group by kind;
select kind, 100 * round(1.0 * count(*) filter (where b) / count(*), 2) from measure group by kind;
-- differs the first of each, which may be NULL
select distinct on (kind) kind, n from measure order by kind, n nulls first;
select kind, min(n) from measure group by kind order by kind;
-- differs the first and the last of each
select distinct on (client_id) client_id, day from login order by client_id, day;
select client_id, max(day) from login group by client_id order by client_id;
-- differs the first of each and of all
select distinct on (client_id) client_id, day from login order by client_id, day;
select client_id, (select min(day) from login) from login group by client_id order by client_id;
-- differs pages of the first of each
select distinct on (client_id) client_id, day from login order by client_id, day limit 2;
select client_id, min(day) from login group by client_id order by min(day), client_id limit 2;
-- differs the first days of a month and one more
select id from transfer where extract(day from at) <= 10 and date_part('month', at) = 2 and date_part('year', at) = 2024;
select id from transfer where at >= '2024-02-01' and at < '2024-02-12';
-- differs the last day of a leap year's February
select id from purchase where extract(year from bought) = 2023 and extract(month from bought) = 2 and extract(day from bought) >= 28;
select id from purchase where bought >= '2023-02-27' and bought < '2023-03-01';
-- differs weeks added up to months
select date_trunc('month', at), count(*) from transfer group by 1;
select date_trunc('month', w), sum(n)::bigint from (select date_trunc('week', at) as w, count(*) as n from transfer group by 1) by_week group by 1;
-- differs hours of days
select extract(hour from date_trunc('day', at)) from transfer;
select extract(hour from at) from transfer;
-- differs months of years
select extract(month from date_trunc('year', at)) from transfer;
select extract(month from at) from transfer;
-- differs shares of a shop's purchases and of a client's
select shop_id, client_id, count(*)::numeric / (select count(*) from purchase x where x.shop_id = p.shop_id) from purchase p group by shop_id, client_id;
select shop_id, client_id, count(*)::numeric / sum(count(*)) over (partition by client_id) from purchase group by shop_id, client_id;
-- differs shares of all and of those that are counted
select shop_id, count(*)::numeric / (select count(*) from purchase) from purchase where paid group by shop_id;
select shop_id, count(*)::numeric / sum(count(*)) over () from purchase where paid group by shop_id;
