-- A service that builds software: teams with plans and their limits, projects, users, pipelines of jobs on runners, tests with results, deployments, incidents, two views over LEFT JOINed groups. Few foreign keys have an index.
-- :scale is replaced by the loader; 1 gives about 1.6 million rows, two thirds of them results of tests.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE plans (name text PRIMARY KEY, monthly numeric(8,2) NOT NULL);
CREATE TABLE plan_limits (plan text NOT NULL REFERENCES plans, valid_from date NOT NULL, minutes int NOT NULL, PRIMARY KEY (plan, valid_from));
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL, plan text NOT NULL REFERENCES plans, country char(2));
CREATE TABLE users (id int PRIMARY KEY, team_id int NOT NULL REFERENCES teams, login text NOT NULL UNIQUE, joined date NOT NULL, is_bot boolean NOT NULL);
CREATE TABLE projects (id int PRIMARY KEY, team_id int NOT NULL REFERENCES teams, slug text NOT NULL UNIQUE, language text, archived boolean NOT NULL, created_at timestamp NOT NULL);
CREATE TABLE runners (id int PRIMARY KEY, label text NOT NULL, region text NOT NULL, cores smallint NOT NULL);
CREATE TABLE pipelines (id int PRIMARY KEY, project_id int NOT NULL REFERENCES projects, branch text NOT NULL, triggered_by int REFERENCES users, status text NOT NULL, started_at timestamp NOT NULL, finished_at timestamp);
CREATE TABLE jobs (id int PRIMARY KEY, pipeline_id int NOT NULL REFERENCES pipelines, name text NOT NULL, runner_id int REFERENCES runners, status text NOT NULL, queued_at timestamp NOT NULL, started_at timestamp, seconds numeric(9,1));
CREATE TABLE tests (id int PRIMARY KEY, project_id int NOT NULL REFERENCES projects, path text NOT NULL, owner_id int REFERENCES users);
CREATE TABLE test_results (job_id int NOT NULL REFERENCES jobs, test_id int NOT NULL REFERENCES tests, outcome text NOT NULL, ms int, PRIMARY KEY (job_id, test_id));
CREATE TABLE deployments (id int PRIMARY KEY, project_id int NOT NULL REFERENCES projects, pipeline_id int REFERENCES pipelines, environment text NOT NULL, deployed_at timestamp NOT NULL, rolled_back boolean NOT NULL DEFAULT false);
CREATE TABLE incidents (id int PRIMARY KEY, project_id int NOT NULL REFERENCES projects, severity smallint NOT NULL, opened_at timestamp NOT NULL, closed_at timestamp);

INSERT INTO plans VALUES ('free', 0), ('starter', 19), ('business', 99), ('enterprise', 900);
INSERT INTO plan_limits SELECT p.name, date '2022-01-01' + k * 91, (200 + k * 10) * (1 + length(p.name) * 3) FROM plans p, generate_series(0, 12) k;
INSERT INTO teams SELECT i, 'team ' || i, (ARRAY['free','free','starter','business','enterprise'])[1 + floor(pick(i, 1) * 5)::int], CASE WHEN pick(i, 2) < 0.95 THEN (ARRAY['US','DE','FR','IN','BR'])[1 + i % 5] END FROM generate_series(1, greatest((900 * :scale)::int, 60)) i;
INSERT INTO users SELECT i, 1 + floor(pick(i, 3) ^ 1.4 * n)::int, 'user' || i, date '2021-01-01' + (pick(i, 4) * 1400)::int, pick(i, 5) < 0.04 FROM generate_series(1, greatest((20000 * :scale)::int, 300)) i, (SELECT count(*) AS n FROM teams) t;
INSERT INTO projects SELECT i, 1 + floor(pick(i, 6) ^ 1.3 * n)::int, 'project-' || i, CASE WHEN pick(i, 7) < 0.93 THEN (ARRAY['go','java','python','rust','ruby','c'])[1 + floor(pick(i, 8) ^ 1.3 * 6)::int] END, pick(i, 9) < 0.12, timestamp '2021-01-01' + interval '1 hour' * floor(pick(i, 10) * 30000) FROM generate_series(1, greatest((6000 * :scale)::int, 120)) i, (SELECT count(*) AS n FROM teams) t;
INSERT INTO runners SELECT i, (ARRAY['small','small','large','gpu','arm'])[1 + floor(pick(i, 11) * 5)::int], (ARRAY['eu','us','ap'])[1 + i % 3], (ARRAY[2,4,8,16])[1 + floor(pick(i, 12) * 4)::int] FROM generate_series(1, 240) i;
INSERT INTO pipelines
SELECT i, 1 + floor(pick(i, 13) ^ 1.7 * p.n)::int, CASE WHEN pick(i, 14) < 0.35 THEN 'main' ELSE 'topic-' || i % 97 END, CASE WHEN pick(i, 15) < 0.9 THEN 1 + floor(pick(i, 16) ^ 1.5 * u.n)::int END, (ARRAY['passed','passed','passed','failed','cancelled'])[1 + floor(pick(i, 17) * 5)::int], timestamp '2022-01-01' + interval '1 second' * floor(pick(i, 18) * 94000000), NULL
FROM generate_series(1, (90000 * :scale)::int) i, (SELECT count(*) AS n FROM projects) p, (SELECT count(*) AS n FROM users) u;
UPDATE pipelines SET finished_at = started_at + interval '1 second' * (60 + floor(pick(id, 19) ^ 3 * 7000)) WHERE status <> 'cancelled';
INSERT INTO jobs
SELECT row_number() OVER (ORDER BY p.id, k), p.id, (ARRAY['build','unit','lint','e2e','publish'])[k], CASE WHEN pick(p.id * 8 + k, 20) < 0.97 THEN 1 + floor(pick(p.id * 8 + k, 21) ^ 1.5 * 240)::int END, CASE WHEN p.status = 'failed' AND k = 2 + p.id % 3 THEN 'failed' WHEN p.status = 'cancelled' AND k > 2 THEN 'skipped' ELSE 'passed' END, p.started_at + interval '5 seconds' * k, p.started_at + interval '5 seconds' * k + interval '1 second' * floor(pick(p.id * 8 + k, 22) ^ 3 * 900), CASE WHEN pick(p.id * 8 + k, 23) < 0.98 THEN round((10 + pick(p.id * 8 + k, 24) ^ 3 * 1800)::numeric, 1) END
FROM pipelines p, generate_series(1, 5) k WHERE k < 4 OR pick(p.id * 8 + k, 25) < 0.4;
INSERT INTO tests SELECT i, 1 + floor(pick(i, 26) ^ 1.7 * p.n)::int, 'tests/t' || i, CASE WHEN pick(i, 27) < 0.8 THEN 1 + floor(pick(i, 28) * u.n)::int END FROM generate_series(1, (40000 * :scale)::int) i, (SELECT count(*) AS n FROM projects) p, (SELECT count(*) AS n FROM users) u;
INSERT INTO test_results
SELECT j.id, t.id, CASE WHEN pick(j.id * 131 + t.id, 29) < 0.93 THEN 'ok' WHEN pick(j.id * 131 + t.id, 30) < 0.7 THEN 'fail' ELSE 'skip' END, CASE WHEN pick(j.id * 131 + t.id, 31) < 0.97 THEN 1 + floor(pick(j.id * 131 + t.id, 32) ^ 5 * 20000)::int END
FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id JOIN tests t ON t.project_id = p.project_id WHERE j.name IN ('unit','e2e') AND pick(j.id * 131 + t.id, 33) < 0.12 * least(1, 1 / :scale);
INSERT INTO deployments SELECT row_number() OVER (ORDER BY id), project_id, CASE WHEN pick(id, 34) < 0.97 THEN id END, (ARRAY['production','staging','staging'])[1 + floor(pick(id, 35) * 3)::int], finished_at + interval '10 minutes', pick(id, 36) < 0.05 FROM pipelines WHERE status = 'passed' AND branch = 'main';
INSERT INTO incidents SELECT i, 1 + floor(pick(i, 37) ^ 1.7 * n)::int, 1 + floor(pick(i, 38) * 4)::int, timestamp '2022-01-01' + interval '1 second' * floor(pick(i, 39) * 94000000), CASE WHEN pick(i, 40) < 0.95 THEN timestamp '2022-01-01' + interval '1 second' * (floor(pick(i, 39) * 94000000) + floor(pick(i, 41) * 200000)) END FROM generate_series(1, (9000 * :scale)::int) i, (SELECT count(*) AS n FROM projects) p;

CREATE INDEX jobs_pipeline ON jobs (pipeline_id);
CREATE INDEX pipelines_started ON pipelines (started_at);
CREATE VIEW project_health AS
SELECT p.id, p.slug, p.team_id, p.language, coalesce(r.runs, 0) AS runs, coalesce(r.failed, 0) AS failed, coalesce(d.n, 0) AS deployments, i.open_incidents
FROM projects p
LEFT JOIN (SELECT project_id, count(*) AS runs, count(*) FILTER (WHERE status = 'failed') AS failed FROM pipelines GROUP BY project_id) r ON r.project_id = p.id
LEFT JOIN (SELECT project_id, count(*) AS n FROM deployments WHERE environment = 'production' GROUP BY project_id) d ON d.project_id = p.id
LEFT JOIN (SELECT project_id, count(*) AS open_incidents FROM incidents WHERE closed_at IS NULL GROUP BY project_id) i ON i.project_id = p.id
WHERE NOT p.archived;
CREATE VIEW job_minutes AS
SELECT j.id, pr.id AS project_id, pr.team_id, date_trunc('month', j.started_at) AS month, j.name, r.region, coalesce(j.seconds, 0) / 60 * coalesce(r.cores, 2) AS minutes
FROM jobs j JOIN pipelines pi ON pi.id = j.pipeline_id JOIN projects pr ON pr.id = pi.project_id LEFT JOIN runners r ON r.id = j.runner_id;
