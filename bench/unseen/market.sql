-- A market of electricity: bidding zones in a tree, participants, generating units, hourly auctions with their bids, awards and prices, meters, outages, imbalances, contracts between participants, fees as of a date, three views. A few foreign keys have an index.
-- :scale is replaced by the loader; 1 gives about 1.7 million rows, a third of them meters' readings.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE zones (id int PRIMARY KEY, code text NOT NULL UNIQUE, parent_id int REFERENCES zones, country char(2));
CREATE TABLE zone_fees (zone_id int NOT NULL REFERENCES zones, valid_from date NOT NULL, eur_per_mwh numeric(6,3) NOT NULL, PRIMARY KEY (zone_id, valid_from));
CREATE TABLE participants (id int PRIMARY KEY, name text NOT NULL, kind text NOT NULL, zone_id int REFERENCES zones, joined_on date NOT NULL, suspended boolean NOT NULL);
CREATE TABLE units (id int PRIMARY KEY, participant_id int NOT NULL REFERENCES participants, zone_id int NOT NULL REFERENCES zones, fuel text NOT NULL, capacity_mw numeric(7,1) NOT NULL, retired_on date);
CREATE TABLE auctions (id int PRIMARY KEY, zone_id int NOT NULL REFERENCES zones, session text NOT NULL, delivery_at timestamp NOT NULL, UNIQUE (zone_id, session, delivery_at));
CREATE TABLE prices (auction_id int PRIMARY KEY REFERENCES auctions, eur numeric(8,2) NOT NULL, volume_mw numeric(9,1) NOT NULL);
CREATE TABLE bids (id int PRIMARY KEY, auction_id int NOT NULL REFERENCES auctions, participant_id int NOT NULL REFERENCES participants, unit_id int REFERENCES units, side text NOT NULL, eur numeric(8,2), mw numeric(7,1) NOT NULL, submitted_at timestamp NOT NULL);
CREATE TABLE awards (bid_id int PRIMARY KEY REFERENCES bids, mw numeric(7,1) NOT NULL, settled boolean NOT NULL);
CREATE TABLE readings (unit_id int NOT NULL REFERENCES units, read_at timestamp NOT NULL, mwh numeric(8,2), estimated boolean NOT NULL, PRIMARY KEY (unit_id, read_at));
CREATE TABLE outages (id int PRIMARY KEY, unit_id int NOT NULL REFERENCES units, kind text NOT NULL, starts_at timestamp NOT NULL, ends_at timestamp, mw_lost numeric(7,1) NOT NULL);
CREATE TABLE imbalances (participant_id int NOT NULL REFERENCES participants, zone_id int NOT NULL REFERENCES zones, day date NOT NULL, mwh numeric(9,2) NOT NULL, eur numeric(10,2), PRIMARY KEY (participant_id, zone_id, day));
CREATE TABLE contracts (id int PRIMARY KEY, seller_id int NOT NULL REFERENCES participants, buyer_id int NOT NULL REFERENCES participants, zone_id int NOT NULL REFERENCES zones, starts_on date NOT NULL, ends_on date NOT NULL, mw numeric(7,1) NOT NULL, eur numeric(8,2) NOT NULL);

INSERT INTO zones SELECT i, 'Z' || i, CASE WHEN i > 3 THEN i / 4 END, CASE WHEN pick(i, 1) < 0.9 THEN (ARRAY['DE','FR','ES','SE'])[1 + i % 4] END FROM generate_series(1, 24) i;
INSERT INTO zone_fees SELECT z.id, date '2022-01-01' + k * 61, round((1 + pick(z.id * 100 + k, 2) * 9)::numeric, 3) FROM zones z, generate_series(0, 17) k;
INSERT INTO participants SELECT i, 'participant ' || i, (ARRAY['producer','supplier','trader','industry'])[1 + floor(pick(i, 3) * 4)::int], CASE WHEN pick(i, 4) < 0.95 THEN 1 + floor(pick(i, 5) * 24)::int END, date '2015-01-01' + floor(pick(i, 6) * 3200)::int, pick(i, 7) < 0.06 FROM generate_series(1, greatest((1500 * :scale)::int, 80)) i;
INSERT INTO units SELECT i, 1 + floor(pick(i, 8) ^ 1.6 * n)::int, 1 + floor(pick(i, 9) * 24)::int, (ARRAY['wind','solar','gas','hydro','coal','nuclear'])[1 + floor(pick(i, 10) ^ 1.2 * 6)::int], round((5 + pick(i, 11) ^ 2 * 900)::numeric, 1), CASE WHEN pick(i, 12) < 0.1 THEN date '2022-06-01' + floor(pick(i, 13) * 900)::int END FROM generate_series(1, greatest((2400 * :scale)::int, 120)) i, (SELECT count(*) AS n FROM participants) p;
INSERT INTO auctions SELECT row_number() OVER (ORDER BY h, z.id, s), z.id, s, timestamp '2022-01-01' + interval '1 hour' * (h * (11050 / n)) FROM (SELECT greatest((850 * :scale)::int, 40) AS n) k, generate_series(1, n) h, zones z, unnest(ARRAY['day-ahead','intraday']) s;
INSERT INTO prices SELECT id, round((20 + pick(id, 14) ^ 2 * 280 - 15 * (pick(id, 15) < 0.05)::int)::numeric, 2), round((100 + pick(id, 16) * 4000)::numeric, 1) FROM auctions WHERE pick(id, 17) < 0.97;
INSERT INTO bids
SELECT row_number() OVER (ORDER BY a.id, k), a.id, 1 + floor(pick(a.id * 32 + k, 18) ^ 1.5 * p.n)::int, CASE WHEN pick(a.id * 32 + k, 19) < 0.7 THEN 1 + floor(pick(a.id * 32 + k, 20) * u.n)::int END, CASE WHEN pick(a.id * 32 + k, 21) < 0.55 THEN 'sell' ELSE 'buy' END, CASE WHEN pick(a.id * 32 + k, 22) < 0.97 THEN round((10 + pick(a.id * 32 + k, 23) * 280)::numeric, 2) END, round((1 + pick(a.id * 32 + k, 24) ^ 2 * 300)::numeric, 1), a.delivery_at - interval '1 minute' * (60 + floor(pick(a.id * 32 + k, 25) * 2800))
FROM auctions a, generate_series(1, 12) k, (SELECT count(*) AS n FROM participants) p, (SELECT count(*) AS n FROM units) u WHERE k < 7 OR pick(a.id * 32 + k, 26) < 0.8;
INSERT INTO awards SELECT id, round(mw * (0.5 + pick(id, 27)::numeric / 2), 1), pick(id, 28) < 0.9 FROM bids WHERE pick(id, 29) < 0.45;
INSERT INTO readings SELECT u.id, timestamp '2022-01-01' + interval '11 hours' * h, CASE WHEN pick(u.id * 4096 + h, 30) < 0.97 THEN round((u.capacity_mw * pick(u.id * 4096 + h, 31)::numeric), 2) END, pick(u.id * 4096 + h, 32) < 0.08 FROM units u, generate_series(1, 260) h;
INSERT INTO outages SELECT i, 1 + floor(pick(i, 33) ^ 1.4 * n)::int, (ARRAY['planned','planned','forced'])[1 + floor(pick(i, 34) * 3)::int], timestamp '2022-01-01' + interval '1 minute' * floor(pick(i, 35) * 660000), CASE WHEN pick(i, 36) < 0.93 THEN timestamp '2022-01-01' + interval '1 minute' * (floor(pick(i, 35) * 660000) + 30 + floor(pick(i, 37) ^ 3 * 20000)) END, round((1 + pick(i, 38) * 300)::numeric, 1) FROM generate_series(1, (18000 * :scale)::int) i, (SELECT count(*) AS n FROM units) u;
INSERT INTO imbalances SELECT p.id, 1 + (p.id * 7 + k) % 24, date '2022-01-01' + d, round(((pick(p.id * 100000::bigint + d * 8 + k, 39) - 0.5) * 400)::numeric, 2), CASE WHEN pick(p.id * 100000::bigint + d * 8 + k, 40) < 0.96 THEN round(((pick(p.id * 100000::bigint + d * 8 + k, 41) - 0.4) * 20000)::numeric, 2) END FROM participants p, generate_series(0, 900, 9) d, generate_series(0, 2) k WHERE pick(p.id * 100000::bigint + d * 8 + k, 42) < 0.6;
INSERT INTO contracts SELECT i, 1 + floor(pick(i, 43) ^ 1.5 * n)::int, 1 + floor(pick(i, 44) * n)::int, 1 + floor(pick(i, 45) * 24)::int, date '2022-01-01' + floor(pick(i, 46) * 800)::int, date '2022-01-01' + (floor(pick(i, 46) * 800) + 30 + floor(pick(i, 47) * 300))::int, round((1 + pick(i, 48) * 90)::numeric, 1), round((40 + pick(i, 49) * 160)::numeric, 2) FROM generate_series(1, (14000 * :scale)::int) i, (SELECT count(*) AS n FROM participants) p;

CREATE INDEX bids_auction ON bids (auction_id);
CREATE INDEX auctions_delivery ON auctions (delivery_at);
CREATE VIEW unit_output AS
SELECT u.id, u.participant_id, u.zone_id, u.fuel, u.capacity_mw, r.mwh, r.readings, o.outages, o.worst
FROM units u
LEFT JOIN (SELECT unit_id, sum(mwh) AS mwh, count(*) AS readings FROM readings GROUP BY unit_id) r ON r.unit_id = u.id
LEFT JOIN (SELECT unit_id, count(*) AS outages, max(mw_lost) AS worst FROM outages WHERE kind = 'forced' GROUP BY unit_id) o ON o.unit_id = u.id;
CREATE VIEW awarded AS
SELECT b.id, b.participant_id, b.unit_id, b.side, a.zone_id, a.session, a.delivery_at, w.mw, p.eur, w.mw * p.eur AS amount
FROM awards w JOIN bids b ON b.id = w.bid_id JOIN auctions a ON a.id = b.auction_id LEFT JOIN prices p ON p.auction_id = a.id;
CREATE VIEW participant_days AS
SELECT participant_id, day, sum(mwh) AS mwh, sum(eur) AS eur FROM imbalances GROUP BY participant_id, day;
