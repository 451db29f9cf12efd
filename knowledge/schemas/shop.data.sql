insert into country select chr(65 + i / 26) || chr(65 + i % 26), 'country ' || i, 5 + i % 20 from generate_series(0, 39) i;
insert into category select i, case when i > 10 then (i - 1) / 10 end, 'category ' || i from generate_series(1, 200) i;
insert into product select i, 1 + (random() * 199)::int, 'SKU-' || i, 'product ' || (i % 3000), round((random() * 200)::numeric, 2),
    case when random() < 0.9 then (random() * 5000)::int end, case when random() < 0.1 then date '2023-01-01' + (random() * 700)::int end
    from generate_series(1, 8000) i;
insert into customer select i, 'user' || i || '@example.org', 'Customer ' || (i % 5000), chr(65 + (i % 40) / 26) || chr(65 + (i % 40) % 26),
    (array['private','business','reseller','press'])[1 + floor(power(random(), 3) * 4)::int], date '2019-01-01' + (random() * 2000)::int,
    case when i > 100 and random() < 0.3 then 1 + (random() * 90)::int end, case when random() < 0.5 then '+' || i end
    from generate_series(1, 20000) i;
insert into orders select i, 1 + floor(power(random(), 2) * 19999)::int, (array['done','done','done','open','cancelled','returned'])[1 + floor(random() * 6)::int],
    timestamp '2022-01-01' + random() * interval '1000 days', round((random() * 500)::numeric, 2), case when random() < 0.1 then 'C' || (i % 50) end,
    case when random() < 0.8 then date '2022-01-02' + (random() * 1000)::int end
    from generate_series(1, 80000) i;
insert into item select o.id, l, 1 + floor(power(random(), 2) * 7999)::int, 1 + (random() * 9)::int, round((random() * 200)::numeric, 2),
    case when random() < 0.05 then date '2024-01-01' + (random() * 200)::int end
    from orders o, generate_series(1, 3) l where l <= 1 + o.id % 3;
insert into payment select row_number() over (), id, (array['card','transfer','cash','voucher'])[1 + id % 4], total, case when random() < 0.9 then placed_at + interval '1 day' end from orders where random() < 0.9;
insert into review select i, 1 + floor(power(random(), 2) * 7999)::int, case when random() < 0.9 then 1 + (random() * 19998)::int end, 1 + floor(random() * 5)::int,
    repeat('word ' || i % 100 || ' ', 10), date '2022-01-01' + (random() * 1000)::int from generate_series(1, 40000) i;
