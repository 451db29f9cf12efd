"""Fixtures of all packages, as plugins by topic."""

import os
import sys

pytest_plugins = [
    "tests.fixtures.postgres",
    "tests.fixtures.hint_plan",
    "tests.fixtures.lake_server",
    "tests.fixtures.order",
]

# Tests start hundreds of processes; without bytecode each compiles all it imports, which takes three times as
# long as the start itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
