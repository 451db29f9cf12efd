-- family: quotients
select id from t p where p.x / 2 = 1;
select id from t p where p.x >= 2 and p.x < 4;
select id from t p where p.x in (2, 3);
select id from t p where p.x / 2 = 0;
select id from t p where p.x between -1 and 1;
select id from t p where p.x >= 0 and p.x < 2;
select id from t p where p.x / 2.0 = 1;
select id from t p where p.x = 2;
select id from t p where div(p.x, 2) = 1;
select id from t p where floor(p.x / 2.0) = 1;
select id from t p where trunc(p.x / 2.0) = 1;
select id from t p where p.x >> 1 = 1;
select id from t p where p.x >> 1 = 0;
select id from t p where p.x / -2 = -1;
select id from t p where p.x * 2 / 2 = 2;
select id from t p where p.x / 2 * 2 = p.x;
select id from t p where p.x % 2 = 0;
select id from t p where mod(p.x, 2) = 0;
select id from t p where p.x & 1 = 0;
select id from t p where p.x / 2::bigint = 1;
select id from t p where (p.x / 2)::numeric = 1
-- family: remainders
select id from t p where p.x % 2 = 1;
select id from t p where p.x % 2 <> 0;
select id from t p where p.x & 1 = 1;
select id from t p where abs(p.x % 2) = 1;
select id from t p where mod(p.x, 2) = 1;
select id from t p where p.x % -2 = 1;
select id from t p where p.x % 2 in (1, -1);
select id from t p where not p.x % 2 = 0;
select id from t p where (p.x % 2)::bool;
select id from t p where p.x - p.x / 2 * 2 = 1;
select id from t p where p.x % 2 > 0;
select id from t p where p.x::numeric % 2 = 1;
select id from t p where (p.x + 2) % 2 = 1;
select id from t p where -p.x % 2 = -1;
select id from t p where p.y % 2 = 1;
select id from t p where p.y & 1 = 1;
select id from t p where (p.y & 1) <> 0;
select id from t p where p.i8 % 2 = 1;
select id from t p where p.i8 & 1 = 1
-- family: sums moved over
select id from t p where p.x + 1 > 2;
select id from t p where p.x > 1;
select id from t p where p.x > 2 - 1;
select id from t p where p.x - 1 > 0;
select id from t p where 2 < p.x + 1;
select id from t p where p.x + 1::bigint > 2;
select id from t p where p.x + 1.0 > 2;
select id from t p where p.x + 1::float8 > 2;
select id from t p where -p.x < -1;
select id from t p where p.x * 2 > 2;
select id from t p where p.x::bigint * 2 > 2;
select id from t p where p.x >= 2;
select id from t p where not p.x <= 1;
select id from t p where p.x + 1 >= 3;
select id from t p where p.x::numeric > 1.5;
select id from t p where p.x > 1.5;
select id from t p where p.x::float8 > 1.5;
select id from t p where p.x > 1.5::float4;
select id from t p where 10 - p.x < 9;
select id from t p where 10::bigint - p.x < 9
-- family: numerics moved over
select id from t p where p.n + 1 > 2;
select id from t p where p.n > 1;
select id from t p where p.n - 1 > 0;
select id from t p where p.n * 2 > 2;
select id from t p where p.n / 2 > 0.5;
select id from t p where 2 * p.n > 2.0;
select id from t p where -p.n < -1;
select id from t p where p.n + 0.5 > 1.5;
select id from t p where p.m > 1;
select id from t p where p.m + 1 > 2;
select id from t p where p.m * 100 > 100;
select id from t p where p.m >= 1.01;
select id from t p where p.m > 1.005;
select id from t p where p.m::numeric > 1;
select id from t p where p.n > 1::float8;
select id from t p where p.n::float8 > 1;
select id from t p where p.n + p.m > 2 and p.m = 1;
select id from t p where p.n > 1 and p.m = 1;
select id from t p where p.n - p.m > 0 and p.m = 1;
select id from t p where p.n > p.m and p.m = 1
-- family: computed twice
select p.id, p.x * 2 from t p;
select p.id, p.x + p.x from t p;
select p.id, p.h from t p;
select p.id, 2 * p.x from t p;
select p.id, p.x << 1 from t p;
select p.id, p.x * (1 + 1) from t p;
select p.id, p.x - (-p.x) from t p;
select p.id, (p.x::bigint * 2)::int from t p;
select p.id, (p.x * 2::numeric)::int from t p;
select p.id, p.x * 4 / 2 from t p;
select p.id, sum(q.x)::int from t p, t q where q.x = p.x group by p.id;
select p.id, p.x * 3 - p.x from t p
-- family: figures of numerics
select p.id, p.n + p.m from t p;
select p.id, p.m + p.n from t p;
select p.id, p.n + p.m + 0 from t p;
select p.id, p.n + p.m + 0.00 from t p;
select p.id, (p.n + p.m) * 1 from t p;
select p.id, p.n - (-p.m) from t p;
select p.id, p.n * 2 / 2 from t p;
select p.id, p.n from t p;
select p.id, p.n + 0 from t p;
select p.id, p.n * 1 from t p;
select p.id, p.n * 1.0 from t p;
select p.id, p.n / 1 from t p;
select p.id, +p.n from t p;
select p.id, - - p.n from t p;
select p.id, abs(p.n) from t p where p.n >= 0;
select p.id, p.n from t p where p.n >= 0;
select p.id, round(p.n, 2) from t p;
select p.id, p.n::numeric(10,2) from t p;
select p.id, round(p.m, 2) from t p;
select p.id, p.m from t p;
select p.id, p.m::numeric(6,2) from t p;
select p.id, p.m::numeric from t p;
select p.id, p.m::numeric(8,2) from t p;
select p.id, p.m::numeric(8,3) from t p;
select p.id, p.m::numeric(6,1) from t p;
select p.id, trunc(p.m, 2) from t p
-- family: rounding
select p.id from t p where p.n::int = 1;
select p.id from t p where round(p.n) = 1;
select p.id from t p where p.n >= 0.5 and p.n < 1.5;
select p.id from t p where p.f::int = 1;
select p.id from t p where round(p.f) = 1;
select p.id from t p where p.f >= 0.5 and p.f < 1.5;
select p.id from t p where p.f::numeric::int = 1;
select p.id from t p where p.n::float8::int = 1;
select p.id from t p where p.n::bigint = 1;
select p.id from t p where floor(p.n) = 1;
select p.id from t p where p.n >= 1 and p.n < 2;
select p.id from t p where trunc(p.n) = 1;
select p.id from t p where p.n::int = 2;
select p.id from t p where p.f::int = 2;
select p.id from t p where p.n::numeric(10,0) = 2;
select p.id from t p where floor(p.f) = 1;
select p.id from t p where p.f >= 1 and p.f < 2
-- family: months
select id from t where ts >= '2020-01-01' and ts < '2020-01-01'::timestamp + interval '1 month';
select id from t where date_trunc('month', ts) = '2020-01-01';
select id from t where ts >= '2020-01-01' and ts < '2020-02-01';
select id from t where extract(year from ts) = 2020 and extract(month from ts) = 1;
select id from t where to_char(ts, 'YYYY-MM') = '2020-01';
select id from t where ts between '2020-01-01' and '2020-01-31';
select id from t where ts::date between '2020-01-01' and '2020-01-31';
select id from t where ts::text like '2020-01-%';
select id from t where d >= '2020-01-01' and d < '2020-02-01';
select id from t where d between '2020-01-01' and '2020-01-31';
select id from t where date_trunc('month', d) = '2020-01-01';
select id from t where date_trunc('month', d)::date = '2020-01-01';
select id from t where to_char(d, 'YYYYMM') = '202001';
select id from t where d::text like '2020-01-%';
select id from t where extract(month from d) = 1 and extract(year from d) = 2020;
select id from t where (extract(year from d), extract(month from d)) = (2020, 1);
select id from t where age(ts, '2020-01-01') >= '0' and age(ts, '2020-01-01') < '1 month';
select id from t where date_bin('1 day', ts, '2020-01-01') = '2020-01-31';
select id from t where ts::date = '2020-01-31'
-- family: months moved over
select id from t where ts + interval '1 month' > '2020-02-29';
select id from t where ts > '2020-02-29'::timestamp - interval '1 month';
select id from t where ts > '2020-01-29';
select id from t where ts >= '2020-01-30';
select id from t where ts + interval '1 day' > '2020-02-01';
select id from t where ts > '2020-01-31';
select id from t where ts - interval '1 day' > '2020-01-30';
select id from t where ts > '2020-02-01'::timestamp - interval '1 day';
select id from t where ts + interval '24 hours' > '2020-02-01';
select id from t where d + 1 > '2020-02-01';
select id from t where d > '2020-01-31';
select id from t where d + interval '1 day' > '2020-02-01';
select id from t where d - 1 >= '2020-01-31';
select id from t where d - '2020-01-31' > 0;
select id from t where ts - '2020-01-31' > interval '0';
select id from t where ts - interval '1 month' > '2019-12-31';
select id from t where ts - interval '1 month' >= '2019-12-31'
-- family: moments in zones
select id from t where tz >= '2020-03-29' and tz < '2020-03-30';
select id from t where tz::date = '2020-03-29';
select id from t where date_trunc('day', tz) = '2020-03-29';
select id from t where (tz at time zone 'UTC')::date = '2020-03-29';
select id from t where tz >= '2020-03-29'::timestamptz and tz < '2020-03-29'::timestamptz + interval '1 day';
select id from t where tz >= '2020-03-29'::timestamptz and tz < '2020-03-29'::timestamptz + interval '24 hours';
select id from t where tz >= '2020-03-29 00:00+00' and tz < '2020-03-30 00:00+00';
select id from t where date_trunc('day', tz, 'UTC') = '2020-03-29 00:00+00';
select id from t where tz >= '2020-03-29 00:00 UTC' and tz < '2020-03-30 00:00Z';
select id from t where tz::timestamp >= '2020-03-29' and tz::timestamp < '2020-03-30';
select id from t where extract(epoch from tz) >= 1585440000 and extract(epoch from tz) < 1585526400;
select id from t where to_char(tz, 'YYYY-MM-DD') = '2020-03-29';
select id from t where tz at time zone 'Europe/Berlin' >= '2020-03-29' and tz at time zone 'Europe/Berlin' < '2020-03-30';
select id from t where tz >= timestamp '2020-03-29' at time zone 'Europe/Berlin' and tz < timestamp '2020-03-30' at time zone 'Europe/Berlin';
select id from t where (tz at time zone 'Europe/Berlin')::date = '2020-03-29';
select id from t where timezone('UTC', tz) >= '2020-03-29' and timezone('UTC', tz) < '2020-03-30';
select id from t where tz > '2020-03-28 23:59:59.999999+00' and tz <= '2020-03-29 23:59:59.999999+00'
-- family: moments in either hour
select id from t where tz at time zone 'Europe/Berlin' = '2020-10-25 02:30';
select id from t where tz = timestamp '2020-10-25 02:30' at time zone 'Europe/Berlin';
select id from t where tz = '2020-10-25 01:30+00';
select id from t where tz = '2020-10-25 00:30+00';
select id from t where tz in ('2020-10-25 00:30+00', '2020-10-25 01:30+00');
select id from t where tz = '2020-10-25 02:30 Europe/Berlin';
select id from t where tz = '2020-10-25 02:30+01';
select id from t where tz at time zone 'Europe/Berlin' >= '2020-10-25 02:30' and tz at time zone 'Europe/Berlin' <= '2020-10-25 02:30';
select id from t where tz at time zone 'Europe/Berlin' > '2020-10-25 02:00';
select id from t where tz > timestamp '2020-10-25 02:00' at time zone 'Europe/Berlin';
select id from t where (tz at time zone 'Europe/Berlin') at time zone 'Europe/Berlin' = tz;
select id from t where tz is not null;
select id from t where (tz at time zone 'UTC') at time zone 'UTC' = tz;
select id from t where (ts at time zone 'Europe/Berlin') at time zone 'Europe/Berlin' = ts;
select id from t where (ts at time zone 'UTC') at time zone 'UTC' = ts;
select id from t where ts is not null;
select id from t where ts::timestamptz::timestamp = ts;
select id from t where tz::timestamp::timestamptz = tz
-- family: moments read in the session
select id from t where tz = '2020-03-29 00:30';
select id from t where tz = '2020-03-29 00:30'::timestamp;
select id from t where tz = '2020-03-29 00:30'::timestamptz;
select id from t where tz = timestamptz '2020-03-29 00:30+00';
select id from t where tz::timestamp = '2020-03-29 00:30';
select id from t where tz in ('2020-03-29 00:30');
select id from t where tz = any (array['2020-03-29 00:30'::timestamptz]);
select id from t where tz = any ('{2020-03-29 00:30}');
select id from t where tz between '2020-03-29 00:30' and '2020-03-29 00:30';
select id from t where tz = make_timestamptz(2020, 3, 29, 0, 30, 0);
select id from t where tz = make_timestamptz(2020, 3, 29, 0, 30, 0, 'UTC');
select id from t where tz = to_timestamp(1585441800);
select id from t where tz - '2020-03-29 00:30' = '0';
select id from t where tz::text = '2020-03-29 00:30:00+00';
select id from t where tz = '29/03/2020 00:30+00';
select id from t where d = '01/02/2020';
select id from t where d = '2020-02-01';
select id from t where d = '2020-01-02';
select id from t where d = 'today';
select id from t where d = current_date;
select id from t where d <= 'now'
-- family: days between
select p.id, p.d - '2020-01-01' from t p;
select p.id, p.d - date '2020-01-01' from t p;
select p.id, (p.d - '2020-01-01'::timestamp) from t p;
select p.id, extract(day from p.d - '2020-01-01'::timestamp)::int from t p;
select p.id, age(p.d, '2020-01-01') from t p;
select p.id, extract(epoch from p.d - '2020-01-01'::timestamp)::int / 86400 from t p;
select p.id, p.d + 0 - '2020-01-01' from t p;
select p.id, -('2020-01-01' - p.d) from t p;
select p.id, p.d - ('2020-01-02'::date - 1) from t p;
select p.id, p.d - '2020-01-02'::date + 1 from t p;
select p.id, (p.d + 1) - '2020-01-02'::date from t p;
select p.id, p.d - '2020-01-01' from t p where isfinite(p.d);
select p.id, date_part('day', p.d::timestamp - '2020-01-01')::int from t p where isfinite(p.d)
-- family: lengths of time
select id from t where iv > '29 days';
select id from t where iv >= '1 month';
select id from t where iv * 2 > '58 days';
select id from t where iv / 2 >= '15 days';
select id from t where extract(epoch from iv) > 29 * 86400;
select id from t where iv + '1 day' > '30 days';
select id from t where justify_interval(iv) >= '1 month';
select id from t where iv > interval '29' day;
select id from t where iv > make_interval(days => 29);
select id from t where iv > 29 * interval '1 day';
select id from t where not iv <= '29 days';
select id from t where '2020-03-01'::date + iv > '2020-03-30';
select id from t where '2020-03-01'::date < '2020-03-30'::date - iv;
select id from t where iv > 'P29D';
select id from t where iv > '696 hours';
select id from t where justify_hours(iv) > '29 days';
select id from t where date_trunc('day', iv) > '29 days'
-- family: shown lengths of time
select iv, count(*) from t group by iv;
select justify_days(iv), count(*) from t group by justify_days(iv);
select justify_interval(iv), count(*) from t group by iv;
select justify_interval(iv), count(*) from t group by justify_interval(iv);
select max(iv), count(*) from t group by iv;
select count(*) from t group by iv;
select count(*) from t group by justify_interval(iv);
select count(*) from t group by extract(epoch from iv);
select count(*) from t group by iv::text;
select count(*) from (select distinct iv, iv::text from t) q;
select count(*) from (select distinct iv::text from t) q;
select count(*) from (select distinct iv from t) q;
select iv + '0' from t group by iv;
select d + iv from t group by d, iv;
select distinct d + iv from t;
select sum(iv) from t group by iv;
select iv * count(*) from t group by iv
-- family: choices
select p.id, case when p.x > 0 then p.y else p.y end from t p;
select p.id, p.y from t p;
select p.id, case when p.x > 0 then p.y when p.x <= 0 then p.y end from t p;
select p.id, case when 10 / p.x > 0 then p.y else p.y end from t p;
select p.id, coalesce(p.y, p.y) from t p;
select p.id, coalesce(p.y, null) from t p;
select p.id, coalesce(null, p.y, 10 / p.x) from t p;
select p.id, nullif(p.y, null) from t p;
select p.id, greatest(p.y, null) from t p;
select p.id, least(p.y, p.y) from t p;
select p.id, case p.x when 1 then p.y else p.y end from t p;
select p.id, case when p.y is null then null else p.y end from t p;
select p.id, case when true then p.y else 10 / p.x end from t p;
select p.id, case when p.x = p.x then p.y else 10 / (p.x - p.x) end from t p;
select p.id, case when p.y is not null then p.y end from t p;
select p.id, case p.y when p.y then p.y end from t p;
select p.id, case null when null then p.x else p.y end from t p;
select p.id, case when p.b then p.y when not p.b then p.y else p.y end from t p;
select p.id, case when p.b then p.y when not p.b then p.y end from t p
-- family: the greatest
select p.id, greatest(p.x, p.y) from t p;
select p.id, case when p.x >= p.y then p.x else p.y end from t p;
select p.id, case when p.x >= p.y or p.y is null then p.x else p.y end from t p;
select p.id, coalesce(case when p.x > p.y then p.x else p.y end, p.x, p.y) from t p;
select p.id, (select max(z) from (values (p.x), (p.y)) q(z)) from t p;
select p.id, -least(-p.x, -p.y) from t p;
select p.id, greatest(p.y, p.x) from t p;
select p.id, greatest(p.x, p.y, p.x) from t p;
select p.id, greatest(p.x, greatest(p.y)) from t p;
select p.id, greatest(p.n, p.m) from t p;
select p.id, greatest(p.m, p.n) from t p;
select p.id, case when p.n >= p.m or p.m is null then p.n else p.m end from t p;
select p.id, case when p.m > p.n or p.n is null then p.m else p.n end from t p;
select p.id, greatest(p.f, 0) from t p;
select p.id, case when p.f > 0 then p.f else 0 end from t p;
select p.id, greatest(0, p.f) from t p;
select p.id, case when p.f >= 0 then p.f else 0 end from t p
-- family: truths
select p.id from t p where p.b;
select p.id from t p where p.b = true;
select p.id from t p where p.b is true;
select p.id from t p where p.b <> false;
select p.id from t p where p.b > false;
select p.id from t p where p.b >= true;
select p.id from t p where p.b::int = 1;
select p.id from t p where p.b::text = 'true';
select p.id from t p where not not p.b;
select p.id from t p where p.b in (true);
select p.id from t p where p.b is not distinct from true;
select p.id from t p where p.b = 't';
select p.id from t p where p.b is not false;
select p.id from t p where (not p.b) is not true;
select p.id from t p where p.b = any (array[true, null]);
select p.id from t p where p.b or null;
select p.id from t p where p.b and not null;
select p.id from t p where coalesce(p.b, true);
select p.id from t p where p.b is not null and p.b;
select p.id from t p where case p.b when true then true else false end;
select p.id from t p where (p.b, true) = (true, true);
select p.id from t p where p.b is not unknown and p.b
-- family: between
select id from t p where p.x between 1 and p.y;
select id from t p where p.x >= 1 and p.x <= p.y;
select id from t p where p.x between symmetric 1 and p.y;
select id from t p where p.x between symmetric p.y and 1;
select id from t p where p.x between least(1, p.y) and greatest(1, p.y);
select id from t p where p.x between 1 and p.y or p.x between p.y and 1;
select id from t p where p.x not between 1 and p.y;
select id from t p where p.x < 1 or p.x > p.y;
select id from t p where not p.x between 1 and p.y;
select id from t p where (p.x between 1 and p.y) is not true;
select id from t p where int4range(1, p.y, '[]') @> p.x;
select id from t p where p.y >= 1 and int4range(1, p.y, '[]') @> p.x;
select id from t p where p.x = any (array(select generate_series(1, p.y)));
select id from t p where p.x in (select generate_series(1, p.y));
select id from t p where exists (select from generate_series(1, p.y) z where z = p.x)
-- family: counted otherwise
select p.g, count(*) from t p group by p.g;
select p.g, count(p.id) from t p group by p.g;
select p.g, count(1) from t p group by p.g;
select p.g, count(p.x) from t p group by p.g;
select p.g, count(p.y) from t p group by p.g;
select p.g, count(p.g) from t p group by p.g;
select p.g, sum(1) from t p group by p.g;
select p.g, sum(1)::bigint from t p group by p.g;
select p.g, count(p) from t p group by p.g;
select p.g, count(p.*) from t p group by p.g;
select p.g, count((p.y, p.n)) from t p group by p.g;
select p.g, count(row(p.y)) from t p group by p.g;
select p.g, count(distinct p.id) from t p group by p.g;
select p.g, sum((p.id is not null)::int) from t p group by p.g;
select p.g, count(*) filter (where true) from t p group by p.g;
select p.g, count(p.y) + count(*) filter (where p.y is null) from t p group by p.g;
select p.g, cardinality(array_agg(p.y))::bigint from t p group by p.g;
select p.g, regr_count(p.x, p.x) from t p group by p.g;
select p.g, regr_count(p.x, p.y) from t p group by p.g;
select p.g, count(null) from t p group by p.g;
select p.g, max(r) from (select g, row_number() over (partition by g) r from t) p group by p.g;
select distinct p.g, count(*) over (partition by p.g) from t p
-- family: means
select p.g, avg(p.y) from t p group by p.g;
select p.g, sum(p.y)::numeric / count(p.y) from t p group by p.g;
select p.g, sum(p.y)::numeric / count(*) from t p group by p.g;
select p.g, sum(p.y)::numeric / nullif(count(p.y), 0) from t p group by p.g;
select p.g, case when count(p.y) > 0 then sum(p.y)::numeric / count(p.y) end from t p group by p.g;
select p.g, avg(p.y::numeric) from t p group by p.g;
select p.g, avg(p.y::bigint) from t p group by p.g;
select p.g, avg(p.y::float8) from t p group by p.g;
select p.g, sum(p.y) / count(p.y) from t p group by p.g;
select p.g, avg(p.y) filter (where p.y is not null) from t p group by p.g;
select p.g, avg(distinct p.y) from t p group by p.g;
select p.g, sum(p.y * 1.0) / nullif(count(p.y), 0) from t p group by p.g;
select p.g, avg(p.y * 1.0) from t p group by p.g;
select p.g, avg(-p.y) * -1 from t p group by p.g;
select p.g, avg(p.y + 0) from t p group by p.g;
select p.g, avg(p.y + 1) - 1 from t p group by p.g
-- family: sums of parts
select sum(p.x) from t p;
select sum(s) from (select sum(p.x) s from t p group by p.g) q;
select sum(s)::bigint from (select sum(p.x) s from t p group by p.g) q;
select sum(p.x) filter (where {c}) + sum(p.x) filter (where ({c}) is not true) from t p;
select coalesce(sum(p.x) filter (where {c}), 0) + coalesce(sum(p.x) filter (where ({c}) is not true), 0) from t p;
select sum(p.x + 1) - count(*) from t p;
select sum(p.x * 2) / 2 from t p;
select -sum(-p.x) from t p;
select sum(p.x::bigint) from t p;
select sum(p.x::bigint)::bigint from t p;
select sum(p.x::numeric)::bigint from t p;
select sum(case when {c} then p.x else p.x end) from t p;
select sum(x * n) from (select p.x, count(*) n from t p group by p.x) q;
select sum(x * n)::bigint from (select p.x, count(*) n from t p group by p.x) q;
select sum(distinct p.x) from t p;
select sum(p.x) from (select distinct x from t) p;
select sum(p.x) from (select distinct id, x from t) p;
select sum(p.x) from (select x from t union all select 0) p;
select coalesce(sum(p.x), 0) from t p;
select sum(p.y) from t p;
select sum(coalesce(p.y, 0)) from t p;
select sum(p.y) filter (where p.y is not null) from t p;
select sum(p.y) from t p where p.y is not null;
select sum(p.y) from t p where p.y <> 0
