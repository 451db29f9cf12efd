-- A broker of holiday homes: owners, homes, guests who refer each other, bookings with their nights and charges, reviews, messages, cleanings, prices in force.
-- :scale is replaced by the loader; 1 gives about 2.5 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE regions (id int PRIMARY KEY, name text NOT NULL, parent_id int REFERENCES regions);
CREATE TABLE owners (id int PRIMARY KEY, name text NOT NULL, email text, country char(2), joined_on date NOT NULL);
CREATE TABLE homes (
    id int PRIMARY KEY, owner_id int REFERENCES owners, region_id int NOT NULL REFERENCES regions, name text NOT NULL, kind varchar(20) NOT NULL, beds smallint, listed_at timestamptz NOT NULL,
    delisted_at timestamptz, extras text[]
);
CREATE TABLE guests (
    id int PRIMARY KEY, name text NOT NULL, email text UNIQUE, country char(2), referred_by int REFERENCES guests, created_at timestamptz NOT NULL, settings jsonb NOT NULL, is_active boolean NOT NULL
);
CREATE TABLE promos (id int PRIMARY KEY, code text NOT NULL UNIQUE, percent numeric(5, 2) NOT NULL, starts_on date NOT NULL, ends_on date);
CREATE TABLE bookings (
    id bigint PRIMARY KEY, home_id int NOT NULL REFERENCES homes, guest_id int NOT NULL REFERENCES guests, promo_id int REFERENCES promos, channel text, state varchar(12) NOT NULL,
    arrives date NOT NULL, leaves date NOT NULL, booked_at timestamptz NOT NULL, cancelled_at timestamptz, cents int, CHECK (leaves > arrives)
);
CREATE TABLE nights (booking_id bigint NOT NULL REFERENCES bookings, night date NOT NULL, cents int NOT NULL, PRIMARY KEY (booking_id, night));
CREATE TABLE charges (
    id bigint PRIMARY KEY, booking_id bigint NOT NULL REFERENCES bookings, kind text NOT NULL, amount numeric(10, 2) NOT NULL, paid_at timestamptz, refunded boolean
);
CREATE TABLE reviews (
    id int PRIMARY KEY, booking_id bigint UNIQUE REFERENCES bookings, home_id int NOT NULL REFERENCES homes, guest_id int REFERENCES guests, stars smallint, written_at timestamptz NOT NULL, helpful int NOT NULL
);
CREATE TABLE messages (id bigint PRIMARY KEY, booking_id bigint REFERENCES bookings, sender text NOT NULL, sent_at timestamptz NOT NULL, read_at timestamptz);
CREATE TABLE cleaners (id int PRIMARY KEY, name text NOT NULL, region_id int REFERENCES regions);
CREATE TABLE cleanings (id int PRIMARY KEY, home_id int NOT NULL REFERENCES homes, cleaner_id int REFERENCES cleaners, due_on date NOT NULL, done_at timestamptz, minutes int);
CREATE TABLE prices (home_id int NOT NULL REFERENCES homes, from_day date NOT NULL, cents int NOT NULL, PRIMARY KEY (home_id, from_day));
CREATE TABLE favourites (guest_id int NOT NULL REFERENCES guests, home_id int NOT NULL REFERENCES homes, added_at timestamptz NOT NULL, PRIMARY KEY (guest_id, home_id));

INSERT INTO regions SELECT i, 'Region ' || i, CASE WHEN i > 8 THEN 1 + floor(pick(i, 1) * least(i - 1, 30))::int END FROM generate_series(1, 120) i;
INSERT INTO owners
SELECT i, 'Owner ' || i % 3000, CASE WHEN pick(i, 2) < 0.9 THEN 'o' || i || '@example.org' END, CASE WHEN pick(i, 3) < 0.95 THEN (ARRAY['FR','ES','IT','DE','PT','GR'])[1 + floor(pick(i, 4) ^ 1.4 * 6)::int] END,
    date '2012-01-01' + floor(pick(i, 5) * 4000)::int
FROM generate_series(1, greatest((8000 * :scale)::int, 200)) i;
INSERT INTO homes
SELECT i, CASE WHEN pick(i, 6) < 0.94 THEN 1 + floor(pick(i, 7) ^ 1.5 * greatest((8000 * :scale)::int, 200))::int END, 1 + floor(pick(i, 8) ^ 1.6 * 120)::int, 'Home ' || i,
    (ARRAY['flat','flat','house','cabin','boat'])[1 + floor(pick(i, 9) * 5)::int], CASE WHEN pick(i, 10) < 0.96 THEN 1 + floor(pick(i, 11) ^ 2 * 9)::int END, timestamptz '2018-01-01 00:00+00' + floor(pick(i, 12) * 2000) * interval '1 day',
    CASE WHEN pick(i, 13) < 0.12 THEN timestamptz '2024-01-01 00:00+00' + floor(pick(i, 14) * 360) * interval '1 day' END,
    CASE WHEN pick(i, 15) < 0.8 THEN (ARRAY['wifi','pool','sauna','garden','parking','dogs'])[1 + floor(pick(i, 16) * 3)::int : 1 + floor(pick(i, 17) * 6)::int] END
FROM generate_series(1, greatest((20000 * :scale)::int, 600)) i;
INSERT INTO guests
SELECT i, 'Guest ' || i % greatest((60000 * :scale)::int, 900), CASE WHEN pick(i, 18) < 0.85 THEN 'g' || i || '@example.org' END,
    CASE WHEN pick(i, 19) < 0.9 THEN (ARRAY['FR','ES','IT','DE','NL','GB','US','SE'])[1 + floor(pick(i, 20) ^ 1.3 * 8)::int] END, CASE WHEN i > 40 AND pick(i, 21) < 0.25 THEN 1 + floor(pick(i, 22) ^ 2 * (i - 1))::int END,
    timestamptz '2019-01-01 00:00+00' + pick(i, 23) * interval '2000 days', jsonb_build_object('lang', (ARRAY['en','fr','de'])[1 + floor(pick(i, 24) * 3)::int], 'news', pick(i, 25) < 0.5), pick(i, 26) < 0.93
FROM generate_series(1, greatest((80000 * :scale)::int, 1200)) i;
INSERT INTO promos SELECT i, 'P' || i, 5 + floor(pick(i, 27) * 30), v.first, CASE WHEN pick(i, 28) < 0.8 THEN v.first + 10 + floor(pick(i, 29) * 90)::int END
FROM (SELECT i, date '2023-01-01' + floor(pick(i, 30) * 700)::int AS first FROM generate_series(1, 60) i) v;
INSERT INTO bookings
SELECT v.i, 1 + floor(pick(v.i, 31) ^ 1.5 * greatest((20000 * :scale)::int, 600))::int, 1 + floor(pick(v.i, 32) ^ 1.6 * greatest((80000 * :scale)::int, 1200))::int, CASE WHEN pick(v.i, 33) < 0.2 THEN 1 + floor(pick(v.i, 34) * 60)::int END,
    CASE WHEN pick(v.i, 35) < 0.92 THEN (ARRAY['web','web','app','agent','phone'])[1 + floor(pick(v.i, 36) * 5)::int] END, s.state, v.arrives, v.arrives + 1 + floor(pick(v.i, 37) ^ 2 * 9)::int,
    v.arrives::timestamp AT TIME ZONE 'UTC' - (1 + floor(pick(v.i, 38) ^ 2 * 200)) * interval '1 day' - floor(pick(v.i, 39) * 86400) * interval '1 second',
    CASE WHEN s.state = 'cancelled' THEN v.arrives::timestamp AT TIME ZONE 'UTC' - floor(pick(v.i, 40) * 20) * interval '1 hour' END, CASE WHEN pick(v.i, 41) < 0.97 THEN 4000 + floor(pick(v.i, 42) ^ 2 * 200000)::int END
FROM (SELECT i, date '2023-01-01' + floor(pick(i, 43) * 720)::int AS arrives FROM generate_series(1, (240000 * :scale)::int) i) v,
    LATERAL (SELECT (ARRAY['stayed','stayed','stayed','stayed','stayed','cancelled','no-show','booked'])[1 + floor(pick(v.i, 44) * 8)::int] AS state) s;
INSERT INTO nights SELECT b.id, b.arrives + n, 3000 + floor(pick(b.id * 16 + n, 45) ^ 2 * 30000)::int FROM bookings b, generate_series(0, 8) n WHERE b.arrives + n < b.leaves;
INSERT INTO charges
SELECT b.id * 4 + n, b.id, (ARRAY['rent','cleaning','tax','extra'])[1 + n], (10 + floor(pick(b.id * 4 + n, 46) ^ 3 * 90000) / 100)::numeric(10, 2),
    CASE WHEN pick(b.id * 4 + n, 47) < 0.88 THEN b.booked_at + floor(pick(b.id * 4 + n, 48) * 60) * interval '1 day' END, CASE WHEN pick(b.id * 4 + n, 49) < 0.9 THEN pick(b.id * 4 + n, 50) < 0.06 END
FROM bookings b, generate_series(0, 3) n WHERE n <= b.id % 4;
INSERT INTO reviews
SELECT row_number() OVER (ORDER BY b.id), CASE WHEN pick(b.id, 51) < 0.97 THEN b.id END, b.home_id, CASE WHEN pick(b.id, 52) < 0.9 THEN b.guest_id END, CASE WHEN pick(b.id, 53) < 0.93 THEN 1 + floor(pick(b.id, 54) ^ 0.5 * 5)::int END,
    b.leaves::timestamp AT TIME ZONE 'UTC' + floor(pick(b.id, 55) * 900) * interval '1 hour', floor(pick(b.id, 56) ^ 4 * 60)::int
FROM bookings b WHERE b.state = 'stayed' AND pick(b.id, 57) < 0.5;
INSERT INTO messages
SELECT i, CASE WHEN pick(i, 58) < 0.96 THEN 1 + floor(pick(i, 59) ^ 1.3 * (240000 * :scale))::bigint END, (ARRAY['guest','guest','owner','desk'])[1 + floor(pick(i, 60) * 4)::int], v.at,
    CASE WHEN pick(i, 61) < 0.8 THEN v.at + floor(pick(i, 62) ^ 3 * 4000) * interval '1 minute' END
FROM (SELECT i, timestamptz '2023-01-01 00:00+00' + pick(i, 63) * interval '720 days' AS at FROM generate_series(1, (400000 * :scale)::int) i) v;
INSERT INTO cleaners SELECT i, 'Cleaner ' || i, CASE WHEN pick(i, 64) < 0.9 THEN 1 + floor(pick(i, 65) * 120)::int END FROM generate_series(1, 400) i;
INSERT INTO cleanings
SELECT i, 1 + floor(pick(i, 66) ^ 1.4 * greatest((20000 * :scale)::int, 600))::int, CASE WHEN pick(i, 67) < 0.9 THEN 1 + floor(pick(i, 68) ^ 1.3 * 400)::int END, v.due,
    CASE WHEN pick(i, 69) < 0.9 THEN v.due::timestamp AT TIME ZONE 'UTC' + floor(pick(i, 70) * 40) * interval '1 hour' END, CASE WHEN pick(i, 71) < 0.85 THEN 20 + floor(pick(i, 72) ^ 2 * 240)::int END
FROM (SELECT i, date '2023-01-01' + floor(pick(i, 73) * 720)::int AS due FROM generate_series(1, (200000 * :scale)::int) i) v;
INSERT INTO prices
SELECT h.id, date '2022-12-01' + n * 60 + floor(pick(h.id * 16 + n, 74) * 50)::int, 3000 + floor(pick(h.id * 16 + n, 75) ^ 2 * 30000)::int FROM homes h, generate_series(0, 11) n WHERE pick(h.id * 16 + n, 76) < 0.7;
INSERT INTO favourites
SELECT DISTINCT ON (g, h) g, h, at FROM (
    SELECT 1 + floor(pick(i, 77) ^ 1.7 * greatest((80000 * :scale)::int, 1200))::int AS g, 1 + floor(pick(i, 78) ^ 1.5 * greatest((20000 * :scale)::int, 600))::int AS h,
        timestamptz '2023-01-01 00:00+00' + pick(i, 79) * interval '720 days' AS at
    FROM generate_series(1, (200000 * :scale)::int) i) f ORDER BY g, h, at;

CREATE INDEX bookings_arrives ON bookings (arrives);
CREATE INDEX bookings_home ON bookings (home_id);
CREATE INDEX homes_owner ON homes (owner_id);
CREATE INDEX homes_live ON homes (region_id) WHERE delisted_at IS NULL;
CREATE INDEX messages_sent ON messages (sent_at);
CREATE INDEX reviews_home ON reviews (home_id);
CREATE VIEW paid_by_booking AS SELECT c.booking_id, sum(c.amount) AS amount, count(*) AS charges, max(c.paid_at) AS last_paid FROM charges c WHERE c.paid_at IS NOT NULL AND c.refunded IS NOT TRUE GROUP BY c.booking_id;
CREATE VIEW home_scores AS SELECT h.id, h.region_id, h.owner_id, count(r.id) AS reviews, avg(r.stars) AS stars, max(r.written_at) AS last_review FROM homes h LEFT JOIN reviews r ON r.home_id = h.id GROUP BY h.id;
DROP FUNCTION pick;
ANALYZE;
