-- Recruiting: companies with jobs, candidates who apply, the stages of each application, interviews, notes and skills.
-- :scale is replaced by the loader; 1 gives about 2 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE companies (id int PRIMARY KEY, name text NOT NULL, plan text NOT NULL, created_on date NOT NULL);
CREATE TABLE users (id int PRIMARY KEY, company_id int NOT NULL REFERENCES companies, name text NOT NULL, role text NOT NULL, manager_id int REFERENCES users);
CREATE TABLE jobs (
    id int PRIMARY KEY, company_id int NOT NULL REFERENCES companies, title text NOT NULL, city text, remote boolean NOT NULL, opened_on date NOT NULL, closed_on date, owner_id int REFERENCES users
);
CREATE TABLE candidates (id int PRIMARY KEY, name text NOT NULL, email text, city text, source text NOT NULL, created_at timestamp NOT NULL);
CREATE TABLE applications (
    id int PRIMARY KEY, job_id int NOT NULL REFERENCES jobs, candidate_id int NOT NULL REFERENCES candidates, applied_at timestamp NOT NULL, state text NOT NULL, expected int,
    UNIQUE (job_id, candidate_id)
);
CREATE TABLE stage_events (application_id int NOT NULL REFERENCES applications, seq int NOT NULL, stage text NOT NULL, at timestamp NOT NULL, actor_id int REFERENCES users, PRIMARY KEY (application_id, seq));
CREATE TABLE interviews (id int PRIMARY KEY, application_id int NOT NULL REFERENCES applications, starts_at timestamp NOT NULL, minutes int NOT NULL, interviewer_id int REFERENCES users, score int);
CREATE TABLE notes (id int PRIMARY KEY, application_id int NOT NULL REFERENCES applications, author_id int NOT NULL REFERENCES users, created_at timestamp NOT NULL, body text NOT NULL);
CREATE TABLE skills (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE candidate_skills (candidate_id int NOT NULL REFERENCES candidates, skill_id int NOT NULL REFERENCES skills, years int, PRIMARY KEY (candidate_id, skill_id));
CREATE TABLE job_skills (job_id int NOT NULL REFERENCES jobs, skill_id int NOT NULL REFERENCES skills, PRIMARY KEY (job_id, skill_id));

INSERT INTO companies SELECT i, 'Company ' || i, (ARRAY['free','team','team','enterprise'])[1 + i % 4], date '2019-01-01' + (pick(i, 1) * 1500)::int FROM generate_series(1, greatest((1500 * :scale)::int, 60)) i;
INSERT INTO users
SELECT i, 1 + i % n, 'User ' || i, (ARRAY['recruiter','manager','engineer'])[1 + i % 3], CASE WHEN i > n THEN 1 + floor(pick(i, 2) * (i - 1))::int END
FROM generate_series(1, greatest((12000 * :scale)::int, 400)) i, (SELECT count(*)::int AS n FROM companies) c;
INSERT INTO jobs
SELECT i, 1 + floor(pick(i, 3) ^ 2 * (SELECT count(*) FROM companies))::int, (ARRAY['Engineer','Designer','Analyst','Nurse','Driver'])[1 + i % 5] || ' ' || i % 40,
    CASE WHEN pick(i, 4) < 0.9 THEN 'City ' || (pick(i, 5) * 60)::int END, pick(i, 6) < 0.2, date '2022-06-01' + (pick(i, 7) * 700)::int,
    CASE WHEN pick(i, 8) < 0.6 THEN date '2024-06-01' + (pick(i, 9) * 90)::int END, 1 + floor(pick(i, 10) * (SELECT count(*) FROM users))::int
FROM generate_series(1, greatest((20000 * :scale)::int, 300)) i;
INSERT INTO candidates
SELECT i, 'Candidate ' || i, CASE WHEN pick(i, 11) < 0.95 THEN CASE WHEN i % 2 = 0 THEN 'C' ELSE 'c' END || (i - (pick(i, 12) * 1.05)::int) || '@example.org' END,
    CASE WHEN pick(i, 13) < 0.9 THEN 'City ' || (pick(i, 14) * 60)::int END, (ARRAY['web','agency','referral','import'])[1 + i % 4], timestamp '2022-01-01' + pick(i, 15) * interval '900 days'
FROM generate_series(1, greatest((150000 * :scale)::int, 1000)) i;
INSERT INTO applications
SELECT row_number() OVER (), job_id, candidate_id, at, state, expected FROM (
    SELECT DISTINCT ON (job_id, candidate_id) job_id, candidate_id, timestamp '2022-07-01' + pick(i, 16) * interval '780 days' AS at,
        (ARRAY['open','open','rejected','rejected','withdrawn','hired'])[1 + i % 6] AS state, CASE WHEN pick(i, 17) < 0.7 THEN 20000 + (pick(i, 18) * 90000)::int END AS expected
    FROM generate_series(1, greatest((300000 * :scale)::int, 2500)) i,
        LATERAL (SELECT 1 + floor(pick(i, 19) ^ 1.5 * (SELECT count(*) FROM jobs))::int AS job_id, 1 + floor(pick(i, 20) ^ 1.5 * (SELECT count(*) FROM candidates))::int AS candidate_id) t
) a;
INSERT INTO stage_events
SELECT a.id, k, (ARRAY['applied','screening','interview','offer','done'])[k], a.applied_at + (k - 1) * (1 + pick(a.id * 8::bigint + k, 21)) * interval '4 days', 1 + floor(pick(a.id * 8::bigint + k, 22) * (SELECT count(*) FROM users))::int
FROM applications a, generate_series(1, 5) k WHERE k <= 1 + floor(pick(a.id, 23) * 5)::int;
INSERT INTO interviews
SELECT i, 1 + floor(pick(i, 24) * (SELECT count(*) FROM applications))::int, timestamp '2022-08-01' + pick(i, 25) * interval '780 days', 15 * (1 + i % 6),
    1 + floor(pick(i, 26) * (SELECT count(*) FROM users))::int, CASE WHEN pick(i, 27) < 0.8 THEN 1 + (pick(i, 28) * 9)::int END
FROM generate_series(1, greatest((200000 * :scale)::int, 1500)) i;
INSERT INTO notes
SELECT i, 1 + floor(pick(i, 29) ^ 1.3 * (SELECT count(*) FROM applications))::int, 1 + floor(pick(i, 30) * (SELECT count(*) FROM users))::int,
    timestamp '2022-08-01' + pick(i, 31) * interval '780 days', 'Note ' || i || CASE WHEN i % 9 = 0 THEN ' salary' ELSE '' END
FROM generate_series(1, greatest((250000 * :scale)::int, 1500)) i;
INSERT INTO skills SELECT i, 'Skill ' || i FROM generate_series(1, 150) i;
INSERT INTO candidate_skills
SELECT DISTINCT ON (c.id, s) c.id, s, (pick(c.id * 8::bigint + k, 32) * 12)::int
FROM candidates c, generate_series(0, 2) k, LATERAL (SELECT 1 + floor(pick(c.id * 8::bigint + k, 33) ^ 2 * 150)::int AS s) t;
INSERT INTO job_skills
SELECT DISTINCT ON (j.id, s) j.id, s FROM jobs j, generate_series(0, 1) k, LATERAL (SELECT 1 + floor(pick(j.id * 8::bigint + k, 34) ^ 2 * 150)::int AS s) t;

CREATE INDEX ON jobs (company_id);
CREATE INDEX ON applications (candidate_id);
CREATE INDEX ON interviews (application_id);
CREATE INDEX ON applications (applied_at);

CREATE VIEW application_stage AS SELECT DISTINCT ON (e.application_id) e.application_id, e.stage, e.at FROM stage_events e ORDER BY e.application_id, e.at DESC, e.seq DESC;
CREATE VIEW pipeline AS
SELECT a.job_id, s.stage, count(*) AS applications, min(s.at) AS oldest FROM applications a JOIN application_stage s ON s.application_id = a.id WHERE a.state = 'open' GROUP BY a.job_id, s.stage;
CREATE VIEW company_pipeline AS
SELECT j.company_id, c.name, p.stage, sum(p.applications) AS applications, min(p.oldest) AS oldest FROM pipeline p JOIN jobs j ON j.id = p.job_id JOIN companies c ON c.id = j.company_id GROUP BY j.company_id, c.name, p.stage;
