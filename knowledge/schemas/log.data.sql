insert into app select i, 'app ' || i, case when i % 3 > 0 then 'team ' || i % 4 end from generate_series(1, 12) i;
insert into session select i, 1 + floor(power(random(), 2) * 12)::int, 1 + floor(power(random(), 2) * 5000)::int, timestamptz '2024-01-01 00:00+00' + random() * interval '300 days', null, 'agent ' || i % 9
    from generate_series(1, 30000) i;
update session set ended_at = started_at + random() * interval '2 hours' where random() < 0.9;
insert into event select i, s, timestamptz '2024-01-01 00:00+00' + random() * interval '300 days', (array['view','click','scroll','buy','error'])[1 + floor(power(random(), 2) * 5)::int],
    case when random() < 0.8 then floor(power(random(), 3) * 5000)::int end, jsonb_build_object('page', i % 300, 'lang', (array['en','de','fr'])[1 + i % 3]), array['t' || i % 7, 't' || i % 11]
    from (select i, 1 + (random() * 29999)::int s from generate_series(1, 200000) i) g;
insert into error select row_number() over (), id, 400 + (random() * 120)::int, 'failed in step ' || id % 50, case when random() < 0.7 then random() < 0.5 end from event where kind = 'error';
insert into sensor select i, 'room ' || i % 20, (array['temp','hum','co2'])[1 + i % 3] from generate_series(1, 120) i;
insert into reading select s, timestamp '2024-01-01' + m * interval '10 minutes', 20 + 5 * random() + s % 7, case when random() < 0.95 then (random() * 3)::int end
    from generate_series(1, 120) s, generate_series(1, 1500) m where random() < 0.97;
insert into holiday select date '2024-01-01' + 30 * i, 'holiday ' || i from generate_series(0, 11) i;
