-- A small world in the shape of TPC-H: the same tables and columns, invented contents, always the same.
-- Primary and foreign keys only, as the benchmark has them.
select setseed(0.42);

create table region (
  r_regionkey integer primary key,
  r_name text not null
);
create table nation (
  n_nationkey integer primary key,
  n_name text not null,
  n_regionkey integer not null references region
);
create table supplier (
  s_suppkey integer primary key,
  s_name text not null,
  s_nationkey integer not null references nation,
  s_acctbal numeric(15, 2) not null
);
create table customer (
  c_custkey integer primary key,
  c_name text not null,
  c_nationkey integer not null references nation,
  c_mktsegment text not null,
  c_acctbal numeric(15, 2) not null
);
create table part (
  p_partkey integer primary key,
  p_name text not null,
  p_brand text not null,
  p_container text not null,
  p_size integer not null,
  p_retailprice numeric(15, 2) not null
);
create table partsupp (
  ps_partkey integer not null references part,
  ps_suppkey integer not null references supplier,
  ps_availqty integer not null,
  ps_supplycost numeric(15, 2) not null,
  primary key (ps_partkey, ps_suppkey)
);
create table orders (
  o_orderkey integer primary key,
  o_custkey integer not null references customer,
  o_orderstatus char(1) not null,
  o_totalprice numeric(15, 2) not null,
  o_orderdate date not null
);
create table lineitem (
  l_orderkey integer not null references orders,
  l_linenumber integer not null,
  l_partkey integer not null,
  l_suppkey integer not null,
  l_quantity numeric(15, 2) not null,
  l_extendedprice numeric(15, 2) not null,
  l_discount numeric(15, 2) not null,
  l_shipdate date not null,
  primary key (l_orderkey, l_linenumber),
  foreign key (l_partkey, l_suppkey) references partsupp
);

insert into region
select n - 1, name
from unnest(array['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST']) with ordinality as r (name, n);

insert into nation
select n, 'NATION ' || to_char(n, 'FM00'), n % 5 from generate_series(0, 24) n;

insert into supplier
select n, 'Supplier#' || to_char(n, 'FM000000'), (random() * 24)::integer, (random() * 11000 - 1000)::numeric(15, 2)
from generate_series(1, 100) n;

insert into customer
select n, 'Customer#' || to_char(n, 'FM000000'), (random() * 24)::integer,
  (array['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'])[1 + (random() * 4)::integer],
  (random() * 11000 - 1000)::numeric(15, 2)
from generate_series(1, 1500) n;

insert into part
select n, 'part ' || n, 'Brand#' || (1 + n % 5) || (1 + (n / 5) % 5),
  (array['SM BOX', 'MED BOX', 'LG BOX', 'JUMBO BOX', 'WRAP BOX'])[1 + (n / 25) % 5],
  1 + (random() * 49)::integer, (900 + random() * 1100)::numeric(15, 2)
from generate_series(1, 2000) n;

insert into partsupp
select p, 1 + (p * 7 + s * 29) % 100, (random() * 9999)::integer, (random() * 1000)::numeric(15, 2)
from generate_series(1, 2000) p, generate_series(0, 3) s;

insert into orders
select n, 1 + (random() * 1499)::integer, (array['F', 'O', 'P'])[1 + (random() * 2)::integer],
  (random() * 400000)::numeric(15, 2), date '1992-01-01' + (random() * 2400)::integer
from generate_series(1, 15000) n;

-- each line refers to a supplier who has the part
insert into lineitem
select o, l, p, 1 + (p * 7 + s * 29) % 100, q, (q * (900 + random() * 1100))::numeric(15, 2),
  (random() * 0.1)::numeric(15, 2), date '1992-01-01' + (random() * 2500)::integer
from (
  select o, l, 1 + (random() * 1999)::integer as p, (random() * 3)::integer as s, 1 + (random() * 49)::integer as q
  from generate_series(1, 15000) o, generate_series(1, 4) l
) as lines;
