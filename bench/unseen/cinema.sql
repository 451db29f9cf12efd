-- A chain of cinemas: studios and their films with genres, cinemas with screens and tariffs, showings, members, bookings with tickets, sales of snacks, reviews. Foreign keys of bookings and tickets have indexes, those that name a member have none.
-- :scale is replaced by the loader; 1 gives about 1.5 million rows, half of them tickets.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE cinemas (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL, region text, opened date NOT NULL);
CREATE TABLE screens (id int PRIMARY KEY, cinema_id int NOT NULL REFERENCES cinemas, seats int NOT NULL, format text NOT NULL);
CREATE TABLE studios (id int PRIMARY KEY, name text NOT NULL, country char(2));
CREATE TABLE films (id int PRIMARY KEY, title text NOT NULL, studio_id int REFERENCES studios, released date, minutes int NOT NULL, age_limit smallint, language char(2), budget numeric(12,2));
CREATE TABLE genres (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE film_genres (film_id int NOT NULL REFERENCES films, genre_id int NOT NULL REFERENCES genres, PRIMARY KEY (film_id, genre_id));
CREATE TABLE members (id int PRIMARY KEY, email text NOT NULL UNIQUE, joined date NOT NULL, home_cinema_id int REFERENCES cinemas, tier text NOT NULL, born date, invited_by int REFERENCES members);
CREATE TABLE tariffs (cinema_id int NOT NULL REFERENCES cinemas, valid_from date NOT NULL, base numeric(6,2) NOT NULL, PRIMARY KEY (cinema_id, valid_from));
CREATE TABLE showings (id int PRIMARY KEY, film_id int NOT NULL REFERENCES films, screen_id int NOT NULL REFERENCES screens, starts_at timestamp NOT NULL, price numeric(6,2) NOT NULL, cancelled boolean NOT NULL DEFAULT false);
CREATE TABLE bookings (id int PRIMARY KEY, showing_id int NOT NULL REFERENCES showings, member_id int REFERENCES members, booked_at timestamp NOT NULL, channel text NOT NULL, status text NOT NULL);
CREATE TABLE tickets (id int PRIMARY KEY, booking_id int NOT NULL REFERENCES bookings, row_no smallint NOT NULL, seat_no smallint NOT NULL, kind text NOT NULL, price numeric(6,2) NOT NULL, scanned_at timestamp);
CREATE TABLE snack_sales (id int PRIMARY KEY, cinema_id int NOT NULL REFERENCES cinemas, member_id int REFERENCES members, sold_at timestamp NOT NULL, item text NOT NULL, amount numeric(8,2) NOT NULL);
CREATE TABLE reviews (id int PRIMARY KEY, film_id int NOT NULL REFERENCES films, member_id int NOT NULL REFERENCES members, stars smallint, written_at timestamp NOT NULL, UNIQUE (film_id, member_id));

INSERT INTO cinemas SELECT i, 'Cinema ' || i, 'City ' || i % 23, CASE WHEN pick(i, 1) < 0.95 THEN (ARRAY['north','south','east','west','centre'])[1 + i % 5] END, date '1990-01-01' + (pick(i, 2) * 10000)::int FROM generate_series(1, 48) i;
INSERT INTO screens SELECT i, 1 + i % 48, 60 + (pick(i, 3) * 260)::int, (ARRAY['2D','2D','2D','3D','IMAX'])[1 + floor(pick(i, 4) * 5)::int] FROM generate_series(1, 340) i;
INSERT INTO studios SELECT i, 'Studio ' || i, CASE WHEN pick(i, 5) < 0.97 THEN (ARRAY['US','FR','GB','IN','JP','DE','KR'])[1 + floor(pick(i, 6) ^ 1.5 * 7)::int] END FROM generate_series(1, 90) i;
INSERT INTO films
SELECT i, 'Film ' || i, CASE WHEN pick(i, 7) < 0.96 THEN 1 + floor(pick(i, 8) ^ 1.4 * 90)::int END, CASE WHEN pick(i, 9) < 0.97 THEN date '2019-06-01' + (pick(i, 10) * 2000)::int END, 75 + (pick(i, 11) * 110)::int, CASE WHEN pick(i, 12) < 0.9 THEN (ARRAY[0,6,12,16,18])[1 + floor(pick(i, 13) * 5)::int] END, (ARRAY['en','fr','de','hi','ja'])[1 + floor(pick(i, 14) ^ 2 * 5)::int], CASE WHEN pick(i, 15) < 0.8 THEN round((pick(i, 16) ^ 3 * 200000000)::numeric, 2) END
FROM generate_series(1, 2500) i;
INSERT INTO genres SELECT i, 'genre ' || i FROM generate_series(1, 18) i;
INSERT INTO film_genres SELECT DISTINCT f, 1 + floor(pick(f * 10 + k, 17) ^ 1.5 * 18)::int FROM generate_series(1, 2500) f, generate_series(1, 3) k;
INSERT INTO members
SELECT i, 'm' || i || '@mail.example', date '2020-01-01' + (pick(i, 18) * 1800)::int, CASE WHEN pick(i, 19) < 0.93 THEN 1 + floor(pick(i, 20) ^ 1.2 * 48)::int END, (ARRAY['basic','basic','silver','gold'])[1 + floor(pick(i, 21) * 4)::int], CASE WHEN pick(i, 22) < 0.85 THEN date '1945-01-01' + (pick(i, 23) * 23000)::int END, CASE WHEN i > 10 AND pick(i, 24) < 0.3 THEN 1 + floor(pick(i, 25) * (i - 1))::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 400)) i;
INSERT INTO tariffs SELECT c, date '2020-01-01' + k * 45 + c % 7, round((8 + k * 0.15 + pick(c * 100 + k, 26) * 3)::numeric, 2) FROM generate_series(1, 48) c, generate_series(0, 44) k WHERE pick(c * 100 + k, 27) < 0.9;
INSERT INTO showings
SELECT i, 1 + floor(pick(i, 28) ^ 1.8 * 2500)::int, 1 + floor(pick(i, 29) * 340)::int, date '2021-01-01' + floor(pick(i, 30) * 1460)::int + interval '10 hours' + interval '30 minutes' * floor(pick(i, 31) * 26)::int, round((7 + pick(i, 32) * 9)::numeric, 2), pick(i, 33) < 0.02
FROM generate_series(1, greatest((70000 * :scale)::int, 700)) i;
INSERT INTO bookings
SELECT i, s.id, CASE WHEN pick(i, 35) < 0.7 THEN 1 + floor(pick(i, 36) ^ 1.6 * n.members)::int END, s.starts_at - interval '1 minute' * floor(pick(i, 37) ^ 2 * 20000)::int, (ARRAY['web','app','desk','phone'])[1 + floor(pick(i, 38) ^ 1.5 * 4)::int], CASE WHEN pick(i, 39) < 0.9 THEN 'paid' WHEN pick(i, 40) < 0.6 THEN 'refunded' ELSE 'open' END
FROM (SELECT i, 1 + floor(pick(i, 34) ^ 1.3 * greatest((70000 * :scale)::int, 700))::int AS showing FROM generate_series(1, (300000 * :scale)::int) i) b JOIN showings s ON s.id = b.showing CROSS JOIN (SELECT count(*) AS members FROM members) n;
INSERT INTO tickets
SELECT row_number() OVER (ORDER BY b.id, k), b.id, 1 + floor(pick(b.id, 41) * 18)::int, 1 + floor(pick(b.id, 42) * 20)::int + k, (ARRAY['adult','adult','child','senior','student'])[1 + floor(pick(b.id * 8 + k, 43) * 5)::int], round(s.price * (0.6 + 0.4 * pick(b.id * 8 + k, 44))::numeric, 2), CASE WHEN b.status = 'paid' AND pick(b.id * 8 + k, 45) < 0.93 THEN s.starts_at - interval '1 minute' * floor(pick(b.id * 8 + k, 46) * 25)::int END
FROM bookings b JOIN showings s ON s.id = b.showing_id CROSS JOIN LATERAL generate_series(1, 1 + floor(pick(b.id, 47) ^ 1.5 * 5)::int) k;
INSERT INTO snack_sales
SELECT i, 1 + floor(pick(i, 48) ^ 1.1 * 48)::int, CASE WHEN pick(i, 49) < 0.6 THEN 1 + floor(pick(i, 50) ^ 1.4 * n.members)::int END, date '2021-01-01' + floor(pick(i, 51) * 1460)::int + interval '1 minute' * (600 + floor(pick(i, 52) * 780)::int), (ARRAY['popcorn','cola','nachos','ice cream','water','sweets'])[1 + floor(pick(i, 53) ^ 1.4 * 6)::int], round((1.5 + pick(i, 54) ^ 2 * 22)::numeric, 2)
FROM generate_series(1, (250000 * :scale)::int) i CROSS JOIN (SELECT count(*) AS members FROM members) n;
INSERT INTO reviews
SELECT row_number() OVER (ORDER BY f, m), f, m, CASE WHEN pick(f * 100000 + m, 55) < 0.96 THEN 1 + floor(pick(f * 100000 + m, 56) ^ 0.7 * 5)::int END, timestamp '2021-02-01 12:00' + interval '1 minute' * floor(pick(f * 100000 + m, 57) * 2000000)::int
FROM (SELECT DISTINCT 1 + floor(pick(i, 58) ^ 1.8 * 2500)::bigint AS f, 1 + floor(pick(i, 59) ^ 1.5 * n.members)::bigint AS m FROM generate_series(1, (70000 * :scale)::int) i CROSS JOIN (SELECT count(*) AS members FROM members) n) r;

CREATE INDEX ON showings (film_id);
CREATE INDEX ON showings (screen_id, starts_at);
CREATE INDEX ON bookings (showing_id);
CREATE INDEX ON tickets (booking_id);
CREATE INDEX ON snack_sales (cinema_id);

CREATE VIEW showing_sales AS
SELECT s.id AS showing_id, s.film_id, c.id AS cinema_id, s.starts_at, count(DISTINCT b.id) AS bookings, count(t.id) AS tickets, coalesce(sum(t.price), 0) AS revenue
FROM showings s JOIN screens sc ON sc.id = s.screen_id JOIN cinemas c ON c.id = sc.cinema_id LEFT JOIN bookings b ON b.showing_id = s.id AND b.status = 'paid' LEFT JOIN tickets t ON t.booking_id = b.id
GROUP BY s.id, s.film_id, c.id, s.starts_at;
CREATE VIEW member_spend AS
SELECT m.id AS member_id, m.tier, coalesce(t.spent, 0) AS on_tickets, coalesce(k.spent, 0) AS on_snacks
FROM members m LEFT JOIN (SELECT b.member_id, sum(t.price) AS spent FROM bookings b JOIN tickets t ON t.booking_id = b.id WHERE b.status = 'paid' GROUP BY b.member_id) t ON t.member_id = m.id
LEFT JOIN (SELECT member_id, sum(amount) AS spent FROM snack_sales GROUP BY member_id) k ON k.member_id = m.id;
DROP FUNCTION pick;
ANALYZE;
