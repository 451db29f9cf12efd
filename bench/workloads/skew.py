"""Sixteen small worlds where the planner's assumptions are wrong, each with the query that suffers.

Data are made by SQL alone from a seed (setseed + random()), statistics are gathered at the default
target (where staleness is not the point), and only primary keys and the indexes named are there. Written
before the recommender they judge; nothing here knows what a good plan would be.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One world: statements that make it (``{seed}`` is a float in [0, 1)), and its query."""

    name: str
    what: str
    setup: tuple[str, ...]
    query: str


CASES: tuple[Case, ...] = (
    Case(
        "dependent_columns",
        "columns that determine each other: their selectivities are multiplied, on both sides of a join",
        (
            "create table place (id int primary key, city int, county int, state int, zone int)",
            "insert into place select i, c, c / 4, c / 16, c / 32 from (select i, (random() * 63)::int c from generate_series(1, 400000) i) s",
            "create table visit (place_id int, city int, county int, state int, zone int, amount int)",
            "insert into visit select (random() * 399999)::int + 1, c, c / 4, c / 16, c / 32, 5 from (select i, (random() * 63)::int c from generate_series(1, 400000) i) s",
            "analyze",
        ),
        """select count(*), sum(v.amount) from place p join visit v on v.place_id % 1000 = p.id % 1000
           where p.city = 17 and p.county = 4 and p.state = 1 and p.zone = 0 and p.id % 4 = 0
             and v.city = 17 and v.county = 4 and v.state = 1 and v.zone = 0""",
    ),
    Case(
        "zipf_key",
        "a name that stands for the hottest key; the planner assumes an average one",
        (
            "create table product (id int primary key, label text, grp int)",
            "insert into product select i, 'product ' || i, i % 50 from generate_series(1, 20000) i",
            "create table sale (id int primary key, product_id int, store_id int, amount int)",
            "insert into sale select i, least(20000, floor(power(random(), 6) * 20000)::int + 1), (random() * 4999)::int, (random() * 100)::int from generate_series(1, 400000) i",
            "create index on sale (product_id)",
            "create table stock (store_id int, product_id int, pieces int)",
            "insert into stock select (random() * 4999)::int, floor(power(random(), 6) * 20000)::int + 1, 3 from generate_series(1, 30000) i",
            "analyze",
        ),
        """select count(*), sum(s.amount + k.pieces) from product p join sale s on s.product_id = p.id
           join stock k on k.store_id = s.store_id and k.product_id = p.id where p.label = 'product 1'""",
    ),
    Case(
        "stale_statistics",
        "states that did not exist when statistics were gathered",
        (
            "create table account (id int, branch int, kind text)",
            "create table entry (id int primary key, account_id int, amount int, state text)",
            "insert into account select i, i % 10, 'new' from generate_series(1, 20000) i",
            "insert into entry select i, (random() * 19999)::int, 1, 'new' from generate_series(1, 40000) i",
            "analyze",
            "update account set kind = 'settled' where id > 100",
            "update entry set state = 'settled' where id > 100",
        ),
        """select a.branch, sum(e.amount) from account a join entry e on e.account_id = a.id
           where a.kind = 'settled' and e.state = 'settled' group by a.branch""",
    ),
    Case(
        "expression_filter",
        "expressions without statistics: half a percent is assumed, half of all is true",
        (
            "create table person (id int, name text, town text)",
            "insert into person select i, case when random() < 0.5 then 'Miller' else 'miller' end, 'Springfield ' || i % 7 from generate_series(1, 20000) i",
            "create table call (id int primary key, caller int, kind text, seconds int)",
            "insert into call select i, (random() * 19999)::int, 'Voice', (random() * 600)::int from generate_series(1, 40000) i",
            "analyze",
        ),
        """select count(*), sum(c.seconds) from person p join call c on c.caller = p.id
           where upper(p.name) = 'MILLER' and left(p.town, 6) = 'Spring' and lower(c.kind) = 'voice' and left(c.kind, 1) = 'V' and length(c.kind) = 5""",
    ),
    Case(
        "json_field",
        "fields of documents compared with constants: default selectivities",
        (
            "create table event (who int, doc jsonb)",
            "insert into event select (random() * 19999)::int, jsonb_build_object('kind', case when random() < 0.9 then 'view' else 'buy' end, 'v', 2) from generate_series(1, 40000) i",
            "create table visitor (id int, region int, prefs jsonb)",
            "insert into visitor select i, i % 31, jsonb_build_object('mail', random() < 0.8, 'lang', 'en') from generate_series(0, 19999) i",
            "analyze",
        ),
        """select v.region, count(*) from event e join visitor v on v.id = e.who
           where e.doc ->> 'kind' = 'view' and e.doc ->> 'v' = '2' and v.prefs ->> 'lang' = 'en' and v.prefs ->> 'mail' = 'true' group by v.region""",
    ),
    Case(
        "range_join",
        "rows that fall into intervals: the join's size is guessed from two inequalities",
        (
            "create table shift (id int primary key, worker int, starts int, ends int)",
            "insert into shift select i, i % 200, i * 10, i * 10 + 9 from generate_series(1, 3000) i",
            "create table alarm (id int primary key, at int, machine int)",
            "insert into alarm select i, (random() * 30000)::int, (random() * 400)::int from generate_series(1, 8000) i",
            "create table machine (id int, hall int)",
            "insert into machine select i, i % 7 from generate_series(0, 400) i",
            "analyze",
        ),
        """select m.hall, count(*) from alarm a join shift s on a.at >= s.starts and a.at <= s.ends
           join machine m on m.id = a.machine group by m.hall""",
    ),
    Case(
        "across_the_join",
        "filters on several tables that mean the same thing, the indexes invite nested loops",
        (
            "create table film (id int primary key, year int, kind int)",
            "insert into film select i, 1950 + i / 10000, i % 5 from generate_series(1, 400000) i",
            "create table fact (film_id int, decade int, value int)",
            "insert into fact select m, m / 10000, (random() * 100)::int from (select 1 + (random() * 399998)::int m from generate_series(1, 400000) i) s",
            "create table note (film_id int, era int, stars int)",
            "insert into note select m, m / 10000, (random() * 5)::int from (select 1 + (random() * 399998)::int m from generate_series(1, 800000) i) s",
            "create index on note (film_id)",
            "create index on fact (film_id)",
            "vacuum analyze",
        ),
        """select count(*), avg(n.stars) from film f join fact t on t.film_id = f.id join note n on n.film_id = f.id
           where f.year = 1962 and t.decade = 12 and n.era = 12 and t.value > 10""",
    ),
    Case(
        "cte_fence",
        "a CTE used twice is computed whole although each consumer wants one key",
        (
            "create table reading (sensor int, at int, value int)",
            "insert into reading select (random() * 5000)::int, i, (random() * 1000)::int from generate_series(1, 600000) i",
            "create index on reading (sensor)",
            "analyze",
        ),
        """with daily as (select sensor, at / 1000 as day, avg(value) as mean, max(value) as top from reading group by sensor, at / 1000)
           select a.day, a.mean, b.mean from daily a join daily b on b.day = a.day where a.sensor = 77 and b.sensor = 99 order by a.day""",
    ),
    Case(
        "cte_forced",
        "MATERIALIZED written by hand where the filter should go in",
        (
            "create table message (id int primary key, room int, sender int, body text)",
            "insert into message select i, (random() * 2000)::int, (random() * 300)::int, repeat(md5(i::text), 4) from generate_series(1, 300000) i",
            "create index on message (room)",
            "analyze",
        ),
        """with recent as materialized (select room, sender, body from message where id > 10)
           select sender, count(*), max(length(body)) from recent where room = 500 group by sender order by sender""",
    ),
    Case(
        "cte_inlined",
        "NOT MATERIALIZED written by hand on something expensive that is read four times",
        (
            "create table item (id int primary key, grp int, w int)",
            "insert into item select i, (random() * 60)::int, (random() * 1000)::int from generate_series(1, 150000) i",
            "analyze",
        ),
        """with ranked as not materialized (select grp, percentile_cont(0.5) within group (order by sqrt(w) * ln(w + 2)) as median, count(distinct w) as n
             from item group by grp)
           select a.grp, a.median, (select max(median) from ranked), (select min(n) from ranked), (select avg(median) from ranked)
           from ranked a order by a.grp""",
    ),
    Case(
        "fourteen_tables",
        "a join of more tables than the exhaustive planner takes",
        (
            "create table hub (id int primary key, " + ", ".join(f"k{i} int" for i in range(13)) + ")",
            "insert into hub select i, "
            + ", ".join(f"(random() * {400 + 60 * i})::int" for i in range(13))
            + " from generate_series(1, 60000) i",
            *(
                stmt
                for i in range(13)
                for stmt in (
                    f"create table d{i} (id int primary key, f int, g int)",
                    f"insert into d{i} select j, j % {3 + i}, j % {3 + i} from generate_series(0, {460 + 60 * i}) j",
                )
            ),
            "analyze",
        ),
        "select count(*) from hub h "
        + " ".join(f"join d{i} on d{i}.id = h.k{i}" for i in range(13))
        + " where "
        + " and ".join(f"d{i}.f < {2 + i} and d{i}.g < {2 + i}" for i in range(12))
        + " and d12.f = 1 and d12.g = 1",
    ),
    Case(
        "modulus",
        "arithmetic on a column: a third or less is assumed for what is nearly always true",
        (
            "create table ticket (id int primary key, owner int, weight int)",
            "insert into ticket select i, (random() * 15000)::int, (random() * 50)::int from generate_series(1, 50000) i",
            "create table owner (id int, rank int, zone int)",
            "insert into owner select i, i % 100, i % 12 from generate_series(0, 15000) i",
            "analyze",
        ),
        """select o.zone, sum(t.weight) from ticket t join owner o on o.id = t.owner
           where t.id % 100 <> 7 and abs(t.weight) >= 0 and t.weight % 51 = t.weight and (o.rank + 1) % 101 = o.rank + 1
             and o.rank * 2 / 2 = o.rank group by o.zone""",
    ),
    Case(
        "newest_rows",
        "rows newer than the histogram: the planner expects one of each",
        (
            "create table log (at timestamp, src int, level int)",
            "insert into log select timestamp '2024-01-01' + i * interval '1 minute', (random() * 3000)::int, i % 5 from generate_series(1, 100000) i",
            "create table deploy (at timestamp, src int, version int)",
            "insert into deploy select timestamp '2024-01-01' + i * interval '1 minute', (random() * 3000)::int, i % 40 from generate_series(1, 100000) i",
            "analyze",
            "insert into log select timestamp '2024-06-01' + i * interval '1 minute', (random() * 3000)::int, i % 5 from generate_series(1, 15000) i",
            "insert into deploy select timestamp '2024-06-01' + i * interval '1 minute', (random() * 3000)::int, i % 40 from generate_series(1, 15000) i",
        ),
        """select d.version, count(*) from log l join deploy d on d.src = l.src
           where l.at > timestamp '2024-06-01' and d.at > timestamp '2024-06-01' and l.level in (1, 2, 3) group by d.version""",
    ),
    Case(
        "coalesced",
        "COALESCE around nearly always null columns",
        (
            "create table task (parent int, closed int, blocked int, size int)",
            "insert into task select (random() * 20000)::int, case when random() < 0.02 then 1 end, case when random() < 0.02 then 1 end, (random() * 9)::int from generate_series(1, 40000) i",
            "create table project (id int, lead int, archived int, hidden int)",
            "insert into project select i, i % 77, case when random() < 0.05 then 1 end, case when random() < 0.05 then 1 end from generate_series(0, 20000) i",
            "analyze",
        ),
        """select p.lead, sum(t.size) from task t join project p on p.id = t.parent
           where coalesce(t.closed, 0) = 0 and coalesce(t.blocked, 0) = 0 and coalesce(p.archived, 0) = 0 and coalesce(p.hidden, 0) = 0 group by p.lead""",
    ),
    Case(
        "fan_out",
        "a many-to-many join over a skewed key before a selective one",
        (
            "create table tagged (doc int, tag int)",
            "insert into tagged select (random() * 30000)::int, floor(power(random(), 4) * 2000)::int from generate_series(1, 120000) i",
            "create table doc (id int primary key, author int, lang int)",
            "insert into doc select i, (random() * 900)::int, case when random() < 0.02 then 1 else 0 end from generate_series(0, 30000) i",
            "create table author (id int primary key, country int)",
            "insert into author select i, floor(power(random(), 5) * 60)::int from generate_series(0, 900) i",
            "analyze",
        ),
        """select count(*) from tagged a join tagged b on b.tag = a.tag join doc d on d.id = a.doc join doc e on e.id = b.doc
           join author u on u.id = d.author where d.lang = 1 and e.lang = 1 and u.country = 0 and a.tag > 3""",
    ),
    Case(
        "pattern",
        "patterns that match nearly everything, taken for rare ones",
        (
            "create table host (id int, fqdn text, rack int)",
            "insert into host select i, 'node' || i || '.cluster.example.org', i % 400 from generate_series(1, 20000) i",
            "create table metric (host int, name text, v int)",
            "insert into metric select (random() * 19999)::int + 1, 'sys.cpu.' || i, (random() * 100)::int from generate_series(1, 40000) i",
            "analyze",
        ),
        """select h.rack, avg(m.v) from host h join metric m on m.host = h.id
           where substr(h.fqdn, 1, 4) = 'node' and right(h.fqdn, 3) = 'org' and substr(m.name, 1, 3) = 'sys' and substr(m.name, 5, 3) = 'cpu' group by h.rack""",
    ),
)
