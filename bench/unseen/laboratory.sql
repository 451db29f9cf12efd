-- A medical laboratory: clinics in a tree, doctors, patients, panels of analytes with their normal ranges, orders with samples and results, instruments with calibrations, technicians, reviews, invoices and messages.
-- :scale is replaced by the loader; 1 gives about 1.7 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE clinics (id int PRIMARY KEY, parent_id int REFERENCES clinics, name text NOT NULL, region char(2) NOT NULL, closed_on date);
CREATE TABLE doctors (id int PRIMARY KEY, clinic_id int NOT NULL REFERENCES clinics, name text NOT NULL, specialty text NOT NULL, retired boolean NOT NULL);
CREATE TABLE patients (id int PRIMARY KEY, doctor_id int REFERENCES doctors, name text NOT NULL, sex char(1) NOT NULL, born_on date NOT NULL, postcode text);
CREATE TABLE panels (id int PRIMARY KEY, name text NOT NULL, price_cents int NOT NULL);
CREATE TABLE analytes (id int PRIMARY KEY, panel_id int NOT NULL REFERENCES panels, code text NOT NULL UNIQUE, unit text);
CREATE TABLE ranges (analyte_id int NOT NULL REFERENCES analytes, sex char(1) NOT NULL, from_age smallint NOT NULL, to_age smallint NOT NULL, low numeric(8, 2), high numeric(8, 2) NOT NULL, PRIMARY KEY (analyte_id, sex, from_age));
CREATE TABLE technicians (id int PRIMARY KEY, chief_id int REFERENCES technicians, name text NOT NULL, site text NOT NULL);
CREATE TABLE instruments (id int PRIMARY KEY, model text NOT NULL, site text NOT NULL, bought_on date NOT NULL);
CREATE TABLE calibrations (id int PRIMARY KEY, instrument_id int NOT NULL REFERENCES instruments, technician_id int NOT NULL REFERENCES technicians, done_at timestamp NOT NULL, slope numeric(6, 4) NOT NULL, UNIQUE (instrument_id, done_at));
CREATE TABLE orders (
    id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, doctor_id int NOT NULL REFERENCES doctors, placed_at timestamp NOT NULL, urgency text NOT NULL, status text NOT NULL, note text
);
CREATE TABLE order_panels (order_id int NOT NULL REFERENCES orders, panel_id int NOT NULL REFERENCES panels, price_cents int NOT NULL, PRIMARY KEY (order_id, panel_id));
CREATE TABLE samples (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, kind text NOT NULL, drawn_at timestamp NOT NULL, received_at timestamp, rejected boolean NOT NULL);
CREATE TABLE results (
    id int PRIMARY KEY, sample_id int NOT NULL REFERENCES samples, analyte_id int NOT NULL REFERENCES analytes, instrument_id int NOT NULL REFERENCES instruments, technician_id int NOT NULL REFERENCES technicians,
    measured_at timestamp NOT NULL, value numeric(8, 2) NOT NULL, flag text
);
CREATE TABLE reviews (id int PRIMARY KEY, result_id int NOT NULL REFERENCES results, technician_id int NOT NULL REFERENCES technicians, reviewed_at timestamp NOT NULL, verdict text NOT NULL);
CREATE TABLE invoices (id int PRIMARY KEY, clinic_id int NOT NULL REFERENCES clinics, month date NOT NULL, cents bigint NOT NULL, paid_on date, UNIQUE (clinic_id, month));
CREATE TABLE messages (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, channel text NOT NULL, sent_at timestamp NOT NULL, read_at timestamp);

INSERT INTO clinics SELECT i, CASE WHEN i > 12 THEN 1 + floor(pick(i, 1) ^ 1.3 * least(i - 1, 120))::int END, 'Clinic ' || i, (ARRAY['NO','SO','EA','WE'])[1 + floor(pick(i, 2) * 4)::int], CASE WHEN pick(i, 3) < 0.05 THEN date '2023-01-01' + floor(pick(i, 4) * 400)::int END FROM generate_series(1, 500) i;
INSERT INTO doctors SELECT i, 1 + floor(pick(i, 5) ^ 1.4 * 490)::int, 'Dr ' || i % 1700, (ARRAY['general','general','cardiology','oncology','surgery'])[1 + floor(pick(i, 6) * 5)::int], pick(i, 7) < 0.1 FROM generate_series(1, greatest((4000 * :scale)::int, 200)) i;
INSERT INTO patients SELECT i, CASE WHEN pick(i, 8) < 0.93 THEN 1 + floor(pick(i, 9) ^ 1.3 * greatest((4000 * :scale)::int, 200))::int END, 'Patient ' || i % 30000, CASE WHEN pick(i, 10) < 0.52 THEN 'f' ELSE 'm' END, date '1930-01-01' + floor(pick(i, 11) * 33000)::int, CASE WHEN pick(i, 12) < 0.96 THEN 'P' || lpad(floor(pick(i, 13) ^ 1.5 * 900)::text, 3, '0') END FROM generate_series(1, (50000 * :scale)::int) i;
INSERT INTO panels SELECT i, 'Panel ' || i, 500 + floor(pick(i, 14) * 9000)::int FROM generate_series(1, 40) i;
INSERT INTO analytes SELECT i, 1 + (i - 1) % 40, 'A' || i, CASE WHEN pick(i, 15) < 0.9 THEN (ARRAY['mg/l','mmol/l','g/l','U/l'])[1 + floor(pick(i, 16) * 4)::int] END FROM generate_series(1, 120) i;
INSERT INTO ranges SELECT a.id, s, f, f + 19, CASE WHEN pick(a.id * 16 + f / 20, 17) < 0.8 THEN 10 + floor(pick(a.id * 16 + f / 20, 18) * 20)::int END, 120 + floor(pick(a.id * 16 + f / 20, 19) * 60)::int FROM analytes a CROSS JOIN unnest(ARRAY['f','m']) s CROSS JOIN generate_series(0, 100, 20) f;
INSERT INTO technicians SELECT i, CASE WHEN i > 6 THEN 1 + floor(pick(i, 20) * least(i - 1, 40))::int END, 'Technician ' || i, (ARRAY['central','central','harbour','campus'])[1 + floor(pick(i, 21) * 4)::int] FROM generate_series(1, 240) i;
INSERT INTO instruments SELECT i, (ARRAY['Mono 2','Cell X','Plate 9'])[1 + floor(pick(i, 22) * 3)::int], (ARRAY['central','central','harbour','campus'])[1 + floor(pick(i, 23) * 4)::int], date '2015-01-01' + floor(pick(i, 24) * 2500)::int FROM generate_series(1, 90) i;
INSERT INTO calibrations SELECT row_number() OVER (ORDER BY i.id, n), i.id, 1 + floor(pick(i.id * 1024::bigint + n, 25) * 240)::int, timestamp '2021-12-01 06:00' + n * interval '36 hours' + floor(pick(i.id * 1024::bigint + n, 26) * 1200) * interval '1 minute', 0.9 + round((pick(i.id * 1024::bigint + n, 27) * 0.2)::numeric, 4) FROM instruments i CROSS JOIN generate_series(1, greatest((600 * :scale)::int, 60)) n;
INSERT INTO orders
SELECT i, 1 + floor(pick(i, 28) ^ 1.4 * 50000 * :scale * 0.92)::int, 1 + floor(pick(i, 29) ^ 1.5 * greatest((4000 * :scale)::int, 200) * 0.97)::int, date_trunc('minute', timestamp '2022-01-03' + i * (interval '1000 days' / (150000 * :scale))), (ARRAY['routine','routine','routine','urgent'])[1 + floor(pick(i, 30) * 4)::int],
    CASE WHEN i > 147000 * :scale THEN 'open' WHEN pick(i, 31) < 0.04 THEN 'cancelled' ELSE 'done' END, CASE WHEN pick(i, 32) < 0.1 THEN 'fasting ' || i % 50 END
FROM generate_series(1, (150000 * :scale)::int) i;
INSERT INTO order_panels SELECT o.id, p, max(500 + floor(pick(p, 14) * 9000)::int) - floor(pick(o.id, 33) * 200)::int FROM orders o CROSS JOIN LATERAL (SELECT 1 + floor(pick(o.id * 8::bigint + n, 34) ^ 1.7 * 40)::int AS p FROM generate_series(1, 1 + floor(pick(o.id, 35) * 3)::int) n) x GROUP BY o.id, p;
INSERT INTO samples
SELECT row_number() OVER (ORDER BY o.id, n), o.id, (ARRAY['blood','blood','blood','urine','swab'])[1 + floor(pick(o.id * 4::bigint + n, 36) * 5)::int], o.placed_at + floor(pick(o.id * 4::bigint + n, 37) * 600) * interval '1 minute', CASE WHEN pick(o.id * 4::bigint + n, 38) < 0.97 THEN o.placed_at + floor(600 + pick(o.id * 4::bigint + n, 39) ^ 2 * 3000) * interval '1 minute' END, pick(o.id * 4::bigint + n, 40) < 0.05
FROM orders o CROSS JOIN generate_series(1, 2) n WHERE o.status <> 'cancelled' AND (n = 1 OR pick(o.id, 41) < 0.35);
INSERT INTO results
SELECT row_number() OVER (ORDER BY s.received_at, s.id, x.analyte_id), s.id, x.analyte_id, 1 + floor(pick(s.id * 128::bigint + x.analyte_id, 42) ^ 1.3 * 90)::int, 1 + floor(pick(s.id * 128::bigint + x.analyte_id, 43) ^ 1.4 * 236)::int, s.received_at + floor(30 + pick(s.id * 128::bigint + x.analyte_id, 44) ^ 2 * 900) * interval '1 minute', 1 + round((pick(s.id * 128::bigint + x.analyte_id, 45) ^ 1.5 * 200)::numeric, 1),
    CASE WHEN pick(s.id * 128::bigint + x.analyte_id, 46) < 0.06 THEN (ARRAY['high','low','clot'])[1 + floor(pick(s.id * 128::bigint + x.analyte_id, 47) * 3)::int] END
FROM samples s CROSS JOIN LATERAL (SELECT a.id AS analyte_id FROM order_panels p JOIN analytes a ON a.panel_id = p.panel_id WHERE p.order_id = s.order_id) x WHERE s.received_at IS NOT NULL AND NOT s.rejected AND pick(s.id * 128::bigint + x.analyte_id, 48) < 0.93;
INSERT INTO reviews SELECT row_number() OVER (ORDER BY r.id), r.id, 1 + floor(pick(r.id, 49) ^ 1.2 * 220)::int, r.measured_at + floor(10 + pick(r.id, 50) * 2000) * interval '1 minute', (ARRAY['ok','ok','ok','repeat','void'])[1 + floor(pick(r.id, 51) * 5)::int] FROM results r WHERE pick(r.id, 52) < CASE WHEN r.flag IS NULL THEN 0.05 ELSE 0.7 END;
INSERT INTO invoices SELECT row_number() OVER (ORDER BY m, c.id), c.id, m::date, 1000 + floor(pick(c.id * 64::bigint + extract(month FROM m)::int + 12 * (extract(year FROM m)::int - 2022), 53) ^ 2 * 900000)::bigint, CASE WHEN pick(c.id * 64::bigint + extract(month FROM m)::int, 54) < 0.8 THEN m::date + 40 + floor(pick(c.id, 55) * 60)::int END FROM clinics c CROSS JOIN generate_series(timestamp '2022-01-01', timestamp '2024-09-01', interval '1 month') m;
INSERT INTO messages SELECT row_number() OVER (ORDER BY o.id, n), o.id, (ARRAY['mail','sms','portal'])[1 + floor(pick(o.id * 4::bigint + n, 56) * 3)::int], o.placed_at + (n * 30 + floor(pick(o.id * 4::bigint + n, 57) * 60)) * interval '1 hour', CASE WHEN pick(o.id * 4::bigint + n, 58) < 0.7 THEN o.placed_at + (n * 30 + 60 + floor(pick(o.id * 4::bigint + n, 59) * 90)) * interval '1 hour' END FROM orders o CROSS JOIN generate_series(1, 2) n WHERE n = 1 OR pick(o.id, 60) < 0.3;

CREATE INDEX ON results (sample_id);
CREATE INDEX ON results (measured_at);
CREATE INDEX ON samples (order_id);
CREATE INDEX ON orders (placed_at);
CREATE INDEX ON orders (patient_id);
CREATE VIEW patient_results AS
SELECT o.patient_id, o.doctor_id, r.id AS result_id, r.analyte_id, r.measured_at, r.value, r.flag
FROM results r JOIN samples s ON s.id = r.sample_id JOIN orders o ON o.id = s.order_id WHERE o.status <> 'cancelled';
CREATE VIEW doctor_months AS
SELECT o.doctor_id, date_trunc('month', o.placed_at)::date AS month, count(DISTINCT o.patient_id) AS patients, count(DISTINCT o.id) AS orders, sum(p.price_cents) AS cents
FROM orders o JOIN order_panels p ON p.order_id = o.id WHERE o.status <> 'cancelled' GROUP BY o.doctor_id, date_trunc('month', o.placed_at)::date;
