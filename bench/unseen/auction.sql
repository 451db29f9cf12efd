-- An auction house on the web: members who invite each other, lots with their bids, watches, questions, payments, feedback, shipments and a tariff of fees.
-- :scale is replaced by the loader; 1 gives about 1.8 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE members (id int PRIMARY KEY, handle text NOT NULL UNIQUE, email text, country char(2), joined_on date NOT NULL, invited_by int REFERENCES members, banned_at timestamp);
CREATE TABLE categories (id int PRIMARY KEY, parent_id int REFERENCES categories, name text NOT NULL);
CREATE TABLE lots (
    id int PRIMARY KEY, seller_id int NOT NULL REFERENCES members, category_id int NOT NULL REFERENCES categories, title text NOT NULL, state text NOT NULL,
    opens_at timestamp NOT NULL, closes_at timestamp NOT NULL, start_cents int NOT NULL, reserve_cents int, attrs jsonb NOT NULL
);
CREATE TABLE bids (id bigint PRIMARY KEY, lot_id int NOT NULL REFERENCES lots, member_id int NOT NULL REFERENCES members, cents int NOT NULL, placed_at timestamp NOT NULL, retracted boolean NOT NULL);
CREATE TABLE watches (member_id int NOT NULL REFERENCES members, lot_id int NOT NULL REFERENCES lots, since timestamp NOT NULL, PRIMARY KEY (member_id, lot_id));
CREATE TABLE questions (id int PRIMARY KEY, lot_id int NOT NULL REFERENCES lots, asker_id int NOT NULL REFERENCES members, asked_at timestamp NOT NULL, answered_at timestamp, body text NOT NULL);
CREATE TABLE payments (
    id int PRIMARY KEY, lot_id int NOT NULL UNIQUE REFERENCES lots, payer_id int NOT NULL REFERENCES members, cents int NOT NULL, paid_at timestamp NOT NULL, method text, refunded_cents int
);
CREATE TABLE feedback (id int PRIMARY KEY, lot_id int NOT NULL REFERENCES lots, from_id int NOT NULL REFERENCES members, to_id int NOT NULL REFERENCES members, stars smallint NOT NULL, left_on date NOT NULL, note text);
CREATE TABLE shipments (id int PRIMARY KEY, lot_id int NOT NULL REFERENCES lots, carrier text NOT NULL, sent_at timestamp NOT NULL, delivered_at timestamp);
CREATE TABLE tariff (category_id int NOT NULL REFERENCES categories, valid_from date NOT NULL, permille int NOT NULL, PRIMARY KEY (category_id, valid_from));

INSERT INTO members
SELECT i, 'member' || i, CASE WHEN pick(i, 1) < 0.97 THEN 'm' || i || '@example.org' END, (ARRAY['DE','FR','NL','PL','SE','AT',NULL])[1 + floor(pick(i, 2) ^ 1.5 * 7)::int],
    date '2019-01-01' + floor(pick(i, 3) * 2000)::int, CASE WHEN i > 50 AND pick(i, 4) < 0.4 THEN 1 + floor(pick(i, 5) ^ 2 * (i - 1))::int END,
    CASE WHEN pick(i, 6) < 0.03 THEN timestamp '2023-06-01' + pick(i, 7) * interval '500 days' END
FROM generate_series(1, greatest((60000 * :scale)::int, 600)) i;
INSERT INTO categories SELECT i, CASE WHEN i > 12 THEN 1 + floor(pick(i, 8) * least(i - 1, 60))::int END, 'Category ' || i FROM generate_series(1, 240) i;
INSERT INTO lots
SELECT i, 1 + floor(pick(i, 9) ^ 2.5 * greatest((60000 * :scale)::int, 600))::int, 1 + floor(pick(i, 10) ^ 1.4 * 240)::int, 'Lot ' || i % 40000,
    (ARRAY['sold','sold','sold','unsold','open','withdrawn'])[1 + floor(pick(i, 11) * 6)::int], s.opens, s.opens + (1 + floor(pick(i, 13) * 10)) * interval '1 day', 100 + floor(pick(i, 14) ^ 3 * 90000)::int,
    CASE WHEN pick(i, 15) < 0.4 THEN 1000 + floor(pick(i, 16) ^ 2 * 200000)::int END,
    jsonb_build_object('condition', (ARRAY['new','good','worn'])[1 + i % 3], 'weight', 1 + i % 900, 'signed', pick(i, 17) < 0.05)
FROM (SELECT i, date_trunc('minute', timestamp '2023-01-01' + pick(i, 12) * interval '700 days') AS opens FROM generate_series(1, (220000 * :scale)::int) i) s;
INSERT INTO bids
SELECT i, l.id, 1 + floor(pick(i, 19) ^ 1.7 * greatest((60000 * :scale)::int, 600))::int, l.start_cents + floor(pick(i, 20) * 60000)::int,
    l.opens_at + pick(i, 21) * (l.closes_at - l.opens_at), pick(i, 22) < 0.02
FROM generate_series(1, (800000 * :scale)::int) i JOIN lots l ON l.id = 1 + floor(pick(i, 18) ^ 1.3 * (220000 * :scale)::int)::int;
INSERT INTO watches
SELECT DISTINCT 1 + floor(pick(i, 23) ^ 1.5 * greatest((60000 * :scale)::int, 600))::int, 1 + floor(pick(i, 24) * (220000 * :scale)::int)::int, timestamp '2024-01-01' + (i % 300) * interval '1 day'
FROM generate_series(1, (250000 * :scale)::int) i ON CONFLICT DO NOTHING;
INSERT INTO questions
SELECT i, l.id, 1 + floor(pick(i, 26) * greatest((60000 * :scale)::int, 600))::int, l.opens_at + pick(i, 27) * interval '6 days',
    CASE WHEN pick(i, 28) < 0.8 THEN l.opens_at + interval '6 days' + pick(i, 29) * interval '3 days' END, 'How ' || i % 700
FROM generate_series(1, (120000 * :scale)::int) i JOIN lots l ON l.id = 1 + floor(pick(i, 25) * (220000 * :scale)::int)::int;
INSERT INTO payments
SELECT row_number() OVER (ORDER BY id), id, 1 + floor(pick(id, 30) * greatest((60000 * :scale)::int, 600))::int, start_cents + floor(pick(id, 31) * 60000)::int, closes_at + pick(id, 32) * interval '9 days',
    (ARRAY['card','card','transfer','wallet',NULL])[1 + floor(pick(id, 33) * 5)::int], CASE WHEN pick(id, 34) < 0.06 THEN floor(pick(id, 35) * 5000)::int END
FROM lots WHERE state = 'sold' AND pick(id, 36) < 0.93;
INSERT INTO feedback
SELECT i, l.id, 1 + floor(pick(i, 38) * greatest((60000 * :scale)::int, 600))::int, l.seller_id, least(5, 1 + floor(pick(i, 39) ^ 0.4 * 5))::smallint, l.closes_at::date + floor(pick(i, 40) * 30)::int,
    CASE WHEN pick(i, 41) < 0.5 THEN 'note ' || i % 90 END
FROM generate_series(1, (140000 * :scale)::int) i JOIN lots l ON l.id = 1 + floor(pick(i, 37) * (220000 * :scale)::int)::int;
INSERT INTO shipments
SELECT i, p.lot_id, (ARRAY['post','van','courier'])[1 + i % 3], p.paid_at + pick(i, 43) * interval '5 days', CASE WHEN pick(i, 44) < 0.95 THEN p.paid_at + interval '5 days' + pick(i, 45) * interval '9 days' END
FROM generate_series(1, (110000 * :scale)::int) i JOIN payments p ON p.id = 1 + floor(pick(i, 42) * (SELECT count(*) FROM payments))::int;
INSERT INTO tariff SELECT c, date '2022-07-01' + q * 91, 40 + floor(pick(c * 100 + q, 46) * 90)::int FROM generate_series(1, 240) c, generate_series(0, 11) q WHERE pick(c * 100 + q, 47) < 0.8;

CREATE INDEX ON lots (seller_id);
CREATE INDEX ON lots (closes_at);
CREATE INDEX ON bids (lot_id);
CREATE INDEX ON payments (paid_at);
CREATE VIEW lot_totals AS
SELECT l.id AS lot_id, l.category_id, l.seller_id, count(b.id) AS bids, max(b.cents) AS highest, count(DISTINCT b.member_id) AS bidders
FROM lots l LEFT JOIN bids b ON b.lot_id = l.id AND NOT b.retracted GROUP BY l.id;
