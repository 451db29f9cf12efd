insert into account select i, 'handle' || i, date '2018-01-01' + (random() * 2000)::int, random() < 0.05, case when random() < 0.6 then 'bio of ' || i end, case when random() < 0.8 then 'city ' || floor(power(random(), 2) * 100)::int end
    from generate_series(1, 12000) i;
insert into follow select a, b, date '2023-01-01' + (random() * 500)::int from (select distinct 1 + (random() * 11998)::int a, 1 + floor(power(random(), 3) * 11999)::int b from generate_series(1, 110000)) s where a <> b;
insert into post select i, 1 + floor(power(random(), 2) * 11999)::int, timestamp '2023-01-01' + random() * interval '500 days', repeat('text ' || i % 1000 || ' ', 5), case when i > 1000 and random() < 0.4 then 1 + (random() * 990)::int end,
    case when random() < 0.9 then (array['en','de','fr','es'])[1 + floor(power(random(), 2) * 4)::int] end, case when random() < 0.5 then random() < 0.1 end from generate_series(1, 60000) i;
insert into likes select p, a, timestamp '2024-06-01' + random() * interval '100 days' from (select distinct 1 + floor(power(random(), 3) * 59999)::int p, 1 + (random() * 11998)::int a from generate_series(1, 160000)) s;
insert into tag select i, 'tag' || i from generate_series(1, 400) i;
insert into post_tag select p, t from (select distinct 1 + (random() * 59998)::int p, 1 + floor(power(random(), 2) * 399)::int t from generate_series(1, 100000)) s;
insert into block select a, b from (select distinct 1 + (random() * 11998)::int a, 1 + (random() * 11998)::int b from generate_series(1, 3000)) s where a <> b;
insert into message select i, 1 + (random() * 11998)::int, 1 + floor(power(random(), 2) * 11999)::int, timestamp '2024-01-01' + random() * interval '300 days', case when random() < 0.7 then timestamp '2024-11-01' end, repeat('m' || i % 77, 12)
    from generate_series(1, 60000) i;
