"""The proxy's ``Lookup`` port: its index of rewrites, with templates as ``rewright.sql.templates`` spells
them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from rewright.proxy.ports import Lookup, ServedRewrite


def make() -> Lookup | None:
    """None while the proxy can't serve."""
    try:
        index = importlib.import_module("rewright.proxy.serving.index")
    except ModuleNotFoundError:
        return None
    found: Lookup = index.RewriteIndex(_templater())
    return found


def replace(lookup: Any, rewrites: Iterable[ServedRewrite]) -> None:
    lookup.replace(rewrites)


def _templater() -> Any:
    """None while templates can't be made: only exact texts are found."""
    try:
        templates = importlib.import_module("rewright.wiring.templates")
    except ModuleNotFoundError:
        return None
    return templates.make()
