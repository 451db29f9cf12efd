-- A seller of electricity: customers, premises, contracts, meters, quarterly partitions of readings, invoices and payments.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TYPE contract_state AS ENUM ('draft', 'active', 'suspended', 'ended');
CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL UNIQUE, country text NOT NULL, grid text);
CREATE TABLE customers (
    id int PRIMARY KEY, name text NOT NULL, email text, kind text NOT NULL, region_id int REFERENCES regions, referred_by int REFERENCES customers,
    joined_on date NOT NULL, left_on date, profile jsonb NOT NULL
);
CREATE TABLE premises (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, postcode text NOT NULL, heating text, area_m2 int);
CREATE TABLE tariffs (id int PRIMARY KEY, code text NOT NULL UNIQUE, kind text NOT NULL, cents_kwh numeric(7,3) NOT NULL, green boolean NOT NULL);
CREATE TABLE contracts (
    id int PRIMARY KEY, premise_id int NOT NULL REFERENCES premises, tariff_id int REFERENCES tariffs, state contract_state NOT NULL, starts_on date NOT NULL, ends_on date
);
CREATE TABLE meters (id int PRIMARY KEY, premise_id int REFERENCES premises, serial text NOT NULL UNIQUE, model text, installed_on date NOT NULL);
CREATE TABLE readings (
    meter_id int NOT NULL REFERENCES meters, taken_at timestamp NOT NULL, kwh numeric(9,2), quality smallint NOT NULL, PRIMARY KEY (meter_id, taken_at)
) PARTITION BY RANGE (taken_at);
CREATE TABLE readings_q1 PARTITION OF readings FOR VALUES FROM ('2024-01-01') TO ('2024-04-01');
CREATE TABLE readings_q2 PARTITION OF readings FOR VALUES FROM ('2024-04-01') TO ('2024-07-01');
CREATE TABLE readings_q3 PARTITION OF readings FOR VALUES FROM ('2024-07-01') TO ('2024-10-01');
CREATE TABLE readings_q4 PARTITION OF readings FOR VALUES FROM ('2024-10-01') TO ('2025-01-01');
CREATE TABLE invoices (
    id bigint PRIMARY KEY, contract_id int NOT NULL REFERENCES contracts, month date NOT NULL, due_on date NOT NULL, cents bigint NOT NULL, state text NOT NULL
);
CREATE TABLE invoice_lines (
    invoice_id bigint NOT NULL REFERENCES invoices, no int NOT NULL, kind text NOT NULL, cents int NOT NULL, kwh numeric(9,2), PRIMARY KEY (invoice_id, no)
);
CREATE TABLE payments (id bigint PRIMARY KEY, invoice_id bigint REFERENCES invoices, customer_id int NOT NULL, paid_at timestamp NOT NULL, cents int NOT NULL, method text);
CREATE TABLE events (id bigint PRIMARY KEY, premise_id int, at timestamp NOT NULL, kind text NOT NULL, payload jsonb);

INSERT INTO regions
SELECT i, 'Region ' || i, (ARRAY['AT','AT','SI','HR'])[1 + i % 4], CASE WHEN i % 7 > 0 THEN 'grid ' || i % 5 END FROM generate_series(1, 30) i;
INSERT INTO customers
SELECT i, 'Customer ' || i % greatest((50000 * :scale)::int, 800), CASE WHEN pick(i, 1) < 0.85 THEN 'c' || i || '@example.org' END,
    CASE WHEN pick(i, 2) < 0.9 THEN 'household' ELSE 'business' END, CASE WHEN pick(i, 3) < 0.95 THEN 1 + floor(pick(i, 4) * 30)::int END,
    CASE WHEN i > 30 AND pick(i, 5) < 0.25 THEN 1 + floor(pick(i, 6) * (i - 1))::int END, date '2018-01-01' + floor(pick(i, 7) * 2400)::int,
    CASE WHEN pick(i, 8) < 0.2 THEN date '2024-08-01' + floor(pick(i, 9) * 150)::int END,
    jsonb_build_object('channel', (ARRAY['web','phone','shop','partner'])[1 + floor(pick(i, 10) * 4)::int], 'paperless', pick(i, 11) < 0.6, 'score', floor(pick(i, 12) * 900)::int)
FROM generate_series(1, greatest((60000 * :scale)::int, 1000)) i;
INSERT INTO premises
SELECT i, 1 + floor(pick(i, 13) ^ 1.4 * greatest((60000 * :scale)::int, 1000))::int, lpad((floor(pick(i, 14) * 900)::int)::text, 4, '0'),
    (ARRAY['gas','gas','heat pump','electric',NULL])[1 + floor(pick(i, 15) * 5)::int], CASE WHEN pick(i, 16) < 0.9 THEN 25 + floor(pick(i, 17) ^ 2 * 300)::int END
FROM generate_series(1, greatest((70000 * :scale)::int, 1200)) i;
INSERT INTO tariffs
SELECT i, 'T' || i, (ARRAY['fixed','variable','night'])[1 + i % 3], round((12 + 20 * pick(i, 18))::numeric, 3), pick(i, 19) < 0.4 FROM generate_series(1, 60) i;
INSERT INTO contracts
SELECT i, 1 + floor(pick(i, 20) * greatest((70000 * :scale)::int, 1200))::int, CASE WHEN pick(i, 21) < 0.98 THEN 1 + floor(pick(i, 22) ^ 1.5 * 60)::int END,
    (ARRAY['draft','active','active','active','active','suspended','ended','ended']::contract_state[])[1 + floor(pick(i, 23) * 8)::int], s.starts, CASE WHEN pick(i, 24) < 0.4 THEN s.starts + 365 END
FROM (SELECT i, date '2019-01-01' + floor(pick(i, 25) * 2000)::int AS starts FROM generate_series(1, greatest((90000 * :scale)::int, 1500)) i) s;
INSERT INTO meters
SELECT i, CASE WHEN pick(i, 26) < 0.97 THEN 1 + floor(pick(i, 27) * greatest((70000 * :scale)::int, 1200))::int END, 'M' || lpad(i::text, 8, '0'),
    (ARRAY['A1','A2','B7',NULL])[1 + floor(pick(i, 28) * 4)::int], date '2015-01-01' + floor(pick(i, 29) * 3400)::int
FROM generate_series(1, greatest((20000 * :scale)::int, 400)) i;
INSERT INTO readings
SELECT m.id, timestamp '2024-01-01' + n * interval '9 days' + floor(pick(m.id * 64::bigint + n, 30) * 12000) * interval '1 minute', CASE WHEN pick(m.id * 64::bigint + n, 31) < 0.96
    THEN round((400 * pick(m.id * 64::bigint + n, 32) ^ 2)::numeric, 2) END, floor(pick(m.id * 64::bigint + n, 33) * 4)::smallint
FROM meters m, generate_series(0, 38) n WHERE pick(m.id * 64::bigint + n, 34) < 0.8;
INSERT INTO invoices
SELECT i, 1 + floor(pick(i, 35) * greatest((90000 * :scale)::int, 1500))::int, v.month, v.month + 14 + floor(pick(i, 36) * 20)::int, floor(2000 + 40000 * pick(i, 37) ^ 3)::bigint,
    (ARRAY['open','paid','paid','paid','paid','overdue','void'])[1 + floor(pick(i, 38) * 7)::int]
FROM (SELECT i, (date '2023-01-01' + floor(pick(i, 39) * 24)::int * interval '1 month')::date AS month FROM generate_series(1, (250000 * :scale)::int) i) v;
INSERT INTO invoice_lines
SELECT v.id, n, (ARRAY['energy','grid','tax','discount'])[n], CASE WHEN n = 4 THEN -1 ELSE 1 END * floor(300 + 9000 * pick(v.id * 8 + n, 40))::int,
    CASE WHEN n = 1 THEN round((600 * pick(v.id * 8 + n, 41))::numeric, 2) END
FROM invoices v, generate_series(1, 4) n WHERE n < 3 OR pick(v.id * 8 + n, 42) < 0.35;
INSERT INTO payments
SELECT i, CASE WHEN pick(i, 43) < 0.95 THEN 1 + floor(pick(i, 44) * (250000 * :scale))::bigint END, 1 + floor(pick(i, 45) * greatest((60000 * :scale)::int, 1000))::int,
    date_trunc('second', timestamp '2023-01-01' + pick(i, 46) * interval '760 days'), floor(1500 + 30000 * pick(i, 47) ^ 2)::int, (ARRAY['debit','debit','card','transfer',NULL])[1 + floor(pick(i, 48) * 5)::int]
FROM generate_series(1, (260000 * :scale)::int) i;
INSERT INTO events
SELECT i, CASE WHEN pick(i, 49) < 0.9 THEN 1 + floor(pick(i, 50) * greatest((70000 * :scale)::int, 1200))::int END, date_trunc('minute', timestamp '2023-01-01' + pick(i, 51) * interval '730 days'),
    (ARRAY['outage','outage','complaint','visit','tamper'])[1 + floor(pick(i, 52) * 5)::int],
    CASE WHEN pick(i, 53) < 0.8 THEN jsonb_build_object('minutes', floor(pick(i, 54) * 600)::int, 'severity', (ARRAY['low','mid','high'])[1 + floor(pick(i, 55) * 3)::int]) END
FROM generate_series(1, (150000 * :scale)::int) i;

CREATE INDEX premises_customer ON premises (customer_id);
CREATE INDEX invoices_month ON invoices (month);
CREATE INDEX payments_at ON payments (paid_at);
CREATE INDEX events_at ON events (at);
CREATE VIEW live_contracts AS SELECT c.id, c.premise_id, p.customer_id, c.tariff_id, c.starts_on FROM contracts c JOIN premises p ON p.id = c.premise_id WHERE c.state = 'active';
CREATE VIEW invoice_totals AS SELECT v.id, v.contract_id, v.month, v.cents, coalesce(sum(p.cents), 0) AS paid, count(p.id) AS payments
    FROM invoices v LEFT JOIN payments p ON p.invoice_id = v.id GROUP BY v.id;
DROP FUNCTION pick;
ANALYZE;
