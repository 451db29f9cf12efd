"""The category of a pair, from what its two texts do differently."""

from __future__ import annotations

import re

# looked for in this order; a pair belongs to the first whose words only one side has, else to the first that
# occurs
_SIGNS = (
    ("window", re.compile(r"\bover\s*\(", re.IGNORECASE)),
    ("set_operation", re.compile(r"\b(union|intersect|except)\b", re.IGNORECASE)),
    ("cte", re.compile(r"^\s*with\b|\bmaterialized\b", re.IGNORECASE)),
    ("subquery", re.compile(r"\b(exists|in|any|all)\s*\(\s*select\b|\(\s*select\b", re.IGNORECASE)),
    ("pagination", re.compile(r"\b(limit|offset|fetch)\b", re.IGNORECASE)),
    ("aggregation", re.compile(r"\b(group\s+by|having|count|sum|avg|distinct)\b", re.IGNORECASE)),
    ("join", re.compile(r"\bjoin\b", re.IGNORECASE)),
    ("predicate", re.compile(r"\bwhere\b", re.IGNORECASE)),
)


def category_of(before: str, after: str) -> str:
    """One of the unit categories; ``others`` when nothing shows."""
    for name, sign in _SIGNS:
        # one side alone has it: that is what the pair is about
        if bool(sign.search(before)) != bool(sign.search(after)):
            return name
    return next((name for name, sign in _SIGNS if sign.search(before)), "others")
