-- A telephone company: accounts in a hierarchy, their subscriptions, what these called and loaded, invoices, payments and tickets.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE plans (id int PRIMARY KEY, name text NOT NULL UNIQUE, kind text NOT NULL, fee numeric(8,2) NOT NULL, retired_on date);
CREATE TABLE accounts (
    id int PRIMARY KEY, number text NOT NULL UNIQUE, name text NOT NULL, kind text NOT NULL, region text NOT NULL, opened_on date NOT NULL,
    closed_on date, parent_id int REFERENCES accounts
);
CREATE TABLE subscriptions (
    id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, plan_id int NOT NULL REFERENCES plans, msisdn text NOT NULL,
    activated_at timestamp NOT NULL, ended_at timestamp, status text NOT NULL
);
CREATE TABLE cells (id int PRIMARY KEY, site text NOT NULL, region text NOT NULL, tech text NOT NULL, retired_on date);
CREATE TABLE calls (
    id bigint PRIMARY KEY, subscription_id int NOT NULL REFERENCES subscriptions, cell_id int REFERENCES cells, started_at timestamp NOT NULL,
    seconds int NOT NULL, kind text NOT NULL, dest text, charge numeric(8,3)
);
CREATE TABLE data_sessions (
    id bigint PRIMARY KEY, subscription_id int NOT NULL REFERENCES subscriptions, cell_id int REFERENCES cells, started_at timestamp NOT NULL,
    ended_at timestamp, mb numeric(10,2) NOT NULL
);
CREATE TABLE invoices (
    id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, period date NOT NULL, total numeric(10,2) NOT NULL, status text NOT NULL,
    paid_on date, UNIQUE (account_id, period)
);
CREATE TABLE invoice_lines (
    invoice_id int NOT NULL REFERENCES invoices, no int NOT NULL, subscription_id int REFERENCES subscriptions, kind text NOT NULL, amount numeric(9,2) NOT NULL,
    PRIMARY KEY (invoice_id, no)
);
CREATE TABLE payments (
    id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, invoice_id int REFERENCES invoices, paid_at timestamp NOT NULL, amount numeric(10,2) NOT NULL,
    method text NOT NULL
);
CREATE TABLE tickets (
    id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, opened_at timestamp NOT NULL, closed_at timestamp, severity text NOT NULL, agent text
);

INSERT INTO plans
SELECT i, 'Plan ' || i, (ARRAY['prepaid','flat','flat','data'])[1 + i % 4], round((5 + 60 * pick(i, 1))::numeric, 2), CASE WHEN i % 5 = 0 THEN date '2023-06-01' END FROM generate_series(1, 40) i;
INSERT INTO accounts
SELECT i, 'A' || lpad(i::text, 7, '0'), 'Account ' || i, CASE WHEN pick(i, 2) < 0.2 THEN 'business' ELSE 'private' END,
    (ARRAY['north','south','east','west','centre'])[1 + floor(pick(i, 3) ^ 2 * 5)::int], date '2015-01-01' + (pick(i, 4) * 3200)::int,
    CASE WHEN pick(i, 5) < 0.12 THEN date '2024-01-01' + (pick(i, 6) * 150)::int END, CASE WHEN i > 50 AND pick(i, 7) < 0.3 THEN 1 + floor(pick(i, 8) ^ 2 * (i - 1))::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 500)) i;
INSERT INTO subscriptions
SELECT i, 1 + floor(pick(i, 9) ^ 1.4 * greatest((60000 * :scale)::int, 500))::int, 1 + floor(pick(i, 10) ^ 2 * 40)::int, '+420' || lpad((pick(i, 11) * 1e9)::bigint::text, 9, '0'),
    s.start, CASE WHEN pick(i, 12) < 0.2 THEN s.start + pick(i, 13) * interval '400 days' END, (ARRAY['active','active','active','active','suspended','ended'])[1 + floor(pick(i, 14) * 6)::int]
FROM (SELECT i, date_trunc('minute', timestamp '2021-01-01' + pick(i, 15) * interval '1100 days') AS start FROM generate_series(1, greatest((100000 * :scale)::int, 800)) i) s;
INSERT INTO cells
SELECT i, 'Site ' || i % 150, (ARRAY['north','south','east','west','centre'])[1 + i % 5], (ARRAY['4g','4g','5g'])[1 + i % 3], CASE WHEN i % 17 = 0 THEN date '2022-01-01' END FROM generate_series(1, 400) i;
INSERT INTO calls
SELECT i, 1 + floor(pick(i, 16) ^ 1.5 * greatest((100000 * :scale)::int, 800))::int, CASE WHEN pick(i, 17) < 0.95 THEN 1 + floor(pick(i, 18) * 380)::int END,
    date_trunc('second', timestamp '2023-07-01' + pick(i, 19) * interval '360 days'), floor(3000 * pick(i, 20) ^ 4)::int,
    (ARRAY['voice','voice','voice','sms','sms','sms','sms','roaming','premium'])[1 + floor(pick(i, 21) * 9)::int], CASE WHEN pick(i, 22) < 0.9 THEN '+420' || lpad((pick(i % 5000, 23) * 1e9)::bigint::text, 9, '0') END,
    CASE WHEN pick(i, 24) < 0.97 THEN round((4 * pick(i, 25) ^ 3)::numeric, 3) END
FROM generate_series(1, (600000 * :scale)::int) i;
INSERT INTO data_sessions
SELECT i, 1 + floor(pick(i, 26) * greatest((8000 * :scale)::int, 300))::int, CASE WHEN pick(i, 27) < 0.9 THEN 1 + floor(pick(i, 28) ^ 2 * 390)::int END, s.start,
    CASE WHEN pick(i, 29) < 0.98 THEN s.start + pick(i, 30) * interval '5 hours' END, round((1200 * pick(i, 31) ^ 6)::numeric, 2)
FROM (SELECT i, date_trunc('second', timestamp '2023-07-01' + pick(i, 32) * interval '360 days') AS start FROM generate_series(1, (600000 * :scale)::int) i) s;
INSERT INTO invoices
SELECT row_number() OVER (), a, date '2024-01-01' + m * interval '1 month', round((5 + 200 * pick(a * 16 + m, 33) ^ 3)::numeric, 2),
    (ARRAY['paid','paid','paid','paid','paid','open','overdue'])[1 + floor(pick(a * 16 + m, 34) * 7)::int], CASE WHEN pick(a * 16 + m, 35) < 0.8 THEN date '2024-01-12' + (m * 30 + pick(a * 16 + m, 36) * 20)::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 500)) a, generate_series(0, 3) m;
INSERT INTO invoice_lines
SELECT i.id, n, CASE WHEN pick(i.id * 8 + n, 37) < 0.85 THEN 1 + floor(pick(i.id * 8 + n, 38) * greatest((100000 * :scale)::int, 800))::int END,
    (ARRAY['fee','usage','usage','roaming','discount'])[n], round((CASE WHEN n = 5 THEN -10 ELSE 40 END * pick(i.id * 8 + n, 39))::numeric, 2)
FROM invoices i, generate_series(1, 5) n WHERE n = 1 OR pick(i.id * 8 + n, 40) < 0.35;
INSERT INTO payments
SELECT i, v.account_id, CASE WHEN pick(i, 41) < 0.9 THEN v.id END, v.period + pick(i, 42) * interval '60 days', round(v.total * (CASE WHEN pick(i, 43) < 0.9 THEN 1 ELSE 0.5 END), 2),
    (ARRAY['card','transfer','transfer','debit'])[1 + floor(pick(i, 44) * 4)::int]
FROM (SELECT i, 1 + floor(pick(i, 45) * (SELECT count(*) FROM invoices))::int AS invoice FROM generate_series(1, (200000 * :scale)::int) i) s JOIN invoices v ON v.id = s.invoice;
INSERT INTO tickets
SELECT i, 1 + floor(pick(i, 46) ^ 2 * greatest((60000 * :scale)::int, 500))::int, t.opened, CASE WHEN pick(i, 47) < 0.85 THEN t.opened + pick(i, 48) * interval '12 days' END,
    (ARRAY['low','low','normal','normal','normal','critical'])[1 + floor(pick(i, 49) * 6)::int], CASE WHEN pick(i, 50) < 0.9 THEN 'agent' || floor(pick(i, 51) * 60)::int END
FROM (SELECT i, date_trunc('minute', timestamp '2023-07-01' + pick(i, 52) * interval '360 days') AS opened FROM generate_series(1, (80000 * :scale)::int) i) t;

CREATE INDEX subscriptions_account ON subscriptions (account_id);
CREATE INDEX calls_started ON calls (started_at);
CREATE INDEX data_sessions_subscription ON data_sessions (subscription_id, started_at);
CREATE INDEX data_sessions_cell ON data_sessions (cell_id);
CREATE INDEX accounts_parent ON accounts (parent_id);
CREATE INDEX payments_paid ON payments (paid_at);
DROP FUNCTION pick;
ANALYZE;
