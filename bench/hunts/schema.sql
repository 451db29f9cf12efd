create type mood as enum ('sad', 'ok', 'happy');
create table u (id int primary key, k int not null unique, r int, w numeric, c char(4), i8 bigint, f float8, s text, b bool);
create table t (id int primary key, uid int not null references u, oid int references u, g int, x int not null, y int,
  i8 bigint, n numeric, m numeric(6,2), f float8, c char(4), v varchar(6), s text, d date, ts timestamp, tz timestamptz,
  iv interval, b bool, a int[], bt bit(3), nm name, e mood, h int generated always as (x * 2) stored);
create table p1 (id int, g int, z int) partition by list (g);
create table p1a partition of p1 for values in (1);
create table p1b partition of p1 default;
create table base (id int primary key, g int);
create table kid (extra int) inherits (base);
create view vt as select id, g, x, y, n from t where x > 0;
