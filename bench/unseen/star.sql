-- A retailer's star schema with TPC-DS's names (the columns that the fifth set's queries use), primary keys and foreign keys.
-- :scale is replaced by the loader; 1 gives about 3 million fact rows, 0.1 about 300 000. The same scale gives the same rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE date_dim (
    d_date_sk int PRIMARY KEY, d_date date NOT NULL, d_month_seq int, d_week_seq int, d_year int, d_moy int, d_dom int, d_qoy int, d_dow int, d_day_name char(9), d_weekend char(1)
);
CREATE TABLE item (
    i_item_sk int PRIMARY KEY, i_item_id char(16) NOT NULL, i_item_desc varchar(200), i_current_price numeric(7,2), i_wholesale_cost numeric(7,2), i_brand char(50), i_class char(50), i_category char(50), i_manufact_id int, i_color char(20)
);
CREATE TABLE customer_address (ca_address_sk int PRIMARY KEY, ca_city varchar(60), ca_county varchar(30), ca_state char(2), ca_zip char(10), ca_country varchar(20), ca_gmt_offset numeric(5,2));
CREATE TABLE customer_demographics (cd_demo_sk int PRIMARY KEY, cd_gender char(1), cd_marital_status char(1), cd_education_status char(20), cd_dep_count int);
CREATE TABLE household_demographics (hd_demo_sk int PRIMARY KEY, hd_income_band_sk int, hd_buy_potential char(15), hd_dep_count int, hd_vehicle_count int);
CREATE TABLE customer (
    c_customer_sk int PRIMARY KEY, c_customer_id char(16) NOT NULL, c_current_cdemo_sk int REFERENCES customer_demographics, c_current_hdemo_sk int REFERENCES household_demographics, c_current_addr_sk int REFERENCES customer_address,
    c_first_name char(20), c_last_name char(30), c_birth_month int, c_birth_year int, c_birth_country varchar(20), c_preferred_cust_flag char(1)
);
CREATE TABLE store (s_store_sk int PRIMARY KEY, s_store_id char(16) NOT NULL, s_store_name varchar(50), s_city varchar(60), s_county varchar(30), s_state char(2), s_number_employees int);
CREATE TABLE promotion (
    p_promo_sk int PRIMARY KEY, p_promo_id char(16) NOT NULL, p_start_date_sk int REFERENCES date_dim, p_end_date_sk int REFERENCES date_dim, p_item_sk int REFERENCES item, p_cost numeric(15,2), p_promo_name char(50), p_channel_email char(1), p_channel_tv char(1)
);
CREATE TABLE inventory (
    inv_date_sk int NOT NULL REFERENCES date_dim, inv_item_sk int NOT NULL REFERENCES item, inv_warehouse_sk int NOT NULL, inv_quantity_on_hand int, PRIMARY KEY (inv_date_sk, inv_item_sk, inv_warehouse_sk)
);
CREATE TABLE store_sales (
    ss_sold_date_sk int REFERENCES date_dim, ss_item_sk int NOT NULL REFERENCES item, ss_customer_sk int REFERENCES customer, ss_cdemo_sk int REFERENCES customer_demographics, ss_hdemo_sk int REFERENCES household_demographics,
    ss_addr_sk int REFERENCES customer_address, ss_store_sk int REFERENCES store, ss_promo_sk int REFERENCES promotion, ss_ticket_number int NOT NULL, ss_quantity int, ss_list_price numeric(7,2), ss_sales_price numeric(7,2),
    ss_ext_sales_price numeric(7,2), ss_coupon_amt numeric(7,2), ss_net_paid numeric(7,2), ss_net_profit numeric(7,2), PRIMARY KEY (ss_item_sk, ss_ticket_number)
);
CREATE TABLE catalog_sales (
    cs_sold_date_sk int REFERENCES date_dim, cs_ship_date_sk int REFERENCES date_dim, cs_bill_customer_sk int REFERENCES customer, cs_ship_customer_sk int REFERENCES customer, cs_item_sk int NOT NULL REFERENCES item, cs_promo_sk int REFERENCES promotion,
    cs_order_number int NOT NULL, cs_quantity int, cs_list_price numeric(7,2), cs_sales_price numeric(7,2), cs_ext_sales_price numeric(7,2), cs_net_paid numeric(7,2), cs_net_profit numeric(7,2), PRIMARY KEY (cs_item_sk, cs_order_number)
);
CREATE TABLE web_sales (
    ws_sold_date_sk int REFERENCES date_dim, ws_ship_date_sk int REFERENCES date_dim, ws_bill_customer_sk int REFERENCES customer, ws_ship_customer_sk int REFERENCES customer, ws_item_sk int NOT NULL REFERENCES item, ws_promo_sk int REFERENCES promotion,
    ws_order_number int NOT NULL, ws_quantity int, ws_list_price numeric(7,2), ws_sales_price numeric(7,2), ws_ext_sales_price numeric(7,2), ws_net_paid numeric(7,2), ws_net_profit numeric(7,2), PRIMARY KEY (ws_item_sk, ws_order_number)
);
CREATE TABLE store_returns (
    sr_returned_date_sk int REFERENCES date_dim, sr_item_sk int NOT NULL REFERENCES item, sr_customer_sk int REFERENCES customer, sr_store_sk int REFERENCES store, sr_ticket_number int NOT NULL, sr_return_quantity int, sr_return_amt numeric(7,2), sr_net_loss numeric(7,2),
    PRIMARY KEY (sr_item_sk, sr_ticket_number)
);
CREATE TABLE catalog_returns (
    cr_returned_date_sk int REFERENCES date_dim, cr_item_sk int NOT NULL REFERENCES item, cr_returning_customer_sk int REFERENCES customer, cr_order_number int NOT NULL, cr_return_quantity int, cr_return_amount numeric(7,2), cr_net_loss numeric(7,2), PRIMARY KEY (cr_item_sk, cr_order_number)
);
CREATE TABLE web_returns (
    wr_returned_date_sk int REFERENCES date_dim, wr_item_sk int NOT NULL REFERENCES item, wr_returning_customer_sk int REFERENCES customer, wr_order_number int NOT NULL, wr_return_quantity int, wr_return_amt numeric(7,2), wr_net_loss numeric(7,2), PRIMARY KEY (wr_item_sk, wr_order_number)
);

-- 2450815 is 1998-01-01; sales fall in 1998 to 2002, shipments and returns in 1998 to 2003
INSERT INTO date_dim
SELECT 2450815 + i, d, ((extract(year FROM d) - 1900) * 12 + extract(month FROM d) - 1)::int, 5112 + (i + 3) / 7, extract(year FROM d)::int, extract(month FROM d)::int, extract(day FROM d)::int, extract(quarter FROM d)::int, extract(dow FROM d)::int,
    trim(to_char(d, 'Day')), CASE WHEN extract(dow FROM d) IN (0, 6) THEN 'Y' ELSE 'N' END
FROM (SELECT i, date '1998-01-01' + i AS d FROM generate_series(0, 2190) i) s;
INSERT INTO item
SELECT i, 'AAAAAAAA' || lpad(i::text, 8, '0'), CASE WHEN pick(i, 1) < 0.98 THEN 'Item ' || i END, s.price, round(s.price * 0.6, 2), 'brand ' || (pick(i, 3) * 60)::int, 'class ' || s.cat || '-' || (pick(i, 4) * 9)::int,
    CASE WHEN pick(i, 5) < 0.98 THEN (ARRAY['Books','Music','Sports','Home','Shoes','Women','Men','Children','Jewelry','Electronics'])[1 + s.cat] END, CASE WHEN pick(i, 6) < 0.97 THEN 1 + (pick(i, 7) * 200)::int END, (ARRAY['red','blue','green','black','white','pale'])[1 + floor(pick(i, 8) * 6)::int]
FROM (SELECT i, floor(pick(i, 2) * 10)::int AS cat, round((1 + 99 * pick(i, 9) ^ 2)::numeric, 2) AS price FROM generate_series(1, greatest((18000 * :scale)::int, 300)) i) s;
INSERT INTO customer_address
SELECT i, 'City ' || (pick(i, 10) ^ 2 * 300)::int, 'County ' || (pick(i, 11) * 90)::int, (ARRAY['TN','TX','CA','NY','GA','OH','IL','WA','MI','KS'])[1 + floor(pick(i, 12) ^ 1.5 * 10)::int], lpad((pick(i, 13) * 99999)::int::text, 5, '0'), 'United States', -5 - floor(pick(i, 14) * 4)
FROM generate_series(1, greatest((50000 * :scale)::int, 200)) i;
INSERT INTO customer_demographics
SELECT i, CASE i % 2 WHEN 0 THEN 'M' ELSE 'F' END, (ARRAY['M','S','D','W','U'])[1 + i / 2 % 5], (ARRAY['Primary','Secondary','College','2 yr Degree','4 yr Degree','Advanced Degree','Unknown'])[1 + i / 10 % 7], i / 70 % 7 FROM generate_series(1, 1960) i;
INSERT INTO household_demographics SELECT i, 1 + i % 20, (ARRAY['0-500','501-1000','1001-5000','5001-10000','>10000','Unknown'])[1 + i / 20 % 6], i / 120 % 10, i / 1200 % 6 - 1 FROM generate_series(1, 7200) i;
INSERT INTO customer
SELECT i, 'AAAAAAAA' || lpad(i::text, 8, '0'), CASE WHEN pick(i, 15) < 0.97 THEN 1 + floor(pick(i, 16) * 1960)::int END, CASE WHEN pick(i, 17) < 0.97 THEN 1 + floor(pick(i, 18) * 7200)::int END, 1 + floor(pick(i, 19) * greatest((50000 * :scale)::int, 200))::int,
    CASE WHEN pick(i, 20) < 0.96 THEN 'First' || (pick(i, 21) * 400)::int END, CASE WHEN pick(i, 22) < 0.96 THEN 'Last' || (pick(i, 23) * 900)::int END, 1 + floor(pick(i, 24) * 12)::int, CASE WHEN pick(i, 25) < 0.97 THEN 1930 + floor(pick(i, 26) * 65)::int END,
    CASE WHEN pick(i, 27) < 0.97 THEN (ARRAY['CHILE','JAPAN','GHANA','PERU','FRANCE','NEPAL','TONGA','CANADA','EGYPT','QATAR'])[1 + floor(pick(i, 28) * 10)::int] END, CASE WHEN pick(i, 29) < 0.97 THEN CASE WHEN pick(i, 30) < 0.5 THEN 'Y' ELSE 'N' END END
FROM generate_series(1, greatest((100000 * :scale)::int, 400)) i;
INSERT INTO store SELECT i, 'AAAAAAAA' || lpad(i::text, 8, '0'), 'Store ' || (ARRAY['able','ation','bar','ese','eing','ought'])[1 + i % 6], 'City ' || i % 5, 'County ' || i % 7, (ARRAY['TN','TX','CA','GA'])[1 + i % 4], 200 + (pick(i, 31) * 100)::int FROM generate_series(1, 24) i;
INSERT INTO promotion
SELECT i, 'AAAAAAAA' || lpad(i::text, 8, '0'), s.start, s.start + 7 + (pick(i, 32) * 40)::int, 1 + floor(pick(i, 33) * greatest((18000 * :scale)::int, 300))::int, 1000, 'promo ' || i % 40, CASE WHEN pick(i, 34) < 0.5 THEN 'Y' ELSE 'N' END, CASE WHEN pick(i, 35) < 0.9 THEN 'N' END
FROM (SELECT i, 2450815 + floor(pick(i, 36) * 1780)::int AS start FROM generate_series(1, 300) i) s;
INSERT INTO inventory
SELECT 2450815 + w * 28, i, h, CASE WHEN pick(i * 1000 + w * 8 + h, 37) < 0.97 THEN floor(pick(i * 1000 + w * 8 + h, 38) ^ 2 * 900)::int END
FROM generate_series(0, 19) w, generate_series(1, greatest((18000 * :scale)::int, 300)) i, generate_series(1, 2) h;
INSERT INTO store_sales
SELECT CASE WHEN pick(t, 39) < 0.97 THEN 2450815 + floor(pick(t, 40) ^ 0.8 * 1826)::int END, 1 + (floor(pick(t, 41) ^ 2 * s.items)::int + i % 8 * 37) % s.items, CASE WHEN pick(t, 42) < 0.96 THEN 1 + floor(pick(t, 43) ^ 1.7 * greatest((100000 * :scale)::int, 400))::int END,
    CASE WHEN pick(t, 44) < 0.96 THEN 1 + floor(pick(t, 45) * 1960)::int END, CASE WHEN pick(t, 46) < 0.96 THEN 1 + floor(pick(t, 47) * 7200)::int END, CASE WHEN pick(t, 48) < 0.96 THEN 1 + floor(pick(t, 49) * greatest((50000 * :scale)::int, 200))::int END,
    CASE WHEN pick(t, 50) < 0.96 THEN 1 + floor(pick(t, 51) ^ 1.3 * 24)::int END, CASE WHEN pick(i, 52) < 0.4 THEN 1 + floor(pick(i, 53) * 300)::int END, t, s.q, s.list, s.sale, s.q * s.sale, CASE WHEN pick(i, 54) < 0.1 THEN round(s.q * s.sale * 0.2, 2) ELSE 0 END, s.q * s.sale, round(s.q * (s.sale - s.list * 0.6), 2)
FROM (SELECT i, i / 8 + 1 AS t, greatest((18000 * :scale)::int, 300) AS items, 1 + floor(pick(i, 55) * 100)::int AS q, p.list, round(p.list * (0.4 + 0.6 * pick(i, 56))::numeric, 2) AS sale
      FROM generate_series(1, (1200000 * :scale)::int) i CROSS JOIN LATERAL (SELECT round((1 + 150 * pick(i, 57) ^ 2)::numeric, 2) AS list) p) s;
INSERT INTO catalog_sales
SELECT CASE WHEN pick(t, 58) < 0.98 THEN 2450815 + s.day END, CASE WHEN pick(t, 59) < 0.97 THEN 2450815 + s.day + 2 + (pick(t, 60) * 90)::int END, s.bill, CASE WHEN pick(t, 61) < 0.85 THEN s.bill WHEN pick(t, 62) < 0.9 THEN 1 + floor(pick(t, 63) * s.customers)::int END,
    1 + (floor(pick(t, 64) ^ 2 * s.items)::int + i % 6 * 41) % s.items, CASE WHEN pick(i, 65) < 0.4 THEN 1 + floor(pick(i, 66) * 300)::int END, t, s.q, s.list, s.sale, s.q * s.sale, s.q * s.sale, round(s.q * (s.sale - s.list * 0.6), 2)
FROM (SELECT i, i / 6 + 1 AS t, greatest((18000 * :scale)::int, 300) AS items, n.customers, floor(pick(i / 6 + 1, 67) * 1826)::int AS day, CASE WHEN pick(i / 6 + 1, 68) < 0.98 THEN 1 + floor(pick(i / 6 + 1, 69) ^ 1.5 * n.customers)::int END AS bill,
          1 + floor(pick(i, 70) * 100)::int AS q, p.list, round(p.list * (0.4 + 0.6 * pick(i, 71))::numeric, 2) AS sale
      FROM generate_series(1, (600000 * :scale)::int) i CROSS JOIN LATERAL (SELECT round((1 + 150 * pick(i, 72) ^ 2)::numeric, 2) AS list) p CROSS JOIN (SELECT greatest((100000 * :scale)::int, 400) AS customers) n) s;
INSERT INTO web_sales
SELECT CASE WHEN pick(t, 73) < 0.98 THEN 2450815 + s.day END, CASE WHEN pick(t, 74) < 0.97 THEN 2450815 + s.day + 1 + (pick(t, 75) * 90)::int END, s.bill, CASE WHEN pick(t, 76) < 0.8 THEN s.bill WHEN pick(t, 77) < 0.9 THEN 1 + floor(pick(t, 78) * s.customers)::int END,
    1 + (floor(pick(t, 79) ^ 2 * s.items)::int + i % 5 * 53) % s.items, CASE WHEN pick(i, 80) < 0.4 THEN 1 + floor(pick(i, 81) * 300)::int END, t, s.q, s.list, s.sale, s.q * s.sale, s.q * s.sale, round(s.q * (s.sale - s.list * 0.6), 2)
FROM (SELECT i, i / 5 + 1 AS t, greatest((18000 * :scale)::int, 300) AS items, n.customers, floor(pick(i / 5 + 1, 82) ^ 0.6 * 1826)::int AS day, CASE WHEN pick(i / 5 + 1, 83) < 0.98 THEN 1 + floor(pick(i / 5 + 1, 84) * n.customers)::int END AS bill,
          1 + floor(pick(i, 85) * 100)::int AS q, p.list, round(p.list * (0.4 + 0.6 * pick(i, 86))::numeric, 2) AS sale
      FROM generate_series(1, (400000 * :scale)::int) i CROSS JOIN LATERAL (SELECT round((1 + 150 * pick(i, 87) ^ 2)::numeric, 2) AS list) p CROSS JOIN (SELECT greatest((100000 * :scale)::int, 400) AS customers) n) s;
INSERT INTO store_returns
SELECT CASE WHEN pick(k, 88) < 0.97 THEN ss_sold_date_sk + 1 + (pick(k, 89) * 60)::int END, ss_item_sk, CASE WHEN pick(k, 90) < 0.95 THEN ss_customer_sk END, ss_store_sk, ss_ticket_number, 1 + floor(ss_quantity * pick(k, 91) * 0.9)::int, round(ss_net_paid * 0.7, 2), round(5 + ss_net_paid * 0.1, 2)
FROM (SELECT *, ss_ticket_number * 40000::bigint + ss_item_sk AS k FROM store_sales) s WHERE pick(k, 92) < 0.1;
INSERT INTO catalog_returns
SELECT CASE WHEN pick(k, 93) < 0.97 THEN cs_sold_date_sk + 5 + (pick(k, 94) * 80)::int END, cs_item_sk, CASE WHEN pick(k, 95) < 0.95 THEN cs_ship_customer_sk END, cs_order_number, 1 + floor(cs_quantity * pick(k, 96) * 0.9)::int, round(cs_net_paid * 0.7, 2), round(5 + cs_net_paid * 0.1, 2)
FROM (SELECT *, cs_order_number * 40000::bigint + cs_item_sk AS k FROM catalog_sales) s WHERE pick(k, 97) < 0.1;
INSERT INTO web_returns
SELECT CASE WHEN pick(k, 98) < 0.97 THEN ws_sold_date_sk + 5 + (pick(k, 99) * 80)::int END, ws_item_sk, CASE WHEN pick(k, 100) < 0.95 THEN ws_ship_customer_sk END, ws_order_number, 1 + floor(ws_quantity * pick(k, 101) * 0.9)::int, round(ws_net_paid * 0.7, 2), round(5 + ws_net_paid * 0.1, 2)
FROM (SELECT *, ws_order_number * 40000::bigint + ws_item_sk AS k FROM web_sales) s WHERE pick(k, 102) < 0.1;

DROP FUNCTION pick;
ANALYZE;
