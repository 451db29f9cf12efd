-- family: numbers of documents
select id from w where js = '1';
select id from w where js = '1.0';
select id from w where js::text = '1';
select id from w where js::text = '1.0';
select id from w where js = to_jsonb(1);
select id from w where js @> '1';
select id from w where js <@ '1';
select id from w where js::numeric = 1;
select id from w where jsonb_typeof(js) = 'number' and js::text like '1%';
select id from w where js in ('1', '1.0', '1.00');
select id from w where js #>> '{}' = '1';
select id from w where js >= '1' and js <= '1';
select id from w where jsonb_typeof(js) = 'number' and js::numeric = 1
-- family: fields of documents
select id from w where js ->> 'a' = '1';
select id from w where js -> 'a' = '1';
select id from w where js -> 'a' = '"1"';
select id from w where js @> '{"a": "1"}';
select id from w where js @> '{"a": 1}';
select id from w where js @> '{"a": 1.0}';
select id from w where (js ->> 'a')::numeric = 1;
select id from w where js ->> 'a' in ('1', '1.0');
select id from w where js ? 'a' and js ->> 'a' = '1';
select id from w where js #>> '{a}' = '1';
select id from w where js #> '{a}' = '1';
select id from w where js ->> 'a' like '1%';
select id from w where jsonb_extract_path_text(js, 'a') = '1';
select id from w where (js -> 'a') @> '1';
select id from w where js -> 'a' <@ '1' and js ? 'a';
select id from w where js @@ '$.a == 1';
select id from w where js @? '$.a ? (@ == 1)'
-- family: absent fields
select id from w where js ->> 'b' is null;
select id from w where js -> 'b' is null;
select id from w where not js ? 'b';
select id from w where js -> 'b' = 'null';
select id from w where js -> 'b' is null or js -> 'b' = 'null';
select id from w where js @> '{"b": null}';
select id from w where jsonb_typeof(js -> 'b') = 'null';
select id from w where (js ? 'b') is not true;
select id from w where coalesce(js ->> 'b', '') = '';
select id from w where jsonb_typeof(js -> 'b') is null;
select id from w where js ->> 'b' is null and js is not null;
select id from w where js -> 'b' is not distinct from null;
select id from w where (js -> 'b')::text = 'null';
select id from w where jsonb_exists(js, 'b') and js ->> 'b' is null
-- family: elements of documents
select id from w where js @> '["a"]';
select id from w where js ? 'a';
select id from w where js @> '"a"';
select id from w where js @> '[1]';
select id from w where js @> '1';
select id from w where js @> '[1, 1]';
select id from w where js -> 0 = '1';
select id from w where js ->> 0 = '1';
select id from w where exists (select from jsonb_array_elements(case when jsonb_typeof(js) = 'array' then js else '[]' end) z where z = '1');
select id from w where '1' <@ js;
select id from w where js @> '[{"a": 1}]';
select id from w where js @> '{"a": 1}';
select id from w where js -> 4 @> '{"a": 1}';
select id from w where js ?| array['a'];
select id from w where js ?& array['a', 'a'];
select id from w where js @> '[]';
select id from w where jsonb_typeof(js) = 'array';
select id from w where js @> '{}';
select id from w where jsonb_typeof(js) = 'object'
-- family: addresses
select id from w where ip = '10.0.0.1';
select id from w where ip = '10.0.0.1/32';
select id from w where host(ip) = '10.0.0.1';
select id from w where ip::text = '10.0.0.1';
select id from w where ip::text = '10.0.0.1/32';
select id from w where text(ip) = '10.0.0.1/32';
select id from w where abbrev(ip) = '10.0.0.1';
select id from w where ip <<= '10.0.0.1';
select id from w where ip >>= '10.0.0.1';
select id from w where ip <<= '10.0.0.0/8';
select id from w where ip << '10.0.0.0/8';
select id from w where ip && '10.0.0.0/8';
select id from w where ip between '10.0.0.0' and '10.255.255.255';
select id from w where network(ip) = '10.0.0.0/8';
select id from w where host(ip) like '10.%';
select id from w where ip <<= '10.0.0.0/8' and ip <> '10.0.0.0/8';
select id from w where masklen(ip) = 32 and ip = '10.0.0.1'
-- family: networks
select p.id from w p, w q where p.ci = q.ip;
select p.id from w p, w q where p.ci::inet = q.ip;
select p.id from w p, w q where p.ci::text = q.ip::text;
select p.id from w p, w q where p.ci = q.ip::cidr;
select p.id from w p, w q where q.ip = p.ci;
select p.id from w p, w q where p.ci >>= q.ip;
select p.id from w p, w q where q.ip <<= p.ci;
select p.id from w p, w q where p.ci >> q.ip;
select p.id from w p, w q where p.ci >> q.ip or p.ci = q.ip;
select p.id from w p, w q where p.ci && q.ip
-- family: money
select id from w where mo = 1::money;
select id from w where mo = '1.00';
select id from w where mo::numeric = 1;
select id from w where mo::text = '$1.00';
select id from w where mo / 1::money = 1;
select id from w where mo >= 1::money and mo <= 1::money;
select id from w where mo * 2 = 2::money;
select id from w where mo - 1::money = 0::money;
select id from w where mo + 1::money > 1::money;
select id from w where mo > 0::money;
select id from w where -mo::numeric < 0;
select id from w where 100 * mo::numeric = 100
-- family: times of a day
select id from w where ti = '10:00';
select id from w where ti = '24:00';
select id from w where ti = '00:00';
select id from w where ti + '24 hours' = '00:00';
select id from w where ti >= '10:00' and ti <= '10:00';
select id from w where extract(hour from ti) = 10 and extract(minute from ti) = 0 and extract(second from ti) = 0;
select id from w where ti::interval = '10 hours';
select id from w where date_trunc('hour', ti) = '10:00';
select id from w where extract(epoch from ti) = 36000;
select id from w where ti between '10:00' and '10:59:59.999999';
select id from w where extract(hour from ti) = 10;
select id from w where ti >= '10:00' and ti < '11:00';
select id from w where ti::text like '10:%';
select id from w where ti::time(0) = '10:00';
select id from w where ti - '10:00'::time = '0';
select id from w where to_char(ti, 'HH24') = '10'
-- family: times in zones
select id from w where tt = '10:00+00';
select id from w where tt = '12:00+02';
select id from w where tt at time zone 'UTC' = '10:00+00';
select id from w where tt::time = '10:00';
select id from w where tt >= '10:00+00' and tt <= '10:00+00';
select id from w where tt::text = '10:00:00+00';
select id from w where tt between '10:00+00' and '12:00+02';
select id from w where extract(hour from tt) = 10;
select id from w where (tt at time zone interval '0')::time = '10:00';
select id from w where tt = '10:00+00:00' or tt = '12:00+02'
-- family: ranges of steps
select id from w where ir = '[1,3)';
select id from w where ir = '[1,2]';
select id from w where lower(ir) = 1 and upper(ir) = 3;
select id from w where lower(ir) = 1 and upper(ir) = 3 and lower_inc(ir) and not upper_inc(ir);
select id from w where ir @> 1 and ir @> 2 and not ir @> 3 and not ir @> 0;
select id from w where ir <@ '[1,3)' and ir @> '[1,3)';
select id from w where ir::text = '[1,3)';
select id from w where ir = '(0,3)';
select id from w where ir @> '[1,2]';
select id from w where ir @> 1 and ir @> 2;
select id from w where ir && '[1,3)';
select id from w where ir @> 1 or ir @> 2;
select id from w where ir @> 1;
select id from w where lower(ir) <= 1 and upper(ir) > 1;
select id from w where (lower(ir) <= 1 or lower_inf(ir)) and (upper(ir) > 1 or upper_inf(ir));
select id from w where 1 <@ ir;
select id from w where not ir << '[1,1]' and not ir >> '[1,1]';
select id from w where ir * '[1,1]' <> 'empty'
-- family: ranges of numbers
select id, nr from w where nr = '[1,2]';
select id, '[1,2]'::numrange from w where nr = '[1,2]';
select id, numrange(lower(nr), upper(nr), '[]') from w where nr = '[1,2]';
select id, nr from w where nr = '[1.0,2.0]';
select id, nr from w where lower(nr) = 1 and upper(nr) = 2;
select id, nr from w where lower(nr) = 1 and upper(nr) = 2 and lower_inc(nr) and upper_inc(nr);
select id, nr from w where nr @> 1.0 and nr @> 2.0 and nr <@ '[1,2]';
select distinct id, nr from w where nr = '[1,2]';
select id, nr from w where nr @> '[1,2]' and nr <@ '[1,2]';
select id, nr from w where nr::text = '[1,2]';
select id, nr * nr from w where nr = '[1,2]';
select id, nr + nr from w where nr = '[1,2]';
select id, nr - 'empty' from w where nr = '[1,2]'
-- family: empty ranges
select id from w where isempty(ir);
select id from w where ir = 'empty';
select id from w where lower(ir) is null and upper(ir) is null;
select id from w where lower(ir) is null and not lower_inf(ir);
select id from w where ir <@ 'empty';
select id from w where not ir && ir;
select id from w where not ir && '(,)';
select id from w where ir << ir;
select id from w where ir -|- ir;
select id from w where not isempty(ir);
select id from w where ir && ir;
select id from w where ir && '(,)';
select id from w where upper(ir) > lower(ir);
select id from w where ir <> 'empty';
select id from w where ir is not null
-- family: ranges of days
select id from w where dr @> '2020-01-31'::date;
select id from w where lower(dr) <= '2020-01-31' and upper(dr) > '2020-01-31';
select id from w where (lower(dr) <= '2020-01-31' or lower_inf(dr)) and (upper(dr) > '2020-01-31' or upper_inf(dr)) and not isempty(dr);
select id from w where dr && '[2020-01-31,2020-02-01)';
select id from w where dr && '[2020-01-31,2020-01-31]';
select id from w where '2020-01-31' <@ dr;
select id from w where dr @> '[2020-01-31,2020-01-31]';
select id from w where dr = '[2020-01-01,2020-01-31]';
select id from w where dr = '[2020-01-01,2020-02-01)';
select id from w where dr = daterange('2020-01-01', '2020-02-01');
select id from w where dr = daterange('2020-01-01', '2020-01-31', '[]');
select id from w where lower(dr) = '2020-01-01' and upper(dr) = '2020-02-01';
select id from w where upper(dr) - lower(dr) = 31;
select id from w where dr = '(2019-12-31,2020-01-31]'
-- family: sets of ranges
select id from w where mr @> 1;
select id from w where mr @> '[1,1]'::int4range;
select id from w where mr && '[1,1]'::int4range;
select id from w where exists (select from unnest(mr) z where z @> 1);
select id from w where range_merge(mr) @> 1;
select id from w where lower(mr) <= 1 and upper(mr) > 1;
select id from w where mr = '{[1,3)}';
select id from w where mr = '{[1,2),[2,3)}';
select id from w where mr::text = '{[1,3)}';
select id from w where isempty(mr);
select id from w where mr = '{}';
select id from w where not exists (select from unnest(mr));
select id from w where mr is null or mr = '{}';
select id from w where mr * '{[1,2)}' = '{[1,2)}'
-- family: letters of either case
select id from w where ct = 'a';
select id from w where ct = 'A';
select id from w where ct in ('a', 'A');
select id from w where ct::text = 'a';
select id from w where ct collate "C" = 'a';
select id from w where lower(ct) = 'a';
select id from w where lower(ct) collate "C" = 'a';
select id from w where ct = any (array['a']);
select id from w where ct >= 'a' and ct <= 'a';
select id from w where ct collate "C" in ('a', 'A');
select id from w where not ct <> 'a';
select id from w where ct like 'a';
select id from w where ct like 'a%';
select id from w where starts_with(ct, 'a');
select id from w where ct between 'A' and 'a';
select id from w where ct is not distinct from 'a';
select id from w where length(ct) = 1 and ct = 'a';
select id from w where (ct = 'a') is true;
select id from w where ct in (select ct from w where ct = 'a')
-- family: shown letters of either case
select ct from w where ct = 'a';
select 'a' collate "POSIX" from w where ct = 'a';
select distinct ct from w;
select ct from w group by ct;
select min(ct) from w group by ct;
select distinct on (ct) ct from w order by ct, id;
select ct from w union select ct from w;
select ct collate "C" from w group by ct collate "C";
select count(*) from (select distinct ct from w) q;
select count(*) from (select ct from w group by ct) q;
select count(*) from (select distinct ct collate "C" from w) q;
select count(distinct ct) from w;
select count(distinct ct) + max(case when ct is null then 1 else 0 end) from w;
select lower(ct) from w group by ct;
select lower(ct) from w group by lower(ct);
select ct, count(*) from w group by ct;
select ct, count(*) over (partition by ct) from w;
select upper(ct) from w where ct = 'a'
-- family: letters joined
select p.id, q.id from w p join w q on p.ct = q.ct;
select p.id, q.id from w p join w q on p.ct = q.te collate "POSIX";
select p.id, q.id from w p join w q on p.cc = q.cc;
select p.id, q.id from w p join w q on p.te = q.te;
select p.id, q.id from w p join w q on p.ct = q.ct collate "C";
select p.id, q.id from w p join w q on p.te = q.cc;
select p.id, q.id from w p join w q on lower(p.te) = lower(q.te);
select p.id, q.id from w p join w q on p.ct = q.ct and p.ct collate "C" = q.ct collate "C";
select p.id, q.id from w p join w q on p.te = q.te and p.ct = q.ct;
select p.id, q.id from w p join w q on q.ct = p.ct where p.ct is not null;
select p.id, q.id from w p join w q on p.te <= q.te and p.te >= q.te;
select p.id, q.id from w p join w q on p.ct <= q.ct and p.ct >= q.ct
-- family: letters in order
select id from w order by cc, id;
select id from w order by te collate "C", id;
select id from w order by te, id;
select id from w order by cc collate "default", id;
select id from w order by cc using <, id;
select id from w order by ct, id;
select id from w order by ct, cc, id;
select id from w order by lower(te), id;
select id from w order by cc desc, id desc;
select id from (select id, row_number() over (order by cc, id) r from w) q order by r;
select id from w order by cc::bytea, id;
select id from w where cc > 'a' order by id;
select id from w where te > 'a' order by id;
select id from w where te > 'a' collate "C" order by id;
select id from w where not cc <= 'a' order by id
-- family: boxes
select p.id, q.id from w p, w q where p.bx = q.bx;
select p.id, q.id from w p, w q where p.bx ~= q.bx;
select p.id, q.id from w p, w q where area(p.bx) = area(q.bx);
select p.id, q.id from w p, w q where q.bx = p.bx;
select p.id, q.id from w p, w q where p.bx <= q.bx and p.bx >= q.bx;
select p.id, q.id from w p, w q where p.bx = q.bx and p.bx = p.bx;
select p.id, q.id from w p, w q where p.bx = q.bx and q.bx && '(0,0),(1,1)';
select p.id, q.id from w p, w q where p.bx = q.bx and p.bx && '(0,0),(1,1)';
select p.id, q.id from w p, w q where p.bx = '(0,0),(1,1)' and q.bx = '(0,0),(1,1)';
select p.id, q.id from w p, w q where p.bx = q.bx and q.bx = '(0,0),(1,1)';
select p.id, q.id from w p, w q where p.bx = q.bx and p.bx ~= '(0,0),(1,1)';
select p.id, q.id from w p, w q where q.bx ~= '(0,0),(1,1)' and p.bx = q.bx;
select p.id, q.id from w p, w q where p.bx ~= q.bx and q.bx ~= '(0,0),(1,1)';
select p.id, q.id from w p, w q where p.bx ~= '(0,0),(1,1)' and q.bx ~= '(0,0),(1,1)'
-- family: domains
select id from w where dm > 0;
select id from w where dm is not null;
select id from w;
select id from w where dm > 0 or dm is null;
select id from w where dm::int > 0;
select id from w where dm >= 1;
select id from w where (dm > 0) is not false;
select id from w where dm::posint = dm;
select id from w where k::posint = k;
select id from w where k > 0;
select id from w where case when k > 0 then k::posint = k end;
select id from w where nullif(dm, -1) is not null;
select id from w where sh = 'a';
select id from w where sh::text = 'a';
select id from w where te::shorttext = 'a';
select id from w where te = 'a';
select id from w where dm = 1;
select id from w where dm = '1';
select id from w where dm = 1.0
-- family: domains of outer joins
select t.id, q.y from t left join (select id, k::nn y from w) q using (id);
select t.id, w.k from t left join w using (id);
select t.id, q.y from t left join (select id, k::nn y from w offset 0) q using (id);
select t.id, q.y from t left join (select id, k::nn y from w) q using (id) where q.y is not null or true;
select t.id, q.y from t left join (select id, k::nn y from w) q using (id) where q.y is not null;
select t.id, q.y from t join (select id, k::nn y from w) q using (id);
select t.id, w.k::nn from t left join w using (id);
select t.id, (select k::nn from w where w.id = t.id) from t;
select t.id, (select w.k from w where w.id = t.id)::nn from t;
select t.id, (select w.k from w where w.id = t.id) from t;
select t.id, (select max(k::nn) from w where w.id = t.id) from t
-- family: rows as values
select id from w where cp is null;
select id from w where (cp).a is null and (cp).b is null;
select id from w where cp is not distinct from null;
select id from w where not cp is not null;
select id from w where cp is not null;
select id from w where not cp is null;
select id from w where (cp).a is not null and (cp).b is not null;
select id from w where cp is distinct from null;
select id from w where num_nulls(cp) = 1;
select id from w where num_nonnulls(cp) = 1;
select id from w where coalesce(cp, row(1, 'a')::pair) = cp;
select id from w where cp = cp;
select id from w where cp::text is null;
select id from w where cp is not distinct from cp
-- family: rows that are equal
select id, cp from w where cp = row(1, 'a')::pair;
select id, row(1, 'a')::pair from w where cp = row(1, 'a')::pair;
select id, cp from w where (cp).a = 1 and (cp).b = 'a';
select id, row((cp).a, (cp).b)::pair from w where cp = row(1, 'a')::pair;
select id, cp from w where cp = row(1.0, 'a');
select id, cp from w where cp = '(1,a)';
select id, cp from w where cp *= row(1::numeric, 'a'::text);
select id, cp from w where cp::text = '(1,a)';
select id, cp from w where cp in (row(1, 'a')::pair, row(1.0, 'a')::pair);
select id, max(cp) from w where cp = row(1, 'a')::pair group by id;
select id, cp from w where cp >= row(1, 'a')::pair and cp <= row(1, 'a')::pair;
select distinct id, cp from w where cp = row(1, 'a')::pair
-- family: arrays of numbers
select id, na from w where na = '{1,2}';
select id, '{1,2}'::numeric[] from w where na = '{1,2}';
select id, array[na[1], na[2]] from w where na = '{1,2}';
select id, na || '{}' from w where na = '{1,2}';
select id, na from w where na = '{1.0,2}';
select id, na from w where na[1] = 1 and na[2] = 2 and cardinality(na) = 2;
select id, na from w where na @> '{1,2}' and na <@ '{1,2}';
select id, na from w where na <@ '{1,2}' and cardinality(na) = 2;
select id, na from w where na::text = '{1,2}';
select id, na from w where na::int[] = '{1,2}';
select id, array(select unnest(na)) from w where na = '{1,2}';
select id, array_cat(na, '{}') from w where na = '{1,2}';
select id, na from w where na >= '{1,2}' and na <= '{1,2}'
-- family: arrays and null
select id from w where ta = ta;
select id from w where ta is not null;
select id from w where ta = array['a', null];
select id from w where ta[1] = 'a' and ta[2] is null;
select id from w where ta[1] = 'a' and ta[2] is null and cardinality(ta) = 2;
select id from w where ta is not distinct from array['a', null];
select id from w where ta @> array['a', null];
select id from w where ta @> array['a'];
select id from w where 'a' = any (ta);
select id from w where 'a' <> all (ta);
select id from w where not 'a' = any (ta);
select id from w where not ta @> array['a'];
select id from w where array_position(ta, null) is not null;
select id from w where null = any (ta);
select id from w where ta && array[null::text];
select id from w where cardinality(array_remove(ta, null)) < cardinality(ta);
select id from w where exists (select from unnest(ta) z where z is null);
select id from w where array_to_string(ta, ',') = 'a';
select id from w where array_to_string(ta, ',', '') = 'a,'
-- family: padded arrays
select id from w where 'a' = any (ca);
select id from w where 'a '::char(2) = any (ca);
select id from w where 'a '::text = any (ca);
select id from w where 'a'::text = any (ca);
select id from w where 'a' = any (ca::text[]);
select id from w where 'a ' = any (ca::varchar[]);
select id from w where ca @> '{a}';
select id from w where ca @> array['a'::char(3)];
select id from w where ca::text[] @> '{a}';
select id from w where ca && '{"a  "}';
select id from w where exists (select from unnest(ca) z where z = 'a');
select id from w where exists (select from unnest(ca) z where z::text = 'a');
select id from w where exists (select from unnest(ca) z where z like 'a');
select id from w where array_position(ca, 'a') is not null;
select id from w where ca = '{a,b}';
select id from w where ca::text[] = '{a,b}'
-- family: strings of bits
select id from w where vb = '101';
select id from w where vb = b'101';
select id from w where vb::text = '101';
select id from w where vb::bit(3) = '101';
select id from w where vb::bit(4) = '1010';
select id from w where b3 = '101';
select id from w where b3::varbit = '101';
select id from w where b3::int = 5;
select id from w where b3 = vb;
select id from w where b3 & '101' = '101';
select id from w where get_bit(b3, 0) = 1 and get_bit(b3, 2) = 1;
select id from w where b3 & '111' = b3;
select id from w where (b3 | '000') = b3;
select id from w where b3 # b3 = '000';
select id from w where b3 is not null;
select id from w where bit_length(vb) = 3 and vb = '101';
select id from w where substring(vb from 1 for 3) = '101';
select id from w where vb || '' = '101'
-- family: two widths of floats
select id from w where f4 = 1.1;
select id from w where f4 = '1.1';
select id from w where f4 = 1.1::float4;
select id from w where f4 = 1.1::float8;
select id from w where f4::float8 = 1.1;
select id from w where f4::numeric = 1.1;
select id from w where f4::text = '1.1';
select id from w where f4 in (1.1, 1.5);
select id from w where f4 = any ('{1.1}');
select id from w where f4 = any (array[1.1]);
select id from w where f4 = 1.5;
select id from w where f4 = 1.5::float4;
select id from w where f4 >= 1.5::float4 and f4 <= 1.5;
select id from w where f4 * 2 = 3;
select id from w where f4 - 1.5 = 0;
select id from w where f4::numeric = 1.5
-- family: signs of zero
select id, f4 from w where f4 = 0;
select id, 0::float4 from w where f4 = 0;
select id, f4 + 0::float4 from w where f4 = 0;
select id, -f4 from w where f4 = 0;
select id, abs(f4) from w where f4 = 0;
select id, f4::numeric::float4 from w where f4 = 0;
select id, f4 * 1::float4 from w where f4 = 0;
select id, f4::int::float4 from w where f4 = 0;
select id, coalesce(nullif(f4, 0), 0) from w where f4 = 0;
select id, greatest(f4, 0::float4) from w where f4 = 0;
select id, 0 - f4 from w where f4 = 0;
select id, f4::float8::float4 from w where f4 = 0;
select distinct id, f4 from w where f4 = 0
-- family: numbers without signs
select id from w where oi = 1;
select id from w where oi > 0;
select id from w where oi <> 0;
select id from w where oi::int8 = 1;
select id from w where oi::int = 1;
select id from w where oi::int > 0;
select id from w where oi::int8 > 0;
select id from w where oi > 2147483647;
select id from w where oi = 4294967295;
select id from w where oi = -1;
select id from w where oi::int = -1;
select id from w where oi >= 2147483648;
select id from w where not oi < 2147483648;
select id from w where oi between 0 and 4294967295;
select id from w where oi is not null;
select id from w where oi = k;
select id from w where oi::int = k;
select id from w where oi::int8 = k;
select id from w where oi = i2
-- family: narrow integers
select id from w where i2 + 1 > 1;
select id from w where i2 > 0;
select id from w where i2 + 1::int2 > 1;
select id from w where i2 * 2 > 0;
select id from w where i2 * 2::int2 > 0;
select id from w where i2 * i2 >= 0;
select id from w where i2::int * i2::int >= 0;
select id from w where i2 is not null;
select id from w where -i2 < 0;
select id from w where -(i2::int) < 0;
select id from w where abs(i2) > 0;
select id from w where abs(i2::int) > 0;
select id from w where i2 <> 0;
select id from w where i2 - 1 >= 0;
select id from w where i2 = 1;
select id from w where i2 = '1';
select id from w where i2 = 1::bigint;
select id from w where i2 in (1, 100000);
select id from w where i2 & 1 = 1;
select id from w where i2 % 2 = 1;
select id from w where i2 % 2 <> 0;
select id from w where abs(i2 % 2) = 1;
select id from w where i2 / 2 * 2 <> i2
-- family: rounded moments
select id from w where t0 = '2020-01-31 00:00:01';
select id from w where t0 = '2020-01-31 00:00:00.6';
select id from w where t0 = '2020-01-31 00:00:00.6'::timestamp(0);
select id from w where t0::timestamp = '2020-01-31 00:00:01';
select id from w where t0::timestamp(0) = '2020-01-31 00:00:01';
select id from w where date_trunc('second', t0) = '2020-01-31 00:00:01';
select id from w where t0 >= '2020-01-31 00:00:01' and t0 < '2020-01-31 00:00:02';
select id from w where t0::timestamp(0) = t0;
select id from w where t0 is not null;
select id from w where t0::date = '2020-01-31';
select id from w where t0 = t0::date;
select id from w where t0::time = '00:00:01';
select id from w where t0::text = '2020-01-31 00:00:01'
-- family: rounded numbers
select id from w where n2 = 1;
select id from w where n2 = 1.001;
select id from w where n2::int = 1;
select id from w where round(n2) = 1;
select id from w where trunc(n2) = 1;
select id from w where floor(n2) = 1;
select id from w where n2 >= 1 and n2 < 2;
select id from w where n2 >= 0.5 and n2 < 1.5;
select id from w where n2::numeric(3,0) = 1;
select id from w where n2::float8::int = 1;
select id from w where round(n2::float8) = 1;
select id from w where n2 * 100 = 100;
select id from w where div(n2, 1) = 1;
select id from w where n2::numeric(5,1) = 1.0;
select id from w where ceil(n2) = 1;
select id from w where ceiling(n2) = 1;
select id from w where -floor(-n2) = 1;
select id from w where n2 > 0 and n2 <= 1;
select id from w where mod(n2, 1) = 0 and n2 = 1;
select id from w where trim_scale(n2) = 1
-- family: parts of texts
select id, left(te, 2) from w;
select id, substring(te, 1, 2) from w;
select id, substr(te, 1, 2) from w;
select id, substring(te from 1 for 2) from w;
select id, substring(te, 0, 3) from w;
select id, te::varchar(2) from w;
select id, te::varchar(2)::text from w;
select id, te::char(2)::text from w;
select id, substring(te, -1, 4) from w;
select id, overlay(te placing '' from 3) from w;
select id, reverse(right(reverse(te), 2)) from w;
select id, left(te, length(te) - 1) from w;
select id, left(te, -1) from w;
select id, substring(te for 2) from w;
select id, substring(te from '^..?') from w;
select id, regexp_replace(te, '^(..?).*$', '\1') from w;
select id, rpad(te, 2) from w;
select id, lpad(te, 2) from w;
select id, substring(te similar '..#"%#"' escape '#') from w
-- family: texts put together
select id, te || cc from w;
select id, concat(te, cc) from w;
select id, concat_ws('', te, cc) from w;
select id, coalesce(te, '') || coalesce(cc, '') from w;
select id, te || coalesce(cc, '') from w;
select id, format('%s%s', te, cc) from w;
select id, array_to_string(array[te, cc], '') from w;
select id, concat(te || cc) from w;
select id, nullif(concat(te, cc), '') from w;
select id, case when te is not null and cc is not null then concat(te, cc) end from w;
select id, textcat(te, cc) from w;
select id, (select string_agg(z, '') from (values (te), (cc)) q(z)) from w;
select id, te || '' || cc from w;
select id, concat(te, null, cc) from w;
select id, te || null || cc from w
-- family: patterns
select id from w where te like 'a%';
select id from w where te ~ '^a';
select id from w where te ^@ 'a';
select id from w where left(te, 1) = 'a';
select id from w where substring(te, 1, 1) = 'a';
select id from w where te >= 'a' and te < 'b';
select id from w where cc >= 'a' and cc < 'b';
select id from w where position('a' in te) = 1;
select id from w where strpos(te, 'a') = 1;
select id from w where te ilike 'a%';
select id from w where lower(te) like 'a%';
select id from w where te similar to 'a%';
select id from w where te ~~ 'a%';
select id from w where te like 'a%' escape '';
select id from w where te like 'a_b%';
select id from w where te like 'a\_b%';
select id from w where te like 'a#_b%' escape '#';
select id from w where te ~ '^a_b';
select id from w where te like 'a%' and te like '%b%';
select id from w where te like 'a%b%';
select id from w where te ~ '^a.*b';
select id from w where te not like 'a%' is false;
select id from w where te ~* '^a';
select id from w where regexp_like(te, '^a');
select id from w where te like '%a%';
select id from w where strpos(te, 'a') > 0;
select id from w where te <> replace(te, 'a', '');
select id from w where te like any (array['a%']);
select id from w where te like all (array['a%', 'a%'])
-- family: lengths
select id from w where te = '';
select id from w where length(te) = 0;
select id from w where octet_length(te) = 0;
select id from w where te <= '';
select id from w where not te > '';
select id from w where te like '';
select id from w where coalesce(te, '') = '';
select id from w where char_length(te) < 1;
select id from w where bit_length(te) = 0;
select id from w where te is not distinct from '';
select id from w where te ~ '^$';
select id from w where trim(te) = '';
select id from w where length(te) = 1;
select id from w where te like '_';
select id from w where octet_length(te) = 1;
select id from w where te ~ '^.$';
select id from w where length(ca[1]) = 1;
select id from w where octet_length(ca[1]) = 3
-- family: bytes
select id from w where by = '\x61';
select id from w where by = 'a';
select id from w where by = 'a'::bytea;
select id from w where by::text = '\x61';
select id from w where encode(by, 'hex') = '61';
select id from w where by = decode('61', 'hex');
select id from w where length(by) = 1 and get_byte(by, 0) = 97;
select id from w where by >= 'a' and by <= 'a';
select id from w where by like 'a';
select id from w where convert_from(by, 'UTF8') = 'a';
select id from w where substring(by from 1 for 1) = 'a';
select id from w where by || '' = 'a';
select id from w where by = '\141'
-- family: single chars
select id from w where q = 'a';
select id from w where q::text = 'a';
select id from w where q = 'a'::text;
select id from w where q::char(3) = 'a';
select id from w where q = 'abc';
select id from w where te::"char" = 'a';
select id from w where te::"char" = q;
select id from w where te = q;
select id from w where te = q::text;
select id from w where q in ('a', 'b');
select id from w where ascii(q::text) = 97;
select id from w where q::int = 97;
select id from w where q >= 'a' and q <= 'a'
-- family: stored sums
select id from w where g2 > 1;
select id from w where k > 0;
select id from w where k + 1 > 1;
select id from w where g2 - 1 > 0;
select id from w where g2 = k + 1;
select id from w;
select id from w where g2 - k = 1;
select id from w where g2 > k;
select id from w where g2 is not null;
select id from w where g2 >= 2;
select id from w where not g2 <= 1;
select id from w where (g2 > 1) is true
-- family: keys that may be null
select p.id from t p left join c on c.a = p.x;
select p.id from t p;
select p.id from t p left join c on c.b = p.x;
select p.id from t p left join c on c.b is not distinct from p.x;
select p.id from t p left join c on c.b is not distinct from p.y;
select p.id from t p left join c on c.a is not distinct from p.y;
select p.id from t p left join c on c.d = p.x;
select p.id from t p left join c on c.g = p.x;
select p.id from t p left join c on c.g = p.x and c.e > 0;
select p.id from t p left join c on c.g = p.x and c.e >= 0;
select p.id from t p left join c on c.g = p.x and c.e is not null;
select p.id from t p left join c on c.g = p.x and c.e > 1;
select p.id from t p left join c on c.h = p.x;
select p.id from t p left join c on lower(c.s) = p.s;
select p.id from t p left join c on c.s = p.s;
select p.id from t p left join c on c.ct = p.s;
select p.id from t p left join c on c.ct collate "C" = p.s;
select p.id from t p left join c on c.ct = p.s collate "POSIX";
select p.id from t p left join c on c.n = p.n;
select p.id from t p left join c on c.n::float8 = p.f;
select p.id from t p left join c on c.f = p.f;
select p.id from t p left join c on c.f = p.n;
select p.id from t p left join c on c.ch = p.c;
select p.id from t p left join c on c.ch = p.v;
select p.id from t p left join c on c.ch::text = p.v;
select p.id from t p left join c on c.a = p.n
-- family: distinct by keys
select distinct a from c where a is not null;
select a from c where a is not null;
select distinct a from c;
select a from c;
select distinct b from c;
select b from c;
select b from c where b is not null;
select distinct b from c where b is not null;
select distinct d from c where d is not null;
select d from c where d is not null;
select distinct g from c where e > 0;
select g from c where e > 0;
select g from c where e is not null;
select distinct g from c where e is not null;
select distinct ct from c where ct is not null;
select ct from c where ct is not null;
select distinct n from c where n is not null;
select n from c where n is not null;
select distinct lower(s) from c where s is not null;
select lower(s) from c where s is not null;
select distinct s from c where s is not null;
select s from c where s is not null;
select distinct h from c where h is not null;
select h from c where h is not null
-- family: what is enforced
select id from c where e > 0;
select id from c where e is not null;
select id from c where e >= 1;
select id from c where ce > 0;
select id from c where ce is not null;
select id from c where ce > 0 or ce is null;
select id from c;
select id from c where ne in (select id from u);
select id from c where ne is not null;
select c.id from c join u on u.id = c.ne;
select id from c where r in (select id from u);
select id from c where r is not null;
select c.id from c join u on u.id = c.r;
select c.id from c left join u on u.id = c.r where u.id is not null;
select c.id from c left join u on u.id = c.ne where u.id is not null;
select c.id from c join ft on ft.x = c.fm and ft.y = c.fn;
select id from c where fm is not null and fn is not null;
select id from c where fm is not null;
select id from c where fn is not null;
select id from c where (fm, fn) in (select x, y from ft);
select id from c where exists (select from ft where x = fm);
select c.id from c left join ft on ft.x = c.fm and ft.y = c.fn;
select c.id from c left join ft on ft.x = c.fm
-- family: compared as two types
select p.id, q.id from t p, w q where p.x = q.i2;
select p.id, q.id from t p, w q where p.x = q.f4;
select p.id, q.id from t p, w q where p.i8 = q.f4;
select p.id, q.id from t p, w q where p.i8::float8 = q.f4::float8;
select p.id, q.id from t p, w q where p.x = q.n2;
select p.id, q.id from t p, w q where p.f = q.n2;
select p.id, q.id from t p, w q where p.f = q.n2::float8;
select p.id, q.id from t p, w q where p.f::numeric = q.n2;
select p.id, q.id from t p, w q where p.n = q.n2;
select p.id, q.id from t p, w q where p.n = q.n2 and p.n = q.f4;
select p.id, q.id from t p, w q where p.n = q.n2 and q.n2 = q.f4;
select p.id, q.id from t p, w q where p.x = q.oi;
select p.id, q.id from t p, w q where p.s = q.ct;
select p.id, q.id from t p, w q where p.s = q.te;
select p.id, q.id from t p, w q where p.c = q.te;
select p.id, q.id from t p, w q where p.c = q.te::char(4);
select p.id, q.id from t p, w q where p.d = q.t0;
select p.id, q.id from t p, w q where p.d = q.t0::date;
select p.id, q.id from t p, w q where p.tz = q.t0;
select p.id, q.id from t p, w q where p.tz::timestamp = q.t0;
select p.id, q.id from t p, w q where p.ts = q.t0;
select p.id, q.id from t p, w q where p.ts::timestamp(0) = q.t0;
select p.id, q.id from t p, w q where p.nm = q.te;
select p.id, q.id from t p, w q where p.bt = q.b3;
select p.id, q.id from t p, w q where p.bt = q.vb
-- family: kept of equals
select distinct {wv} from w;
select {wv} from w group by {wv};
select {wv} from w union select {wv} from w;
select distinct on ({wv}) {wv} from w;
select max({wv}) from w group by {wv};
select any_value({wv}) from w group by {wv};
select {wv} from w intersect select {wv} from w;
select count(*) from (select distinct {wv} from w) q;
select count(*) from (select {wv} from w group by {wv}) q;
select count(distinct {wv}) from w;
select count(distinct {wv}::text) from w;
select count(*) from (select distinct {wv}::text from w) q;
select y::text from (select distinct {wv} y from w) q;
select distinct {wv}::text from w;
select y from (select {wv} y, row_number() over (partition by {wv} order by id) r from w) q where r = 1;
select y from (select {wv} y, rank() over (partition by {wv} order by id) r from w) q where r = 1;
select (array_agg({wv}))[1] from w group by {wv}
-- family: equal to oneself
select id from w where {wv} = {wv};
select id from w where {wv} is not null;
select id from w where not {wv} <> {wv};
select id from w where {wv} <= {wv};
select id from w where {wv} in ({wv});
select id from w where {wv} = any (array[{wv}]);
select id from w where {wv} is not distinct from {wv};
select id from w;
select id from w where ({wv} = {wv}) is not false;
select id from w where nullif({wv}, {wv}) is null;
select id from w where {wv}::text = {wv}::text;
select p.id from w p join w q on q.id = p.id and q.{wv} = p.{wv};
select id from w where {wv} in (select {wv} from w);
select id from w where exists (select from w q where q.{wv} = w.{wv});
select id from w where {wv} between {wv} and {wv};
select id from w where greatest({wv}, {wv}) = {wv}
-- family: other columns compared
select p.id, q.id from w p, w q where p.{wv} = q.{wv};
select p.id, q.id from w p, w q where q.{wv} = p.{wv};
select p.id, q.id from w p, w q where not p.{wv} <> q.{wv};
select p.id, q.id from w p, w q where p.{wv} <= q.{wv} and p.{wv} >= q.{wv};
select p.id, q.id from w p, w q where p.{wv} is not distinct from q.{wv};
select p.id, q.id from w p, w q where p.{wv} is not distinct from q.{wv} and p.{wv} is not null;
select p.id, q.id from w p, w q where p.{wv}::text = q.{wv}::text;
select p.id, q.id from w p join w q using ({wv});
select p.id, q.id from w p, w q where row(p.{wv}) = row(q.{wv});
select p.id, q.id from w p, w q where array[p.{wv}] = array[q.{wv}] and p.{wv} is not null;
select p.id, q.id from w p, w q where (p.{wv} = q.{wv}) is true;
select p.id, q.id from w p, w q where p.{wv} = any (array[q.{wv}]);
select p.id, q.id from w p, w q where p.{wv} = q.{wv} and p.{wv} = p.{wv};
select p.id, q.id from w p, w q where p.{wv} between q.{wv} and q.{wv};
select p.id, q.id from w p full join w q on p.{wv} = q.{wv} where p.id is not null and q.id is not null
-- family: extremes of other columns
select max({wv}) from w;
select {wv} from w where {wv} is not null order by {wv} desc limit 1;
select (select {wv} from w where {wv} is not null order by {wv} desc limit 1);
select {wv} from w order by {wv} desc nulls last limit 1;
select (array_agg({wv} order by {wv} desc nulls last))[1] from w;
select {wv} from w where {wv} >= all (select {wv} from w where {wv} is not null) limit 1;
select max(y) from (select max({wv}) y from w group by k) q;
select distinct max({wv}) over () from w;
select greatest(max({wv}), min({wv})) from w;
select max({wv}) from (select distinct {wv} from w) q;
select max({wv}) filter (where {wv} is not null) from w;
select count(*) from w having max({wv}) = max({wv});
select count(*) from w having count({wv}) > 0
-- family: orders of other columns
select id from w order by {wv}, id;
select id from w order by {wv} nulls last, id;
select id from w order by {wv}, {wv} desc, id;
select id from w order by {wv} is null, {wv}, id;
select id from (select id, row_number() over (order by {wv}, id) r from w) q order by r;
select id from (select id, {wv} y from w) q order by y, id;
select id from w order by {wv}::text, id;
select id from w group by id order by {wv}, id;
select id from w order by ({wv}), id, {wv};
select id from w order by coalesce({wv}, {wv}), id;
select p.id from w p order by (select count(*) from w q where q.{wv} < p.{wv}), p.id
-- family: pairs for other columns
select id, {wv} from w where {wv} = (select {wv} from w where id = 1);
select w.id, w.{wv} from w join w q on q.id = 1 and q.{wv} = w.{wv};
select w.id, q.{wv} from w join w q on q.id = 1 and q.{wv} = w.{wv};
select id, (select {wv} from w where id = 1) from w where {wv} = (select {wv} from w where id = 1);
select id, {wv} from w where {wv} in (select {wv} from w where id = 1);
select id, {wv} from w where exists (select from w q where q.id = 1 and q.{wv} = w.{wv});
select id, coalesce({wv}, {wv}) from w where {wv} = (select {wv} from w where id = 1);
select id, nullif({wv}, null) from w where {wv} = (select {wv} from w where id = 1);
select id, greatest({wv}, (select {wv} from w where id = 1)) from w where {wv} = (select {wv} from w where id = 1);
select id, case when {wv} = (select {wv} from w where id = 1) then (select {wv} from w where id = 1) else {wv} end from w where {wv} = (select {wv} from w where id = 1)
