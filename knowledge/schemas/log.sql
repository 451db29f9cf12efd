-- events, sessions, sensor readings
create table app (id int primary key, name text not null, owner text);
create table session (id int primary key, app_id int not null references app, user_id int not null, started_at timestamptz not null, ended_at timestamptz, agent text not null);
create table event (
    id bigint primary key,
    session_id int not null references session,
    at timestamptz not null,
    kind text not null,
    duration_ms int,
    payload jsonb not null,
    tags text[] not null
);
create table error (id int primary key, event_id bigint not null unique references event, code int not null, message text not null, fixed bool);
create table sensor (id int primary key, room text not null, kind text not null);
create table reading (sensor_id int not null references sensor, at timestamp not null, value float8 not null, quality int, primary key (sensor_id, at));
create table holiday (day date primary key, name text not null);
create index event_session on event (session_id);
create index event_at on event (at);
create index session_of_user on session (user_id);
create index reading_at on reading (at);
