"""Fixtures of all packages, as plugins by topic."""

import os
import sys

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "tests.fixtures.postgres",
    "tests.fixtures.hint_plan",
    "tests.fixtures.lake_server",
    "tests.fixtures.order",
    "tests.fixtures.home",
    "tests.fixtures.browser",
    "tests.fixtures.leftovers",
    "tests.fixtures.sampling",
    "tests.fixtures.collected",
]

# Tests start hundreds of processes; without bytecode each compiles all it imports, which takes three times as
# long as the start itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# as our client of litellm says before it imports it: whoever imports it first changes nothing for the others
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

# The same examples each time, however slow the machine is; others: --hypothesis-profile=other-examples
settings.register_profile("other-examples", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "same-examples", settings.get_profile("other-examples"), derandomize=True, database=None
)
settings.load_profile("same-examples")
