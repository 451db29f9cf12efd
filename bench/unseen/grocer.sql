-- A chain of supermarkets as a star schema: days, shops, goods, shoppers with households and places, promotions, depots; lines of tills, of the website and of telephone orders, returns, and the stock of each fortnight. Primary keys only.
-- :scale is replaced by the loader; 1 gives about 2.8 million rows of facts, half of them lines of tills.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE days (day_key int PRIMARY KEY, day date NOT NULL, year int NOT NULL, quarter int NOT NULL, month int NOT NULL, month_seq int NOT NULL, week_seq int NOT NULL, weekday text NOT NULL, is_holiday boolean NOT NULL);
CREATE TABLE shops (shop_key int PRIMARY KEY, shop_no char(6) NOT NULL, name text NOT NULL, city text, state char(2), region text, area_m2 int, opened date NOT NULL, closed date);
CREATE TABLE goods (good_key int PRIMARY KEY, sku char(10) NOT NULL, title text, brand text, class text, category text, supplier_id int, unit_cost numeric(8,2), list_price numeric(8,2), colour text);
CREATE TABLE places (place_key int PRIMARY KEY, city text, county text, state char(2), zip char(5), gmt_offset numeric(4,1));
CREATE TABLE households (household_key int PRIMARY KEY, income_band int, members int, cars int);
CREATE TABLE shoppers (shopper_key int PRIMARY KEY, card_no char(12) NOT NULL, first_name text, last_name text, birth_year int, home_place int, household_key int, email text, preferred boolean, first_day int);
CREATE TABLE promos (promo_key int PRIMARY KEY, name text NOT NULL, channel text, start_day int, end_day int, good_key int, cost numeric(12,2));
CREATE TABLE depots (depot_key int PRIMARY KEY, name text NOT NULL, state char(2));
CREATE TABLE reasons (reason_key int PRIMARY KEY, reason text NOT NULL);
CREATE TABLE till_lines (
    day_key int, minute int, shop_key int, good_key int NOT NULL, shopper_key int, household_key int, promo_key int, receipt bigint NOT NULL, quantity int, list_price numeric(8,2), price numeric(8,2), amount numeric(10,2), discount numeric(10,2), profit numeric(10,2),
    PRIMARY KEY (receipt, good_key)
);
CREATE TABLE web_lines (
    day_key int, ship_day int, good_key int NOT NULL, shopper_key int, ship_to int, place_key int, depot_key int, site smallint, promo_key int, order_no bigint NOT NULL, quantity int, list_price numeric(8,2), price numeric(8,2), amount numeric(10,2), freight numeric(10,2), profit numeric(10,2),
    PRIMARY KEY (order_no, good_key)
);
CREATE TABLE phone_lines (
    day_key int, ship_day int, good_key int NOT NULL, shopper_key int, depot_key int, call_centre smallint, promo_key int, order_no bigint NOT NULL, quantity int, price numeric(8,2), amount numeric(10,2), freight numeric(10,2), profit numeric(10,2),
    PRIMARY KEY (order_no, good_key)
);
CREATE TABLE till_returns (day_key int, receipt bigint NOT NULL, good_key int NOT NULL, shopper_key int, shop_key int, reason_key int, quantity int, refund numeric(10,2), loss numeric(10,2), PRIMARY KEY (receipt, good_key));
CREATE TABLE web_returns (day_key int, order_no bigint NOT NULL, good_key int NOT NULL, shopper_key int, reason_key int, quantity int, refund numeric(10,2), loss numeric(10,2), PRIMARY KEY (order_no, good_key));
CREATE TABLE stock (day_key int NOT NULL, good_key int NOT NULL, depot_key int NOT NULL, on_hand int, PRIMARY KEY (day_key, good_key, depot_key));

CREATE VIEW all_lines AS
SELECT 'till' AS channel, day_key, good_key, shopper_key, promo_key, quantity, amount, profit FROM till_lines
UNION ALL SELECT 'web', day_key, good_key, shopper_key, promo_key, quantity, amount, profit FROM web_lines
UNION ALL SELECT 'phone', day_key, good_key, shopper_key, promo_key, quantity, amount, profit FROM phone_lines;
CREATE VIEW good_days AS
SELECT d.day, l.good_key, sum(l.quantity) AS units, sum(l.amount) AS amount FROM all_lines l JOIN days d ON d.day_key = l.day_key GROUP BY d.day, l.good_key;

-- Keys of days are 20210101 to 20241231; sales fall in 2021 to 2023, shipments and returns follow.
INSERT INTO days
SELECT to_char(d, 'YYYYMMDD')::int, d, extract(year FROM d)::int, extract(quarter FROM d)::int, extract(month FROM d)::int, ((extract(year FROM d) - 2000) * 12 + extract(month FROM d) - 1)::int, (d - date '2020-12-28') / 7, trim(to_char(d, 'Day')), pick(d - date '2021-01-01', 1) < 0.03
FROM (SELECT date '2021-01-01' + i AS d FROM generate_series(0, 1460) i) s;
INSERT INTO shops
SELECT i, 'S' || lpad(i::text, 5, '0'), 'Shop ' || i, 'City ' || i % 17, (ARRAY['AL','BE','CO','DA','EL'])[1 + i % 5], (ARRAY['north','south','west'])[1 + i % 3], 300 + (pick(i, 2) * 3000)::int, date '2005-01-01' + (pick(i, 3) * 5000)::int, CASE WHEN pick(i, 4) < 0.1 THEN date '2022-06-01' + (pick(i, 5) * 500)::int END
FROM generate_series(1, 40) i;
INSERT INTO goods
SELECT i, 'G' || lpad((i / 2)::text, 9, '0'), CASE WHEN pick(i, 6) < 0.98 THEN 'Good ' || i END, 'brand ' || (pick(i, 7) ^ 1.5 * 120)::int, 'class ' || s.cat || '/' || (pick(i, 8) * 11)::int, CASE WHEN pick(i, 9) < 0.98 THEN (ARRAY['Bread','Dairy','Fish','Fruit','Garden','Meat','Pets','Sweets','Tools','Wine'])[1 + s.cat] END,
    CASE WHEN pick(i, 10) < 0.97 THEN 1 + (pick(i, 11) * 150)::int END, round(s.price * 0.6, 2), s.price, (ARRAY['red','blue','green','plain'])[1 + floor(pick(i, 12) * 4)::int]
FROM (SELECT i, floor(pick(i, 13) * 10)::int AS cat, round((0.5 + 60 * pick(i, 14) ^ 2)::numeric, 2) AS price FROM generate_series(1, greatest((9000 * :scale)::int, 300)) i) s;
INSERT INTO places
SELECT i, 'City ' || (pick(i, 15) ^ 2 * 200)::int, 'County ' || (pick(i, 16) * 60)::int, (ARRAY['AL','BE','CO','DA','EL','FA','GE','HO'])[1 + floor(pick(i, 17) ^ 1.5 * 8)::int], lpad((pick(i, 18) * 99999)::int::text, 5, '0'), -5 - floor(pick(i, 19) * 4)
FROM generate_series(1, greatest((20000 * :scale)::int, 200)) i;
INSERT INTO households SELECT i, i % 20, 1 + i / 20 % 6, i / 120 % 5 FROM generate_series(1, 3600) i;
INSERT INTO shoppers
SELECT i, 'C' || lpad(i::text, 11, '0'), CASE WHEN pick(i, 20) < 0.97 THEN 'First' || (pick(i, 21) * 300)::int END, CASE WHEN pick(i, 22) < 0.97 THEN 'Last' || (pick(i, 23) * 700)::int END, CASE WHEN pick(i, 24) < 0.96 THEN 1935 + floor(pick(i, 25) * 70)::int END,
    CASE WHEN pick(i, 26) < 0.98 THEN 1 + floor(pick(i, 27) * greatest((20000 * :scale)::int, 200))::int END, CASE WHEN pick(i, 28) < 0.97 THEN 1 + floor(pick(i, 29) * 3600)::int END, CASE WHEN pick(i, 30) < 0.9 THEN 's' || i || '@mail.example' END, CASE WHEN pick(i, 31) < 0.96 THEN pick(i, 32) < 0.4 END,
    CASE WHEN pick(i, 33) < 0.95 THEN to_char(date '2021-01-01' + (pick(i, 34) * 1000)::int, 'YYYYMMDD')::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 500)) i;
INSERT INTO promos
SELECT i, 'promo ' || i % 50, CASE WHEN pick(i, 35) < 0.95 THEN (ARRAY['mail','tv','radio','app'])[1 + floor(pick(i, 36) * 4)::int] END, to_char(s.d, 'YYYYMMDD')::int, to_char(s.d + 10 + (pick(i, 37) * 30)::int, 'YYYYMMDD')::int, 1 + floor(pick(i, 38) * greatest((9000 * :scale)::int, 300))::int, 500 + (pick(i, 39) * 5000)::int
FROM (SELECT i, date '2021-01-01' + floor(pick(i, 40) * 1050)::int AS d FROM generate_series(1, 400) i) s;
INSERT INTO depots SELECT i, 'Depot ' || i, (ARRAY['AL','BE','CO'])[1 + i % 3] FROM generate_series(1, 6) i;
INSERT INTO reasons SELECT i, 'reason ' || i FROM generate_series(1, 15) i;
INSERT INTO till_lines
SELECT CASE WHEN pick(t, 41) < 0.98 THEN to_char(date '2021-01-01' + floor(pick(t, 42) ^ 0.8 * 1095)::int, 'YYYYMMDD')::int END, 420 + floor(pick(t, 43) * 840)::int, CASE WHEN pick(t, 44) < 0.98 THEN 1 + floor(pick(t, 45) ^ 1.3 * 40)::int END, 1 + (floor(pick(t, 46) ^ 2 * s.goods)::int + i % 6 * 31) % s.goods,
    CASE WHEN pick(t, 47) < 0.9 THEN 1 + floor(pick(t, 48) ^ 1.7 * greatest((60000 * :scale)::int, 500))::int END, CASE WHEN pick(t, 49) < 0.95 THEN 1 + floor(pick(t, 50) * 3600)::int END, CASE WHEN pick(i, 51) < 0.3 THEN 1 + floor(pick(i, 52) * 400)::int END, t, s.q, s.list, s.sale, s.q * s.sale, CASE WHEN pick(i, 53) < 0.15 THEN round(s.q * s.sale * 0.1, 2) ELSE 0 END, round(s.q * (s.sale - s.list * 0.6), 2)
FROM (SELECT i, i / 6 + 1 AS t, greatest((9000 * :scale)::int, 300) AS goods, 1 + floor(pick(i, 54) ^ 2 * 40)::int AS q, p.list, round(p.list * (0.5 + 0.5 * pick(i, 55))::numeric, 2) AS sale
      FROM generate_series(1, (1200000 * :scale)::int) i CROSS JOIN LATERAL (SELECT round((0.5 + 80 * pick(i, 56) ^ 2)::numeric, 2) AS list) p) s;
INSERT INTO web_lines
SELECT CASE WHEN pick(t, 57) < 0.98 THEN to_char(s.d, 'YYYYMMDD')::int END, CASE WHEN pick(i, 58) < 0.96 THEN to_char(s.d + 1 + (pick(i, 59) ^ 2 * 100)::int, 'YYYYMMDD')::int END, 1 + (floor(pick(t, 60) ^ 2 * s.goods)::int + i % 5 * 41) % s.goods, s.buyer, CASE WHEN pick(t, 61) < 0.85 THEN s.buyer WHEN pick(t, 62) < 0.9 THEN 1 + floor(pick(t, 63) * s.shoppers)::int END,
    CASE WHEN pick(t, 64) < 0.97 THEN 1 + floor(pick(t, 65) * greatest((20000 * :scale)::int, 200))::int END, CASE WHEN pick(i, 66) < 0.97 THEN 1 + floor(pick(i, 67) ^ 1.5 * 6)::int END, 1 + floor(pick(t, 68) * 4)::int, CASE WHEN pick(i, 69) < 0.3 THEN 1 + floor(pick(i, 70) * 400)::int END, t, s.q, s.list, s.sale, s.q * s.sale, round(s.q * s.list * 0.1, 2), round(s.q * (s.sale - s.list * 0.6), 2)
FROM (SELECT i, i / 5 + 1 AS t, n.goods, n.shoppers, date '2021-01-01' + floor(pick(i / 5 + 1, 71) ^ 0.7 * 1095)::int AS d, CASE WHEN pick(i / 5 + 1, 72) < 0.98 THEN 1 + floor(pick(i / 5 + 1, 73) ^ 1.4 * n.shoppers)::int END AS buyer, 1 + floor(pick(i, 74) ^ 2 * 40)::int AS q, p.list, round(p.list * (0.5 + 0.5 * pick(i, 75))::numeric, 2) AS sale
      FROM generate_series(1, (500000 * :scale)::int) i CROSS JOIN LATERAL (SELECT round((0.5 + 80 * pick(i, 76) ^ 2)::numeric, 2) AS list) p CROSS JOIN (SELECT greatest((60000 * :scale)::int, 500) AS shoppers, greatest((9000 * :scale)::int, 300) AS goods) n) s;
INSERT INTO phone_lines
SELECT CASE WHEN pick(t, 77) < 0.98 THEN to_char(s.d, 'YYYYMMDD')::int END, CASE WHEN pick(i, 78) < 0.96 THEN to_char(s.d + 2 + (pick(i, 79) ^ 2 * 110)::int, 'YYYYMMDD')::int END, 1 + (floor(pick(t, 80) ^ 2 * s.goods)::int + i % 4 * 53) % s.goods, CASE WHEN pick(t, 81) < 0.98 THEN 1 + floor(pick(t, 82) * s.shoppers)::int END,
    CASE WHEN pick(i, 83) < 0.97 THEN 1 + floor(pick(i, 84) * 6)::int END, 1 + floor(pick(t, 85) * 5)::int, CASE WHEN pick(i, 86) < 0.3 THEN 1 + floor(pick(i, 87) * 400)::int END, t, s.q, s.sale, s.q * s.sale, round(s.q * s.list * 0.1, 2), round(s.q * (s.sale - s.list * 0.6), 2)
FROM (SELECT i, i / 4 + 1 AS t, n.goods, n.shoppers, date '2021-01-01' + floor(pick(i / 4 + 1, 88) * 1095)::int AS d, 1 + floor(pick(i, 89) ^ 2 * 40)::int AS q, p.list, round(p.list * (0.5 + 0.5 * pick(i, 90))::numeric, 2) AS sale
      FROM generate_series(1, (250000 * :scale)::int) i CROSS JOIN LATERAL (SELECT round((0.5 + 80 * pick(i, 91) ^ 2)::numeric, 2) AS list) p CROSS JOIN (SELECT greatest((60000 * :scale)::int, 500) AS shoppers, greatest((9000 * :scale)::int, 300) AS goods) n) s;
INSERT INTO till_returns
SELECT to_char(d.day + 1 + (pick(k, 92) * 50)::int, 'YYYYMMDD')::int, s.receipt, s.good_key, CASE WHEN pick(k, 93) < 0.95 THEN s.shopper_key END, s.shop_key, CASE WHEN pick(k, 94) < 0.97 THEN 1 + floor(pick(k, 95) ^ 2 * 15)::int END, 1 + floor(s.quantity * pick(k, 96) * 0.9)::int, round(s.amount * 0.7, 2), round(2 + s.amount * 0.1, 2)
FROM (SELECT *, receipt * 10000 + good_key AS k FROM till_lines) s LEFT JOIN days d ON d.day_key = s.day_key WHERE pick(k, 97) < 0.08;
INSERT INTO web_returns
SELECT to_char(d.day + 3 + (pick(k, 98) * 60)::int, 'YYYYMMDD')::int, s.order_no, s.good_key, CASE WHEN pick(k, 99) < 0.95 THEN s.ship_to END, CASE WHEN pick(k, 100) < 0.97 THEN 1 + floor(pick(k, 101) ^ 2 * 15)::int END, 1 + floor(s.quantity * pick(k, 102) * 0.9)::int, round(s.amount * 0.7, 2), round(2 + s.amount * 0.1, 2)
FROM (SELECT *, order_no * 10000 + good_key AS k FROM web_lines) s LEFT JOIN days d ON d.day_key = s.day_key WHERE pick(k, 103) < 0.1;
INSERT INTO stock
SELECT to_char(date '2021-01-04' + w * 28, 'YYYYMMDD')::int, i, h, CASE WHEN pick(i * 1000 + w * 8 + h, 104) < 0.97 THEN floor(pick(i * 1000 + w * 8 + h, 105) ^ 2 * 600)::int END
FROM generate_series(0, 38) w, generate_series(1, greatest((9000 * :scale)::int, 300)) i, generate_series(1, 2) h;

DROP FUNCTION pick;
ANALYZE;
