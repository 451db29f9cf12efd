-- A helpdesk: organisations, users, tickets with soft deletes, comments, events, tags as an ORM keeps them.
-- :scale is replaced by the loader; 1 gives about 1.5 million rows.
CREATE FUNCTION pick(i bigint, salt int) RETURNS double precision LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(i, salt) & 1073741823)::double precision / 1073741824;

CREATE TABLE orgs (id bigint PRIMARY KEY, name varchar(80) NOT NULL, plan varchar(20) NOT NULL, deleted_at timestamptz);
CREATE TABLE users (
    id bigint PRIMARY KEY, org_id bigint REFERENCES orgs, email varchar(120) NOT NULL UNIQUE, full_name varchar(120) NOT NULL,
    role varchar(12) NOT NULL, is_active boolean NOT NULL, joined_at timestamptz NOT NULL
);
CREATE TABLE tickets (
    id bigint PRIMARY KEY, org_id bigint NOT NULL REFERENCES orgs, requester_id bigint NOT NULL REFERENCES users,
    assignee_id bigint REFERENCES users, parent_id bigint REFERENCES tickets, subject varchar(200) NOT NULL, status varchar(12) NOT NULL,
    priority int NOT NULL, opened_at timestamptz NOT NULL, closed_at timestamptz, deleted_at timestamptz
);
CREATE TABLE comments (
    id bigint PRIMARY KEY, ticket_id bigint NOT NULL REFERENCES tickets, author_id bigint REFERENCES users, body text NOT NULL,
    is_public boolean NOT NULL, created_at timestamptz NOT NULL, deleted_at timestamptz
);
CREATE TABLE events (
    id bigint PRIMARY KEY, ticket_id bigint NOT NULL REFERENCES tickets, actor_id bigint, kind varchar(20) NOT NULL,
    at timestamptz NOT NULL, minutes int
);
CREATE TABLE tags (id bigint PRIMARY KEY, name varchar(40) NOT NULL UNIQUE);
CREATE TABLE ticket_tags (
    id bigint PRIMARY KEY, ticket_id bigint NOT NULL REFERENCES tickets, tag_id bigint NOT NULL REFERENCES tags, UNIQUE (tag_id, ticket_id)
);
CREATE TABLE blocked_senders (email varchar(120), reason text);

INSERT INTO orgs
SELECT i, 'Organisation ' || i, (ARRAY['free','free','team','enterprise'])[1 + floor(pick(i, 1) * 4)::int],
    CASE WHEN pick(i, 2) < 0.05 THEN timestamptz '2024-06-01 00:00+00' END
FROM generate_series(1, greatest((600 * :scale)::int, 60)) i;
INSERT INTO users
SELECT i, CASE WHEN i > 200 THEN 1 + floor(pick(i, 11) ^ 2 * greatest((600 * :scale)::int, 60))::int END, 'u' || i || '@example.com',
    'User ' || (i % 5000), CASE WHEN i <= 200 THEN 'agent' WHEN i % 40 = 0 THEN 'manager' ELSE 'customer' END, pick(i, 12) < 0.85,
    timestamptz '2020-01-01 00:00+00' + pick(i, 13) * interval '1700 days'
FROM generate_series(1, greatest((25000 * :scale)::int, 1000)) i;
INSERT INTO tickets
SELECT t.i, coalesce(u.org_id, 1), t.requester, CASE WHEN pick(t.i, 21) < 0.8 THEN 1 + floor(pick(t.i, 22) ^ 2 * 200)::int END,
    CASE WHEN t.i > 1000 AND pick(t.i, 23) < 0.1 THEN t.i - 1 - floor(pick(t.i, 24) * 500)::int END, 'Ticket about subject ' || (t.i * 7 % 4000),
    (ARRAY['open','pending','closed','closed','closed','closed','closed','solved'])[1 + floor(pick(t.i, 25) * 8)::int],
    1 + floor(pick(t.i, 26) ^ 2 * 5)::int, t.opened,
    CASE WHEN pick(t.i, 25) >= 0.25 THEN t.opened + pick(t.i, 27) * interval '20 days' END,
    CASE WHEN pick(t.i, 28) < 0.04 THEN t.opened + interval '30 days' END
FROM (
    SELECT i, 201 + floor(pick(i, 29) ^ 2 * (greatest((25000 * :scale)::int, 1000) - 201))::int AS requester,
        date_trunc('second', timestamptz '2022-06-01 00:00+00' + i / (150000 * :scale)::double precision * interval '900 days') AS opened
    FROM generate_series(1, (150000 * :scale)::int) i
) t JOIN users u ON u.id = t.requester;
INSERT INTO comments
SELECT row_number() OVER (ORDER BY t.id, n), t.id,
    CASE WHEN pick(t.id * 32 + n, 31) < 0.03 THEN NULL WHEN n % 2 = 0 THEN t.assignee_id ELSE t.requester_id END,
    'comment ' || md5((t.id * 32 + n)::text), pick(t.id * 32 + n, 32) < 0.8, t.opened_at + n * pick(t.id * 32 + n, 33) * interval '2 days',
    CASE WHEN pick(t.id * 32 + n, 34) < 0.05 THEN t.opened_at + interval '40 days' END
FROM tickets t, generate_series(1, floor(pick(t.id, 35) ^ 2 * 10)::int) n;
INSERT INTO events
SELECT row_number() OVER (ORDER BY t.id, n), t.id, CASE WHEN pick(t.id * 32 + n, 41) < 0.7 THEN t.assignee_id END,
    (ARRAY['view','view','assign','status','escalate','worklog','worklog'])[1 + floor(pick(t.id * 32 + n, 42) * 7)::int],
    t.opened_at + n * pick(t.id * 32 + n, 43) * interval '1 day', CASE WHEN pick(t.id * 32 + n, 42) >= 0.71 THEN floor(pick(t.id * 32 + n, 44) * 90)::int END
FROM tickets t, generate_series(1, 1 + floor(pick(t.id, 45) * 6)::int) n;
INSERT INTO tags SELECT i, 'tag-' || i FROM generate_series(1, 120) i;
INSERT INTO ticket_tags
SELECT row_number() OVER (ORDER BY t.id, tag), t.id, tag
FROM tickets t, LATERAL (SELECT DISTINCT 1 + floor(pick(t.id * 8 + n, 51) ^ 3 * 120)::int AS tag FROM generate_series(1, floor(pick(t.id, 52) * 4)::int) n) g;
INSERT INTO blocked_senders
SELECT CASE WHEN i % 50 = 0 THEN NULL ELSE 'u' || (i * 13 % 25000) || '@example.com' END, 'spam' FROM generate_series(1, greatest((3000 * :scale)::int, 200)) i;

CREATE INDEX tickets_assignee_id ON tickets (assignee_id);
CREATE INDEX tickets_opened_at ON tickets (opened_at);
CREATE INDEX tickets_live ON tickets (org_id) WHERE deleted_at IS NULL;
CREATE INDEX comments_ticket_id ON comments (ticket_id);
CREATE INDEX comments_created_at ON comments (created_at);
CREATE INDEX events_at ON events (at);
CREATE INDEX users_org_id ON users (org_id);

CREATE VIEW live_tickets AS SELECT * FROM tickets WHERE deleted_at IS NULL;
CREATE VIEW ticket_activity AS
SELECT t.id, t.org_id, t.status, t.opened_at, c.comments, c.last_comment, e.events, e.minutes
FROM live_tickets t
LEFT JOIN (SELECT ticket_id, count(*) AS comments, max(created_at) AS last_comment FROM comments WHERE deleted_at IS NULL GROUP BY ticket_id) c ON c.ticket_id = t.id
LEFT JOIN (SELECT ticket_id, count(*) AS events, sum(minutes) AS minutes FROM events GROUP BY ticket_id) e ON e.ticket_id = t.id;
DROP FUNCTION pick;
ANALYZE;
