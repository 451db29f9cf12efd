-- A shop: customers, orders and their lines, payments, returns, stock. Some foreign keys have no index, some columns lack NOT NULL.
-- :scale is replaced by the loader; 1 gives about 1.9 million rows. Values come from hashes of row numbers, so every load is the same.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE categories (id int PRIMARY KEY, parent_id int REFERENCES categories, name text NOT NULL);
CREATE TABLE customers (
    id int PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, country char(2) NOT NULL, segment text,
    created_at timestamp NOT NULL, referred_by int REFERENCES customers
);
CREATE TABLE products (
    id int PRIMARY KEY, sku text NOT NULL UNIQUE, name text NOT NULL, category_id int REFERENCES categories,
    price numeric(10,2) NOT NULL, active boolean NOT NULL DEFAULT true, discontinued_on date
);
CREATE TABLE orders (
    id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, placed_at timestamp NOT NULL, status text NOT NULL,
    coupon text, shipped_at timestamp, total numeric(12,2)
);
CREATE TABLE order_lines (
    order_id int NOT NULL REFERENCES orders, line_no int NOT NULL, product_id int NOT NULL REFERENCES products,
    quantity int NOT NULL, unit_price numeric(10,2) NOT NULL, discount numeric(4,2), PRIMARY KEY (order_id, line_no)
);
CREATE TABLE payments (
    id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, amount numeric(12,2) NOT NULL, paid_at timestamp NOT NULL,
    method text NOT NULL, failed boolean NOT NULL DEFAULT false
);
CREATE TABLE returns (
    id int PRIMARY KEY, order_id int, line_no int, quantity int NOT NULL, reason text, returned_on date NOT NULL,
    FOREIGN KEY (order_id, line_no) REFERENCES order_lines
);
CREATE TABLE stock (
    warehouse_id int NOT NULL, product_id int NOT NULL REFERENCES products, on_hand int NOT NULL, reserved int,
    PRIMARY KEY (warehouse_id, product_id)
);
CREATE TABLE stock_moves (
    id int PRIMARY KEY, warehouse_id int NOT NULL, product_id int NOT NULL, moved_at timestamp NOT NULL, delta int NOT NULL,
    FOREIGN KEY (warehouse_id, product_id) REFERENCES stock
);

INSERT INTO categories
SELECT i, CASE WHEN i > 10 THEN 1 + (i * 7 % least(i - 1, 60)) END, 'category ' || i FROM generate_series(1, 200) i;
INSERT INTO customers
SELECT i, 'c' || i || '@example.org', 'Customer ' || (pick(i, 1) * 20000 * :scale)::int,
    (ARRAY['DE','DE','DE','FR','FR','US','US','US','US','JP','BR','PL'])[1 + floor(pick(i, 2) * 12)::int],
    (ARRAY['retail','retail','trade',NULL])[1 + floor(pick(i, 3) * 4)::int],
    timestamp '2019-01-01' + pick(i, 4) * interval '1800 days',
    CASE WHEN i > 100 AND pick(i, 5) < 0.15 THEN 1 + floor(pick(i, 6) * 99)::int END
FROM generate_series(1, greatest((30000 * :scale)::int, 200)) i;
INSERT INTO products
SELECT i, 'SKU-' || lpad(i::text, 7, '0'), 'Product ' || i, CASE WHEN pick(i, 11) < 0.96 THEN 1 + floor(pick(i, 12) * 200)::int END,
    round((5 + 195 * pick(i, 13) ^ 3)::numeric, 2), pick(i, 14) < 0.9,
    CASE WHEN pick(i, 14) >= 0.93 THEN date '2023-01-01' + (pick(i, 15) * 600)::int END
FROM generate_series(1, greatest((6000 * :scale)::int, 200)) i;
INSERT INTO orders
SELECT i, 1 + floor(pick(i, 21) ^ 2 * greatest((30000 * :scale)::int, 200))::int,
    date_trunc('second', timestamp '2022-01-01' + (i / (300000 * :scale)::double precision) * interval '1090 days'),
    (ARRAY['paid','paid','shipped','shipped','shipped','shipped','open','cancelled'])[1 + floor(pick(i, 22) * 8)::int],
    CASE WHEN pick(i, 23) < 0.08 THEN 'C' || floor(pick(i, 24) * 50)::int END, NULL, NULL
FROM generate_series(1, (300000 * :scale)::int) i;
INSERT INTO order_lines
SELECT o.id, n, 1 + floor(pick(o.id * 16::bigint + n, 31) ^ 3 * greatest((6000 * :scale)::int, 200))::int,
    1 + floor(pick(o.id * 16::bigint + n, 32) * 5)::int, round((5 + 195 * pick(o.id * 16::bigint + n, 33) ^ 2)::numeric, 2),
    CASE WHEN pick(o.id * 16::bigint + n, 34) < 0.2 THEN round((pick(o.id * 16::bigint + n, 35) * 0.5)::numeric, 2) END
FROM orders o, generate_series(1, 1 + floor(pick(o.id, 30) * 5)::int) n;
UPDATE orders o SET total = l.total,
    shipped_at = CASE WHEN status = 'shipped' THEN placed_at + pick(o.id, 41) * interval '9 days' END
FROM (SELECT order_id, sum(quantity * unit_price) AS total FROM order_lines GROUP BY order_id) l WHERE l.order_id = o.id;
INSERT INTO payments
SELECT row_number() OVER (ORDER BY o.id, n), o.id, round(o.total / n, 2), o.placed_at + pick(o.id + n, 51) * interval '3 days',
    (ARRAY['card','card','card','transfer','voucher'])[1 + floor(pick(o.id + n, 52) * 5)::int], pick(o.id * 3::bigint + n, 53) < 0.06
FROM orders o, generate_series(1, CASE WHEN pick(o.id, 54) < 0.1 THEN 2 ELSE 1 END) n WHERE o.status <> 'open';
INSERT INTO returns
SELECT row_number() OVER (ORDER BY order_id, line_no), CASE WHEN pick(order_id, 61) < 0.97 THEN order_id END,
    CASE WHEN pick(order_id, 61) < 0.97 THEN line_no END, 1, (ARRAY['broken','size','late',NULL])[1 + floor(pick(order_id, 62) * 4)::int],
    date '2022-01-10' + (order_id / (300000 * :scale)::double precision * 1090)::int
FROM order_lines WHERE pick(order_id * 16::bigint + line_no, 63) < 0.05;
INSERT INTO stock
SELECT w, p.id, floor(pick(p.id * 8::bigint + w, 71) * 200)::int, CASE WHEN pick(p.id * 8::bigint + w, 72) < 0.7 THEN floor(pick(p.id * 8::bigint + w, 73) * 40)::int END
FROM products p, generate_series(1, 4) w;
INSERT INTO stock_moves
SELECT i, 1 + i % 4, 1 + floor(pick(i, 81) ^ 2 * greatest((6000 * :scale)::int, 200))::int,
    date_trunc('second', timestamp '2023-01-01' + (i / (200000 * :scale)::double precision) * interval '700 days'), floor(pick(i, 82) * 41)::int - 20
FROM generate_series(1, (200000 * :scale)::int) i;

CREATE INDEX orders_placed_at ON orders (placed_at);
CREATE INDEX orders_status ON orders (status);
CREATE INDEX payments_order_id ON payments (order_id);
CREATE INDEX customers_country ON customers (country);
CREATE INDEX customers_name_lower ON customers (lower(name));
CREATE INDEX stock_moves_product ON stock_moves (product_id, moved_at);

CREATE VIEW order_amounts AS
SELECT o.id AS order_id, o.customer_id, o.placed_at, o.status,
    (SELECT sum(l.quantity * l.unit_price * (1 - coalesce(l.discount, 0))) FROM order_lines l WHERE l.order_id = o.id) AS net,
    (SELECT count(*) FROM order_lines l WHERE l.order_id = o.id) AS lines
FROM orders o;
CREATE VIEW customer_totals AS
SELECT c.id, c.name, c.country, count(a.order_id) AS orders, sum(a.net) AS net, max(a.placed_at) AS last_order
FROM customers c LEFT JOIN order_amounts a ON a.customer_id = c.id AND a.status <> 'cancelled' GROUP BY c.id;
CREATE VIEW customer_overview AS
SELECT t.*, r.returned FROM customer_totals t
LEFT JOIN (SELECT o.customer_id, count(*) AS returned FROM returns x JOIN orders o ON o.id = x.order_id GROUP BY o.customer_id) r ON r.customer_id = t.id;
DROP FUNCTION pick;
ANALYZE;
