-- An airline: flights, bookings with soft deletes and JSON, tickets, bags, crews' duties, sensors, a tree of departments, tags, and views over views.
-- Foreign keys have indexes, as Django makes them, but for readings and duties' times.
-- :scale is replaced by the loader; 1 gives about 1.3 million rows. The same scale gives the same rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE airport (id int PRIMARY KEY, code varchar(4) NOT NULL UNIQUE, city text NOT NULL, country char(2) NOT NULL, zone text NOT NULL);
CREATE TABLE aircraft (id int PRIMARY KEY, tail varchar(10) NOT NULL UNIQUE, model text NOT NULL, seats int NOT NULL, retired_at date);
CREATE TABLE department (id int PRIMARY KEY, parent_id int REFERENCES department, name text NOT NULL, kind text NOT NULL);
CREATE TABLE member (
    id int PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, country char(2), department_id int REFERENCES department, tier text NOT NULL, joined_on date NOT NULL, prefs jsonb NOT NULL, deleted_at timestamptz
);
CREATE TABLE flight (
    id int PRIMARY KEY, number varchar(8) NOT NULL, origin_id int NOT NULL REFERENCES airport, target_id int NOT NULL REFERENCES airport, aircraft_id int REFERENCES aircraft,
    departs_at timestamp NOT NULL, arrives_at timestamp NOT NULL, status text NOT NULL
);
CREATE TABLE booking (
    id int PRIMARY KEY, member_id int REFERENCES member, booked_at timestamptz NOT NULL, channel text NOT NULL, currency char(3) NOT NULL, meta jsonb, deleted_at timestamptz
);
CREATE TABLE ticket (
    id int PRIMARY KEY, booking_id int NOT NULL REFERENCES booking, flight_id int NOT NULL REFERENCES flight, seat varchar(4), cabin char(1) NOT NULL, fare numeric(8,2) NOT NULL, checked_in_at timestamp, refunded boolean NOT NULL, deleted_at timestamptz
);
CREATE TABLE bag (id int PRIMARY KEY, ticket_id int NOT NULL REFERENCES ticket, weight numeric(4,1), lost boolean NOT NULL);
CREATE TABLE tag (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE flight_tag (flight_id int NOT NULL REFERENCES flight, tag_id int NOT NULL REFERENCES tag, PRIMARY KEY (flight_id, tag_id));
CREATE TABLE reading (aircraft_id int NOT NULL REFERENCES aircraft, metric text NOT NULL, taken_at timestamp NOT NULL, value double precision, PRIMARY KEY (taken_at, aircraft_id, metric));
CREATE TABLE crew (id int PRIMARY KEY, name text NOT NULL, base_id int NOT NULL REFERENCES airport, department_id int NOT NULL REFERENCES department);
CREATE TABLE duty (id int PRIMARY KEY, crew_id int NOT NULL REFERENCES crew, flight_id int REFERENCES flight, started_at timestamp NOT NULL, ended_at timestamp);
CREATE TABLE price (id int PRIMARY KEY, origin_id int NOT NULL REFERENCES airport, target_id int NOT NULL REFERENCES airport, cabin char(1) NOT NULL, valid_from date NOT NULL, amount numeric(8,2) NOT NULL);

INSERT INTO airport SELECT i, 'A' || lpad(i::text, 3, '0'), 'City ' || i, (ARRAY['DE','FR','US','JP','BR','ZA','IT','ES'])[1 + floor(pick(i, 1) * 8)::int], (ARRAY['Europe/Berlin','America/New_York','Asia/Tokyo'])[1 + i % 3] FROM generate_series(1, 120) i;
INSERT INTO aircraft SELECT i, 'D-' || i, (ARRAY['A320','B737','A350','E190'])[1 + i % 4], 100 + (pick(i, 2) * 200)::int, CASE WHEN pick(i, 3) < 0.1 THEN date '2024-01-01' + (pick(i, 4) * 300)::int END FROM generate_series(1, 200) i;
INSERT INTO department SELECT i, CASE WHEN i > 8 THEN 1 + floor(pick(i, 5) * (i - 1) / 3)::int END, 'Department ' || i, (ARRAY['company','region','team'])[1 + i % 3] FROM generate_series(1, greatest((4000 * :scale)::int, 100)) i;
INSERT INTO member
SELECT i, 'm' || i || '@example.org', 'Name ' || (pick(i, 6) * 3000)::int, CASE WHEN pick(i, 7) < 0.9 THEN (ARRAY['DE','FR','US','JP','BR'])[1 + floor(pick(i, 8) ^ 2 * 5)::int] END,
    CASE WHEN pick(i, 9) < 0.7 THEN 1 + floor(pick(i, 10) * greatest((4000 * :scale)::int, 100))::int END, (ARRAY['basic','silver','gold'])[1 + floor(pick(i, 11) ^ 3 * 3)::int], date '2018-01-01' + (pick(i, 12) * 2300)::int,
    jsonb_build_object('meal', (ARRAY['none','vegan','halal'])[1 + floor(pick(i, 13) ^ 2 * 3)::int], 'news', pick(i, 14) < 0.3), CASE WHEN pick(i, 15) < 0.06 THEN timestamptz '2024-03-01 00:00:00+00' + pick(i, 16) * interval '200 days' END
FROM generate_series(1, greatest((60000 * :scale)::int, 300)) i;
INSERT INTO flight
SELECT i, 'RW' || 100 + (pick(i, 17) * 800)::int, s.o, 1 + (s.o + floor(pick(i, 18) ^ 2 * 118)::int) % 120, CASE WHEN pick(i, 19) < 0.98 THEN 1 + floor(pick(i, 20) * 200)::int END, s.d, s.d + interval '1 hour' + pick(i, 21) * interval '9 hours',
    CASE WHEN pick(i, 22) < 0.03 THEN 'cancelled' WHEN pick(i, 22) < 0.2 THEN 'late' ELSE 'landed' END
FROM (SELECT i, 1 + floor(pick(i, 23) ^ 2 * 120)::int AS o, date_trunc('minute', timestamp '2023-01-01' + pick(i, 24) * interval '730 days') AS d FROM generate_series(1, greatest((90000 * :scale)::int, 300)) i) s;
INSERT INTO booking
SELECT i, CASE WHEN pick(i, 25) < 0.93 THEN 1 + floor(pick(i, 26) ^ 1.6 * greatest((60000 * :scale)::int, 300))::int END, timestamptz '2023-01-01 00:00:00+00' + pick(i, 27) * interval '730 days', (ARRAY['web','app','desk','partner'])[1 + floor(pick(i, 28) ^ 2 * 4)::int], (ARRAY['EUR','USD'])[1 + i % 2],
    CASE WHEN pick(i, 29) < 0.8 THEN jsonb_build_object('promo', 'P' || (pick(i, 30) ^ 2 * 40)::int, 'party', 1 + (pick(i, 31) * 5)::int) END, CASE WHEN pick(i, 32) < 0.08 THEN timestamptz '2024-06-01 00:00:00+00' + pick(i, 33) * interval '100 days' END
FROM generate_series(1, greatest((250000 * :scale)::int, 1000)) i;
INSERT INTO ticket
SELECT i, 1 + floor(pick(i, 34) * greatest((250000 * :scale)::int, 1000))::int, 1 + floor(pick(i, 35) ^ 1.3 * greatest((90000 * :scale)::int, 300))::int, CASE WHEN pick(i, 36) < 0.9 THEN (1 + (pick(i, 37) * 40)::int) || chr(65 + (pick(i, 38) * 5)::int) END, (ARRAY['Y','W','C'])[1 + floor(pick(i, 39) ^ 3 * 3)::int],
    round((40 + 900 * pick(i, 40) ^ 2)::numeric, 2), CASE WHEN pick(i, 41) < 0.7 THEN timestamp '2023-01-01' + pick(i, 42) * interval '730 days' END, pick(i, 43) < 0.05, CASE WHEN pick(i, 44) < 0.04 THEN timestamptz '2024-07-01 00:00:00+00' END
FROM generate_series(1, greatest((400000 * :scale)::int, 1500)) i;
INSERT INTO bag SELECT i, 1 + floor(pick(i, 45) * greatest((400000 * :scale)::int, 1500))::int, CASE WHEN pick(i, 46) < 0.97 THEN round((4 + 28 * pick(i, 47))::numeric, 1) END, pick(i, 48) < 0.01 FROM generate_series(1, greatest((160000 * :scale)::int, 600)) i;
INSERT INTO tag SELECT i, 'tag ' || i FROM generate_series(1, 30) i;
INSERT INTO flight_tag SELECT DISTINCT 1 + floor(pick(i, 49) * greatest((90000 * :scale)::int, 300))::int, 1 + floor(pick(i, 50) ^ 2 * 30)::int FROM generate_series(1, greatest((150000 * :scale)::int, 500)) i;
INSERT INTO reading SELECT 1 + i % 200, (ARRAY['fuel','cabin','oil'])[1 + i / 200 % 3], timestamp '2024-01-01' + (i / 600) * interval '90 minutes' + (i % 200) * interval '1 second', CASE WHEN pick(i, 51) < 0.97 THEN pick(i, 52) * 100 END FROM generate_series(0, greatest((240000 * :scale)::int, 1200)) i;
INSERT INTO crew SELECT i, 'Crew ' || i, 1 + floor(pick(i, 53) ^ 2 * 120)::int, 1 + floor(pick(i, 54) * greatest((4000 * :scale)::int, 100))::int FROM generate_series(1, greatest((5000 * :scale)::int, 50)) i;
INSERT INTO duty SELECT i, 1 + floor(pick(i, 55) * greatest((5000 * :scale)::int, 50))::int, CASE WHEN pick(i, 56) < 0.9 THEN 1 + floor(pick(i, 57) * greatest((90000 * :scale)::int, 300))::int END, s.t, CASE WHEN pick(i, 58) < 0.98 THEN s.t + interval '2 hours' + pick(i, 59) * interval '12 hours' END
FROM (SELECT i, timestamp '2023-01-01' + pick(i, 60) * interval '730 days' AS t FROM generate_series(1, greatest((120000 * :scale)::int, 500)) i) s;
INSERT INTO price SELECT i, 1 + floor(pick(i, 61) ^ 2 * 120)::int, 1 + floor(pick(i, 62) * 120)::int, (ARRAY['Y','W','C'])[1 + i % 3], date '2022-06-01' + (pick(i, 63) * 900)::int, round((60 + 700 * pick(i, 64))::numeric, 2) FROM generate_series(1, greatest((40000 * :scale)::int, 500)) i;

CREATE INDEX ON member (department_id);
CREATE INDEX ON flight (origin_id);
CREATE INDEX ON flight (target_id);
CREATE INDEX ON flight (aircraft_id);
CREATE INDEX ON booking (member_id);
CREATE INDEX ON booking (booked_at);
CREATE INDEX ON ticket (booking_id);
CREATE INDEX ON ticket (flight_id);
CREATE INDEX ON bag (ticket_id);
CREATE INDEX ON flight_tag (tag_id);
CREATE INDEX ON department (parent_id);
CREATE INDEX ON duty (crew_id);
CREATE INDEX ON duty (flight_id);

CREATE VIEW live_booking AS SELECT id, member_id, booked_at, channel, currency, meta FROM booking WHERE deleted_at IS NULL;
CREATE VIEW live_ticket AS SELECT t.id, t.booking_id, t.flight_id, t.seat, t.cabin, t.fare, t.refunded, b.member_id, b.booked_at, b.channel FROM ticket t JOIN live_booking b ON b.id = t.booking_id WHERE t.deleted_at IS NULL;
CREATE VIEW member_revenue AS SELECT member_id, count(*) AS tickets, sum(fare) AS total, max(booked_at) AS last_at FROM live_ticket WHERE NOT refunded GROUP BY member_id;
CREATE VIEW flight_load AS SELECT f.id AS flight_id, f.number, f.departs_at, a.seats, (SELECT count(*) FROM live_ticket t WHERE t.flight_id = f.id AND NOT t.refunded) AS sold FROM flight f LEFT JOIN aircraft a ON a.id = f.aircraft_id;
CREATE VIEW department_path AS
WITH RECURSIVE below AS (
    SELECT id AS root_id, id, 0 AS depth FROM department
    UNION ALL
    SELECT b.root_id, d.id, b.depth + 1 FROM below b JOIN department d ON d.parent_id = b.id
)
SELECT root_id, id, depth FROM below;
