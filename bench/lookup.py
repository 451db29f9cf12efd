"""What looking a text up costs a relay: by its form, beside a look-up of the bytes as they are.

    python bench/lookup.py [--rewrites 1000] [--rounds 7] [--out lookup.json]

Unknown texts are what nearly all traffic is: pgbench's, an ORM's, with a comment for each request, long
reports. Known ones are the rewrites' own texts, as they are and written otherwise. Figures are medians in
microseconds and the spread of the rounds; the look-up of bytes is what was done before forms: the text, then
its first 48 bytes.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rewright.proxy.ports import Guard, ServedRewrite
from rewright.proxy.serving.index import RewriteIndex
from rewright.sql.placeholders import HOLE
from rewright.sql.templates import split
from rewright.wiring.templates import make

CALLS = 2000
REPORT = (
    "select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) from customer_{n}, orders, lineitem"
    " where o_orderkey in (select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)"
    " and c_custkey = o_custkey and o_orderkey = l_orderkey and c_mktsegment = 'BUILDING'"
    " group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice order by o_totalprice desc, o_orderdate limit 100"
)
UNKNOWN = {
    "pgbench": "SELECT abalance FROM pgbench_accounts WHERE aid = 48213;",
    "pgbench update": "UPDATE pgbench_accounts SET abalance = abalance + -1237 WHERE aid = 48213;",
    "ORM": 'SELECT "shop_order"."id", "shop_order"."customer_id", "shop_order"."state" FROM "shop_order" WHERE "shop_order"."id" = 7 LIMIT 21',
    "comment behind": "SELECT abalance FROM pgbench_accounts WHERE aid = 48213 /*traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/",
    "comment in front": "/*application:shop,controller:orders,action:index*/ SELECT abalance FROM pgbench_accounts WHERE aid = 48213",
    "long report": REPORT.format(n="x").replace("select c_name", "select d_name"),
    "long, begins like a known one": REPORT.format(n="x"),
}


class Bytes:
    """The look-up as it was before forms: exact text, then the bytes in front of the first literal."""

    def __init__(self, rewrites: list[ServedRewrite]) -> None:
        self.exact = {(one.database, one.original.encode()): one for one in rewrites}
        self.prefixes: dict[int, set[bytes]] = {}
        for one in rewrites:
            fixed = HOLE.split(one.original, maxsplit=1)[0].encode()[:48]
            self.prefixes.setdefault(len(fixed), set()).add(fixed)

    def find(self, database: str, text: bytes, types: tuple[int, ...]) -> object:
        del types
        found = self.exact.get((database, text)) or self.exact.get(("", text))
        if found is not None:
            return found
        for size, prefixes in self.prefixes.items():
            if text[:size] in prefixes:
                return None
        return None


def made(count: int) -> list[ServedRewrite]:
    guard = Guard((), (), digest="d")
    found = []
    for n in range(count):
        template = split(REPORT.format(n=n))
        assert template is not None
        found.append(
            ServedRewrite(2 * n, "app", template[0], template[0].replace("desc", "desc "), guard, scope="any")
        )
        text = f"select count(*) from part_{n} where p_size = 15 and p_type like '%BRASS'"
        found.append(ServedRewrite(2 * n + 1, "app", text, text + " and true", guard))
    return found


def microseconds(call: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median and spread (largest less smallest) of one call's CPU time over the rounds."""
    times = []
    for _ in range(rounds):
        began = time.thread_time()
        for _ in range(CALLS):
            call()
        times.append((time.thread_time() - began) / CALLS * 1e6)
    return statistics.median(times), max(times) - min(times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rewrites", type=int, default=1000, help="of each scope")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    rewrites = made(arguments.rewrites)
    before, index = Bytes(rewrites), RewriteIndex(make())
    index.replace(rewrites)
    known = "select count(*) from part_7 where p_size = 15 and p_type like '%BRASS'"
    texts = UNKNOWN | {
        "known text": known,
        "known, written otherwise": known.upper().replace("%BRASS", "%BRASS") + ";",
        "known template, other literals": REPORT.format(n=7).replace("300", "250"),
    }
    rows: dict[str, Any] = {}
    for name, text in texts.items():
        raw = text.encode()
        one, one_spread = microseconds(partial(before.find, "app", raw, ()), arguments.rounds)
        two, two_spread = microseconds(partial(index.find, "app", raw, ()), arguments.rounds)
        rows[name] = {
            "bytes_us": one,
            "bytes_spread": one_spread,
            "form_us": two,
            "form_spread": two_spread,
            "ratio": two / one,
            "found": index.find("app", raw, ()) is not None,
        }
        print(
            f"{name:32} {one:7.2f} ±{one_spread:5.2f}  {two:7.2f} ±{two_spread:5.2f} us  x {two / one:6.1f}",
            flush=True,
        )
    if arguments.out:
        machine = {
            "machine": platform.machine(),
            "python": platform.python_version(),
            "rewrites": arguments.rewrites,
        }
        arguments.out.write_text(json.dumps({"on": machine, "calls": CALLS, "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
