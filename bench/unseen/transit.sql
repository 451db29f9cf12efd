-- A public-transport operator: lines, trips and their calls at stops, riders, passes, partitions of taps by four months, incidents and complaints.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TYPE vehicle_mode AS ENUM ('bus', 'tram', 'metro', 'night');
CREATE TABLE depots (id int PRIMARY KEY, name text NOT NULL UNIQUE, district text);
CREATE TABLE lines (id int PRIMARY KEY, code text NOT NULL UNIQUE, mode vehicle_mode NOT NULL, depot_id int REFERENCES depots, opened_on date NOT NULL, colour text);
CREATE TABLE stops (id int PRIMARY KEY, name text NOT NULL, zone smallint, shelter boolean, parent_id int REFERENCES stops);
CREATE TABLE drivers (id int PRIMARY KEY, name text NOT NULL, depot_id int NOT NULL REFERENCES depots, hired_on date NOT NULL, left_on date);
CREATE TABLE vehicles (id int PRIMARY KEY, plate text NOT NULL UNIQUE, model text, depot_id int REFERENCES depots, seats int);
CREATE TABLE trips (
    id bigint PRIMARY KEY, line_id int NOT NULL REFERENCES lines, vehicle_id int REFERENCES vehicles, driver_id int REFERENCES drivers, service_day date NOT NULL,
    starts_at timestamp NOT NULL, ends_at timestamp, state text NOT NULL
);
CREATE TABLE calls (
    trip_id bigint NOT NULL REFERENCES trips, seq int NOT NULL, stop_id int NOT NULL REFERENCES stops, due_at timestamp NOT NULL, passed_at timestamp, boarded int, alighted int,
    PRIMARY KEY (trip_id, seq)
);
CREATE TABLE riders (
    id int PRIMARY KEY, name text NOT NULL, email text, category text NOT NULL, home_stop_id int REFERENCES stops, invited_by int REFERENCES riders, joined_on date NOT NULL, prefs jsonb NOT NULL
);
CREATE TABLE passes (
    id int PRIMARY KEY, rider_id int NOT NULL REFERENCES riders, payer_id int REFERENCES riders, product text NOT NULL, valid_from date NOT NULL, valid_to date, cents int NOT NULL, state text
);
CREATE TABLE taps (
    id bigint NOT NULL, tapped_at timestamp NOT NULL, rider_id int REFERENCES riders, stop_id int NOT NULL REFERENCES stops, line_id int REFERENCES lines, cents int, kind text NOT NULL,
    PRIMARY KEY (id, tapped_at)
) PARTITION BY RANGE (tapped_at);
CREATE TABLE taps_h1 PARTITION OF taps FOR VALUES FROM ('2024-01-01') TO ('2024-05-01');
CREATE TABLE taps_h2 PARTITION OF taps FOR VALUES FROM ('2024-05-01') TO ('2024-09-01');
CREATE TABLE taps_h3 PARTITION OF taps FOR VALUES FROM ('2024-09-01') TO ('2025-01-01');
CREATE TABLE incidents (
    id int PRIMARY KEY, line_id int REFERENCES lines, stop_id int REFERENCES stops, at timestamp NOT NULL, closed_at timestamp, kind text NOT NULL, tags text[], details jsonb
);
CREATE TABLE complaints (
    id int PRIMARY KEY, rider_id int REFERENCES riders, line_id int NOT NULL REFERENCES lines, filed_at timestamp NOT NULL, closed_at timestamp, topic text, severity smallint NOT NULL
);

INSERT INTO depots SELECT i, 'Depot ' || i, CASE WHEN i % 5 > 0 THEN 'district ' || i % 4 END FROM generate_series(1, 12) i;
INSERT INTO lines
SELECT i, CASE WHEN i % 9 = 0 THEN 'N' ELSE '' END || i, (ARRAY['bus','bus','bus','tram','metro','night']::vehicle_mode[])[1 + i % 6], CASE WHEN pick(i, 1) < 0.9 THEN 1 + floor(pick(i, 2) * 12)::int END,
    date '1990-01-01' + floor(pick(i, 3) * 12000)::int, CASE WHEN pick(i, 4) < 0.7 THEN (ARRAY['red','blue','green','grey'])[1 + i % 4] END
FROM generate_series(1, 90) i;
INSERT INTO stops
SELECT i, 'Stop ' || i % 1500, CASE WHEN pick(i, 5) < 0.95 THEN 1 + floor(pick(i, 6) ^ 2 * 8)::int END, CASE WHEN pick(i, 7) < 0.8 THEN pick(i, 8) < 0.5 END,
    CASE WHEN i > 40 AND pick(i, 9) < 0.6 THEN 1 + floor(pick(i, 10) * (i - 1))::int END
FROM generate_series(1, greatest((4000 * :scale)::int, 400)) i;
INSERT INTO drivers
SELECT i, 'Driver ' || i, 1 + floor(pick(i, 11) * 12)::int, date '2005-01-01' + floor(pick(i, 12) * 7000)::int, CASE WHEN pick(i, 13) < 0.15 THEN date '2024-02-01' + floor(pick(i, 14) * 300)::int END
FROM generate_series(1, greatest((3000 * :scale)::int, 300)) i;
INSERT INTO vehicles
SELECT i, 'V-' || lpad(i::text, 5, '0'), (ARRAY['Citaro','Flexity','Urbino',NULL])[1 + floor(pick(i, 15) * 4)::int], CASE WHEN pick(i, 16) < 0.95 THEN 1 + floor(pick(i, 17) * 12)::int END,
    CASE WHEN pick(i, 18) < 0.9 THEN 30 + floor(pick(i, 19) * 150)::int END
FROM generate_series(1, greatest((2000 * :scale)::int, 200)) i;
INSERT INTO trips
SELECT i, 1 + floor(pick(i, 20) ^ 1.6 * 90)::int, CASE WHEN pick(i, 21) < 0.96 THEN 1 + floor(pick(i, 22) * greatest((2000 * :scale)::int, 200))::int END,
    CASE WHEN pick(i, 23) < 0.97 THEN 1 + floor(pick(i, 24) ^ 1.3 * greatest((3000 * :scale)::int, 300))::int END, s.starts::date, s.starts,
    CASE WHEN pick(i, 25) < 0.97 THEN s.starts + (20 + floor(pick(i, 26) * 70)) * interval '1 minute' END, (ARRAY['done','done','done','done','done','done','cancelled','short'])[1 + floor(pick(i, 27) * 8)::int]
FROM (SELECT i, date_trunc('minute', timestamp '2024-01-01' + pick(i, 28) * interval '360 days') AS starts FROM generate_series(1, (140000 * :scale)::int) i) s;
INSERT INTO calls
SELECT t.id, n, 1 + floor(pick(t.line_id * 64 + n, 29) * greatest((4000 * :scale)::int, 400))::int, t.starts_at + n * interval '4 minutes',
    CASE WHEN t.state <> 'cancelled' AND pick(t.id * 16 + n, 30) < 0.95 THEN t.starts_at + n * interval '4 minutes' + floor(pick(t.id * 16 + n, 31) ^ 4 * 1500 - 30) * interval '1 second' END,
    CASE WHEN pick(t.id * 16 + n, 32) < 0.9 THEN floor(pick(t.id * 16 + n, 33) ^ 2 * 40)::int END, CASE WHEN pick(t.id * 16 + n, 34) < 0.9 THEN floor(pick(t.id * 16 + n, 35) ^ 2 * 40)::int END
FROM trips t, generate_series(0, 7) n WHERE n < 3 + t.line_id % 6;
INSERT INTO riders
SELECT i, 'Rider ' || i % greatest((50000 * :scale)::int, 700), CASE WHEN pick(i, 36) < 0.8 THEN 'r' || i || '@example.org' END, (ARRAY['adult','adult','adult','student','senior','staff'])[1 + floor(pick(i, 37) ^ 0.8 * 6)::int],
    CASE WHEN pick(i, 38) < 0.7 THEN 1 + floor(pick(i, 39) * greatest((4000 * :scale)::int, 400))::int END, CASE WHEN i > 50 AND pick(i, 40) < 0.3 THEN 1 + floor(pick(i, 41) ^ 2 * (i - 1))::int END,
    date '2019-01-01' + floor(pick(i, 42) * 2100)::int,
    jsonb_build_object('lang', (ARRAY['de','en','fr'])[1 + floor(pick(i, 43) * 3)::int], 'lines', CASE WHEN pick(i, 44) < 0.5 THEN jsonb_build_array((1 + floor(pick(i, 45) ^ 2 * 90))::text, (1 + floor(pick(i, 46) * 90))::text) ELSE '[]'::jsonb END)
FROM generate_series(1, greatest((60000 * :scale)::int, 1000)) i;
INSERT INTO passes
SELECT i, 1 + floor(pick(i, 47) ^ 1.3 * greatest((60000 * :scale)::int, 1000))::int, CASE WHEN pick(i, 48) < 0.3 THEN 1 + floor(pick(i, 49) * greatest((60000 * :scale)::int, 1000))::int END,
    (ARRAY['day','week','month','month','year'])[1 + floor(pick(i, 50) * 5)::int], v.first, CASE WHEN pick(i, 51) < 0.9 THEN v.first + floor(pick(i, 52) ^ 2 * 365)::int END, 300 + floor(pick(i, 53) ^ 3 * 60000)::int,
    (ARRAY['paid','paid','paid','refunded',NULL])[1 + floor(pick(i, 54) * 5)::int]
FROM (SELECT i, date '2023-01-01' + floor(pick(i, 55) * 720)::int AS first FROM generate_series(1, (120000 * :scale)::int) i) v;
INSERT INTO taps
SELECT i, date_trunc('second', timestamp '2024-01-01' + pick(i, 56) * interval '360 days'), CASE WHEN pick(i, 57) < 0.93 THEN 1 + floor(pick(i, 58) ^ 1.8 * greatest((60000 * :scale)::int, 1000))::int END,
    1 + floor(pick(i, 59) ^ 2 * greatest((4000 * :scale)::int, 400))::int, CASE WHEN pick(i, 60) < 0.85 THEN 1 + floor(pick(i, 61) ^ 1.5 * 90)::int END,
    CASE WHEN pick(i, 62) < 0.8 THEN 100 + floor(pick(i, 63) ^ 2 * 700)::int END, (ARRAY['in','in','in','out','check'])[1 + floor(pick(i, 64) * 5)::int]
FROM generate_series(1, (700000 * :scale)::int) i;
INSERT INTO incidents
SELECT i, CASE WHEN pick(i, 65) < 0.9 THEN 1 + floor(pick(i, 66) * 90)::int END, CASE WHEN pick(i, 67) < 0.5 THEN 1 + floor(pick(i, 68) * greatest((4000 * :scale)::int, 400))::int END, v.at,
    CASE WHEN pick(i, 69) < 0.9 THEN v.at + floor(pick(i, 70) ^ 3 * 9000) * interval '1 minute' END, (ARRAY['breakdown','accident','works','crowding'])[1 + floor(pick(i, 71) * 4)::int],
    CASE WHEN pick(i, 72) < 0.85 THEN (ARRAY['signal','door','brake','weather','police','track'])[1 + floor(pick(i, 73) * 3)::int : 2 + floor(pick(i, 74) * 5)::int] END,
    CASE WHEN pick(i, 75) < 0.8 THEN jsonb_build_object('minutes', floor(pick(i, 76) ^ 2 * 300)::int, 'level', (ARRAY['low','mid','high'])[1 + floor(pick(i, 77) * 3)::int]) END
FROM (SELECT i, date_trunc('minute', timestamp '2024-01-01' + pick(i, 78) * interval '360 days') AS at FROM generate_series(1, (50000 * :scale)::int) i) v;
INSERT INTO complaints
SELECT i, CASE WHEN pick(i, 79) < 0.85 THEN 1 + floor(pick(i, 80) ^ 1.5 * greatest((60000 * :scale)::int, 1000))::int END, 1 + floor(pick(i, 81) ^ 1.4 * 90)::int, v.at,
    CASE WHEN pick(i, 82) < 0.8 THEN v.at + floor(pick(i, 83) * 40) * interval '1 day' END, (ARRAY['late','late','dirty','fare',NULL])[1 + floor(pick(i, 84) * 5)::int], 1 + floor(pick(i, 85) * 5)::int
FROM (SELECT i, date_trunc('minute', timestamp '2024-01-01' + pick(i, 86) * interval '360 days') AS at FROM generate_series(1, (70000 * :scale)::int) i) v;

CREATE INDEX trips_starts ON trips (starts_at);
CREATE INDEX trips_driver ON trips (driver_id) WHERE state = 'cancelled';
CREATE INDEX complaints_rider ON complaints (rider_id);
CREATE INDEX incidents_open ON incidents (line_id) WHERE closed_at IS NULL;
CREATE VIEW trip_delays AS SELECT c.trip_id, count(*) AS stops, count(c.passed_at) AS passed, max(c.passed_at - c.due_at) AS worst, coalesce(sum(c.boarded), 0) AS boarded FROM calls c GROUP BY c.trip_id;
CREATE VIEW line_trips AS SELECT t.id, t.line_id, l.code, l.mode, t.service_day, t.driver_id, d.passed, d.worst, d.boarded FROM trips t JOIN lines l ON l.id = t.line_id LEFT JOIN trip_delays d ON d.trip_id = t.id;
CREATE VIEW live_passes AS SELECT p.id, p.rider_id, p.product, p.valid_from, p.valid_to, p.cents FROM passes p WHERE p.state IS DISTINCT FROM 'refunded';
DROP FUNCTION pick;
ANALYZE;
