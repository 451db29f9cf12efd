-- A savings bank: branches with customers and their accounts, bookings in categories, cards with payments and alerts, loans with instalments, standing orders and rates of exchange.
-- :scale is replaced by the loader; 1 gives about 1.7 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE branches (id int PRIMARY KEY, city text NOT NULL, region text NOT NULL, opened_on date NOT NULL);
CREATE TABLE customers (
    id int PRIMARY KEY, branch_id int NOT NULL REFERENCES branches, kind text NOT NULL, name text NOT NULL, email text, country char(2) NOT NULL, born_on date, joined_on date NOT NULL, closed_on date,
    referred_by int REFERENCES customers
);
CREATE TABLE accounts (
    id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, iban text NOT NULL UNIQUE, product text NOT NULL, currency char(3) NOT NULL, opened_on date NOT NULL, closed_on date
);
CREATE TABLE holders (account_id int NOT NULL REFERENCES accounts, customer_id int NOT NULL REFERENCES customers, role text NOT NULL, since date NOT NULL, PRIMARY KEY (account_id, customer_id));
CREATE TABLE categories (id int PRIMARY KEY, parent_id int REFERENCES categories, name text NOT NULL);
CREATE TABLE bookings (
    id bigint PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, counter_id int REFERENCES accounts, category_id int REFERENCES categories, booked_on date NOT NULL, valued_at timestamp NOT NULL,
    cents int NOT NULL, reference text
);
CREATE TABLE merchants (id int PRIMARY KEY, name text NOT NULL, trade smallint NOT NULL, city text);
CREATE TABLE cards (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, kind text NOT NULL, issued_on date NOT NULL, expires_on date NOT NULL, blocked_at timestamp);
CREATE TABLE card_payments (
    id bigint PRIMARY KEY, card_id int NOT NULL REFERENCES cards, merchant_id int NOT NULL REFERENCES merchants, paid_at timestamp NOT NULL, cents int NOT NULL, currency char(3) NOT NULL, approved boolean NOT NULL,
    reason text
);
CREATE TABLE alerts (id int PRIMARY KEY, payment_id bigint NOT NULL REFERENCES card_payments, raised_at timestamp NOT NULL, score numeric(5,2) NOT NULL, verdict text, closed_at timestamp);
CREATE TABLE loans (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, granted_on date NOT NULL, cents bigint NOT NULL, rate numeric(5,3) NOT NULL, months smallint NOT NULL, repaid_on date);
CREATE TABLE instalments (loan_id int NOT NULL REFERENCES loans, no smallint NOT NULL, due_on date NOT NULL, cents int NOT NULL, paid_on date, PRIMARY KEY (loan_id, no));
CREATE TABLE standing_orders (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, to_id int NOT NULL REFERENCES accounts, cents int NOT NULL, starts_on date NOT NULL, ends_on date);
CREATE TABLE rates (currency char(3) NOT NULL, day date NOT NULL, rate numeric(12,6) NOT NULL, PRIMARY KEY (currency, day));

INSERT INTO branches SELECT i, 'City ' || i % 45, (ARRAY['north','south','east','west'])[1 + i % 4], date '1970-01-01' + i * 150 FROM generate_series(1, 60) i;
INSERT INTO customers
SELECT i, 1 + floor(pick(i, 1) ^ 1.3 * 60)::int, (ARRAY['person','person','person','firm'])[1 + floor(pick(i, 2) * 4)::int], 'Customer ' || i % 30000, CASE WHEN pick(i, 3) < 0.85 THEN 'c' || i || '@post.example' END,
    (ARRAY['DE','AT','CH','FR','PL'])[1 + floor(pick(i, 4) ^ 2 * 5)::int], CASE WHEN pick(i, 5) < 0.75 THEN date '1940-01-01' + floor(pick(i, 6) * 24000)::int END, date '2005-01-01' + floor(pick(i, 7) * 6800)::int,
    CASE WHEN pick(i, 8) < 0.1 THEN date '2023-10-01' + floor(pick(i, 9) * 200)::int END, CASE WHEN i > 40 AND pick(i, 10) < 0.6 THEN 1 + floor(pick(i, 11) * (i - 1))::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 600)) i;
INSERT INTO accounts
SELECT i, 1 + floor(pick(i, 12) ^ 1.2 * greatest((60000 * :scale)::int, 600))::int, 'DE' || 10000000 + i, (ARRAY['giro','giro','savings','depot'])[1 + floor(pick(i, 13) * 4)::int], (ARRAY['EUR','EUR','CHF','USD'])[1 + floor(pick(i, 14) ^ 2 * 4)::int],
    date '2008-01-01' + floor(pick(i, 15) * 5600)::int, CASE WHEN pick(i, 16) < 0.2 THEN date '2023-07-01' + floor(pick(i, 17) * 300)::int END
FROM generate_series(1, greatest((90000 * :scale)::int, 900)) i;
INSERT INTO holders SELECT a.id, a.customer_id, 'owner', a.opened_on FROM accounts a;
INSERT INTO holders
SELECT a.id, 1 + floor(pick(a.id, 18) * greatest((60000 * :scale)::int, 600))::int, (ARRAY['joint','proxy'])[1 + floor(pick(a.id, 19) * 2)::int], a.opened_on + floor(pick(a.id, 20) * 400)::int
FROM accounts a WHERE pick(a.id, 21) < 0.25 ON CONFLICT DO NOTHING;
INSERT INTO categories SELECT i, CASE WHEN i > 8 THEN 1 + i % 8 END, 'Category ' || i FROM generate_series(1, 60) i;
INSERT INTO bookings
SELECT i, 1 + floor(pick(i, 22) ^ 1.4 * greatest((90000 * :scale)::int, 900))::int, CASE WHEN pick(i, 23) < 0.3 THEN 1 + floor(pick(i, 24) * greatest((90000 * :scale)::int, 900))::int END, CASE WHEN pick(i, 25) < 0.9 THEN 1 + floor(pick(i, 26) ^ 1.5 * 60)::int END,
    t::date, date_trunc('second', t + pick(i, 27) * interval '30 hours'), CASE WHEN pick(i, 28) < 0.25 THEN 1 ELSE -1 END * (100 + floor(pick(i, 29) ^ 3 * 400000)::int), CASE WHEN pick(i, 30) < 0.5 THEN 'Ref ' || i % 7000 END
FROM (SELECT i, timestamp '2021-01-01' + i * (interval '1200 days' / (500000 * :scale)) AS t FROM generate_series(1, (500000 * :scale)::int) i) x;
INSERT INTO merchants SELECT i, 'Merchant ' || i % 3500, 1 + floor(pick(i, 31) ^ 2 * 90)::int, CASE WHEN pick(i, 32) < 0.9 THEN 'City ' || i % 400 END FROM generate_series(1, greatest((20000 * :scale)::int, 200)) i;
INSERT INTO cards
SELECT i, 1 + floor(pick(i, 33) * greatest((90000 * :scale)::int, 900))::int, (ARRAY['debit','debit','credit','virtual'])[1 + floor(pick(i, 34) * 4)::int], d, d + 1460, CASE WHEN pick(i, 36) < 0.08 THEN timestamp '2022-01-01' + pick(i, 37) * interval '800 days' END
FROM (SELECT i, date '2018-01-01' + floor(pick(i, 35) * 2200)::int AS d FROM generate_series(1, greatest((70000 * :scale)::int, 700)) i) x;
INSERT INTO card_payments
SELECT i, 1 + floor(pick(i, 38) ^ 1.3 * greatest((70000 * :scale)::int, 700))::int, 1 + floor(pick(i, 39) ^ 2 * greatest((20000 * :scale)::int, 200))::int, date_trunc('second', timestamp '2022-01-01' + i * (interval '840 days' / (450000 * :scale))),
    50 + floor(pick(i, 40) ^ 4 * 300000)::int, (ARRAY['EUR','EUR','EUR','CHF','USD'])[1 + floor(pick(i, 41) * 5)::int], pick(i, 42) < 0.93, CASE WHEN pick(i, 43) < 0.1 THEN (ARRAY['limit','pin','expired','suspicion'])[1 + floor(pick(i, 44) * 4)::int] END
FROM generate_series(1, (450000 * :scale)::int) i;
INSERT INTO alerts
SELECT row_number() OVER (ORDER BY p.id, n), p.id, p.paid_at + pick(p.id + n, 45) * interval '3 hours', round((100 * pick(p.id + n, 46))::numeric, 2), (ARRAY['fraud','false','unclear',NULL])[1 + floor(pick(p.id + n, 47) ^ 0.6 * 4)::int],
    CASE WHEN pick(p.id + n, 48) < 0.8 THEN p.paid_at + pick(p.id + n, 49) * interval '9 days' + interval '3 hours' END
FROM card_payments p CROSS JOIN generate_series(1, 2) n WHERE pick(p.id, 50) < 0.06 AND (n = 1 OR pick(p.id, 51) < 0.2);
INSERT INTO loans
SELECT i, 1 + floor(pick(i, 52) * greatest((90000 * :scale)::int, 900))::int, date '2018-01-01' + floor(pick(i, 53) * 2100)::int, 100000 + floor(pick(i, 54) ^ 2 * 5000000)::bigint, round((1 + 9 * pick(i, 55))::numeric, 3), (ARRAY[12,24,36,60])[1 + floor(pick(i, 56) * 4)::int],
    CASE WHEN pick(i, 57) < 0.3 THEN date '2023-01-01' + floor(pick(i, 58) * 400)::int END
FROM generate_series(1, greatest((11000 * :scale)::int, 110)) i;
INSERT INTO instalments
SELECT l.id, n, (l.granted_on + n * interval '1 month')::date, l.cents / l.months, CASE WHEN (l.granted_on + n * interval '1 month')::date < date '2024-04-01' AND pick(l.id * 64::bigint + n, 59) < 0.95 THEN (l.granted_on + n * interval '1 month')::date - 5 + floor(pick(l.id * 64::bigint + n, 60) ^ 6 * 60)::int END
FROM loans l CROSS JOIN LATERAL generate_series(1, l.months) n;
INSERT INTO standing_orders
SELECT i, 1 + floor(pick(i, 61) * greatest((90000 * :scale)::int, 900))::int, 1 + floor(pick(i, 62) ^ 2 * greatest((90000 * :scale)::int, 900))::int, 500 + floor(pick(i, 63) ^ 2 * 100000)::int, date '2019-01-01' + floor(pick(i, 64) * 1700)::int,
    CASE WHEN pick(i, 65) < 0.4 THEN date '2023-09-01' + floor(pick(i, 66) * 300)::int END
FROM generate_series(1, (30000 * :scale)::int) i;
INSERT INTO rates
SELECT c, date '2021-12-15' + n, round((0.8 + 0.4 * pick(n * 7 + ascii(c), 67))::numeric, 6) FROM unnest(ARRAY['CHF','USD']) c CROSS JOIN generate_series(0, 860) n WHERE n % 7 < 5;

CREATE INDEX ON bookings (booked_on);
CREATE INDEX ON card_payments (paid_at);
CREATE INDEX ON card_payments (card_id);
CREATE INDEX ON alerts (payment_id);
CREATE INDEX ON loans (account_id);
CREATE VIEW open_accounts AS SELECT a.*, c.branch_id, c.name AS customer FROM accounts a JOIN customers c ON c.id = a.customer_id WHERE a.closed_on IS NULL;
