"""DSB's queries on TPC-DS data in an embedded PostgreSQL with primary keys only: what the rewriter gains.

python -m bench.dsb --sf 1 --data FILE --out report.json [--hints on|off|only] [--keep DIR]

DSB's own generator skews and correlates its data more than TPC-DS's (DuckDB's dsdgen, used here) does.
"""

from __future__ import annotations

import sys

from bench.suites import Benchmark, main

BENCHMARK = Benchmark("dsb", "tpcds", "dsb_dev.jsonl")

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
