-- A fisheries authority: species in a tree, ports, owners and who owned a vessel when, trips with hauls and catches, landings, quotas and their transfers, inspectors and inspections, notices.
-- :scale is replaced by the loader; 1 gives about 1.7 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE species (id int PRIMARY KEY, parent_id int REFERENCES species, name text NOT NULL, code char(3), protected boolean NOT NULL);
CREATE TABLE ports (id int PRIMARY KEY, name text NOT NULL, country char(2) NOT NULL, depth_dm smallint);
CREATE TABLE owners (id int PRIMARY KEY, name text NOT NULL, country char(2) NOT NULL, founded_on date);
CREATE TABLE vessels (
    id int PRIMARY KEY, port_id int NOT NULL REFERENCES ports, owner_id int NOT NULL REFERENCES owners, name text NOT NULL, call_sign text NOT NULL UNIQUE, gear text NOT NULL, length_cm int NOT NULL, scrapped_on date
);
CREATE TABLE ownerships (vessel_id int NOT NULL REFERENCES vessels, owner_id int NOT NULL REFERENCES owners, since date NOT NULL, PRIMARY KEY (vessel_id, since));
CREATE TABLE quotas (vessel_id int NOT NULL REFERENCES vessels, species_id int NOT NULL REFERENCES species, year smallint NOT NULL, kilos numeric(12, 2) NOT NULL, PRIMARY KEY (vessel_id, species_id, year));
CREATE TABLE transfers (
    id int PRIMARY KEY, from_vessel_id int NOT NULL REFERENCES vessels, to_vessel_id int NOT NULL REFERENCES vessels, species_id int NOT NULL REFERENCES species, year smallint NOT NULL, kilos numeric(12, 2) NOT NULL, agreed_on date NOT NULL
);
CREATE TABLE trips (
    id int PRIMARY KEY, vessel_id int NOT NULL REFERENCES vessels, from_port_id int NOT NULL REFERENCES ports, to_port_id int REFERENCES ports, left_at timestamp NOT NULL, back_at timestamp, purpose text NOT NULL
);
CREATE TABLE hauls (id int PRIMARY KEY, trip_id int NOT NULL REFERENCES trips, started_at timestamp NOT NULL, minutes smallint NOT NULL, zone text NOT NULL, depth_m smallint);
CREATE TABLE catches (id int PRIMARY KEY, haul_id int NOT NULL REFERENCES hauls, species_id int NOT NULL REFERENCES species, kilos numeric(9, 2) NOT NULL, discarded boolean NOT NULL);
CREATE TABLE landings (
    id int PRIMARY KEY, trip_id int NOT NULL REFERENCES trips, species_id int NOT NULL REFERENCES species, landed_on date NOT NULL, kilos numeric(9, 2) NOT NULL, price_cents int, buyer text NOT NULL
);
CREATE TABLE inspectors (id int PRIMARY KEY, chief_id int REFERENCES inspectors, name text NOT NULL, station text NOT NULL);
CREATE TABLE inspections (
    id int PRIMARY KEY, vessel_id int NOT NULL REFERENCES vessels, inspector_id int NOT NULL REFERENCES inspectors, trip_id int REFERENCES trips, done_on date NOT NULL, outcome text NOT NULL, fine_cents int
);
CREATE TABLE notices (id int PRIMARY KEY, vessel_id int NOT NULL REFERENCES vessels, kind text NOT NULL, issued_at timestamp NOT NULL, closed_at timestamp);

INSERT INTO species SELECT i, CASE WHEN i > 6 THEN 1 + floor(pick(i, 1) ^ 1.4 * least(i - 1, 80))::int END, 'Species ' || i, CASE WHEN pick(i, 2) < 0.8 THEN 'F' || lpad(to_hex(i % 256), 2, '0') END, pick(i, 3) < 0.06 FROM generate_series(1, 400) i;
INSERT INTO ports SELECT i, 'Port ' || i, (ARRAY['DK','NO','SE','IS','GB'])[1 + floor(pick(i, 4) * 5)::int], CASE WHEN pick(i, 5) < 0.9 THEN 20 + floor(pick(i, 6) * 150)::int END FROM generate_series(1, 150) i;
INSERT INTO owners SELECT i, 'Owner ' || i % 1500, (ARRAY['DK','NO','SE','IS','GB'])[1 + floor(pick(i, 7) * 5)::int], CASE WHEN pick(i, 8) < 0.7 THEN date '1950-01-01' + floor(pick(i, 9) * 25000)::int END FROM generate_series(1, greatest((3000 * :scale)::int, 80)) i;
INSERT INTO vessels
SELECT i, 1 + floor(pick(i, 10) ^ 1.5 * 150)::int, 1 + floor(pick(i, 11) ^ 1.4 * greatest((3000 * :scale)::int, 80))::int, 'Vessel ' || i % 4000, 'X' || i, (ARRAY['trawl','trawl','seine','longline','gillnet','pots'])[1 + floor(pick(i, 12) * 6)::int], 600 + floor(pick(i, 13) ^ 2 * 7000)::int,
    CASE WHEN pick(i, 14) < 0.15 THEN date '2021-01-01' + floor(pick(i, 15) * 1000)::int END
FROM generate_series(1, greatest((6000 * :scale)::int, 200)) i;
INSERT INTO ownerships SELECT v.id, CASE WHEN n = 1 THEN v.owner_id ELSE 1 + floor(pick(v.id * 4::bigint + n, 16) * greatest((3000 * :scale)::int, 80))::int END, date '2010-01-01' + (n - 1) * 1500 + floor(pick(v.id * 4::bigint + n, 17) * 1400)::int FROM vessels v CROSS JOIN generate_series(1, 3) n WHERE n = 1 OR pick(v.id * 4::bigint + n, 18) < 0.5;
INSERT INTO quotas SELECT v.id, 1 + floor(pick(v.id * 16::bigint + n, 19) ^ 1.6 * 400)::int, y, 500 + round((pick(v.id * 16::bigint + n + y, 20) ^ 2 * 40000)::numeric, 2) FROM vessels v CROSS JOIN generate_series(1, 9) n CROSS JOIN generate_series(2022, 2024) y ON CONFLICT DO NOTHING;
INSERT INTO transfers
SELECT i, 1 + floor(pick(i, 21) * greatest((6000 * :scale)::int, 200))::int, 1 + floor(pick(i, 22) ^ 1.5 * greatest((6000 * :scale)::int, 200))::int, 1 + floor(pick(i, 23) ^ 1.6 * 400)::int, 2022 + floor(pick(i, 24) * 3)::int, 10 + round((pick(i, 25) ^ 2 * 3000)::numeric, 2), date '2022-01-05' + floor(pick(i, 24) * 1050)::int
FROM generate_series(1, (40000 * :scale)::int) i;
INSERT INTO trips
SELECT i, v, 1 + floor(pick(i, 27) ^ 1.5 * 150)::int, CASE WHEN b THEN 1 + floor(pick(i, 28) ^ 1.5 * 150)::int END, l, CASE WHEN b THEN date_trunc('minute', l + (6 + pick(i, 29) ^ 2 * 200) * interval '1 hour') END, (ARRAY['fishing','fishing','fishing','research','transfer'])[1 + floor(pick(i, 30) * 5)::int]
FROM (SELECT i, 1 + floor(pick(i, 26) ^ 1.3 * greatest((6000 * :scale)::int, 200) * 0.95)::int AS v, date_trunc('minute', timestamp '2022-01-02' + i * (interval '1060 days' / (100000 * :scale))) AS l, pick(i, 31) < 0.97 AS b FROM generate_series(1, (100000 * :scale)::int) i) x;
INSERT INTO hauls
SELECT row_number() OVER (ORDER BY t.id, n), t.id, date_trunc('minute', t.left_at + n * interval '90 minutes' + pick(t.id * 16::bigint + n, 32) * interval '1 hour'), 20 + floor(pick(t.id * 16::bigint + n, 33) * 300)::int, (ARRAY['N','S','W'])[1 + floor(pick(t.id, 34) * 3)::int] || floor(pick(t.id * 16::bigint + n, 35) ^ 1.5 * 12)::int, CASE WHEN pick(t.id * 16::bigint + n, 36) < 0.9 THEN 10 + floor(pick(t.id * 16::bigint + n, 37) ^ 2 * 900)::int END
FROM trips t CROSS JOIN generate_series(1, 8) n WHERE t.purpose <> 'transfer' AND n <= pick(t.id, 38) * 9;
INSERT INTO catches
SELECT row_number() OVER (ORDER BY h.id, n), h.id, 1 + floor(pick(h.id * 8::bigint + n, 39) ^ 1.8 * 380)::int, 1 + round((pick(h.id * 8::bigint + n, 40) ^ 4 * 2000)::numeric), pick(h.id * 8::bigint + n, 41) < 0.12
FROM hauls h CROSS JOIN generate_series(1, 4) n WHERE n = 1 OR pick(h.id * 8::bigint + n, 42) < 0.5;
INSERT INTO landings
SELECT row_number() OVER (ORDER BY t.id, n), t.id, 1 + floor(pick(t.id * 8::bigint + n, 43) ^ 1.6 * 390)::int, t.back_at::date, 5 + round((pick(t.id * 8::bigint + n, 44) ^ 3 * 9000)::numeric, 1), CASE WHEN pick(t.id * 8::bigint + n, 45) < 0.95 THEN 50 + floor(pick(t.id * 8::bigint + n, 46) ^ 2 * 1500)::int END, 'Buyer ' || floor(pick(t.id * 8::bigint + n, 47) ^ 1.5 * 90)::int
FROM trips t CROSS JOIN generate_series(1, 5) n WHERE t.back_at IS NOT NULL AND t.purpose <> 'transfer' AND n <= 1 + pick(t.id, 48) * 5;
INSERT INTO inspectors SELECT i, CASE WHEN i > 8 THEN 1 + floor(pick(i, 49) * least(i - 1, 60))::int END, 'Inspector ' || i, (ARRAY['north','south','west','harbour'])[1 + floor(pick(i, 50) * 4)::int] FROM generate_series(1, 300) i;
INSERT INTO inspections
SELECT i, v, 1 + floor(pick(i, 52) ^ 1.3 * 300)::int, CASE WHEN pick(i, 53) < 0.4 THEN 1 + floor(pick(i, 54) * 100000 * :scale)::int END, date '2019-01-01' + floor(pick(i, 55) * 2000)::int, (ARRAY['fine','clear','clear','warning'])[1 + floor(pick(i, 56) * 4)::int], CASE WHEN pick(i, 56) < 0.25 AND pick(i, 57) < 0.9 THEN 5000 + floor(pick(i, 57) ^ 2 * 800000)::int END
FROM (SELECT i, 1 + floor(pick(i, 51) ^ 1.2 * greatest((6000 * :scale)::int, 200) * 0.97)::int AS v FROM generate_series(1, (60000 * :scale)::int) i) x;
INSERT INTO notices
SELECT i, 1 + floor(pick(i, 58) ^ 1.4 * greatest((6000 * :scale)::int, 200) * 0.9)::int, (ARRAY['logbook','radio','quota','safety'])[1 + floor(pick(i, 59) * 4)::int], date_trunc('minute', timestamp '2022-01-01' + pick(i, 60) * interval '1000 days'), CASE WHEN pick(i, 61) < 0.8 THEN date_trunc('minute', timestamp '2022-02-01' + pick(i, 60) * interval '1010 days') END
FROM generate_series(1, (30000 * :scale)::int) i;

CREATE INDEX ON catches (haul_id);
CREATE INDEX ON hauls (started_at);
CREATE INDEX ON landings (trip_id);
CREATE INDEX ON trips (left_at);
CREATE INDEX ON vessels (port_id);
CREATE VIEW landed AS
SELECT t.vessel_id, l.species_id, l.landed_on, sum(l.kilos) AS kilos, sum(l.kilos * l.price_cents / 100) AS value
FROM landings l JOIN trips t ON t.id = l.trip_id GROUP BY t.vessel_id, l.species_id, l.landed_on;
