"""What no statement of a lake's clients may do, whichever engine runs it. Must not know plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rewright.engines.duckdb.dialect.catalog import Catalog
from rewright.engines.duckdb.dialect.fates import Fate, fate_of
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import NotTranslated

_SESSION_WORDS = frozenset(str(number) for number in range(9, 15))
"""CURRENT_USER and its like (SQLValueFunctionOp): a lake's statements run under a role of the lake's own."""


def refused(query: Node, catalog: Catalog) -> None:
    """What no statement of a lake's clients may do, whoever runs it.

    :raises NotTranslated: it is not a plain query, or calls what is refused.
    """
    for node in all_nodes(query):
        kind = node.get("kind")
        if kind == "QUERY" and (
            # FOR UPDATE locks rows, and what a lake shows are copies
            node["commandType"] != "1" or node["rowMarks"] or node["hasModifyingCTE"] == "true"
        ):
            raise NotTranslated("FOR UPDATE or a statement that is no query")
        if kind == "RANGETBLENTRY" and node.get("tablesample") is not None:
            raise NotTranslated("TABLESAMPLE")
        if kind == "SQLVALUEFUNCTION" and node["op"] in _SESSION_WORDS:
            raise NotTranslated("CURRENT_USER and similar functions")
        called = node.get("funcid") or node.get("aggfnoid") or node.get("winfnoid")
        # opno names an operator, whose function decides
        if "opno" in node and node["opno"] in catalog.operators:
            called = catalog.operators[int(node["opno"])].function
        # 0: an operator without a function, as in a row comparison
        if called is not None and int(called):
            function = catalog.functions.get(int(called))
            if function is None or fate_of(function) is Fate.REFUSED:
                raise NotTranslated(function.signature if function else "a function that is not built in")


# a stack of its own: trees may be nested deeper than Python's recursion goes
def all_nodes(root: Any) -> Iterator[Node]:
    left = [root]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left += one.values()
        elif isinstance(one, list):
            left += one
