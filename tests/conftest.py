"""Fixtures of all packages, as plugins by topic."""

pytest_plugins = ["tests.fixtures.postgres", "tests.fixtures.hint_plan", "tests.fixtures.lake_server"]
