-- Policies, claims, what was paid on them and who handled them: states over time, dates of both kinds, nullable handlers.
-- :scale is replaced by the loader; 1 gives about 1.9 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE regions (code text PRIMARY KEY, name text NOT NULL, country text NOT NULL);
CREATE TABLE agents (
    id int PRIMARY KEY, name text NOT NULL, region_code text NOT NULL REFERENCES regions, hired_on date NOT NULL, manager_id int REFERENCES agents
);
CREATE TABLE adjusters (id int PRIMARY KEY, name text NOT NULL, team text NOT NULL, active boolean NOT NULL DEFAULT true);
CREATE TABLE customers (
    id int PRIMARY KEY, full_name text NOT NULL, email text, born_on date, postcode text NOT NULL, region_code text REFERENCES regions,
    segment text NOT NULL, created_at timestamptz NOT NULL
);
CREATE TABLE policies (
    id int PRIMARY KEY, policy_no text NOT NULL UNIQUE, customer_id int NOT NULL REFERENCES customers, agent_id int REFERENCES agents,
    product text NOT NULL, starts_on date NOT NULL, ends_on date, premium numeric(10,2) NOT NULL, status text NOT NULL
);
CREATE TABLE coverages (
    policy_id int NOT NULL REFERENCES policies, kind text NOT NULL, limit_amount numeric(12,2) NOT NULL, deductible numeric(10,2), PRIMARY KEY (policy_id, kind)
);
CREATE TABLE claims (
    id int PRIMARY KEY, policy_id int NOT NULL REFERENCES policies, kind text NOT NULL, occurred_on date NOT NULL, reported_at timestamptz NOT NULL,
    closed_at timestamptz, status text NOT NULL, amount numeric(12,2) NOT NULL, adjuster_id int REFERENCES adjusters
);
CREATE TABLE payments (
    id int PRIMARY KEY, claim_id int NOT NULL REFERENCES claims, paid_at timestamp NOT NULL, amount numeric(12,2) NOT NULL, payee text
);
CREATE TABLE notes (id int PRIMARY KEY, claim_id int NOT NULL REFERENCES claims, author_id int REFERENCES adjusters, created_at timestamptz NOT NULL, body text NOT NULL);
CREATE TABLE status_changes (id int PRIMARY KEY, claim_id int NOT NULL REFERENCES claims, status text NOT NULL, changed_at timestamptz NOT NULL);
CREATE TABLE invoices (
    id int PRIMARY KEY, policy_id int NOT NULL REFERENCES policies, due_on date NOT NULL, amount numeric(10,2) NOT NULL, paid_on date
);

INSERT INTO regions SELECT 'R' || i, 'Region ' || i, (ARRAY['AT','DE','DE','CH'])[1 + i % 4] FROM generate_series(1, 16) i;
INSERT INTO agents
SELECT i, 'Agent ' || i, 'R' || 1 + i % 16, date '2010-01-01' + (pick(i, 1) * 4000)::int, CASE WHEN i > 8 THEN 1 + floor(pick(i, 2) * least(i - 1, 40))::int END
FROM generate_series(1, greatest((1000 * :scale)::int, 150)) i;
INSERT INTO adjusters
SELECT i, 'Adjuster ' || i, (ARRAY['motor','home','health','legal'])[1 + i % 4], pick(i, 3) < 0.9 FROM generate_series(1, greatest((600 * :scale)::int, 120)) i;
INSERT INTO customers
SELECT i, 'Customer ' || i, CASE WHEN pick(i, 4) < 0.9 THEN 'c' || i || '@example.org' END, CASE WHEN pick(i, 5) < 0.95 THEN date '1940-01-01' + (pick(i, 6) * 24000)::int END,
    lpad((1000 + floor(pick(i, 7) * 900))::text, 5, '0'), CASE WHEN pick(i, 8) < 0.97 THEN 'R' || 1 + floor(pick(i, 9) * 16)::int END,
    (ARRAY['private','private','private','small business','corporate'])[1 + floor(pick(i, 10) * 5)::int], timestamptz '2019-01-01 00:00+00' + pick(i, 11) * interval '1800 days'
FROM generate_series(1, (120000 * :scale)::int) i;
INSERT INTO policies
SELECT i, 'P-' || lpad(i::text, 8, '0'), 1 + floor(pick(i, 12) ^ 1.4 * (120000 * :scale))::int, CASE WHEN pick(i, 13) < 0.85 THEN 1 + floor(pick(i, 14) * greatest((1000 * :scale)::int, 150))::int END,
    (ARRAY['motor','motor','home','health','travel'])[1 + floor(pick(i, 15) * 5)::int], p.starts, CASE WHEN pick(i, 16) < 0.6 THEN p.starts + 365 END,
    round((80 + 1500 * pick(i, 17) ^ 2)::numeric, 2), (ARRAY['active','active','active','lapsed','cancelled'])[1 + floor(pick(i, 18) * 5)::int]
FROM (SELECT i, date '2020-01-01' + (pick(i, 19) * 1600)::int AS starts FROM generate_series(1, (200000 * :scale)::int) i) p;
INSERT INTO coverages
SELECT p.id, k, 1000 * (1 + floor(pick(p.id * 8::bigint + n, 20) * 200)), CASE WHEN pick(p.id * 8::bigint + n, 21) < 0.8 THEN 50 * floor(pick(p.id * 8::bigint + n, 22) * 20) END
FROM policies p, unnest(ARRAY['damage','theft','liability','glass']) WITH ORDINALITY u(k, n) WHERE pick(p.id * 8::bigint + n, 23) < 0.45;
INSERT INTO claims
SELECT i, 1 + floor(pick(i, 24) ^ 1.3 * (200000 * :scale))::int, (ARRAY['damage','damage','theft','liability','glass'])[1 + floor(pick(i, 25) * 5)::int],
    (c.reported - interval '1 day' * floor(pick(i, 26) * 30))::date, c.reported, CASE WHEN pick(i, 27) < 0.8 THEN c.reported + pick(i, 28) * interval '200 days' END,
    (ARRAY['open','closed','closed','closed','rejected','appealed'])[1 + floor(pick(i, 29) * 6)::int], round((50 + 20000 * pick(i, 30) ^ 4)::numeric, 2),
    CASE WHEN pick(i, 31) < 0.92 THEN 1 + floor(pick(i, 32) ^ 1.5 * greatest((600 * :scale)::int, 120))::int END
FROM (SELECT i, date_trunc('minute', timestamptz '2020-03-01 00:00+00' + pick(i, 33) * interval '1650 days') AS reported FROM generate_series(1, (150000 * :scale)::int) i) c;
INSERT INTO payments
SELECT i, 1 + floor(pick(i, 34) ^ 1.2 * (150000 * :scale))::int, date_trunc('second', timestamp '2020-04-01' + pick(i, 35) * interval '1700 days'),
    round((20 + 4000 * pick(i, 36) ^ 3)::numeric, 2), (ARRAY['customer','garage','hospital',NULL])[1 + floor(pick(i, 37) * 4)::int]
FROM generate_series(1, (260000 * :scale)::int) i;
INSERT INTO notes
SELECT i, 1 + floor(pick(i, 38) * (150000 * :scale))::int, CASE WHEN pick(i, 39) < 0.9 THEN 1 + floor(pick(i, 40) * greatest((600 * :scale)::int, 120))::int END,
    timestamptz '2020-03-01 00:00+00' + pick(i, 41) * interval '1700 days', 'note ' || i
FROM generate_series(1, (350000 * :scale)::int) i;
INSERT INTO status_changes
SELECT i, 1 + floor(pick(i, 42) * (150000 * :scale))::int, (ARRAY['open','review','review','closed','rejected','appealed'])[1 + floor(pick(i, 43) * 6)::int],
    timestamptz '2020-03-01 00:00+00' + pick(i, 44) * interval '1700 days'
FROM generate_series(1, (400000 * :scale)::int) i;
INSERT INTO invoices
SELECT i, 1 + floor(pick(i, 45) * (200000 * :scale))::int, v.due, round((20 + 200 * pick(i, 46))::numeric, 2), CASE WHEN pick(i, 47) < 0.88 THEN v.due + (pick(i, 48) * 60)::int - 10 END
FROM (SELECT i, date '2020-01-01' + (pick(i, 49) * 1700)::int AS due FROM generate_series(1, (400000 * :scale)::int) i) v;

CREATE INDEX policies_customer ON policies (customer_id);
CREATE INDEX claims_policy ON claims (policy_id);
CREATE INDEX claims_reported ON claims (reported_at);
CREATE INDEX invoices_due ON invoices (due_on);
CREATE VIEW open_claims AS SELECT * FROM claims WHERE closed_at IS NULL AND status IN ('open', 'appealed');
CREATE VIEW claim_totals AS
SELECT c.id, c.policy_id, c.amount, coalesce(sum(p.amount), 0) AS paid, max(p.paid_at) AS last_paid
FROM claims c LEFT JOIN payments p ON p.claim_id = c.id GROUP BY c.id;
DROP FUNCTION pick;
ANALYZE;
