-- Shipments between depots, their scans, the trips that carried them and what vehicles reported: routes, soft deletes, rates in force.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE depots (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL, country text NOT NULL, zone text NOT NULL);
CREATE TABLE vehicles (id int PRIMARY KEY, plate text NOT NULL UNIQUE, depot_id int NOT NULL REFERENCES depots, capacity_kg int NOT NULL, retired_on date);
CREATE TABLE drivers (id int PRIMARY KEY, name text NOT NULL, depot_id int REFERENCES depots, hired_on date NOT NULL);
CREATE TABLE shippers (id int PRIMARY KEY, name text NOT NULL, tier text NOT NULL, country text NOT NULL, parent_id int REFERENCES shippers);
CREATE TABLE shipments (
    id bigint PRIMARY KEY, reference text NOT NULL, shipper_id int NOT NULL REFERENCES shippers, origin_id int NOT NULL REFERENCES depots,
    dest_id int NOT NULL REFERENCES depots, booked_at timestamp NOT NULL, deliver_by date, delivered_at timestamp, weight_kg numeric(9,2) NOT NULL,
    price numeric(10,2), state text NOT NULL, deleted_at timestamp
);
CREATE TABLE parcels (
    shipment_id bigint NOT NULL REFERENCES shipments, no int NOT NULL, weight_kg numeric(8,2) NOT NULL, category text NOT NULL, PRIMARY KEY (shipment_id, no)
);
CREATE TABLE scans (
    id bigint PRIMARY KEY, shipment_id bigint NOT NULL REFERENCES shipments, depot_id int NOT NULL REFERENCES depots, scanned_at timestamp NOT NULL, kind text NOT NULL
);
CREATE TABLE trips (
    id int PRIMARY KEY, vehicle_id int NOT NULL REFERENCES vehicles, driver_id int REFERENCES drivers, origin_id int NOT NULL REFERENCES depots,
    dest_id int NOT NULL REFERENCES depots, departs_at timestamp NOT NULL, arrives_at timestamp, km int NOT NULL
);
CREATE TABLE trip_shipments (trip_id int NOT NULL REFERENCES trips, shipment_id bigint NOT NULL REFERENCES shipments, PRIMARY KEY (trip_id, shipment_id));
CREATE TABLE telematics (vehicle_id int NOT NULL REFERENCES vehicles, at timestamp NOT NULL, speed int, fuel numeric(6,2), PRIMARY KEY (vehicle_id, at));
CREATE TABLE rates (id int PRIMARY KEY, zone text NOT NULL, valid_from date NOT NULL, valid_to date, per_kg numeric(6,3) NOT NULL);
CREATE TABLE incidents (id int PRIMARY KEY, trip_id int NOT NULL REFERENCES trips, kind text NOT NULL, cost numeric(9,2), reported_at timestamp NOT NULL);

INSERT INTO depots
SELECT i, 'Depot ' || i, 'City ' || i % 40, (ARRAY['PL','CZ','DE','DE','NL'])[1 + i % 5], (ARRAY['east','west','north','south'])[1 + i % 4] FROM generate_series(1, 80) i;
INSERT INTO vehicles
SELECT i, 'V' || lpad(i::text, 5, '0'), 1 + floor(pick(i, 1) * 80)::int, (ARRAY[1200,3500,7500,18000])[1 + i % 4], CASE WHEN pick(i, 2) < 0.1 THEN date '2023-01-01' + i % 500 END
FROM generate_series(1, greatest((1200 * :scale)::int, 150)) i;
INSERT INTO drivers
SELECT i, 'Driver ' || i, CASE WHEN pick(i, 3) < 0.9 THEN 1 + floor(pick(i, 4) * 80)::int END, date '2012-01-01' + (pick(i, 5) * 4000)::int
FROM generate_series(1, greatest((1500 * :scale)::int, 200)) i;
INSERT INTO shippers
SELECT i, 'Shipper ' || i, (ARRAY['gold','silver','silver','basic','basic','basic'])[1 + floor(pick(i, 6) * 6)::int], (ARRAY['PL','CZ','DE','NL'])[1 + i % 4],
    CASE WHEN i > 20 AND pick(i, 7) < 0.4 THEN 1 + floor(pick(i, 8) * (i - 1))::int END
FROM generate_series(1, greatest((12000 * :scale)::int, 400)) i;
INSERT INTO shipments
SELECT i, 'S-' || i % (230000 * :scale)::int, 1 + floor(pick(i, 9) ^ 1.6 * greatest((12000 * :scale)::int, 400))::int, 1 + floor(pick(i, 10) * 80)::int,
    1 + floor(pick(i, 11) * 80)::int, s.booked, CASE WHEN pick(i, 12) < 0.9 THEN s.booked::date + 2 + floor(pick(i, 13) * 4)::int END,
    CASE WHEN pick(i, 14) < 0.93 THEN s.booked + interval '1 day' + pick(i, 15) * interval '5 days' END, round((1 + 900 * pick(i, 16) ^ 3)::numeric, 2),
    CASE WHEN pick(i, 17) < 0.97 THEN round((5 + 400 * pick(i, 18) ^ 2)::numeric, 2) END,
    (ARRAY['booked','in transit','delivered','delivered','delivered','delivered','returned','lost'])[1 + floor(pick(i, 19) * 8)::int],
    CASE WHEN pick(i, 20) < 0.03 THEN s.booked + interval '10 days' END
FROM (SELECT i, date_trunc('second', timestamp '2023-01-01' + pick(i, 21) * interval '540 days') AS booked FROM generate_series(1, (250000 * :scale)::int) i) s;
INSERT INTO parcels
SELECT s.id, n, round((0.2 + 30 * pick(s.id * 8 + n, 22))::numeric, 2), (ARRAY['standard','fragile','cold','bulky'])[1 + floor(pick(s.id * 8 + n, 23) * 4)::int]
FROM shipments s, generate_series(1, 5) n WHERE n = 1 OR pick(s.id * 8 + n, 24) < 0.25;
INSERT INTO scans
SELECT i, 1 + floor(pick(i, 25) * (250000 * :scale))::bigint, 1 + floor(pick(i, 26) * 80)::int, date_trunc('second', timestamp '2023-01-01' + pick(i, 27) * interval '545 days'),
    (ARRAY['pickup','sort','sort','load','load','handover','damage'])[1 + floor(pick(i, 28) * 7)::int]
FROM generate_series(1, (650000 * :scale)::int) i;
INSERT INTO trips
SELECT i, 1 + floor(pick(i, 29) * greatest((1200 * :scale)::int, 150))::int, CASE WHEN pick(i, 30) < 0.96 THEN 1 + floor(pick(i, 31) * greatest((1500 * :scale)::int, 200))::int END,
    1 + floor(pick(i, 32) * 80)::int, 1 + floor(pick(i, 33) * 80)::int, t.leaves, CASE WHEN pick(i, 34) < 0.97 THEN t.leaves + pick(i, 35) * interval '20 hours' END, 20 + floor(pick(i, 36) * 900)::int
FROM (SELECT i, date_trunc('minute', timestamp '2023-01-01' + pick(i, 37) * interval '540 days') AS leaves FROM generate_series(1, (60000 * :scale)::int) i) t;
INSERT INTO trip_shipments
SELECT DISTINCT 1 + floor(pick(i, 38) * (60000 * :scale))::int, 1 + floor(pick(i, 39) * (250000 * :scale))::bigint FROM generate_series(1, (300000 * :scale)::int) i;
INSERT INTO telematics
SELECT v.id, timestamp '2024-05-01' + n * interval '15 minutes' + floor(pick(v.id * 4096::bigint + n, 40) * 300) * interval '1 second',
    CASE WHEN pick(v.id * 4096::bigint + n, 41) < 0.9 THEN floor(pick(v.id * 4096::bigint + n, 42) * 95)::int END, round((10 + 80 * pick(v.id * 4096::bigint + n, 43))::numeric, 2)
FROM vehicles v, generate_series(0, 199) n WHERE pick(v.id * 4096::bigint + n, 44) < 0.93;
INSERT INTO rates
SELECT row_number() OVER (), z, date '2023-01-01' + n * 30, CASE WHEN n < 18 THEN date '2023-01-01' + (n + 1) * 30 END, round((0.4 + 0.3 * pick(n, 45))::numeric, 3)
FROM unnest(ARRAY['east','west','north','south']) z, generate_series(0, 18) n;
INSERT INTO incidents
SELECT i, 1 + floor(pick(i, 46) * (60000 * :scale))::int, (ARRAY['delay','breakdown','damage','accident'])[1 + floor(pick(i, 47) * 4)::int],
    CASE WHEN pick(i, 48) < 0.8 THEN round((2000 * pick(i, 49) ^ 3)::numeric, 2) END, date_trunc('minute', timestamp '2023-01-01' + pick(i, 50) * interval '540 days')
FROM generate_series(1, (12000 * :scale)::int) i;

CREATE INDEX scans_shipment ON scans (shipment_id);
CREATE INDEX shipments_booked ON shipments (booked_at);
CREATE INDEX trips_vehicle ON trips (vehicle_id, departs_at);
CREATE VIEW live_shipments AS SELECT * FROM shipments WHERE deleted_at IS NULL;
DROP FUNCTION pick;
ANALYZE;
