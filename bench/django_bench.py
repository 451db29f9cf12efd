"""A report that Django prints, before and after Rewright: the figures at the top of README.

    rewright bench django [--scale 0.5] [--timeout 60] [--runs 5] [--keep DIR] [--out report.json]

A month's order lines that were sold at less than half of what is usual for their product, over the shop of
`bench/unseen/shop.sql` with an index for each foreign key besides, as Django makes them. Embedded PostgreSQL,
`rewright serve` in ``apply`` mode in front of it, one client. The original runs until it ends or
`statement_timeout` stops it; then the client waits for the rewrite and runs the same text again. Rows are
compared with those of a query by hand. Seconds are wall time as the client sees it.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from bench.gain import gain, proxy
from bench.overhead import machine
from bench.unseen_data import databases
from bench.warehouse import SETTINGS
from rewright.store.api import open_store
from rewright.store.browsing import Asked

INDEXES = """
create index if not exists orders_customer on orders (customer_id);
create index if not exists lines_order on order_lines (order_id);
create index if not exists lines_product on order_lines (product_id);
create index if not exists payments_order on payments (order_id);
create index if not exists returns_line on returns (order_id, line_no);
create index if not exists stock_product on stock (product_id);
create index if not exists products_category on products (category_id);
analyze;
"""
# Django 5.2 of annotate(usual=Subquery(…)) and filter(unit_price__lt=F("usual") / 2), where the subquery is
# Line.objects.filter(product=OuterRef("product")).order_by().values("product").annotate(a=Avg("unit_price"))
# .values("a")
AVERAGE = (
    '(SELECT AVG(U0."unit_price") AS "a" FROM "order_lines" U0 '
    'WHERE U0."product_id" = ("order_lines"."product_id") GROUP BY U0."product_id")'
)
REPORT = (
    'SELECT "order_lines"."order_id" AS "order_id", "order_lines"."line_no" AS "line_no", '
    '"order_lines"."product_id" AS "product_id", "order_lines"."unit_price" AS "unit_price", '
    f'{AVERAGE} AS "usual" FROM "order_lines" INNER JOIN "orders" ON ("order_lines"."order_id" = "orders"."id") '
    # the last order is of 26 December
    'WHERE ("orders"."placed_at" >= \'2024-12-01 00:00:00\'::timestamp '
    f'AND "order_lines"."unit_price" < ({AVERAGE} / 2))'
)
BY_HAND = """
with priced as (select *, avg(unit_price) over (partition by product_id) as usual from order_lines)
select order_id, line_no, product_id, unit_price, usual from priced
where unit_price < usual / 2
  and exists (select from orders where id = order_id and placed_at >= '2024-12-01')
"""


def same_rows(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> bool:
    """The same rows, whatever their order; averages are numerics, so that they agree to the last digit."""
    return sorted(map(tuple, one)) == sorted(map(tuple, other))


def measured(dsn: str, directory: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    """The report through the proxy, and what the proof of its rewrite relies on."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(INDEXES)
        expected = connection.execute(BY_HAND).fetchall()
    with proxy(dsn, directory) as through:
        found = gain(
            through,
            REPORT,
            expected,
            trust="proved",
            timeout=chosen.timeout,
            patience=chosen.patience,
            runs=chosen.runs,
            agree=same_rows,
        )
    with open_store(str(directory / "store.db")) as store:
        kept, _ = store.browse.rewrites(Asked())
    evidence = [one.proposal.evidence for one in kept if one.proposal.replacement == found.get("rewrite")]
    return found | {"rows": len(expected), "relies_on": evidence[0]["assumptions"] if evidence else []}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rewright bench django", description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=float, default=0.5, help="1 is 300,000 orders, about 900,000 lines")
    parser.add_argument("--timeout", type=float, default=60.0, help="the client's statement_timeout, seconds")
    parser.add_argument("--patience", type=float, default=300.0, help="seconds to wait for the rewrite")
    parser.add_argument("--runs", type=int, default=5, help="runs of what is served")
    parser.add_argument("--keep", type=Path, help="directory of the loaded database, kept for the next run")
    parser.add_argument("--out", type=Path, help="report as JSON")
    chosen = parser.parse_args(arguments)
    with (
        databases(chosen.scale, chosen.keep, ("shop",)) as dsns,
        tempfile.TemporaryDirectory(prefix="rewright-django-") as directory,
    ):
        found = measured(dsns["shop"], Path(directory), chosen)
    report = {
        "machine": machine(),
        "platform": platform.platform(),
        "scale": chosen.scale,
        "statement_timeout": chosen.timeout,
        "server_settings": SETTINGS,
        "query": REPORT,
        **found,
    }
    if chosen.out:
        chosen.out.write_text(json.dumps(report, indent=1, default=str) + "\n")
    print(told(found))
    return 0 if found["found"] and found["after_right"] and found["before_right"] is not False else 1


def told(found: dict[str, Any]) -> str:
    """One line a fact."""
    before = f"{'stopped after ' if found['stopped'] else ''}{found['before_seconds']:.1f} s"
    if not found["found"]:
        return f"original: {before}; nothing was found in {found['waited_seconds']:.0f} s"
    after = statistics.median(found["after_seconds"])
    lines = [
        f"original: {before}",
        f"served: {after:.3f} s, median of {len(found['after_seconds'])}; {found['verdict']}",
        f"there after {found['waited_seconds']:.0f} s",
        f"the same {found['rows']:,} rows: {found['after_right']}",
        f"relies on: {'; '.join(map(str, found['relies_on'])) or 'nothing'}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
