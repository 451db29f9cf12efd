-- A broker of advertisements: advertisers with campaigns in trees, their creatives, publishers with sites and slots, impressions with clicks, conversions, statements and blocks.
-- :scale is replaced by the loader; 1 gives about 1.6 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE advertisers (id int PRIMARY KEY, name text NOT NULL, country char(2) NOT NULL, sector text NOT NULL, signed_on date NOT NULL, left_on date);
CREATE TABLE publishers (id int PRIMARY KEY, name text NOT NULL, country char(2) NOT NULL, tier smallint NOT NULL);
CREATE TABLE sites (id int PRIMARY KEY, publisher_id int NOT NULL REFERENCES publishers, domain text NOT NULL UNIQUE, topic text NOT NULL, language text);
CREATE TABLE slots (id int PRIMARY KEY, site_id int NOT NULL REFERENCES sites, fallback_id int REFERENCES slots, format text NOT NULL, floor_micros int NOT NULL);
CREATE TABLE campaigns (
    id int PRIMARY KEY, advertiser_id int NOT NULL REFERENCES advertisers, parent_id int REFERENCES campaigns, name text NOT NULL, status text NOT NULL, starts_on date NOT NULL, ends_on date, budget_cents bigint NOT NULL
);
CREATE TABLE creatives (id int PRIMARY KEY, campaign_id int NOT NULL REFERENCES campaigns, format text NOT NULL, headline text, approved_at timestamp);
CREATE TABLE impressions (
    id bigint PRIMARY KEY, creative_id int NOT NULL REFERENCES creatives, slot_id int NOT NULL REFERENCES slots, shown_at timestamp NOT NULL, price_micros int NOT NULL, country char(2), device text NOT NULL
);
CREATE TABLE clicks (id bigint PRIMARY KEY, impression_id bigint NOT NULL REFERENCES impressions, clicked_at timestamp NOT NULL, suspicious boolean NOT NULL);
CREATE TABLE conversions (id bigint PRIMARY KEY, advertiser_id int NOT NULL REFERENCES advertisers, click_id bigint REFERENCES clicks, kind text NOT NULL, happened_at timestamp NOT NULL, value_cents int);
CREATE TABLE statements (id int PRIMARY KEY, advertiser_id int NOT NULL REFERENCES advertisers, month date NOT NULL, cents bigint NOT NULL, paid_on date, UNIQUE (advertiser_id, month));
CREATE TABLE blocks (publisher_id int NOT NULL REFERENCES publishers, advertiser_id int NOT NULL REFERENCES advertisers, since date NOT NULL, PRIMARY KEY (publisher_id, advertiser_id));

INSERT INTO advertisers
SELECT i, 'Advertiser ' || i % 1900, (ARRAY['DE','AT','CH','FR','PL'])[1 + floor(pick(i, 1) ^ 1.5 * 5)::int], (ARRAY['cars','food','travel','banks','games','fashion','energy','health'])[1 + floor(pick(i, 2) * 8)::int],
    date '2016-01-01' + floor(pick(i, 3) * 2700)::int, CASE WHEN pick(i, 4) < 0.1 THEN date '2023-09-01' + floor(pick(i, 5) * 200)::int END
FROM generate_series(1, greatest((4000 * :scale)::int, 100)) i;
INSERT INTO publishers SELECT i, 'Publisher ' || i, (ARRAY['DE','AT','CH','FR','PL'])[1 + floor(pick(i, 6) * 5)::int], 1 + floor(pick(i, 7) ^ 0.5 * 4)::int FROM generate_series(1, greatest((1500 * :scale)::int, 60)) i;
INSERT INTO sites
SELECT i, 1 + floor(pick(i, 8) ^ 1.5 * greatest((1500 * :scale)::int, 60))::int, 'site' || i || '.example', (ARRAY['news','sport','cooking','cars','film','music'])[1 + floor(pick(i, 9) * 6)::int], CASE WHEN pick(i, 10) < 0.9 THEN (ARRAY['de','fr','pl','en'])[1 + floor(pick(i, 11) * 4)::int] END
FROM generate_series(1, greatest((5000 * :scale)::int, 120)) i;
INSERT INTO slots
SELECT i, 1 + floor(pick(i, 12) ^ 1.2 * greatest((5000 * :scale)::int, 120))::int, CASE WHEN i > 10 AND pick(i, 13) < 0.4 THEN 1 + floor(pick(i, 14) * (i - 1))::int END, (ARRAY['banner','banner','video','text'])[1 + floor(pick(i, 15) * 4)::int], 100 + floor(pick(i, 16) ^ 3 * 9000)::int
FROM generate_series(1, greatest((20000 * :scale)::int, 400)) i;
INSERT INTO campaigns
SELECT i, 1 + floor(pick(i, 17) ^ 1.3 * greatest((4000 * :scale)::int, 100))::int, CASE WHEN i > 20 AND pick(i, 18) < 0.5 THEN 1 + floor(pick(i, 19) * (i - 1))::int END, 'Campaign ' || i % 9000, (ARRAY['live','live','paused','ended','draft'])[1 + floor(pick(i, 20) * 5)::int],
    d, CASE WHEN pick(i, 22) < 0.7 THEN d + floor(pick(i, 23) * 300)::int END, 10000 + floor(pick(i, 24) ^ 3 * 9000000)::bigint
FROM (SELECT i, date '2021-06-01' + floor(pick(i, 21) * 1000)::int AS d FROM generate_series(1, greatest((20000 * :scale)::int, 400)) i) x;
INSERT INTO creatives
SELECT i, 1 + floor(pick(i, 25) ^ 1.2 * greatest((20000 * :scale)::int, 400))::int, (ARRAY['banner','banner','video','text'])[1 + floor(pick(i, 26) * 4)::int], CASE WHEN pick(i, 27) < 0.8 THEN (ARRAY['Sale','New','Best','Win','Try'])[1 + i % 5] || ' ' || i % 700 END,
    CASE WHEN pick(i, 28) < 0.9 THEN timestamp '2021-06-01' + pick(i, 29) * interval '900 days' END
FROM generate_series(1, greatest((60000 * :scale)::int, 1200)) i;
INSERT INTO impressions
SELECT i, 1 + floor(pick(i, 30) ^ 1.6 * greatest((60000 * :scale)::int, 1200) * 0.9)::int, 1 + floor(pick(i, 31) ^ 1.4 * greatest((20000 * :scale)::int, 400) * 0.95)::int, date_trunc('second', timestamp '2022-06-01' + i * (interval '640 days' / (900000 * :scale))),
    100 + floor(pick(i, 32) ^ 3 * 12000)::int, CASE WHEN pick(i, 33) < 0.94 THEN (ARRAY['DE','DE','AT','CH','FR','PL'])[1 + floor(pick(i, 34) * 6)::int] END, (ARRAY['phone','phone','phone','desktop','tablet','tv'])[1 + floor(pick(i, 35) ^ 1.3 * 6)::int]
FROM generate_series(1, (900000 * :scale)::int) i;
INSERT INTO clicks
SELECT row_number() OVER (ORDER BY i.id, n), i.id, i.shown_at + pick(i.id + n, 36) * interval '90 seconds', pick(i.id + n, 37) < 0.07
FROM impressions i CROSS JOIN generate_series(1, 2) n WHERE pick(i.id, 38) < 0.25 AND (n = 1 OR pick(i.id, 39) < 0.15);
INSERT INTO conversions
SELECT i, 1 + floor(pick(i, 40) ^ 1.3 * greatest((4000 * :scale)::int, 100))::int, CASE WHEN pick(i, 41) < 0.6 THEN 1 + floor(pick(i, 42) * (SELECT count(*) FROM clicks))::bigint END, (ARRAY['visit','visit','signup','purchase'])[1 + floor(pick(i, 43) * 4)::int],
    date_trunc('second', timestamp '2022-06-01' + pick(i, 44) * interval '640 days'), CASE WHEN pick(i, 45) < 0.5 THEN 100 + floor(pick(i, 46) ^ 2 * 50000)::int END
FROM generate_series(1, (250000 * :scale)::int) i;
INSERT INTO statements
SELECT row_number() OVER (ORDER BY a.id, m), a.id, m::date, 1000 + floor(pick(a.id * 100::bigint + extract(month FROM m)::int, 47) ^ 2 * 900000)::bigint, CASE WHEN pick(a.id * 100::bigint + extract(month FROM m)::int, 48) < 0.85 THEN m::date + 35 + floor(pick(a.id, 49) * 30)::int END
FROM advertisers a CROSS JOIN generate_series(timestamp '2022-06-01', timestamp '2024-02-01', interval '1 month') m WHERE m >= a.signed_on AND (a.left_on IS NULL OR m < a.left_on);
INSERT INTO blocks SELECT p.id, 1 + floor(pick(p.id * 8::bigint + n, 50) * greatest((4000 * :scale)::int, 100))::int, date '2021-01-01' + floor(pick(p.id * 8::bigint + n, 51) * 900)::int FROM publishers p CROSS JOIN generate_series(1, 6) n ON CONFLICT DO NOTHING;

CREATE INDEX ON impressions (shown_at);
CREATE INDEX ON clicks (impression_id);
CREATE INDEX ON campaigns (advertiser_id);
CREATE INDEX ON sites (publisher_id);
CREATE VIEW campaign_results AS
SELECT c.id, c.advertiser_id, c.name, c.status, count(i.id) AS shown, coalesce(sum(i.price_micros), 0) AS spent
FROM campaigns c LEFT JOIN creatives r ON r.campaign_id = c.id LEFT JOIN impressions i ON i.creative_id = r.id GROUP BY c.id;
