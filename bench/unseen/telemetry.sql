-- Meters at sites, readings partitioned by month, alarms, visits by technicians: time series, composite keys, nullable foreign keys.
-- :scale is replaced by the loader; 1 gives about 1.3 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE sites (id int PRIMARY KEY, region text NOT NULL, name text NOT NULL, closed_on date);
CREATE TABLE meters (
    site_id int NOT NULL REFERENCES sites, serial int NOT NULL, model text NOT NULL, installed_on date NOT NULL, replaced_by int,
    PRIMARY KEY (site_id, serial)
);
CREATE TABLE technicians (id int PRIMARY KEY, name text NOT NULL, manager_id int REFERENCES technicians, region text);
CREATE TABLE readings (
    site_id int NOT NULL, serial int NOT NULL, at timestamp NOT NULL, value numeric(10,3), status smallint NOT NULL,
    PRIMARY KEY (site_id, serial, at), FOREIGN KEY (site_id, serial) REFERENCES meters
) PARTITION BY RANGE (at);
CREATE TABLE readings_2024_01 PARTITION OF readings FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
CREATE TABLE readings_2024_02 PARTITION OF readings FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
CREATE TABLE readings_2024_03 PARTITION OF readings FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
CREATE TABLE readings_2024_04 PARTITION OF readings FOR VALUES FROM ('2024-04-01') TO ('2024-05-01');
CREATE TABLE readings_rest PARTITION OF readings DEFAULT;
CREATE TABLE daily (site_id int NOT NULL, serial int NOT NULL, day date NOT NULL, kwh numeric(10,2) NOT NULL, PRIMARY KEY (site_id, serial, day));
CREATE TABLE alarms (
    id int PRIMARY KEY, site_id int NOT NULL REFERENCES sites, serial int, raised_at timestamp NOT NULL, cleared_at timestamp,
    severity int NOT NULL, acked_by int REFERENCES technicians, FOREIGN KEY (site_id, serial) REFERENCES meters
);
CREATE TABLE visits (
    id int PRIMARY KEY, technician_id int REFERENCES technicians, site_id int NOT NULL REFERENCES sites, serial int,
    started_at timestamp NOT NULL, ended_at timestamp, cost numeric(8,2), outcome text
);
CREATE TABLE tariffs (region text NOT NULL, valid_from date NOT NULL, valid_to date, price numeric(6,4) NOT NULL, PRIMARY KEY (region, valid_from));

INSERT INTO sites
SELECT i, (ARRAY['north','north','north','south','east','west'])[1 + floor(pick(i, 1) * 6)::int], 'Site ' || i,
    CASE WHEN pick(i, 2) < 0.06 THEN date '2024-02-01' + i % 60 END
FROM generate_series(1, greatest((400 * :scale)::int, 40)) i;
INSERT INTO meters
SELECT s.id, n, (ARRAY['A100','A100','B20','C7'])[1 + floor(pick(s.id * 16 + n, 11) * 4)::int], date '2018-01-01' + (pick(s.id * 16 + n, 12) * 2000)::int,
    CASE WHEN n > 1 AND pick(s.id * 16 + n, 13) < 0.1 THEN n - 1 END
FROM sites s, generate_series(1, 5) n;
INSERT INTO technicians
SELECT i, 'Technician ' || i, CASE WHEN i > 5 THEN 1 + floor(pick(i, 21) * least(i - 1, 60))::int END, (ARRAY['north','south','east','west',NULL])[1 + i % 5]
FROM generate_series(1, greatest((400 * :scale)::int, 100)) i;
INSERT INTO readings
SELECT m.site_id, m.serial, timestamp '2024-01-01' + n * interval '6 hours', CASE WHEN pick((m.site_id * 16 + m.serial) * 1024::bigint + n, 31) < 0.97
    THEN round((50 + 40 * sin(n / 7.0) + 30 * pick((m.site_id * 16 + m.serial) * 1024::bigint + n, 32))::numeric, 3) END,
    CASE WHEN pick((m.site_id * 16 + m.serial) * 1024::bigint + n, 33) < 0.02 THEN 2 ELSE 0 END
FROM meters m, generate_series(0, 479) n WHERE pick(m.site_id * 16 + m.serial, 34) < 0.9 OR n < 200;
INSERT INTO daily
SELECT m.site_id, m.serial, date '2024-01-01' + n, round((20 + 30 * pick((m.site_id * 16 + m.serial) * 1024::bigint + n, 41))::numeric, 2)
FROM meters m, generate_series(0, 179) n WHERE pick((m.site_id * 16 + m.serial) * 1024::bigint + n, 42) < 0.98;
INSERT INTO alarms
SELECT i, m.site_id, CASE WHEN pick(i, 51) < 0.9 THEN m.serial END, m.raised, CASE WHEN pick(i, 52) < 0.9 THEN m.raised + pick(i, 53) * interval '20 hours' END,
    1 + floor(pick(i, 54) ^ 2 * 4)::int, CASE WHEN pick(i, 55) < 0.6 THEN 1 + floor(pick(i, 56) * greatest((400 * :scale)::int, 100))::int END
FROM (
    SELECT i, 1 + floor(pick(i, 57) ^ 2 * greatest((400 * :scale)::int, 40))::int AS site_id, 1 + floor(pick(i, 58) * 5)::int AS serial,
        date_trunc('second', timestamp '2024-01-01' + pick(i, 59) * interval '119 days') AS raised
    FROM generate_series(1, (60000 * :scale)::int) i
) m;
INSERT INTO visits
SELECT i, CASE WHEN pick(i, 61) < 0.95 THEN 1 + floor(pick(i, 62) ^ 2 * greatest((400 * :scale)::int, 100))::int END,
    1 + floor(pick(i, 63) * greatest((400 * :scale)::int, 40))::int, CASE WHEN pick(i, 64) < 0.7 THEN 1 + floor(pick(i, 65) * 5)::int END, v.began,
    CASE WHEN pick(i, 66) < 0.98 THEN v.began + pick(i, 67) * interval '6 hours' END, CASE WHEN pick(i, 68) < 0.9 THEN round((pick(i, 69) * 400)::numeric, 2) END,
    (ARRAY['fixed','fixed','replaced','no access',NULL])[1 + floor(pick(i, 70) * 5)::int]
FROM (SELECT i, date_trunc('minute', timestamp '2024-01-01' + pick(i, 60) * interval '119 days') AS began FROM generate_series(1, (40000 * :scale)::int) i) v;
INSERT INTO tariffs
SELECT r, date '2024-01-01' + n * 14, CASE WHEN n < 12 THEN date '2024-01-01' + (n + 1) * 14 END, round((0.2 + 0.1 * pick(n, 81))::numeric, 4)
FROM unnest(ARRAY['north','south','east','west']) r, generate_series(0, 12) n;

CREATE INDEX readings_at ON readings (at);
CREATE INDEX alarms_site ON alarms (site_id);
CREATE INDEX visits_started_at ON visits (started_at);

CREATE VIEW latest_readings AS
SELECT r.* FROM readings r WHERE r.at = (SELECT max(x.at) FROM readings x WHERE x.site_id = r.site_id AND x.serial = r.serial);
CREATE VIEW site_status AS
SELECT s.id, s.region, s.name, count(a.id) AS open_alarms, max(a.severity) AS worst
FROM sites s LEFT JOIN alarms a ON a.site_id = s.id AND a.cleared_at IS NULL GROUP BY s.id, s.region, s.name;
DROP FUNCTION pick;
ANALYZE;
