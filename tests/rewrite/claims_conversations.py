"""Two slow queries of a film archive and of an insurer, and what was said of each by hand, as a strong model would: at the level
`statistics`, where literals are the placeholders of the prompt.

The replies were written to the query and its prompt, in small steps. The queries took 2.5 to more than 15 seconds on 400,000 rows; here they
read a few hundred. Rules are not asked.
"""

from __future__ import annotations

from tests.rewrite.conversations import said

SETUP = """
create table people (id int primary key, name text not null, born int);
create table films (id int primary key, title text not null);
create table credits (film_id int not null references films, person_id int not null references people, job text not null,
  primary key (film_id, person_id, job));
create table regions (id int primary key, name text not null);
create table customers (id int primary key, name text not null, region_id int not null references regions);
create table policies (id int primary key, customer_id int not null references customers, product text not null);
create table claims (id int primary key, policy_id int not null references policies, kind text not null);
create table payments (id int primary key, claim_id int not null references claims, amount numeric(10,2) not null);
insert into people select i, 'person ' || i, case when i % 5 > 0 then 1860 + i % 130 end from generate_series(1, 120) i;
insert into films select i, 'film ' || i from generate_series(1, 400) i;
insert into credits select distinct f, 1 + (f * 11 + k * k * 7) % 120, case k when 0 then 'director' else 'cast' end
  from generate_series(1, 400) f, generate_series(0, 5) k;
insert into regions select i, 'region ' || i from generate_series(1, 6) i;
insert into customers select i, 'customer ' || i, 1 + i % 6 from generate_series(1, 200) i;
insert into policies select i, 1 + i * 7 % 200, (array['motor', 'home', 'life'])[1 + i % 3] from generate_series(1, 500) i;
insert into claims select i, 1 + i * 11 % 500, (array['theft', 'hail', 'fire'])[1 + i % 3] from generate_series(1, 1200) i;
insert into payments select i, 1 + i * 13 % 1200, 10 + i % 90 from generate_series(1, 1500) i;
analyze;
"""

_TOTALS = """select r.name as region, p.product, p.customer_id, sum(y.amount) as total
  from payments y join claims c on c.id = y.claim_id join policies p on p.id = c.policy_id
  join customers u on u.id = p.customer_id join regions r on r.id = u.region_id
  group by r.name, p.product, p.customer_id"""
_TOGETHER = """(select count(*) from credits x join credits y on y.film_id = x.film_id
    where x.person_id = d.id and x.job = 'director' and y.person_id = c.id and y.job = 'cast')"""

CLAIMS = (
    said(
        "the three customers of each region and product for whom most was paid",
        f"""select x.region, x.product, x.customer_id, x.total
from ({_TOTALS}) x
where (select count(*) from ({_TOTALS}) z
  where z.region = x.region and z.product = x.product and z.total > x.total) < 3
order by x.region, x.product, x.total desc, x.customer_id""",
        f"""with totals as materialized ({_TOTALS})
select x.region, x.product, x.customer_id, x.total
from totals x
where (select count(*) from totals z where z.region = x.region and z.product = x.product and z.total > x.total) < $1
order by x.region, x.product, x.total desc, x.customer_id""",
        f"""with totals as materialized ({_TOTALS})
select x.region, x.product, x.customer_id, x.total
from (select region, product, customer_id, total,
        rank() over (partition by region, product order by total desc) as place
      from totals) x
where x.place <= $1
order by x.region, x.product, x.total desc, x.customer_id""",
    ),
    said(
        "directors and actors who worked together",
        f"""select d.name as director, c.name as actor, {_TOGETHER} as together
from people d, people c
where d.id in (select person_id from credits where job = 'director' group by person_id having count(*) >= 4)
  and c.id in (select person_id from credits where job = 'cast' group by person_id having count(*) >= 15)
  and {_TOGETHER} >= 1
order by together desc, director, actor""",
        """with directors as (
  select person_id from credits where job = $1 group by person_id having count(*) >= $3),
actors as (
  select person_id from credits where job = $2 group by person_id having count(*) >= $4),
pairs as (
  select x.person_id as director_id, y.person_id as actor_id, count(*) as together
  from credits x
  join credits y on y.film_id = x.film_id
  where x.job = $1 and y.job = $2
    and x.person_id in (select person_id from directors)
    and y.person_id in (select person_id from actors)
  group by x.person_id, y.person_id)
select d.name as director, c.name as actor, t.together
from pairs t
join people d on d.id = t.director_id
join people c on c.id = t.actor_id
order by t.together desc, director, actor""",
    ),
)
