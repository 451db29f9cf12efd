-- A service that streams music: listeners with families and subscriptions, labels in a tree, artists, albums, tracks with guests and genres, plays, playlists, follows, likes, rates of royalties and concerts.
-- :scale is replaced by the loader; 1 gives about 3 million rows, two thirds of them plays.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE countries (code char(2) PRIMARY KEY, name text NOT NULL, region text NOT NULL, currency char(3));
CREATE TABLE labels (id int PRIMARY KEY, parent_id int REFERENCES labels, name text NOT NULL);
CREATE TABLE artists (id int PRIMARY KEY, label_id int REFERENCES labels, name text NOT NULL, country char(2) NOT NULL REFERENCES countries);
CREATE TABLE albums (id int PRIMARY KEY, artist_id int NOT NULL REFERENCES artists, title text NOT NULL, released_on date NOT NULL, kind text NOT NULL);
CREATE TABLE tracks (id int PRIMARY KEY, album_id int NOT NULL REFERENCES albums, position smallint NOT NULL, title text NOT NULL, seconds int NOT NULL, explicit boolean NOT NULL, UNIQUE (album_id, position));
CREATE TABLE guests (track_id int NOT NULL REFERENCES tracks, artist_id int NOT NULL REFERENCES artists, role text NOT NULL, PRIMARY KEY (track_id, artist_id));
CREATE TABLE genres (id int PRIMARY KEY, parent_id int REFERENCES genres, name text NOT NULL);
CREATE TABLE track_genres (track_id int NOT NULL REFERENCES tracks, genre_id int NOT NULL REFERENCES genres, weight smallint NOT NULL, PRIMARY KEY (track_id, genre_id));
CREATE TABLE listeners (id int PRIMARY KEY, country char(2) NOT NULL REFERENCES countries, plan text NOT NULL, joined_on date NOT NULL, invited_by int REFERENCES listeners, family_id int);
CREATE TABLE subscriptions (id int PRIMARY KEY, listener_id int NOT NULL REFERENCES listeners, plan text NOT NULL, from_on date NOT NULL, to_on date, cents int NOT NULL, UNIQUE (listener_id, from_on));
CREATE TABLE rates (country char(2) NOT NULL REFERENCES countries, plan text NOT NULL, from_on date NOT NULL, to_on date NOT NULL, micros numeric(9, 2) NOT NULL, PRIMARY KEY (country, plan, from_on));
CREATE TABLE playlists (id int PRIMARY KEY, owner_id int NOT NULL REFERENCES listeners, name text NOT NULL, is_public boolean NOT NULL, created_at timestamp NOT NULL);
CREATE TABLE playlist_tracks (playlist_id int NOT NULL REFERENCES playlists, position int NOT NULL, track_id int NOT NULL REFERENCES tracks, added_by int REFERENCES listeners, added_at timestamp NOT NULL, PRIMARY KEY (playlist_id, position));
CREATE TABLE follows (listener_id int NOT NULL REFERENCES listeners, artist_id int NOT NULL REFERENCES artists, since date NOT NULL, PRIMARY KEY (listener_id, artist_id));
CREATE TABLE likes (listener_id int NOT NULL REFERENCES listeners, track_id int NOT NULL REFERENCES tracks, liked_at timestamp NOT NULL, PRIMARY KEY (listener_id, track_id));
CREATE TABLE plays (id bigint PRIMARY KEY, listener_id int NOT NULL REFERENCES listeners, track_id int NOT NULL REFERENCES tracks, playlist_id int, started_at timestamp NOT NULL, seconds int NOT NULL, device text NOT NULL, source text);
CREATE TABLE concerts (id int PRIMARY KEY, artist_id int NOT NULL REFERENCES artists, country char(2) NOT NULL REFERENCES countries, city text NOT NULL, held_on date NOT NULL);

INSERT INTO countries SELECT chr(65 + i / 6) || chr(65 + i % 6), 'Country ' || i, (ARRAY['north','south','east','west'])[1 + floor(pick(i, 1) * 4)::int], CASE WHEN pick(i, 2) < 0.9 THEN (ARRAY['EUR','USD','GBP'])[1 + floor(pick(i, 3) * 3)::int] END FROM generate_series(0, 35) i;
INSERT INTO labels SELECT i, CASE WHEN i > 6 THEN 1 + floor(pick(i, 4) ^ 1.2 * least(i - 1, 90))::int END, 'Label ' || i FROM generate_series(1, 300) i;
INSERT INTO artists SELECT i, CASE WHEN pick(i, 5) < 0.85 THEN 1 + floor(pick(i, 6) ^ 1.3 * 300)::int END, 'Artist ' || i % 3600, (SELECT chr(65 + n / 6) || chr(65 + n % 6) FROM (SELECT floor(pick(i, 7) ^ 1.4 * 36)::int AS n) x) FROM generate_series(1, greatest((4000 * :scale)::int, 300)) i;
INSERT INTO albums SELECT i, 1 + floor(pick(i, 8) ^ 1.3 * greatest((4000 * :scale)::int, 300) * 0.97)::int, 'Album ' || i % 9000, date '1990-01-01' + floor(pick(i, 9) ^ 0.5 * 12500)::int, (ARRAY['album','album','single','compilation'])[1 + floor(pick(i, 10) * 4)::int] FROM generate_series(1, (12000 * :scale)::int) i;
INSERT INTO tracks SELECT row_number() OVER (ORDER BY a.id, n), a.id, n, 'Song ' || (a.id * 17 + n) % 40000, 90 + floor(pick(a.id * 32::bigint + n, 11) ^ 1.5 * 300)::int, pick(a.id * 32::bigint + n, 12) < 0.15 FROM albums a CROSS JOIN LATERAL generate_series(1, CASE WHEN a.kind = 'single' THEN 2 ELSE 5 + floor(pick(a.id, 13) * 9)::int END) n;
INSERT INTO guests SELECT t.id, g, (ARRAY['featured','featured','producer','remix'])[1 + floor(pick(t.id * 8::bigint + g, 14) * 4)::int] FROM tracks t CROSS JOIN LATERAL (SELECT DISTINCT 1 + floor(pick(t.id * 4::bigint + n, 15) ^ 1.6 * greatest((4000 * :scale)::int, 300))::int AS g FROM generate_series(1, 2) n WHERE pick(t.id * 4::bigint + n, 16) < 0.2) x;
INSERT INTO genres SELECT i, CASE WHEN i > 8 THEN 1 + floor(pick(i, 17) * least(i - 1, 24))::int END, 'Genre ' || i FROM generate_series(1, 90) i;
INSERT INTO track_genres SELECT t.id, g, min(1 + floor(pick(t.id * 8::bigint + g, 18) * 5)::int) FROM tracks t CROSS JOIN LATERAL (SELECT 1 + floor(pick(t.id * 4::bigint + n, 19) ^ 1.5 * 90)::int AS g FROM generate_series(1, 2) n WHERE n = 1 OR pick(t.id, 20) < 0.5) x GROUP BY t.id, g;
INSERT INTO listeners SELECT i, (SELECT chr(65 + n / 6) || chr(65 + n % 6) FROM (SELECT floor(pick(i, 21) ^ 1.6 * 36)::int AS n) x), (ARRAY['free','free','single','family','student'])[1 + floor(pick(i, 22) * 5)::int], date '2019-01-01' + floor(pick(i, 23) * 1900)::int, CASE WHEN i > 50 AND pick(i, 24) < 0.3 THEN 1 + floor(pick(i, 25) ^ 1.4 * (i - 1))::int END, CASE WHEN pick(i, 26) < 0.25 THEN 1 + floor(pick(i, 27) * 4000 * :scale)::int END FROM generate_series(1, (40000 * :scale)::int) i;
INSERT INTO subscriptions SELECT row_number() OVER (ORDER BY l.id, n), l.id, (ARRAY['single','single','family','student'])[1 + floor(pick(l.id * 8::bigint + n, 28) * 4)::int], l.joined_on + 1 + n * 120, CASE WHEN n < k.k OR pick(l.id, 29) < 0.4 THEN l.joined_on + 1 + n * 120 + 90 + floor(pick(l.id * 8::bigint + n, 30) * 29)::int END, (ARRAY[499, 999, 1099, 1599])[1 + floor(pick(l.id * 8::bigint + n, 31) * 4)::int] FROM listeners l CROSS JOIN LATERAL (SELECT floor(pick(l.id, 32) * 5)::int AS k) k CROSS JOIN LATERAL generate_series(1, k.k) n;
INSERT INTO rates SELECT c.code, p, (date '2023-01-01' + q * interval '3 months')::date, (date '2023-01-01' + (q + 1) * interval '3 months')::date, round((500 + pick(hashtext(c.code || p) * 16::bigint + q, 33) * 4000)::numeric, 2) FROM countries c CROSS JOIN unnest(ARRAY['free','single','family','student']) p CROSS JOIN generate_series(0, 5) q WHERE pick(hashtext(c.code || p) * 16::bigint + q, 34) < 0.97;
INSERT INTO playlists SELECT i, 1 + floor(pick(i, 35) ^ 1.4 * 40000 * :scale * 0.9)::int, 'Playlist ' || i % 700, pick(i, 36) < 0.4, timestamp '2021-01-01' + i * (interval '1200 days' / (30000 * :scale)) FROM generate_series(1, (30000 * :scale)::int) i;
INSERT INTO playlist_tracks SELECT p.id, n, 1 + floor(pick(p.id * 64::bigint + n, 37) ^ 2 * (SELECT count(*) FROM tracks) * 0.98)::int, CASE WHEN pick(p.id * 64::bigint + n, 38) < 0.8 THEN p.owner_id END, p.created_at + n * interval '3 hours' FROM playlists p CROSS JOIN LATERAL generate_series(1, 2 + floor(pick(p.id, 39) ^ 2 * 36)::int) n;
INSERT INTO follows SELECT l.id, a, l.joined_on + 10 + floor(pick(l.id * 16::bigint + a, 40) * 300)::int FROM listeners l CROSS JOIN LATERAL (SELECT DISTINCT 1 + floor(pick(l.id * 16::bigint + n, 41) ^ 1.8 * greatest((4000 * :scale)::int, 300))::int AS a FROM generate_series(1, floor(pick(l.id, 42) * 8)::int) n) x;
INSERT INTO likes SELECT l.id, t, timestamp '2023-01-01' + floor(pick(l.id * 32::bigint + t, 43) * 700000) * interval '1 minute' FROM listeners l CROSS JOIN LATERAL (SELECT DISTINCT 1 + floor(pick(l.id * 32::bigint + n, 44) ^ 2 * (SELECT count(*) FROM tracks) * 0.96)::int AS t FROM generate_series(1, floor(pick(l.id, 45) * 14)::int) n) x;
INSERT INTO plays
SELECT i, 1 + floor(pick(i, 46) ^ 1.5 * 40000 * :scale * 0.94)::int, 1 + floor(pick(i, 47) ^ 2 * (SELECT count(*) FROM tracks) * 0.97)::int, CASE WHEN pick(i, 48) < 0.4 THEN 1 + floor(pick(i, 49) ^ 1.5 * 30000 * :scale)::int END, date_trunc('second', timestamp '2023-01-01' + i * (interval '500 days' / (2000000 * :scale))),
    5 + floor(pick(i, 50) * 240)::int, (ARRAY['phone','phone','phone','web','car','speaker'])[1 + floor(pick(i, 51) * 6)::int], CASE WHEN pick(i, 52) < 0.9 THEN (ARRAY['search','radio','library','album'])[1 + floor(pick(i, 53) * 4)::int] END
FROM generate_series(1, (2000000 * :scale)::int) i;
INSERT INTO concerts SELECT i, 1 + floor(pick(i, 54) ^ 1.4 * greatest((4000 * :scale)::int, 300))::int, (SELECT chr(65 + n / 6) || chr(65 + n % 6) FROM (SELECT floor(pick(i, 55) ^ 1.3 * 36)::int AS n) x), 'City ' || floor(pick(i, 56) * 200)::int, date '2023-01-15' + floor(pick(i, 57) * 480)::int FROM generate_series(1, (8000 * :scale)::int) i;

CREATE INDEX ON plays (track_id);
CREATE INDEX ON plays (started_at);
CREATE INDEX ON albums (artist_id);
CREATE INDEX ON playlist_tracks (track_id);
CREATE INDEX ON listeners (country);
CREATE VIEW artist_plays AS
SELECT a.artist_id, t.id AS track_id, p.id AS play_id, p.listener_id, p.started_at, p.seconds, p.device
FROM plays p JOIN tracks t ON t.id = p.track_id JOIN albums a ON a.id = t.album_id WHERE p.seconds >= 30;
CREATE VIEW track_days AS
SELECT p.track_id, p.started_at::date AS day, count(*) AS plays, count(DISTINCT p.listener_id) AS listeners, sum(p.seconds) AS seconds
FROM plays p GROUP BY p.track_id, p.started_at::date;
