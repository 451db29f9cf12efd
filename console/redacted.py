"""Records without the values in their texts, for pages that may not show literals.
Must not know who looks.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from rewright.sql.redaction import scrubbed, values_in, without_literals, without_values

_TEXTS = frozenset({"query", "example", "template", "original", "replacement", "resolved"})
_DOCUMENTS = frozenset(
    {"evidence", "plans", "signature", "parameters", "literals", "mapping", "detail", "sources"}
)
_SENTENCES = frozenset({"reason", "hints"})

# of a plan's node: names, which hold no constants
_NAMES = frozenset(
    {
        "Node Type", "Join Type", "Strategy", "Parent Relationship", "Subplan Name", "CTE Name",
        "Relation Name", "Schema", "Alias", "Index Name",
    }
)  # fmt: skip

_SUBPLAN, _JOINED = re.compile(r"\b(SubPlan|InitPlan) (\d+)\b"), re.compile(r"\b(SubPlan|InitPlan)_(\d+)\b")


def whole(document: dict[str, Any]) -> dict[str, Any]:
    """As it is."""
    return document


def redacted(document: dict[str, Any]) -> dict[str, Any]:
    """A record without the values in its texts."""
    values = values_of(document)
    shown = dict(document)
    for name in _TEXTS & document.keys():
        shown[name] = without_literals(document[name])
    for name in _DOCUMENTS & document.keys():
        shown[name] = scrubbed(document[name], values)
    for name in _SENTENCES & document.keys():
        shown[name] = without_values(document[name], values)
    return shown


def tree_without_literals(tree: dict[str, Any], values: Collection[str]) -> dict[str, Any]:
    """A plan report's tree: constants stand in its conditions and keys, names of operators and relations
    stay.
    """
    shown: dict[str, Any] = {}
    for name, value in tree.items():
        if name == "Plans":
            shown[name] = [
                tree_without_literals(below, values) for below in value or () if isinstance(below, dict)
            ]
        elif isinstance(value, str) and name not in _NAMES:
            shown[name] = _condition(value, values)
        elif isinstance(value, list):
            shown[name] = [_condition(str(one), values) for one in value]
        else:
            shown[name] = value
    return shown


def _condition(text: str, values: Collection[str]) -> str:
    """Without constants; the number of a subquery is none: it says which of the plan's nodes is meant.

    >>> _condition("((x > 3) AND (NOT (hashed SubPlan 3)))", {"3"})
    '((x > ?) AND (NOT (hashed SubPlan 3)))'
    """
    # as one word, which no constant is; within a string's quotes it goes with the string
    joined = _SUBPLAN.sub(r"\1_\2", text)
    return _JOINED.sub(r"\1 \2", without_literals(without_values(joined, values)))


def values_of(document: dict[str, Any]) -> set[str]:
    """What the constants of a record's texts say."""
    texts = [document[name] for name in _TEXTS if document.get(name)]
    return {value for text in texts for value in values_in(text)}
