CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN posint AS integer CHECK (VALUE > 0);
CREATE TABLE dept (id integer PRIMARY KEY, name varchar(20) NOT NULL, budget numeric(12,2), city text, opened date);
CREATE TABLE emp (
  id integer PRIMARY KEY, name text NOT NULL, dept_id integer REFERENCES dept (id), boss_id integer REFERENCES emp (id),
  salary numeric(10,2), bonus real, age smallint, hired date, active boolean, feeling mood, tags text[], level posint,
  code char(4), seen timestamp, stamp timestamptz, big bigint, score double precision, spell interval
);
CREATE TABLE sale (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, emp_id integer NOT NULL REFERENCES emp (id), amount numeric(8,2) NOT NULL,
  qty integer, sold date NOT NULL, note varchar(40), doc jsonb, UNIQUE (emp_id, sold)
);
CREATE TABLE "Odd Table" ("select" integer, "Mixed Case" text, id integer);
CREATE TABLE pair (a integer, b integer, c text);
CREATE VIEW rich AS SELECT e.id, e.name, e.salary, d.name AS dept FROM emp e LEFT JOIN dept d ON d.id = e.dept_id WHERE e.salary > 1000;
CREATE VIEW totals (who, total) AS SELECT emp_id, sum(amount) FROM sale GROUP BY emp_id;
