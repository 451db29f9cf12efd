"""Six slow queries of a hospital and of a tramway, and what was said of each by hand, as a strong model would: at the level `statistics`,
where literals are the placeholders of the prompt.

The replies were written to the query and its prompt, without sight of rules and laws. The queries took 1 to 20 seconds on 300,000 to
400,000 rows; here they read a few hundred. Rules, which serve one of them by themselves, are not asked.
"""

from __future__ import annotations

from tests.rewrite.conversations import said

SETUP = """
create table wards (id int primary key, name text not null unique, building text not null, beds int not null check (beds > 0));
create table doctors (id int primary key, name text not null, specialty text not null, ward_id int not null references wards,
  mentor_id int references doctors, hired_on date not null);
create table admissions (id int primary key, patient_id int not null, ward_id int not null references wards,
  doctor_id int references doctors, admitted_at timestamp not null, discharged_at timestamp);
create table drugs (id int primary key, name text not null);
create table interactions (drug_a int not null references drugs, drug_b int not null references drugs, severity int not null,
  primary key (drug_a, drug_b));
create table prescriptions (id int primary key, admission_id int not null references admissions, drug_id int not null references drugs,
  started_on date not null, ended_on date);
create table stops (id int primary key, name text not null, zone int not null);
create table line_stops (line_id int not null, seq int not null, stop_id int not null references stops, primary key (line_id, seq));
create table cards (id int primary key, kind text not null, issued_on date not null, blocked_on date);
create table taps (id int primary key, card_id int not null references cards, stop_id int not null references stops,
  tapped_at timestamp not null, fare numeric(6,2) not null);
insert into wards select i, 'ward ' || i, (array['north', 'south', 'east', 'tower'])[1 + i % 4], 12 + i % 30 from generate_series(1, 16) i;
insert into doctors select i, 'doctor ' || i, (array['cardiology', 'surgery', 'general'])[1 + i % 3], 1 + i % 16,
  case when i > 10 and i % 3 > 0 then 1 + i % 10 end, date '1999-01-01' + i * 40 from generate_series(1, 80) i;
insert into admissions select i, 1 + i * 7 % 300, 1 + i * 5 % 16, case when i % 20 > 0 then 1 + i * 11 % 80 end,
  timestamp '2024-01-01' + i * interval '2 hours', case when i % 50 > 0 then timestamp '2024-01-01' + (i + i % 90) * interval '2 hours' end
  from generate_series(1, 1500) i;
insert into drugs select i, 'drug ' || i from generate_series(1, 40) i;
insert into interactions select a, b, 1 + (a + b) % 5 from generate_series(1, 40) a, generate_series(1, 40) b where a < b and (a * b) % 7 = 0;
insert into prescriptions select i, 1 + i % 700, 1 + i * 13 % 40, date '2024-01-01' + i % 120,
  case when i % 10 > 0 then date '2024-01-01' + i % 120 + i % 20 end from generate_series(1, 1400) i;
insert into stops select i, 'stop ' || i, 1 + i % 5 from generate_series(1, 40) i;
insert into line_stops select l, s, 1 + (l * 17 + s * (1 + l % 3)) % 40 from generate_series(1, 6) l, generate_series(1, 12) s;
insert into cards select i, (array['adult', 'child', 'senior', 'student'])[1 + i % 4], date '2020-01-01' + i,
  case when i % 9 = 0 then date '2023-02-01' + i % 100 end from generate_series(1, 300) i;
insert into taps select i, 1 + i * 7 % 300, 1 + i * 13 % 40, timestamp '2023-01-01' + i * interval '1 hour', 1 + i % 3
  from generate_series(1, 3000) i;
analyze;
"""

_TAPPED = "select s.zone, c.kind, t.fare, t.card_id, t.tapped_at from taps t join stops s on s.id = t.stop_id join cards c on c.id = t.card_id"
_SINCE = "t.tapped_at >= timestamp {} and t.tapped_at < timestamp {}"
_BY_ZONE = "select z.zone, z.kind, sum(z.fare) as fares, count(distinct z.card_id) as riders from ("
_OVERLAP = """x.started_on <= coalesce(y.ended_on, date {0})
  and y.started_on <= coalesce(x.ended_on, date {0})"""

WARDS = (
    said(
        "patients of doctors and of those whom they train",
        """select d.id, d.name, d.specialty,
  (select count(distinct a.patient_id) from admissions a
   where a.doctor_id = d.id or a.doctor_id in (select m.id from doctors m where m.mentor_id = d.id)) as patients
from doctors d
where d.hired_on < date '2002-01-01'
order by patients desc, d.id""",
        """with pairs as (
  select d.id as root, d.id as doctor_id from doctors d where d.hired_on < date $1
  union
  select m.mentor_id, m.id from doctors m where m.mentor_id is not null),
counted as (
  select p.root, count(distinct a.patient_id) as patients
  from pairs p
  join admissions a on a.doctor_id = p.doctor_id
  group by p.root)
select d.id, d.name, d.specialty, coalesce(c.patients, 0) as patients
from doctors d
left join counted c on c.root = d.id
where d.hired_on < date $1
order by patients desc, d.id""",
    ),
    said(
        "beds that are taken, day by day",
        """select d.day::date as day, w.id as ward_id, w.beds,
  (select count(*) from admissions a
   where a.ward_id = w.id and a.admitted_at < d.day + interval '1 day'
     and (a.discharged_at is null or a.discharged_at >= d.day)) as occupied
from generate_series(timestamp '2024-01-01', timestamp '2024-03-31', interval '1 day') as d(day)
cross join wards w
where w.building in ('north', 'tower')
order by d.day, w.id""",
        """with days as materialized (
  select d.day from generate_series(timestamp $2, timestamp $3, interval $1) as d(day)),
wanted as materialized (
  select w.id, w.beds from wards w where w.building in ($4, $5)),
counted as (
  select a.ward_id, d.day, count(*) as n
  from wanted w
  join admissions a on a.ward_id = w.id
  join days d on a.admitted_at < d.day + interval $1 and (a.discharged_at is null or a.discharged_at >= d.day)
  group by a.ward_id, d.day)
select d.day::date as day, w.id as ward_id, w.beds, coalesce(c.n, 0) as occupied
from days d
cross join wanted w
left join counted c on c.ward_id = w.id and c.day = d.day
order by d.day, w.id""",
    ),
    said(
        "patients so far, month by month",
        """select m.month::date as month,
  (select count(distinct a.patient_id) from admissions a where a.admitted_at < m.month + interval '1 month') as patients_so_far
from generate_series(timestamp '2021-01-01', timestamp '2024-08-01', interval '1 month') as m(month)
order by m.month""",
        """with firsts as materialized (
  select a.patient_id, min(a.admitted_at) as first_at from admissions a group by a.patient_id)
select m.month::date as month,
  (select count(*) from firsts f where f.first_at < m.month + interval $1) as patients_so_far
from generate_series(timestamp $2, timestamp $3, interval $1) as m(month)
order by m.month""",
    ),
    said(
        "drugs that do not go together, whichever was given first",
        f"""select x.admission_id, x.id as first_id, y.id as second_id, i.severity
from prescriptions x
join prescriptions y on y.admission_id = x.admission_id and y.id > x.id
join interactions i on (i.drug_a = x.drug_id and i.drug_b = y.drug_id) or (i.drug_a = y.drug_id and i.drug_b = x.drug_id)
where i.severity >= 2
  and {_OVERLAP.format("'2030-01-01'")}""",
        f"""with risky as materialized (
  select i.drug_a, i.drug_b, i.severity from interactions i where i.severity >= $1),
both_ways as (
  select drug_a as one, drug_b as other, severity from risky
  union all
  select drug_b, drug_a, severity from risky where drug_a <> drug_b)
select x.admission_id, x.id as first_id, y.id as second_id, i.severity
from prescriptions x
join prescriptions y on y.admission_id = x.admission_id and y.id > x.id
join both_ways i on i.one = x.drug_id and i.other = y.drug_id
where {_OVERLAP.format("$2")}""",
        prompts=3,
    ),
    said(
        "cards that were at every stop of a piece of a line",
        """select c.id, c.kind, c.issued_on
from cards c
where c.kind = 'senior'
  and not exists (
    select b.stop_id from line_stops b where b.line_id = 3 and b.seq <= 2
    except
    select t.stop_id from taps t where t.card_id = c.id)
order by c.id""",
        """with wanted as materialized (
  select distinct b.stop_id from line_stops b where b.line_id = $2 and b.seq <= $3),
seen as (
  select t.card_id, count(distinct t.stop_id) as n
  from taps t
  where t.stop_id in (select stop_id from wanted)
  group by t.card_id)
select c.id, c.kind, c.issued_on
from cards c
left join seen s on s.card_id = c.id
where c.kind = $1 and coalesce(s.n, 0) = (select count(*) from wanted)
order by c.id""",
    ),
    said(
        "fares of cards that were not blocked, of two arms",
        f"""{_BY_ZONE}
  {_TAPPED}
  where c.blocked_on is null
  union
  {_TAPPED}
  where c.blocked_on > t.tapped_at::date) z
where z.tapped_at >= timestamp '2023-03-01' and z.tapped_at < timestamp '2023-07-01'
group by z.zone, z.kind
order by 1, 2""",
        f"""{_BY_ZONE}
  {_TAPPED}
  where c.blocked_on is null and {_SINCE.format("$1", "$2")}
  union
  {_TAPPED}
  where c.blocked_on > t.tapped_at::date and {_SINCE.format("$1", "$2")}) z
group by z.zone, z.kind
order by 1, 2""",
        f"""{_BY_ZONE}
  {_TAPPED.replace("select", "select distinct", 1)}
  where (c.blocked_on is null or c.blocked_on > t.tapped_at::date) and {_SINCE.format("$1", "$2")}) z
group by z.zone, z.kind
order by 1, 2""",
        prompts=3,
    ),
)
