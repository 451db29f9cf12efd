-- A city's libraries: titles and who wrote them, copies, members, what they lent, held back, reviewed, owed and paid.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE branches (id int PRIMARY KEY, name text NOT NULL UNIQUE, city text NOT NULL, opened_on date NOT NULL, closed_on date);
CREATE TABLE categories (id int PRIMARY KEY, parent_id int REFERENCES categories, name text NOT NULL);
CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL, country text, born int);
CREATE TABLE titles (
    id int PRIMARY KEY, isbn text UNIQUE, name text NOT NULL, category_id int REFERENCES categories, published int, pages int NOT NULL, language text NOT NULL
);
CREATE TABLE title_authors (
    title_id int NOT NULL REFERENCES titles, author_id int NOT NULL REFERENCES authors, role text NOT NULL, PRIMARY KEY (title_id, author_id, role)
);
CREATE TABLE copies (
    id int PRIMARY KEY, title_id int NOT NULL REFERENCES titles, branch_id int NOT NULL REFERENCES branches, acquired_on date NOT NULL, withdrawn_on date,
    price numeric(8,2), state text NOT NULL
);
CREATE TABLE members (
    id int PRIMARY KEY, branch_id int NOT NULL REFERENCES branches, email text, name text NOT NULL, joined_on date NOT NULL, kind text NOT NULL, status text NOT NULL,
    referred_by int REFERENCES members
);
CREATE TABLE loans (
    id bigint PRIMARY KEY, copy_id int NOT NULL REFERENCES copies, member_id int NOT NULL REFERENCES members, out_at timestamp NOT NULL, due_on date NOT NULL,
    back_at timestamp, renewals int NOT NULL
);
CREATE TABLE holds (
    id int PRIMARY KEY, title_id int NOT NULL REFERENCES titles, member_id int NOT NULL REFERENCES members, branch_id int REFERENCES branches, placed_at timestamp NOT NULL,
    filled_at timestamp, cancelled_at timestamp
);
CREATE TABLE fines (
    id int PRIMARY KEY, member_id int NOT NULL REFERENCES members, loan_id bigint REFERENCES loans, amount numeric(8,2) NOT NULL, raised_at timestamp NOT NULL, waived boolean,
    reason text NOT NULL
);
CREATE TABLE payments (id int PRIMARY KEY, member_id int NOT NULL REFERENCES members, fine_id int REFERENCES fines, amount numeric(8,2) NOT NULL, paid_at timestamp NOT NULL, method text NOT NULL);
CREATE TABLE visits (id bigint PRIMARY KEY, member_id int REFERENCES members, branch_id int NOT NULL REFERENCES branches, at timestamp NOT NULL, minutes int);
CREATE TABLE reviews (id int PRIMARY KEY, title_id int NOT NULL REFERENCES titles, member_id int NOT NULL REFERENCES members, stars int, body text, written_at timestamp NOT NULL);

INSERT INTO branches SELECT i, 'Branch ' || i, (ARRAY['Brno','Brno','Olomouc','Zlin'])[1 + i % 4], date '1990-01-01' + i * 97, CASE WHEN i % 9 = 0 THEN date '2024-02-01' END FROM generate_series(1, 30) i;
INSERT INTO categories SELECT i, CASE WHEN i > 8 THEN 1 + floor(pick(i, 1) * (i - 1) / 3)::int END, 'Category ' || i FROM generate_series(1, 240) i;
INSERT INTO authors
SELECT i, 'Author ' || i, CASE WHEN pick(i, 2) < 0.9 THEN (ARRAY['CZ','SK','DE','UK','US','US','FR'])[1 + floor(pick(i, 3) * 7)::int] END, CASE WHEN pick(i, 4) < 0.7 THEN 1850 + (pick(i, 5) * 150)::int END
FROM generate_series(1, greatest((20000 * :scale)::int, 300)) i;
INSERT INTO titles
SELECT i, CASE WHEN pick(i, 6) < 0.85 THEN '978' || lpad(i::text, 10, '0') END, 'Title ' || i, CASE WHEN pick(i, 7) < 0.95 THEN 1 + floor(pick(i, 8) ^ 2 * 240)::int END,
    CASE WHEN pick(i, 9) < 0.97 THEN 2024 - floor(pick(i, 10) ^ 3 * 120)::int END, 40 + floor(pick(i, 11) ^ 2 * 900)::int, (ARRAY['cs','cs','cs','cs','en','de','sk'])[1 + floor(pick(i, 12) * 7)::int]
FROM generate_series(1, greatest((60000 * :scale)::int, 600)) i;
INSERT INTO title_authors
SELECT DISTINCT t, 1 + floor(pick(t * 8 + n, 13) ^ 2 * greatest((20000 * :scale)::int, 300))::int, CASE WHEN n = 1 THEN 'author' ELSE (ARRAY['author','translator','editor'])[1 + floor(pick(t * 8 + n, 14) * 3)::int] END
FROM generate_series(1, greatest((60000 * :scale)::int, 600)) t, generate_series(1, 3) n WHERE n = 1 OR pick(t * 8 + n, 15) < 0.3;
INSERT INTO copies
SELECT i, 1 + floor(pick(i, 16) ^ 1.5 * greatest((60000 * :scale)::int, 600))::int, 1 + floor(pick(i, 17) ^ 2 * 30)::int, date '2005-01-01' + (pick(i, 18) * 7000)::int,
    CASE WHEN pick(i, 19) < 0.08 THEN date '2023-01-01' + (pick(i, 20) * 500)::int END, CASE WHEN pick(i, 21) < 0.92 THEN round((4 + 60 * pick(i, 22) ^ 2)::numeric, 2) END,
    (ARRAY['ok','ok','ok','ok','ok','ok','ok','worn','worn','lost'])[1 + floor(pick(i, 23) * 10)::int]
FROM generate_series(1, greatest((200000 * :scale)::int, 2000)) i;
INSERT INTO members
SELECT i, 1 + floor(pick(i, 24) ^ 1.5 * 30)::int, CASE WHEN pick(i, 25) < 0.8 THEN 'm' || i || '@example.org' END, 'Member ' || i, date '2010-01-01' + (pick(i, 26) * 5200)::int,
    (ARRAY['adult','adult','adult','child','child','student','senior'])[1 + floor(pick(i, 27) * 7)::int], (ARRAY['active','active','active','active','active','active','active','active','expired','blocked'])[1 + floor(pick(i, 28) * 10)::int],
    CASE WHEN i > 100 AND pick(i, 29) < 0.2 THEN 1 + floor(pick(i, 30) ^ 2 * (i - 1))::int END
FROM generate_series(1, greatest((60000 * :scale)::int, 600)) i;
INSERT INTO loans
SELECT i, 1 + floor(pick(i, 31) ^ 2 * greatest((200000 * :scale)::int, 2000))::int, 1 + floor(pick(i, 32) ^ 1.6 * greatest((60000 * :scale)::int, 600))::int, s.start, s.start::date + 28,
    CASE WHEN pick(i, 33) < 0.96 THEN s.start + pick(i, 34) ^ 2 * interval '50 days' END, floor(pick(i, 35) ^ 3 * 4)::int
FROM (SELECT i, date_trunc('minute', timestamp '2022-01-01' + pick(i, 36) * interval '900 days') AS start FROM generate_series(1, (800000 * :scale)::int) i) s;
INSERT INTO holds
SELECT i, 1 + floor(pick(i, 37) ^ 3 * greatest((60000 * :scale)::int, 600))::int, 1 + floor(pick(i, 38) * greatest((60000 * :scale)::int, 600))::int, CASE WHEN pick(i, 39) < 0.7 THEN 1 + floor(pick(i, 40) * 30)::int END, s.at,
    CASE WHEN pick(i, 41) < 0.7 THEN s.at + pick(i, 42) * interval '60 days' END, CASE WHEN pick(i, 43) < 0.15 THEN s.at + pick(i, 44) * interval '30 days' END
FROM (SELECT i, date_trunc('second', timestamp '2022-06-01' + pick(i, 45) * interval '740 days') AS at FROM generate_series(1, (150000 * :scale)::int) i) s;
INSERT INTO fines
SELECT i, l.member_id, CASE WHEN pick(i, 46) < 0.9 THEN l.id END, round((0.5 + 40 * pick(i, 47) ^ 4)::numeric, 2), l.out_at + interval '30 days' + pick(i, 48) * interval '40 days', CASE WHEN pick(i, 49) < 0.6 THEN pick(i, 50) < 0.2 END,
    (ARRAY['late','late','late','late','damage','lost'])[1 + floor(pick(i, 51) * 6)::int]
FROM (SELECT i, 1 + floor(pick(i, 52) * (800000 * :scale)::int)::int AS loan FROM generate_series(1, (150000 * :scale)::int) i) s JOIN loans l ON l.id = s.loan;
INSERT INTO payments
SELECT i, f.member_id, CASE WHEN pick(i, 53) < 0.85 THEN f.id END, round(f.amount * (CASE WHEN pick(i, 54) < 0.8 THEN 1 ELSE 0.5 END), 2), f.raised_at + pick(i, 55) * interval '90 days', (ARRAY['cash','card','card','online'])[1 + floor(pick(i, 56) * 4)::int]
FROM (SELECT i, 1 + floor(pick(i, 57) * (150000 * :scale)::int)::int AS fine FROM generate_series(1, (100000 * :scale)::int) i) s JOIN fines f ON f.id = s.fine;
INSERT INTO visits
SELECT i, CASE WHEN pick(i, 58) < 0.7 THEN 1 + floor(pick(i, 59) ^ 2 * greatest((60000 * :scale)::int, 600))::int END, 1 + floor(pick(i, 60) ^ 2 * 30)::int, date_trunc('minute', timestamp '2023-01-01' + pick(i, 61) * interval '530 days'),
    CASE WHEN pick(i, 62) < 0.8 THEN floor(240 * pick(i, 63) ^ 2)::int END
FROM generate_series(1, (400000 * :scale)::int) i;
INSERT INTO reviews
SELECT i, 1 + floor(pick(i, 64) ^ 2 * greatest((60000 * :scale)::int, 600))::int, 1 + floor(pick(i, 65) * greatest((60000 * :scale)::int, 600))::int, CASE WHEN pick(i, 66) < 0.9 THEN 1 + floor(pick(i, 67) ^ 0.5 * 5)::int END,
    CASE WHEN pick(i, 68) < 0.5 THEN 'Review ' || i END, date_trunc('second', timestamp '2022-01-01' + pick(i, 69) * interval '890 days')
FROM generate_series(1, (200000 * :scale)::int) i;

CREATE INDEX copies_title ON copies (title_id);
CREATE INDEX loans_member ON loans (member_id);
CREATE INDEX loans_out ON loans (out_at);
CREATE INDEX title_authors_author ON title_authors (author_id);
CREATE INDEX visits_branch ON visits (branch_id, at);
CREATE INDEX fines_member ON fines (member_id);
DROP FUNCTION pick;
ANALYZE;
