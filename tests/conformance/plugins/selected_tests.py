"""A pytest plugin that runs only the tests named in the file ``CONFORMANCE_ONLY``, in junit's names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from _pytest.junitxml import mangle_test_address

_only = os.environ.get("CONFORMANCE_ONLY")
WANTED = set(Path(_only).read_text().split("\n")) if _only else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if WANTED is None:
        return
    kept = [item for item in items if ".".join(mangle_test_address(item.nodeid)) in WANTED]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
