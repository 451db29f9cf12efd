-- A hospital: units in a tree, staff, patients, admissions with diagnoses, laboratory results, vitals, prescriptions and appointments.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE units (id int PRIMARY KEY, name text NOT NULL, building text NOT NULL, beds int, parent_id int REFERENCES units);
CREATE TABLE staff (id int PRIMARY KEY, name text NOT NULL, role text NOT NULL, unit_id int REFERENCES units, manager_id int REFERENCES staff, hired_on date NOT NULL);
CREATE TABLE insurers (id int PRIMARY KEY, name text NOT NULL UNIQUE, country text NOT NULL);
CREATE TABLE patients (
    id int PRIMARY KEY, mrn text NOT NULL UNIQUE, name text NOT NULL, born_on date NOT NULL, sex char(1), city text, insurer_id int REFERENCES insurers, died_on date
);
CREATE TABLE admissions (
    id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, unit_id int NOT NULL REFERENCES units, admitted_at timestamp NOT NULL, discharged_at timestamp,
    reason text NOT NULL, attending_id int REFERENCES staff
);
CREATE TABLE diagnoses (admission_id int NOT NULL REFERENCES admissions, no int NOT NULL, icd text NOT NULL, main boolean NOT NULL, PRIMARY KEY (admission_id, no));
CREATE TABLE lab_tests (id int PRIMARY KEY, code text NOT NULL UNIQUE, name text NOT NULL, low numeric, high numeric);
CREATE TABLE labs (
    id bigint PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, admission_id int REFERENCES admissions, test_id int NOT NULL REFERENCES lab_tests,
    taken_at timestamp NOT NULL, value numeric(10,3), abnormal boolean
);
CREATE TABLE vitals (patient_id int NOT NULL REFERENCES patients, at timestamp NOT NULL, pulse int, temp numeric(4,1), PRIMARY KEY (patient_id, at));
CREATE TABLE drugs (id int PRIMARY KEY, name text NOT NULL, class text NOT NULL, replaced_by int REFERENCES drugs);
CREATE TABLE prescriptions (
    id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, drug_id int NOT NULL REFERENCES drugs, doctor_id int REFERENCES staff,
    prescribed_at timestamp NOT NULL, until date, dose numeric(8,2)
);
CREATE TABLE appointments (
    id int PRIMARY KEY, patient_id int REFERENCES patients, doctor_id int NOT NULL REFERENCES staff, starts_at timestamp NOT NULL, booked_at timestamp NOT NULL, state text NOT NULL
);

INSERT INTO units SELECT i, 'Unit ' || i, 'B' || i % 7, CASE WHEN i > 12 THEN 10 + i % 30 END, CASE WHEN i > 4 THEN 1 + floor(pick(i, 1) * least(i - 1, 30))::int END FROM generate_series(1, 120) i;
INSERT INTO staff
SELECT i, 'Staff ' || i, (ARRAY['doctor','nurse','nurse','porter'])[1 + i % 4], CASE WHEN pick(i, 2) < 0.95 THEN 1 + floor(pick(i, 3) * 120)::int END,
    CASE WHEN i > 10 THEN 1 + floor(pick(i, 4) ^ 3 * (i - 1))::int END, date '2005-01-01' + (pick(i, 5) * 6800)::int
FROM generate_series(1, greatest((4000 * :scale)::int, 300)) i;
INSERT INTO insurers SELECT i, 'Insurer ' || i, (ARRAY['CZ','SK','AT'])[1 + i % 3] FROM generate_series(1, 12) i;
INSERT INTO patients
SELECT i, 'M' || lpad(i::text, 8, '0'), 'Patient ' || i, date '1930-01-01' + (pick(i, 6) * 33000)::int, CASE WHEN pick(i, 7) < 0.97 THEN (ARRAY['f','m'])[1 + i % 2] END,
    CASE WHEN pick(i, 8) < 0.92 THEN (ARRAY['Brno','Praha','Ostrava','Plzen','Olomouc','Zlin','Jihlava'])[1 + floor(pick(i, 9) ^ 2 * 7)::int] END,
    CASE WHEN pick(i, 10) < 0.93 THEN 1 + floor(pick(i, 11) ^ 2 * 12)::int END, CASE WHEN pick(i, 12) < 0.04 THEN date '2023-01-01' + (pick(i, 13) * 500)::int END
FROM generate_series(1, greatest((70000 * :scale)::int, 400)) i;
INSERT INTO admissions
SELECT i, 1 + floor(pick(i, 14) ^ 1.5 * greatest((70000 * :scale)::int, 400))::int, 1 + floor(pick(i, 15) * 120)::int, s.start,
    CASE WHEN pick(i, 16) < 0.96 THEN s.start + pick(i, 17) ^ 3 * interval '40 days' END, (ARRAY['emergency','emergency','elective','transfer'])[1 + floor(pick(i, 18) * 4)::int],
    CASE WHEN pick(i, 19) < 0.9 THEN 1 + floor(pick(i, 20) * greatest((4000 * :scale)::int, 300))::int END
FROM (SELECT i, date_trunc('minute', timestamp '2022-06-01' + pick(i, 21) * interval '700 days') AS start FROM generate_series(1, (150000 * :scale)::int) i) s;
INSERT INTO diagnoses
SELECT a.id, n, (ARRAY['I','J','K','C','S'])[1 + floor(pick(a.id * 4 + n, 22) * 5)::int] || lpad(floor(pick(a.id * 4 + n, 23) ^ 2 * 99)::int::text, 2, '0'), n = 1
FROM admissions a, generate_series(1, 3) n WHERE n = 1 OR pick(a.id * 4 + n, 24) < 0.4;
INSERT INTO lab_tests SELECT i, 'T' || i, 'Test ' || i, 1 + i, CASE WHEN i % 9 <> 0 THEN 3 * i + 5 END FROM generate_series(1, 60) i;
INSERT INTO labs
SELECT s.i, s.patient, CASE WHEN pick(s.i, 25) < 0.7 THEN 1 + floor(pick(s.i, 26) * (150000 * :scale))::int END, s.test, date_trunc('second', timestamp '2022-06-01' + pick(s.i, 27) * interval '720 days'),
    CASE WHEN pick(s.i, 28) < 0.96 THEN round((s.test * 4 * pick(s.i, 29))::numeric, 3) END, CASE WHEN pick(s.i, 30) < 0.94 THEN pick(s.i, 31) < 0.13 END
FROM (SELECT i, 1 + floor(pick(i, 32) ^ 1.3 * greatest((70000 * :scale)::int, 400))::int AS patient, 1 + floor(pick(i, 33) ^ 2 * 60)::int AS test FROM generate_series(1, (600000 * :scale)::int) i) s;
INSERT INTO vitals
SELECT p, timestamp '2024-04-01' + n * interval '4 hours' + floor(pick(p * 64 + n, 34) * 3000) * interval '1 second', CASE WHEN pick(p * 64 + n, 35) < 0.95 THEN 45 + floor(pick(p * 64 + n, 36) * 90)::int END,
    CASE WHEN pick(p * 64 + n, 37) < 0.9 THEN round((35.5 + 5 * pick(p * 64 + n, 38) ^ 3)::numeric, 1) END
FROM generate_series(1, greatest((70000 * :scale)::int, 400)) p, generate_series(1, 40) n WHERE pick(p, 39) < 0.2 AND pick(p * 64 + n, 40) < 0.8;
INSERT INTO drugs SELECT i, 'Drug ' || i, 'class ' || i % 30, CASE WHEN i > 5 AND i % 6 = 0 THEN 1 + floor(pick(i, 41) * (i - 1))::int END FROM generate_series(1, greatest((4000 * :scale)::int, 300)) i;
INSERT INTO prescriptions
SELECT i, 1 + floor(pick(i, 42) ^ 1.3 * greatest((70000 * :scale)::int, 400))::int, 1 + floor(pick(i, 43) ^ 3 * 0.9 * greatest((4000 * :scale)::int, 300))::int,
    CASE WHEN pick(i, 44) < 0.95 THEN 1 + floor(pick(i, 45) * greatest((4000 * :scale)::int, 300))::int END, s.at, CASE WHEN pick(i, 46) < 0.7 THEN s.at::date + (pick(i, 47) * 90)::int END,
    CASE WHEN pick(i, 48) < 0.95 THEN round((1 + 99 * pick(i, 49))::numeric, 2) END
FROM (SELECT i, date_trunc('minute', timestamp '2022-06-01' + pick(i, 50) * interval '720 days') AS at FROM generate_series(1, (250000 * :scale)::int) i) s;
INSERT INTO appointments
SELECT i, CASE WHEN pick(i, 51) < 0.97 THEN 1 + floor(pick(i, 52) * greatest((70000 * :scale)::int, 400))::int END, 1 + floor(pick(i, 53) * greatest((4000 * :scale)::int, 300) / 8)::int,
    s.at, s.at - pick(i, 54) * interval '60 days', (ARRAY['done','done','done','done','missed','cancelled'])[1 + floor(pick(i, 55) * 6)::int]
FROM (SELECT i, date_trunc('minute', timestamp '2022-06-01' + pick(i, 56) * interval '720 days') AS at FROM generate_series(1, (300000 * :scale)::int) i) s;

CREATE INDEX labs_test_taken ON labs (test_id, taken_at);
CREATE INDEX admissions_unit ON admissions (unit_id);
CREATE INDEX appointments_doctor ON appointments (doctor_id, starts_at);
CREATE INDEX prescriptions_patient ON prescriptions (patient_id, prescribed_at);
DROP FUNCTION pick;
ANALYZE;
