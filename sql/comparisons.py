"""The comparisons among each other, by the names of their operators. Must not know expressions."""

from __future__ import annotations

from collections.abc import Mapping

# the same with its sides exchanged
FLIPPED: Mapping[str, str] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# what holds where it is false
DENIED: Mapping[str, str] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
