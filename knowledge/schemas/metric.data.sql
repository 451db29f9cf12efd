insert into host select i, 'host ' || i, 'region ' || i % 4 from generate_series(1, 40) i;
insert into metric select h, timestamp '2024-01-01' + m * interval '1 hour', (random() * 100)::int, case when random() < 0.9 then (random() * 64000)::int end
    from generate_series(1, 40) h, generate_series(0, 4300) m where random() < 0.95;
insert into month select timestamp '2024-01-01' + i * interval '1 month', 'month ' || i + 1 from generate_series(0, 5) i;
