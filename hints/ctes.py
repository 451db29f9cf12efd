"""CTEs of a text: how often each is read, and the keyword it carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pglast
from pglast import ast, enums

from rewright.sql.parsing import TooDeep, nodes_of, parse


def cte_references(text: str) -> Mapping[str, tuple[int, bool | None]]:
    """Name -> (times read, MATERIALIZED: True, NOT MATERIALIZED: False, neither: None).

    Only CTEs whose keyword can be changed: named once in the statement, not recursive, plain SELECTs.
    """
    try:
        statements = parse(text)
    except (pglast.Error, TooDeep):
        return {}
    names: Counter[str] = Counter()
    keyword: dict[str, bool | None] = {}
    read: Counter[str] = Counter()
    for node in nodes_of(statements):
        match node:
            case ast.CommonTableExpr() if isinstance(node.ctequery, ast.SelectStmt):
                name = str(node.ctename)
                names[name] += 1
                keyword[name] = {
                    enums.CTEMaterialize.CTEMaterializeAlways: True,
                    enums.CTEMaterialize.CTEMaterializeNever: False,
                }.get(node.ctematerialized or enums.CTEMaterialize.CTEMaterializeDefault)
            case ast.WithClause() if node.recursive:
                # a recursive CTE takes no keyword, and its name may be any of them
                return {}
            case ast.RangeVar() if not node.schemaname:
                read[str(node.relname)] += 1
    return {name: (read[name], keyword[name]) for name, times in names.items() if times == 1}
