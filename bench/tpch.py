"""TPC-H on an embedded PostgreSQL with primary and foreign keys only: what the rewriter gains.

python -m bench.tpch --sf 1 --data FILE --out report.json [--hints on|off|only] [--keep DIR]
"""

from __future__ import annotations

import sys

from bench.suites import Benchmark, main

BENCHMARK = Benchmark("tpch", "tpch", "tpch_63.jsonl")

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
