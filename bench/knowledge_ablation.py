"""What knowledge adds to rewriting: no units, all units, retrieved units (QUITE, Table 5).

python bench/knowledge_ablation.py [--suite library|tpch|tpcds] [--sf X --data FILE] [--every N] [--out
report.json]

``library`` is a workload generated here: slow queries of shapes that applications write, over a schema of its
own. The other two take JSON lines of {"id", "sql"} over generated warehouses. For each variant: how many
queries were rewritten, equivalent by their rows, better by 10 % and more; the ratio of CPU times; seconds an
optimisation takes; units named.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg

from bench.rewriting import Plan, Query, compare, read_queries
from bench.warehouse import SETTINGS, warehouse
from rewright.engines.postgres.scratch import ScratchServer
from rewright.knowledge.api import KnowledgeBase
from rewright.rewrite.adapters.live import Extras, connected
from rewright.rewrite.adapters.units import rule_of
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Settings
from rewright.rewrite.ports import NoKnowledge
from rewright.rewrite.rules import RULES
from rewright.rewrite.search.proposer import RuleProposer

VARIANTS = ("no units", "all units", "retrieved units")

LIBRARY = """
create table branch (id int primary key, town text not null, opened date not null);
create table reader (id int primary key, branch_id int not null references branch, surname text not null,
    email text not null unique, joined date not null, phone text);
create table book (id int primary key, isbn text not null unique, title text not null, year int not null, price numeric(8,2));
create table copy (id int primary key, book_id int not null references book, branch_id int not null references branch,
    bought date not null, lost bool);
create table loan (id int primary key, copy_id int not null references copy, reader_id int not null references reader,
    lent timestamp not null, due date not null, returned timestamp, fine int not null);
create index loan_reader on loan (reader_id);
create index loan_lent on loan (lent);
create index copy_book on copy (book_id);
"""
ROWS = """
insert into branch select i, 'town ' || i % 25, date '1990-01-01' + i * 30 from generate_series(1, 60) i;
insert into reader select i, 1 + i % 60, 'name ' || i % 900, 'r' || i || '@library.example', date '2015-01-01' + i % 3000,
    case when i % 3 = 0 then null else '0' || i end from generate_series(1, {readers}) i;
insert into book select i, '978-' || i, 'title ' || i % 2000, 1900 + i % 124, case when i % 11 = 0 then null else i % 90 end
    from generate_series(1, {books}) i;
insert into copy select i, 1 + i % {books}, 1 + i % 60, date '2010-01-01' + i % 4000, case when i % 50 = 0 then true end
    from generate_series(1, {copies}) i;
insert into loan select i, 1 + (i * 7) % {copies}, 1 + (i * 13) % {readers}, timestamp '2022-01-01' + i * interval '7 minutes',
    date '2022-01-15' + i / 200, case when i % 9 = 0 then null else timestamp '2022-01-08' + i * interval '7 minutes' end,
    case when i % 20 = 0 then i % 50 else 0 end from generate_series(1, {loans}) i;
"""
# shapes that applications and report builders write; {…} are drawn anew for each query
SHAPES = (
    "select b.id, b.title from book b where exists (select 1 from copy c where c.book_id = b.id having count(*) > {few})",
    "select r.id, r.surname from reader r where (select max(l.fine) from loan l where l.reader_id = r.id) > {fine}",
    "select count(*) from loan l where to_char(l.lent, 'YYYY-MM-DD') = '{day}'",
    "select l.id from loan l where l.lent::date in (date '{day}', date '{day2}')",
    (
        "select r.id, r.surname from reader r where exists (select distinct l.fine from loan l where l.reader_id = r.id"
        " and l.fine > {fine} order by l.fine)"
    ),
    "select l.id, l.due from loan l where least(l.reader_id, 1000000) < {few}",
    (
        "select x.branch_id, x.n, y.m from (select branch_id, count(*) as n from copy group by branch_id) x"
        " join (select branch_id, min(bought) as m from copy group by branch_id) y on y.branch_id = x.branch_id"
    ),
    (
        "select q.id, q.lent from (select l.id, l.lent, row_number() over (order by l.lent desc, l.id) as n from loan l) q"
        " where q.n <= {few}"
    ),
    (
        "select r.email from reader r where r.id in (select l.reader_id from loan l where l.fine > {fine} group by l.reader_id)"
        " and (select r.branch_id) = {branch}"
    ),
    "select l.reader_id, max(l.lent) from loan l group by l.reader_id having max(l.reader_id) = {reader}",
    "select l.id from loan l where coalesce(l.reader_id, 0) <= {few}",
    "select distinct l.reader_id, count(*) over (partition by l.reader_id) from loan l where l.id < {many}",
    "select r.id, (select count(*) from loan l where l.reader_id = r.id) > 0 as active from reader r where r.branch_id = {branch}",
    "select l.id, l.fine from loan l where l.id not between {few} and {many} order by l.lent desc nulls last limit 10",
    "select r.id from reader r where r.email || '' = 'r{reader}@library.example'",
    (
        "select a.id, a.lent, sum(b.fine) as so_far from loan a join loan b on b.reader_id = a.reader_id and b.id <= a.id"
        " where a.reader_id < {few} group by a.id, a.lent"
    ),
    (
        "select l.id, (select p.lent from loan p where p.reader_id = l.reader_id and p.id < l.id order by p.id desc limit 1) as before"
        " from loan l where l.reader_id < 1000"
    ),
    "select b.title from book b where b.id = any (array(select c.book_id from copy c where c.lost))",
    "select max(v) from (select c.bought as v from copy c union select l.due from loan l) u",
    "select c.id from copy c where c.id in (select id from copy where branch_id = {branch} union select id from copy where lost)",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One query under one variant; times are medians of backend CPU seconds."""

    variant: str
    id: str
    verdict: str | None
    same_rows: bool | None
    before: float
    after: float
    seconds: float
    steps: tuple[str, ...]
    units: tuple[str, ...]
    sql: str | None

    @property
    def improved(self) -> bool:
        return self.sql is not None and self.same_rows is not False and self.after <= 0.9 * self.before


def workload(seed: int, copies: int = 1) -> list[Query]:
    """Each shape ``copies`` times, with values drawn by ``seed``."""
    chance = random.Random(seed)
    found = []
    for number, shape in enumerate(SHAPES * copies):
        values = {
            "few": chance.randint(3, 12),
            "many": chance.randint(20_000, 60_000),
            "fine": chance.randint(30, 48),
            "branch": chance.randint(1, 60),
            "reader": chance.randint(1, 3000),
            "day": f"2022-{chance.randint(1, 6):02}-{chance.randint(1, 28):02}",
            "day2": f"2022-{chance.randint(7, 9):02}-{chance.randint(1, 28):02}",
        }
        found.append(Query(f"library/{number + 1}", shape.format(**values)))
    return found


@contextmanager
def library(scale: float) -> Iterator[str]:
    sizes = {"readers": 6000, "books": 5000, "copies": 20_000, "loans": 120_000}
    with ScratchServer(SETTINGS) as server:
        dsn = server.dsn(server.create_database())
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(LIBRARY)
            rows = ROWS.format(**{name: max(100, int(size * scale)) for name, size in sizes.items()})
            connection.execute(rows.encode())
            connection.execute("vacuum analyze")
        yield dsn


def variant_of(name: str, rewriter: Rewriter, base: KnowledgeBase) -> Rewriter:
    """``retrieved units`` is the product; without units only the rules search; ``all units`` gives every
    pattern to it.
    """
    ports = rewriter.ports
    if name == "no units":
        return Rewriter(replace(ports, knowledge=NoKnowledge()))
    if name == "all units" and isinstance(ports.proposer, RuleProposer):
        rules = (*RULES, *(rule_of(unit) for unit in base.units))
        return Rewriter(
            replace(ports, knowledge=NoKnowledge(), proposer=replace(ports.proposer, rules=rules))
        )
    return rewriter


def row(variant: str, query: Query, rewriter: Rewriter, dsn: str, plan: Plan) -> Row:
    settings = Settings(
        trust="tested", measure="both", budget=plan.budget, check_seconds=4.0, run_timeout=plan.cap
    )
    outcome = rewriter.optimise(query.sql, settings=settings)
    best = outcome.best if outcome.servable else None
    sql = best.checked.candidate.sql if best else None
    before, after = compare(dsn, query.sql, sql, plan)
    digests = {r.digest for r in (*before, *after)}
    known = before[0].digest is not None and all(r.digest is not None for r in after)
    cpu_before = statistics.median(r.cpu for r in before)
    return Row(
        variant,
        query.id,
        best.checked.evidence.level if best else None,
        len(digests) == 1 if after and known else None,
        cpu_before,
        statistics.median(r.cpu for r in after) if after else cpu_before,
        outcome.seconds,
        tuple(s.name for s in best.checked.candidate.steps) if best else (),
        best.checked.candidate.units if best else (),
        sql,
    )


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    served = [r for r in rows if r.sql is not None]
    ratios = [r.after / max(r.before, 1e-9) for r in rows]
    return {
        "queries": len(rows),
        "rewritten": len(served),
        "different_rows": [r.id for r in rows if r.same_rows is False],
        "improved": sum(r.improved for r in rows),
        "twice_as_fast": sum(r.improved and r.after <= 0.5 * r.before for r in rows),
        "five_times_as_fast": sum(r.improved and r.after <= 0.2 * r.before for r in rows),
        "slower": [r.id for r in served if r.after > 1.1 * r.before and r.after - r.before > 0.02],
        "ratio_of_sums": round(sum(r.after for r in rows) / max(sum(r.before for r in rows), 1e-9), 3),
        "geometric_mean_ratio": round(statistics.geometric_mean(max(r, 1e-6) for r in ratios), 3),
        "seconds_a_query": round(statistics.mean(r.seconds for r in rows), 2),
        "rewrites_that_name_units": sum(bool(r.units) for r in served),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", choices=("library", "tpch", "tpcds"), default="library")
    parser.add_argument("--sf", type=float, default=1.0, help="scale of the data")
    parser.add_argument("--data", type=Path, help="JSON lines {id, sql} for tpch and tpcds")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cap", type=float, default=20.0)
    parser.add_argument("--budget", type=float, default=20.0)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.suite != "library" and chosen.data is None:
        parser.error("--data is needed for tpch and tpcds")
    queries = workload(chosen.seed) if chosen.suite == "library" else read_queries(chosen.data)
    plan = Plan(cap=chosen.cap, runs=chosen.runs, budget=chosen.budget)
    rows = _measure(chosen, queries[:: chosen.every], plan)
    document: dict[str, Any] = {
        "machine": {
            "cpus": os.cpu_count(),
            "platform": platform.platform(),
            "python": sys.version.split()[0],
        },
        "arguments": {k: str(v) for k, v in vars(chosen).items()},
        "server_settings": SETTINGS,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    for variant in dict.fromkeys(r.variant for r in rows):
        document[variant] = summary([r for r in rows if r.variant == variant])
        print(f"{variant:16} {json.dumps(document[variant])}", flush=True)
    document["rows"] = [asdict(r) for r in rows]
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(document, indent=1))
    return 1 if any(r.same_rows is False for r in rows) else 0


def _measure(chosen: argparse.Namespace, queries: Sequence[Query], plan: Plan) -> list[Row]:
    rows: list[Row] = []
    base = KnowledgeBase.load()
    with ExitStack() as stack:
        if chosen.suite == "library":
            dsn = stack.enter_context(library(chosen.sf))
        else:
            dsn = stack.enter_context(warehouse(chosen.suite, chosen.sf)).dsn
        scratch = stack.enter_context(ScratchServer())
        rewriter = stack.enter_context(
            connected(dsn, scratch, extras=Extras(units=base), run_timeout=plan.cap)
        )
        for variant in chosen.variants.split(","):
            strategy = variant_of(variant, rewriter.plain, base)
            for query in queries:
                rows.append(row(variant, query, strategy, dsn, plan))
                r = rows[-1]
                print(
                    f"{variant:16} {r.id:12} {r.before:8.3f} {r.after:8.3f} {r.verdict or '-':8} {' > '.join(r.steps)}",
                    flush=True,
                )
    return rows


if __name__ == "__main__":
    sys.exit(main())
