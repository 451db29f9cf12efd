insert into site select i, 'city ' || i, 'region ' || i % 5 from generate_series(1, 30) i;
insert into dept select i, 'dept ' || i, 1 + i % 30, case when random() < 0.9 then (random() * 100000)::int end, case when i > 5 then 1 + i % 5 end from generate_series(1, 300) i;
insert into emp select i, case when random() < 0.98 then 1 + floor(power(random(), 2) * 299)::int end, case when i > 50 then 1 + (random() * 48)::int end, 'name ' || i % 9000,
    (array['clerk','analyst','manager','engineer','sales'])[1 + floor(random() * 5)::int], 1000 + floor(power(random(), 2) * 9000)::int, case when random() < 0.3 then (random() * 900)::int end,
    date '2005-01-01' + (random() * 7000)::int, case when random() < 0.2 then date '2024-06-01' + (random() * 100)::int end from generate_series(1, 30000) i;
insert into project select i, 1 + (random() * 299)::int, 'project ' || i, date '2020-01-01' + (random() * 1500)::int, case when random() < 0.6 then date '2024-06-01' + (random() * 500)::int end, (random() * 50000)::int
    from generate_series(1, 2000) i;
insert into assignment select e, p, (array['lead','member','guest'])[1 + floor(random() * 3)::int], (random() * 200)::int
    from (select distinct 1 + (random() * 29998)::int e, 1 + floor(power(random(), 2) * 1999)::int p from generate_series(1, 90000)) s;
insert into absence select i, 1 + (random() * 29998)::int, (array['ill','leave','course'])[1 + i % 3], d, d + (random() * 14)::int from (select i, date '2022-01-01' + (random() * 900)::int d from generate_series(1, 60000) i) s;
insert into skill select e, 'skill ' || k, case when random() < 0.9 then 1 + (random() * 4)::int end from (select distinct 1 + (random() * 29998)::int e, floor(power(random(), 2) * 60)::int k from generate_series(1, 80000)) s;
insert into salary_history select e.id, e.hired_on + 365 * y, 900 + y * 50 + (random() * 500)::int from emp e, generate_series(0, 3) y;
