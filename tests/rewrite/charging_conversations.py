"""Four slow queries of a network of chargers for cars, and what was said of each by hand, as a strong model would: the chain of steps that it
was asked for, at the level `statistics`, where literals are the placeholders of the prompt.

The replies were written to the query and its prompt, without sight of rules and laws. Rules serve some of these queries by themselves; here
they are not asked, since what is tried is the conversation and the proofs. The queries took 1 to 20 seconds on half a million rows; here
they read a few hundred.
"""

from __future__ import annotations

from tests.rewrite.conversations import said

SETUP = """
create table sites (id int primary key, operator_id int not null, name text not null, closed_on date);
create table chargers (id int primary key, site_id int not null references sites, kind text not null, max_kw int not null);
create table drivers (id int primary key, name text not null, fleet_id int);
create table charges (id int primary key, charger_id int not null references chargers, driver_id int references drivers,
  payer_id int references drivers, started_at timestamp not null, kwh numeric(8,3) not null, state text not null);
create table orders (o_orderkey int primary key, o_custkey int not null, o_orderdate date not null, o_totalprice numeric(15,2) not null);
create table lineitem (l_orderkey int not null references orders, l_linenumber int not null, l_returnflag char(1) not null,
  primary key (l_orderkey, l_linenumber));
insert into sites select i, i % 5, 'site ' || i, case when i % 9 = 0 then date '2023-05-01' end from generate_series(1, 30) i;
insert into chargers select i, 1 + i * 7 % 30, (array['AC', 'DC', 'HPC'])[1 + i % 3], (array[11, 50, 300])[1 + i % 3] from generate_series(1, 90) i;
insert into drivers select i, 'driver ' || i, case when i % 3 = 0 then i % 12 end from generate_series(1, 150) i;
insert into charges select i, 1 + i * 11 % 90, case when i % 10 > 0 then 1 + i * 13 % 150 end, case when i % 4 = 0 then 1 + i % 150 end,
  timestamp '2024-01-01' + i * interval '3 hours', 2 + i % 53, (array['done', 'done', 'failed'])[1 + i % 3] from generate_series(1, 1500) i;
insert into orders select i, 1 + i * 7 % 120, date '2024-01-01' + i % 300, 10 + i % 97 from generate_series(1, 1200) i;
insert into lineitem select 1 + i / 2, 1 + i % 2, (array['R', 'A', 'N'])[1 + i % 3] from generate_series(1, 2000) i;
analyze;
"""

_PER = """with per as (
  select g.site_id, c.driver_id, sum(c.kwh) as kwh
  from charges c join chargers g on g.id = c.charger_id
  where c.driver_id is not null and c.state = {} and g.site_id <= {}
  group by g.site_id, c.driver_id)"""
_YEARS = "extract(year from {}o_orderdate)"
_RETURNED = """with returned as materialized (
  select b.o_custkey, b.o_orderdate, b.o_totalprice
  from orders b
  where exists (select 1 from lineitem l where l.l_orderkey = b.o_orderkey and l.l_returnflag = $3))
"""


CHARGING = (
    said(
        "the best tenth of the drivers of each site",
        _PER.format("'done'", 20)
        + """
select p.site_id, p.driver_id, p.kwh
from per p
where (select count(*) from per b where b.site_id = p.site_id and b.kwh > p.kwh)
    < (select count(*) from per b where b.site_id = p.site_id) / 10
order by p.site_id, p.kwh desc, p.driver_id""",
        _PER.format("$1", "$2")
        + """,
ranked as (
  select site_id, driver_id, kwh,
    rank() over (partition by site_id order by kwh desc) - 1 as better,
    count(*) over (partition by site_id) as total
  from per)
select site_id, driver_id, kwh
from ranked
where better < total / $3
order by site_id, kwh desc, driver_id""",
    ),
    said(
        "drivers and payers of a charger, counted once",
        """select g.id, g.kind,
  (select count(distinct x.who) from (
     select c.driver_id as who from charges c where c.charger_id = g.id
     union all
     select c.payer_id from charges c where c.charger_id = g.id) x) as people
from chargers g
where g.kind = 'HPC' and g.max_kw = 300""",
        """with wanted as (
  select id, kind from chargers where kind = $1 and max_kw = $2),
people as (
  select x.charger_id, count(distinct x.who) as n
  from (
    select c.charger_id, c.driver_id as who from charges c where c.charger_id in (select id from wanted)
    union all
    select c.charger_id, c.payer_id from charges c where c.charger_id in (select id from wanted)) x
  group by x.charger_id)
select w.id, w.kind, coalesce(p.n, 0) as people
from wanted w
left join people p on p.charger_id = w.id""",
    ),
    said(
        "customers with an order in every year",
        f"""select o.o_custkey, o.o_orderkey
from orders o
where o.o_totalprice > 50
  and not exists (
    select 1 from (select distinct {_YEARS.format("")} as y from orders) years
    where not exists (
      select 1 from orders b where b.o_custkey = o.o_custkey and {_YEARS.format("b.")} = years.y))""",
        f"""with cust_years as materialized (
  select distinct o_custkey, {_YEARS.format("")} as y from orders)
select o.o_custkey, o.o_orderkey
from orders o
where o.o_totalprice > $1
  and not exists (
    select 1 from (select distinct y from cust_years) years
    where not exists (
      select 1 from cust_years cy where cy.o_custkey = o.o_custkey and cy.y = years.y))""",
    ),
    said(
        "orders of more than twice the average of those with returns before",
        """select o.o_custkey, o.o_orderkey, o.o_totalprice
from orders o
where o.o_orderdate >= date '2024-06-01'
  and o.o_totalprice > 2 * (
    select avg(b.o_totalprice) from orders b
    where b.o_custkey = o.o_custkey and b.o_orderdate < o.o_orderdate
      and exists (select 1 from lineitem l where l.l_orderkey = b.o_orderkey and l.l_returnflag = 'R'))""",
        _RETURNED
        + """select o.o_custkey, o.o_orderkey, o.o_totalprice
from orders o
where o.o_orderdate >= date $1
  and o.o_totalprice > $2 * (
    select avg(b.o_totalprice) from returned b
    where b.o_custkey = o.o_custkey and b.o_orderdate < o.o_orderdate)""",
        _RETURNED
        + """select o.o_custkey, o.o_orderkey, o.o_totalprice
from orders o
join returned b on b.o_custkey = o.o_custkey and b.o_orderdate < o.o_orderdate
where o.o_orderdate >= date $1
group by o.o_orderkey, o.o_custkey, o.o_totalprice
having o.o_totalprice > $2 * avg(b.o_totalprice)""",
    ),
)
