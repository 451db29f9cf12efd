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
create domain posint as int check (value > 0);
create domain nn as int not null;
create domain shorttext as varchar(3);
create type pair as (a numeric, b text);
create table w (id int primary key, k int not null, i2 int2, f4 float4, oi oid, dm posint, sh shorttext, cp pair, js jsonb,
  ip inet, ci cidr, mo money, ti time, tt timetz, t0 timestamp(0), ir int4range, nr numrange, dr daterange, mr int4multirange,
  vb varbit, b3 bit(3), ct text collate "POSIX", cc text collate "C", te text, by bytea, na numeric[], ta text[], ca char(3)[], bx box,
  n2 numeric(5,2), q "char", g2 int generated always as (k + 1) stored);
create table ft (x int, y int, primary key (x, y));
create table c (id int primary key, a int unique, b int unique nulls not distinct, d int unique deferrable initially deferred,
  e int check (e > 0), g int not null, h int, ct text collate "POSIX" unique, s text, n numeric unique, ch char(3) unique, f float8 unique,
  r int references u, fm int, fn int, ne int references u not enforced, ce int check (ce > 0) not enforced,
  foreign key (fm, fn) references ft (x, y) match full);
create unique index on c (g) where e > 0;
create unique index on c (lower(s));
create unique index on c (h) include (e);
create view vb with (security_barrier) as select id, x, y, g from t where x > 0;
create view vu as select uid, count(*) n, sum(x) sx from t group by uid;
create table nd (id int primary key, p int, q int, k int unique, v int, w int not null, foreign key (q) references nd);
create table pe (id int primary key, room int, days int4range, day daterange, exclude using gist (days with &&));
create table tf (id int not null, valid daterange not null, cents int not null, exclude using gist (valid with &&));
