-- A dairy cooperative: regions in a tree, farms, breeds, cows with their dams, milkings, vets and treatments, tanker collections and the tests of their milk.
create table regions (id int primary key, parent_id int references regions, name text not null);
create table farms (id int primary key, region_id int not null references regions, name text not null, owner text, joined_on date not null, left_on date);
create table breeds (code char(2) primary key, name text not null);
create table cows (
    id int primary key, farm_id int not null references farms, breed_code char(2) not null references breeds, dam_id int references cows,
    ear_tag text not null unique, born_on date not null, culled_on date, check (culled_on > born_on)
);
create table milkings (id int primary key, cow_id int not null references cows, milked_at timestamp not null, litres numeric(5, 2) not null, fat_pct numeric(4, 2), robot smallint);
create table vets (id int primary key, name text not null, practice text);
create table treatments (id int primary key, cow_id int not null references cows, vet_id int references vets, given_on date not null, drug text not null, withdrawal_days int not null, cost numeric(8, 2));
create table collections (id int primary key, farm_id int not null references farms, collected_on date not null, litres int not null, temp_c numeric(4, 1), status text not null, unique (farm_id, collected_on));
create table tests (id int primary key, collection_id int not null references collections, kind text not null, result numeric(8, 2), passed boolean not null);
create index cows_farm on cows (farm_id);
create index milkings_cow on milkings (cow_id);
create index treatments_cow on treatments (cow_id);
create index collections_day on collections (collected_on);
create view farm_months as
    select farm_id, date_trunc('month', collected_on)::date as month, sum(litres) as litres, avg(temp_c) as avg_temp, count(*) as collections
    from collections group by farm_id, date_trunc('month', collected_on)::date;

-- Fills schema.sql; :scale is replaced by the loader (psql -v scale=1 does too); 1 gives about 300,000 milkings and half a million rows.
create function pick(i bigint, salt int) returns double precision language sql immutable
    return (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;
insert into regions select i, case when i > 4 then 1 + ((i - 5) / 3) end, 'region ' || i from generate_series(1, 52) i;
insert into farms
    select i, 14 + floor(pick(i, 1) * 39)::int, 'farm ' || (1 + floor(pick(i, 2) * 100000 * :scale)::int), case when pick(i, 3) > 0.1 then 'owner ' || (i % 97) end,
        date '2012-01-01' + floor(pick(i, 4) * 4300)::int, case when pick(i, 5) > 0.9 then date '2024-02-01' + floor(pick(i, 6) * 200)::int end
    from generate_series(1, greatest(8, (200 * :scale)::int)) i;
insert into breeds values ('HF', 'Holstein Friesian'), ('JE', 'Jersey'), ('BS', 'Brown Swiss'), ('AY', 'Ayrshire'), ('MO', 'Montbeliarde'), ('NR', 'Norwegian Red');
insert into cows
    select i, 1 + floor(pick(i, 7) * (select count(*) from farms))::int, (array['HF', 'HF', 'HF', 'JE', 'BS', 'AY', 'MO', 'NR'])[1 + floor(pick(i, 8) * 8)::int],
        case when i > 100 and pick(i, 9) > 0.25 then 1 + floor(pick(i, 10) * (i - 60))::int end, 'T' || lpad(i::text, 8, '0'),
        date '2015-01-01' + (i * 2600.0 / (6000 * :scale + 1))::int, case when pick(i, 11) > 0.7 then date '2023-06-01' + floor(pick(i, 12) * 500)::int end
    from generate_series(1, (6000 * :scale)::int) i;
insert into milkings
    select i, 1 + floor(pick(i, 13) * (6000 * :scale)::int)::int, timestamp '2022-01-01 05:00' + make_interval(mins => 20 * floor(pick(i, 15) * 65000)::int),
        round((4 + 22 * pick(i, 16) * pick(i, 17))::numeric, 2), case when pick(i, 18) > 0.05 then round((3 + 2.5 * pick(i, 19))::numeric, 2) end, case when pick(i, 20) > 0.4 then 1 + floor(pick(i, 21) * 6)::int end
    from generate_series(1, (300000 * :scale)::int) i;
insert into vets select i, 'vet ' || i, case when pick(i, 22) > 0.2 then 'practice ' || (i % 23) end from generate_series(1, greatest(12, (300 * :scale)::int)) i;
insert into treatments
    select i, 1 + floor(pick(i, 23) * (6000 * :scale)::int)::int, case when pick(i, 24) > 0.08 then 1 + floor(pick(i, 25) * pick(i, 26) * (select count(*) from vets))::int end,
        date '2021-06-01' + floor(pick(i, 27) * 1250)::int, (array['penicillin', 'oxytocin', 'calcium', 'meloxicam', 'cefquinome', 'vitamin', 'ivermectin', 'iron'])[1 + floor(pick(i, 28) * 8)::int],
        floor(pick(i, 29) * 12)::int, case when pick(i, 30) > 0.1 then round((8 + 240 * pick(i, 31) * pick(i, 32))::numeric, 2) end
    from generate_series(1, (40000 * :scale)::int) i;
insert into collections
    select row_number() over (order by d, f), f, date '2023-01-01' + d, 400 + floor(pick(f * 1000 + d, 33) * 5200)::int, case when pick(f * 1000 + d, 34) > 0.06 then round((2 + 4 * pick(f * 1000 + d, 35))::numeric, 1) end,
        case when pick(f * 1000 + d, 36) > 0.97 then 'rejected' when pick(f * 1000 + d, 36) > 0.9 then 'disputed' else 'accepted' end
    from generate_series(0, 364) d, (select id as f from farms) f where pick(f * 1000 + d, 37) > 0.15 and d % 7 <> f % 7;
insert into tests
    select i, 1 + floor(pick(i, 38) * (select count(*) from collections))::int, (array['cells', 'germs', 'fat', 'protein', 'antibiotics'])[1 + floor(pick(i, 39) * 5)::int],
        case when pick(i, 40) > 0.07 then round((400 * pick(i, 41))::numeric, 2) end, pick(i, 42) > 0.04
    from generate_series(1, (80000 * :scale)::int) i;
drop function pick(bigint, int);
analyze;
