-- An online game: players who refer each other, sessions, matches, ratings by day, purchases, friendships and reports, with views that read views.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE regions (id smallint PRIMARY KEY, code text NOT NULL UNIQUE, name text NOT NULL);
CREATE TABLE players (
    id int PRIMARY KEY, handle text NOT NULL UNIQUE, region_id smallint NOT NULL REFERENCES regions, email text, created_at timestamptz NOT NULL, banned_at timestamptz,
    referred_by int REFERENCES players
);
CREATE TABLE sessions (id bigint PRIMARY KEY, player_id int NOT NULL REFERENCES players, started_at timestamptz NOT NULL, ended_at timestamptz, device text NOT NULL);
CREATE TABLE matches (id int PRIMARY KEY, mode text NOT NULL, region_id smallint NOT NULL REFERENCES regions, started_at timestamptz NOT NULL, seconds int);
CREATE TABLE match_players (
    match_id int NOT NULL REFERENCES matches, player_id int NOT NULL REFERENCES players, team smallint NOT NULL, score int NOT NULL, won boolean NOT NULL, PRIMARY KEY (match_id, player_id)
);
CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL, rarity text NOT NULL, cents int NOT NULL);
CREATE TABLE purchases (
    id int PRIMARY KEY, player_id int NOT NULL REFERENCES players, item_id int NOT NULL REFERENCES items, cents int NOT NULL, bought_at timestamptz NOT NULL, refunded boolean NOT NULL
);
CREATE TABLE ratings (player_id int NOT NULL REFERENCES players, day date NOT NULL, rating int NOT NULL, PRIMARY KEY (player_id, day));
CREATE TABLE friendships (a_id int NOT NULL REFERENCES players, b_id int NOT NULL REFERENCES players, since date NOT NULL, PRIMARY KEY (a_id, b_id));
CREATE TABLE reports (
    id int PRIMARY KEY, reporter_id int NOT NULL REFERENCES players, reported_id int REFERENCES players, match_id int REFERENCES matches, created_at timestamptz NOT NULL, state text NOT NULL
);

INSERT INTO regions SELECT i, 'R' || i, 'Region ' || i FROM generate_series(1, 9) i;
INSERT INTO players
SELECT i, 'player' || (i * 7919::bigint % 1000003) || '_' || i, 1 + floor(pick(i, 1) ^ 2 * 9)::int, CASE WHEN pick(i, 2) < 0.9 THEN 'p' || i / 2 || '@example.org' END,
    timestamptz '2022-01-01 00:00+00' + pick(i, 3) * interval '900 days', CASE WHEN pick(i, 4) < 0.03 THEN timestamptz '2024-07-01 00:00+00' END,
    CASE WHEN i > 50 AND pick(i, 5) < 0.4 THEN 1 + floor(pick(i, 6) ^ 2 * (i - 1))::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 500)) i;
INSERT INTO sessions
SELECT i, 1 + floor(pick(i, 7) ^ 1.5 * (SELECT count(*) FROM players))::int, s, CASE WHEN pick(i, 8) < 0.99 THEN s + pick(i, 9) * interval '4 hours' END, (ARRAY['pc','phone','console'])[1 + i % 3]
FROM generate_series(1, greatest((500000 * :scale)::int, 3000)) i, LATERAL (SELECT timestamptz '2023-01-01 00:00+00' + pick(i, 10) * interval '600 days' AS s) t;
INSERT INTO matches
SELECT i, (ARRAY['ranked','casual','casual','training'])[1 + i % 4], 1 + floor(pick(i, 11) * 9)::int, timestamptz '2023-01-01 00:00+00' + pick(i, 12) * interval '600 days',
    CASE WHEN pick(i, 13) < 0.95 THEN 200 + (pick(i, 14) * 2000)::int END
FROM generate_series(1, greatest((110000 * :scale)::int, 600)) i;
INSERT INTO match_players
SELECT DISTINCT ON (m.id, 1 + floor(pick(m.id * 8 + k, 15) ^ 1.5 * n.players)::int) m.id, 1 + floor(pick(m.id * 8 + k, 15) ^ 1.5 * n.players)::int, 1 + k % 2,
    (pick(m.id * 8 + k, 16) * 5000)::int, k % 2 = m.id % 2
FROM matches m, generate_series(0, 7) k, (SELECT count(*)::int AS players FROM players) n;
INSERT INTO items SELECT i, 'Item ' || i, (ARRAY['common','common','rare','epic'])[1 + i % 4], 99 + (pick(i, 17) * 5000)::int FROM generate_series(1, 800) i;
INSERT INTO purchases
SELECT i, 1 + floor(pick(i, 18) ^ 2 * (SELECT count(*) FROM players))::int, 1 + floor(pick(i, 19) ^ 2 * 800)::int, 99 + (pick(i, 20) * 5000)::int,
    timestamptz '2023-01-01 00:00+00' + pick(i, 21) * interval '600 days', pick(i, 22) < 0.04
FROM generate_series(1, greatest((200000 * :scale)::int, 1500)) i;
INSERT INTO ratings
SELECT p.id, date '2024-01-01' + d, 1000 + (pick(p.id * 1000 + d, 23) * 1500)::int FROM players p, generate_series(0, 29) d WHERE pick(p.id * 1000 + d, 24) < 0.25;
INSERT INTO friendships
SELECT DISTINCT ON (a, b) a, b, date '2023-01-01' + (pick(i, 25) * 600)::int
FROM generate_series(1, greatest((120000 * :scale)::int, 800)) i,
    LATERAL (SELECT 1 + floor(pick(i, 26) * (SELECT count(*) FROM players))::int AS a, 1 + floor(pick(i, 27) ^ 2 * (SELECT count(*) FROM players))::int AS b) t
WHERE a <> b;
INSERT INTO reports
SELECT i, 1 + floor(pick(i, 28) * (SELECT count(*) FROM players))::int, CASE WHEN pick(i, 29) < 0.93 THEN 1 + floor(pick(i, 30) ^ 3 * (SELECT count(*) FROM players))::int END,
    CASE WHEN pick(i, 31) < 0.8 THEN 1 + floor(pick(i, 32) * (SELECT count(*) FROM matches))::int END, timestamptz '2023-01-01 00:00+00' + pick(i, 33) * interval '600 days',
    (ARRAY['open','closed','closed','rejected'])[1 + i % 4]
FROM generate_series(1, greatest((30000 * :scale)::int, 300)) i;

CREATE INDEX ON players (region_id);
CREATE INDEX ON match_players (player_id);
CREATE INDEX ON purchases (bought_at);
CREATE INDEX ON friendships (b_id);

CREATE VIEW player_totals AS
SELECT p.id, p.handle, p.region_id, count(pu.id) AS purchases, coalesce(sum(pu.cents), 0) AS cents, max(pu.bought_at) AS last_purchase
FROM players p LEFT JOIN purchases pu ON pu.player_id = p.id AND NOT pu.refunded GROUP BY p.id, p.handle, p.region_id;
CREATE VIEW player_form AS
SELECT mp.player_id, count(*) AS matches, count(*) FILTER (WHERE mp.won) AS wins, avg(mp.score) AS score FROM match_players mp JOIN matches m ON m.id = mp.match_id WHERE m.mode <> 'training' GROUP BY mp.player_id;
CREATE VIEW player_cards AS
SELECT t.id, t.handle, r.name AS region, t.purchases, t.cents, t.last_purchase, f.matches, f.wins, f.score
FROM player_totals t JOIN regions r ON r.id = t.region_id LEFT JOIN player_form f ON f.player_id = t.id;
