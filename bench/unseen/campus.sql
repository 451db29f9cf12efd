-- A university: departments with lecturers and courses, sections of courses by term, students with enrolments, work handed in, attendance, invoices, payments and messages.
-- :scale is replaced by the loader; 1 gives about 1.7 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE departments (id int PRIMARY KEY, name text NOT NULL UNIQUE, faculty text NOT NULL);
CREATE TABLE rooms (id int PRIMARY KEY, building text NOT NULL, seats int NOT NULL);
CREATE TABLE lecturers (
    id int PRIMARY KEY, department_id int NOT NULL REFERENCES departments, name text NOT NULL, grade text, hired_on date NOT NULL, head_id int REFERENCES lecturers
);
CREATE TABLE courses (
    id int PRIMARY KEY, department_id int NOT NULL REFERENCES departments, code text NOT NULL UNIQUE, title text NOT NULL, credits smallint NOT NULL, level smallint NOT NULL, retired_on date
);
CREATE TABLE prerequisites (course_id int NOT NULL REFERENCES courses, needs_id int NOT NULL REFERENCES courses, PRIMARY KEY (course_id, needs_id));
CREATE TABLE sections (
    id int PRIMARY KEY, course_id int NOT NULL REFERENCES courses, lecturer_id int REFERENCES lecturers, room_id int REFERENCES rooms, term date NOT NULL, capacity int NOT NULL
);
CREATE TABLE students (
    id int PRIMARY KEY, department_id int NOT NULL REFERENCES departments, advisor_id int REFERENCES lecturers, number text NOT NULL UNIQUE, name text NOT NULL, email text,
    country char(2), entered_on date NOT NULL, left_on date
);
CREATE TABLE enrolments (
    id int PRIMARY KEY, student_id int NOT NULL REFERENCES students, section_id int NOT NULL REFERENCES sections, enrolled_at timestamp NOT NULL, dropped_at timestamp, mark numeric(4,1),
    UNIQUE (section_id, student_id)
);
CREATE TABLE assignments (id int PRIMARY KEY, section_id int NOT NULL REFERENCES sections, title text NOT NULL, due_at timestamp NOT NULL, max_points int NOT NULL);
CREATE TABLE submissions (
    id bigint PRIMARY KEY, assignment_id int NOT NULL REFERENCES assignments, student_id int NOT NULL REFERENCES students, attempt smallint NOT NULL, submitted_at timestamp NOT NULL, points int
);
CREATE TABLE attendance (
    section_id int NOT NULL REFERENCES sections, student_id int NOT NULL REFERENCES students, day date NOT NULL, present boolean NOT NULL, PRIMARY KEY (section_id, student_id, day)
);
CREATE TABLE invoices (id int PRIMARY KEY, student_id int NOT NULL REFERENCES students, term date NOT NULL, cents int NOT NULL, issued_on date NOT NULL, cancelled boolean NOT NULL);
CREATE TABLE payments (id int PRIMARY KEY, student_id int NOT NULL REFERENCES students, invoice_id int REFERENCES invoices, paid_on date NOT NULL, cents int NOT NULL, method text);
CREATE TABLE messages (
    id bigint PRIMARY KEY, student_id int NOT NULL REFERENCES students, lecturer_id int NOT NULL REFERENCES lecturers, thread int NOT NULL, by_student boolean NOT NULL,
    sent_at timestamp NOT NULL, read_at timestamp, body text NOT NULL
);

INSERT INTO departments SELECT i, 'Department ' || i, (ARRAY['arts','science','law','medicine','engineering'])[1 + i % 5] FROM generate_series(1, 40) i;
INSERT INTO rooms SELECT i, 'B' || i % 14, 12 + floor(pick(i, 1) ^ 2 * 300)::int FROM generate_series(1, 300) i;
INSERT INTO lecturers
SELECT i, 1 + floor(pick(i, 2) * 40)::int, 'Lecturer ' || i % 1100, (ARRAY['professor','reader','assistant',NULL])[1 + floor(pick(i, 3) * 4)::int], date '1995-01-01' + floor(pick(i, 4) * 10000)::int,
    CASE WHEN i > 5 THEN greatest(1, i / 6) END
FROM generate_series(1, 1200) i;
INSERT INTO courses
SELECT i, 1 + floor(pick(i, 5) ^ 1.3 * 40)::int, 'C' || i, 'Course ' || i % 2500, (ARRAY[3,5,6,10])[1 + floor(pick(i, 6) * 4)::int], 1 + floor(pick(i, 7) * 4)::int, CASE WHEN pick(i, 8) < 0.12 THEN date '2019-01-01' + floor(pick(i, 9) * 1800)::int END
FROM generate_series(1, 3000) i;
INSERT INTO prerequisites SELECT DISTINCT 2 + i % 2999, 1 + floor(pick(i, 10) * (1 + i % 2999))::int FROM generate_series(1, 4000) i;
INSERT INTO sections
SELECT i, 1 + floor(pick(i, 11) ^ 1.4 * 3000)::int, CASE WHEN pick(i, 12) < 0.95 THEN 1 + floor(pick(i, 13) ^ 1.2 * 1200)::int END, CASE WHEN pick(i, 14) < 0.9 THEN 1 + floor(pick(i, 15) * 300)::int END,
    (date '2018-09-01' + (i * 12 / greatest((24000 * :scale)::int, 240)) * interval '6 months')::date, 15 + floor(pick(i, 16) ^ 2 * 200)::int
FROM generate_series(1, greatest((24000 * :scale)::int - 1, 239)) i;
INSERT INTO students
SELECT i, 1 + floor(pick(i, 17) ^ 1.3 * 40)::int, CASE WHEN pick(i, 18) < 0.9 THEN 1 + floor(pick(i, 19) ^ 1.5 * 1200)::int END, 'S' || 1000000 + i, 'Student ' || i % 15000, CASE WHEN pick(i, 20) < 0.9 THEN 's' || i || '@campus.example' END,
    (ARRAY['DE','FR','CN','PL','IT','IN',NULL])[1 + floor(pick(i, 21) ^ 2 * 7)::int], date '2015-09-01' + floor(pick(i, 22) * 8)::int * 365, CASE WHEN pick(i, 23) < 0.35 THEN date '2019-01-01' + floor(pick(i, 24) * 2000)::int END
FROM generate_series(1, greatest((40000 * :scale)::int, 400)) i;
INSERT INTO enrolments
SELECT row_number() OVER (ORDER BY x.i), x.student, x.section, s.term - interval '40 days' + pick(x.i, 27) * interval '50 days', CASE WHEN pick(x.i, 28) < 0.1 THEN s.term + pick(x.i, 29) * interval '90 days' END,
    CASE WHEN pick(x.i, 30) < 0.85 THEN round((30 + 70 * pick(x.i, 31) ^ 0.7)::numeric, 1) END
FROM (
    SELECT DISTINCT ON (section, student) i, section, student
    FROM (SELECT i, 1 + floor(pick(i, 25) ^ 1.3 * (greatest((24000 * :scale)::int, 240) - 1))::int AS section, 1 + floor(pick(i, 26) ^ 1.2 * greatest((40000 * :scale)::int, 400))::int AS student FROM generate_series(1, (400000 * :scale)::int) i) r
    ORDER BY section, student, i
) x JOIN sections s ON s.id = x.section;
INSERT INTO assignments
SELECT i, 1 + floor(pick(i, 32) * (greatest((24000 * :scale)::int, 240) - 1))::int, 'Work ' || i % 40, timestamp '2018-10-01' + pick(i, 33) * interval '2100 days', (ARRAY[10,20,50,100])[1 + floor(pick(i, 34) * 4)::int]
FROM generate_series(1, (72000 * :scale)::int) i;
INSERT INTO submissions
SELECT row_number() OVER (ORDER BY a.due_at, e.id, n), a.id, e.student_id, n, date_trunc('second', a.due_at - interval '9 days' + pick(e.id * 31::bigint + a.id, 35) * interval '10 days' + n * interval '1 hour'),
    CASE WHEN pick(e.id * 31::bigint + a.id + n, 36) < 0.92 THEN floor(pick(e.id * 37::bigint + a.id + n, 37) * a.max_points)::int END
FROM assignments a JOIN enrolments e ON e.section_id = a.section_id CROSS JOIN generate_series(1, 2) n
WHERE pick(e.id * 31::bigint + a.id, 38) < 0.4 AND (n = 1 OR pick(e.id * 31::bigint + a.id, 39) < 0.2);
INSERT INTO attendance
SELECT DISTINCT ON (1, 2, 3) e.section_id, e.student_id, (s.term + n * 7), pick(e.id * 17::bigint + n, 41) < 0.8
FROM enrolments e JOIN sections s ON s.id = e.section_id CROSS JOIN generate_series(1, 3) n WHERE pick(e.id * 17::bigint + n, 40) < 0.25;
INSERT INTO invoices
SELECT i, 1 + floor(pick(i, 42) * greatest((40000 * :scale)::int, 400))::int, d.term, 20000 + floor(pick(i, 44) ^ 2 * 300000)::int, d.term - 30 + floor(pick(i, 45) * 60)::int, pick(i, 46) < 0.05
FROM (SELECT i, (date '2018-09-01' + floor(pick(i, 43) * 12)::int * interval '6 months')::date AS term FROM generate_series(1, (120000 * :scale)::int) i) d;
INSERT INTO payments
SELECT row_number() OVER (ORDER BY v.issued_on, v.id, n), v.student_id, CASE WHEN pick(v.id * 3 + n, 47) < 0.9 THEN v.id END, v.issued_on + floor(pick(v.id * 3 + n, 48) ^ 2 * 150)::int, v.cents / n, (ARRAY['card','transfer','cash',NULL])[1 + floor(pick(v.id * 3 + n, 49) * 4)::int]
FROM invoices v CROSS JOIN generate_series(1, 3) n WHERE NOT v.cancelled AND pick(v.id * 3 + n, 50) < 0.9 / n;
INSERT INTO messages
SELECT i, 1 + floor(pick(i / 3, 51) ^ 1.5 * greatest((40000 * :scale)::int, 400))::int, 1 + floor(pick(i / 3, 52) * 1200)::int, i / 3, i % 3 <> 1, date_trunc('second', timestamp '2018-09-01' + i * (interval '2200 days' / (150000 * :scale))),
    CASE WHEN pick(i, 53) < 0.85 THEN timestamp '2018-09-02' + i * (interval '2200 days' / (150000 * :scale)) END, 'Text ' || md5(i::text)
FROM generate_series(1, (150000 * :scale)::int) i;

CREATE INDEX ON enrolments (student_id);
CREATE INDEX ON submissions (submitted_at);
CREATE INDEX ON submissions (assignment_id);
CREATE INDEX ON sections (term);
CREATE INDEX ON invoices (student_id);
CREATE INDEX ON messages (sent_at);
CREATE VIEW transcript AS
SELECT e.student_id, c.code, c.credits, s.term, e.mark, e.mark >= 50 AS passed FROM enrolments e JOIN sections s ON s.id = e.section_id JOIN courses c ON c.id = s.course_id WHERE e.dropped_at IS NULL;
