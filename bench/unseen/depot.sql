-- A warehouse that keeps goods for shops: suppliers and their products, sites with bins, stock, moves between bins, customers' orders with lines, picks, returns, receipts and counts of bins.
-- :scale is replaced by the loader; 1 gives about 1.9 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE suppliers (id int PRIMARY KEY, name text NOT NULL UNIQUE, country char(2), rating smallint);
CREATE TABLE products (
    id int PRIMARY KEY, supplier_id int NOT NULL REFERENCES suppliers, sku text NOT NULL UNIQUE, name text NOT NULL, category text NOT NULL, weight_g int NOT NULL,
    reorder_at int NOT NULL, discontinued_on date
);
CREATE TABLE sites (id int PRIMARY KEY, name text NOT NULL, region text NOT NULL, opened_on date NOT NULL);
CREATE TABLE bins (id int PRIMARY KEY, site_id int NOT NULL REFERENCES sites, aisle text NOT NULL, capacity int NOT NULL, blocked boolean NOT NULL);
CREATE TABLE workers (id int PRIMARY KEY, site_id int NOT NULL REFERENCES sites, name text NOT NULL, hired_on date NOT NULL, leader_id int REFERENCES workers, left_on date);
CREATE TABLE stock (bin_id int NOT NULL REFERENCES bins, product_id int NOT NULL REFERENCES products, qty int NOT NULL, updated_at timestamp NOT NULL, PRIMARY KEY (bin_id, product_id));
CREATE TABLE moves (
    id bigint PRIMARY KEY, product_id int NOT NULL REFERENCES products, from_bin int REFERENCES bins, to_bin int REFERENCES bins, worker_id int REFERENCES workers,
    qty int NOT NULL, moved_at timestamp NOT NULL
);
CREATE TABLE orders (
    id int PRIMARY KEY, customer_id int NOT NULL, site_id int NOT NULL REFERENCES sites, placed_at timestamp NOT NULL, promised date NOT NULL, shipped_at timestamp,
    state text NOT NULL, carrier text
);
CREATE TABLE order_lines (
    order_id int NOT NULL REFERENCES orders, no int NOT NULL, product_id int NOT NULL REFERENCES products, qty int NOT NULL, cents int NOT NULL, PRIMARY KEY (order_id, no)
);
CREATE TABLE picks (
    id bigint PRIMARY KEY, order_id int NOT NULL REFERENCES orders, product_id int NOT NULL REFERENCES products, bin_id int NOT NULL REFERENCES bins,
    worker_id int NOT NULL REFERENCES workers, qty int NOT NULL, picked_at timestamp NOT NULL
);
CREATE TABLE returns (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, product_id int NOT NULL REFERENCES products, returned_on date NOT NULL, reason text);
CREATE TABLE receipts (
    id int PRIMARY KEY, supplier_id int NOT NULL REFERENCES suppliers, site_id int NOT NULL REFERENCES sites, product_id int NOT NULL REFERENCES products,
    qty int NOT NULL, unit_cents int NOT NULL, arrived_at timestamp NOT NULL
);
CREATE TABLE counts (id int PRIMARY KEY, bin_id int NOT NULL REFERENCES bins, product_id int NOT NULL REFERENCES products, worker_id int REFERENCES workers, counted_on date NOT NULL, qty int NOT NULL);

INSERT INTO suppliers SELECT i, 'Supplier ' || i, (ARRAY['DE','FR','CN','PL','IT','VN',NULL])[1 + floor(pick(i, 1) * 7)::int], CASE WHEN pick(i, 2) < 0.8 THEN 1 + floor(pick(i, 3) * 5)::smallint END FROM generate_series(1, 400) i;
INSERT INTO products
SELECT i, 1 + floor(pick(i, 4) ^ 1.5 * 400)::int, 'SKU-' || i, 'Product ' || i % 9000, 'cat' || floor(pick(i, 5) ^ 1.4 * 40)::int, 50 + floor(pick(i, 6) ^ 3 * 30000)::int, 5 + floor(pick(i, 7) * 40)::int,
    CASE WHEN pick(i, 8) < 0.1 THEN date '2023-01-01' + floor(pick(i, 9) * 600)::int END
FROM generate_series(1, greatest((20000 * :scale)::int, 500)) i;
INSERT INTO sites SELECT i, 'Site ' || i, (ARRAY['north','south','west'])[1 + i % 3], date '2015-01-01' + i * 90 FROM generate_series(1, 12) i;
INSERT INTO bins SELECT i, 1 + floor(pick(i, 10) ^ 1.3 * 12)::int, 'A' || floor(pick(i, 11) * 60)::int, 50 + floor(pick(i, 12) * 400)::int, pick(i, 13) < 0.04 FROM generate_series(1, greatest((15000 * :scale)::int, 300)) i;
INSERT INTO workers
SELECT i, 1 + i % 12, 'Worker ' || i, date '2016-01-01' + floor(pick(i, 14) * 3000)::int, CASE WHEN i > 12 THEN 1 + floor(pick(i, 15) * 12)::int END, CASE WHEN pick(i, 16) < 0.2 THEN date '2024-01-01' + floor(pick(i, 17) * 400)::int END
FROM generate_series(1, 900) i;
INSERT INTO stock
SELECT DISTINCT ON (1, 2) 1 + floor(pick(i, 18) * greatest((15000 * :scale)::int, 300))::int, 1 + floor(pick(i, 19) ^ 1.3 * greatest((20000 * :scale)::int, 500))::int, floor(pick(i, 20) ^ 2 * 200)::int, timestamp '2024-01-01' + pick(i, 21) * interval '360 days'
FROM generate_series(1, (90000 * :scale)::int) i ORDER BY 1, 2;
INSERT INTO moves
SELECT i, 1 + floor(pick(i, 22) ^ 1.5 * greatest((20000 * :scale)::int, 500))::int, CASE WHEN pick(i, 23) < 0.8 THEN 1 + floor(pick(i, 24) * greatest((15000 * :scale)::int, 300))::int END,
    CASE WHEN pick(i, 25) < 0.8 THEN 1 + floor(pick(i, 26) * greatest((15000 * :scale)::int, 300))::int END, CASE WHEN pick(i, 27) < 0.93 THEN 1 + floor(pick(i, 28) ^ 1.5 * 900)::int END,
    1 + floor(pick(i, 29) ^ 2 * 80)::int, timestamp '2023-01-01' + i * (interval '720 days' / (400000 * :scale))
FROM generate_series(1, (400000 * :scale)::int) i;
INSERT INTO orders
SELECT i, 1 + floor(pick(i, 30) ^ 1.8 * (40000 * :scale)::int)::int, 1 + floor(pick(i, 31) ^ 1.3 * 12)::int, s.placed, s.placed::date + 2 + floor(pick(i, 33) * 5)::int, CASE WHEN pick(i, 34) < 0.94 THEN s.placed + pick(i, 35) * interval '8 days' END,
    (ARRAY['shipped','shipped','shipped','open','cancelled','held'])[1 + floor(pick(i, 36) * 6)::int], (ARRAY['post','van','freight',NULL])[1 + floor(pick(i, 37) * 4)::int]
FROM (SELECT i, date_trunc('second', timestamp '2023-01-01' + pick(i, 32) * interval '720 days') AS placed FROM generate_series(1, (180000 * :scale)::int) i) s;
INSERT INTO order_lines
SELECT o.id, n, 1 + floor(pick(o.id * 10 + n, 38) ^ 1.5 * greatest((20000 * :scale)::int, 500))::int, 1 + floor(pick(o.id * 10 + n, 39) ^ 3 * 20)::int, 100 + floor(pick(o.id * 10 + n, 40) ^ 2 * 20000)::int
FROM orders o, generate_series(1, 5) n WHERE n <= 1 + floor(pick(o.id, 41) * 5)::int;
INSERT INTO picks
SELECT row_number() OVER (ORDER BY l.order_id, l.no), l.order_id, l.product_id, 1 + floor(pick(l.order_id * 10 + l.no, 42) * greatest((15000 * :scale)::int, 300))::int, 1 + floor(pick(l.order_id * 10 + l.no, 43) ^ 1.5 * 900)::int,
    CASE WHEN pick(l.order_id * 10 + l.no, 44) < 0.05 THEN greatest(l.qty - 1, 0) ELSE l.qty END, date_trunc('second', o.placed_at + pick(l.order_id * 10 + l.no, 45) * interval '2 days')
FROM order_lines l JOIN orders o ON o.id = l.order_id WHERE o.state = 'shipped' AND pick(l.order_id * 10 + l.no, 46) < 0.97;
INSERT INTO returns
SELECT i, l.order_id, l.product_id, date '2023-02-01' + floor(pick(i, 48) * 700)::int, (ARRAY['broken','wrong','late',NULL])[1 + floor(pick(i, 49) * 4)::int]
FROM generate_series(1, (30000 * :scale)::int) i JOIN order_lines l ON l.order_id = 1 + floor(pick(i, 47) * (180000 * :scale)::int)::int AND l.no = 1;
INSERT INTO receipts
SELECT i, p.supplier_id, 1 + floor(pick(i, 51) * 12)::int, p.id, 10 + floor(pick(i, 52) * 500)::int, 40 + floor(pick(i, 53) ^ 2 * 9000)::int, date_trunc('minute', timestamp '2023-01-01' + pick(i, 54) * interval '720 days')
FROM generate_series(1, (90000 * :scale)::int) i JOIN products p ON p.id = 1 + floor(pick(i, 50) ^ 1.3 * greatest((20000 * :scale)::int, 500))::int;
INSERT INTO counts
SELECT i, 1 + floor(pick(i, 55) * greatest((15000 * :scale)::int, 300))::int, 1 + floor(pick(i, 56) ^ 1.3 * greatest((20000 * :scale)::int, 500))::int, CASE WHEN pick(i, 57) < 0.9 THEN 1 + floor(pick(i, 58) * 900)::int END,
    date '2023-01-01' + floor(pick(i, 59) * 720)::int, floor(pick(i, 60) ^ 2 * 200)::int
FROM generate_series(1, (100000 * :scale)::int) i;

CREATE INDEX ON orders (placed_at);
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON moves (moved_at);
CREATE INDEX ON products (supplier_id);
CREATE INDEX ON picks (order_id);
CREATE VIEW open_orders AS
SELECT o.id, o.customer_id, o.site_id, o.placed_at, o.promised, count(l.no) AS lines, sum(l.qty) AS pieces FROM orders o LEFT JOIN order_lines l ON l.order_id = o.id WHERE o.state = 'open' GROUP BY o.id;
