"""Which order a query promises: the query with its tie groups as one more column.

Owns the rewriting of a parse tree into text that returns the same rows in the same order plus, last,
a number that is equal for rows among which ORDER BY leaves the choice. Must not know servers.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from pglast.stream import RawStream

from rewright.equivalence.isolation import nodes
from rewright.equivalence.tree import ast, enums


def tie_query(tree: Any) -> str | None:
    """Text of the query with a last column ``rank() over (order by …)``; None without ORDER BY.

    Where the extra column cannot be added in place (DISTINCT, set operations), the query is wrapped
    and its keys must be output positions or names; else None is returned and no order is judged.
    """
    # without ORDER BY any order is an answer
    if not isinstance(tree, ast.SelectStmt) or not tree.sortClause:
        return None
    stmt = copy.copy(tree)  # only its own fields are changed
    # a column more would make DISTINCT keep more rows, and set operations compare more
    if stmt.op != enums.SetOperation.SETOP_NONE or stmt.distinctClause or stmt.valuesLists:
        return _wrapped(stmt)
    keys = _expressions(stmt)
    if keys is None:
        return None
    window = ast.WindowDef(orderClause=keys, frameOptions=0x422)  # default frame, parsenodes.h
    rank = ast.FuncCall(funcname=(ast.String("pg_catalog"), ast.String("rank")), over=window)
    stmt.targetList = (*stmt.targetList, ast.ResTarget(name="rw_tie", val=rank))
    # a name or position in ORDER BY must not come to mean the new column: positions stay, it is last
    return str(RawStream()(stmt))


# windows and aggregates whose result depends on the order among peers
_ORDER_SENSITIVE = frozenset(
    {
        "row_number",
        "ntile",
        "first_value",
        "last_value",
        "nth_value",
        "lag",
        "lead",
        "array_agg",
        "string_agg",
    }
    | {"json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg", "xmlagg", "any_value", "mode"}
    | {"json_agg_strict", "jsonb_agg_strict", "json_object_agg_strict", "jsonb_object_agg_strict"}
    | {"json_object_agg_unique", "json_object_agg_unique_strict"}
)


def chooses_freely(tree: object) -> bool:
    """Whether the query may have more than one right answer (LIMIT, DISTINCT ON, row_number, …)."""
    return _choose(nodes(tree))


def counts_are_fixed(tree: Any) -> bool:
    """Whether a query that chooses among rows has the same number of them whatever it chooses: only the whole
    of it is cut by LIMIT or DISTINCT ON.
    """
    if not isinstance(tree, ast.SelectStmt) or tree.op != enums.SetOperation.SETOP_NONE:
        # a set operation's LIMIT cuts the whole, but its arms choose too
        return False
    rest = copy.copy(tree)
    rest.limitCount = rest.limitOffset = rest.distinctClause = None
    # LIMIT 2 + 3 or LIMIT (SELECT …) may be another number each time
    plain = all(isinstance(n, ast.A_Const | None) for n in (tree.limitCount, tree.limitOffset))
    return plain and not _choose(nodes(rest))


def _choose(found: Iterable[object]) -> bool:
    for node in found:
        match node:
            case ast.SelectStmt() if node.limitCount is not None or node.limitOffset is not None:
                return True
            case ast.SelectStmt() if node.distinctClause and node.distinctClause[0] is not None:
                return True
            case ast.FuncCall() if node.funcname[-1].sval.lower() in _ORDER_SENSITIVE:
                return True
            # ROWS frames tell peers apart
            case ast.WindowDef() if node.frameOptions & 0x4:  # FRAMEOPTION_ROWS, parsenodes.h
                return True
            case _:
                pass
    return False


def _expressions(stmt: Any) -> tuple[Any, ...] | None:
    """The sort keys as expressions of the block (a window does not know output names or positions)."""
    outputs: dict[str, Any] = {}
    for target in stmt.targetList:
        if target.name:
            outputs[target.name] = target.val
    # * stands for columns that the parse tree does not count
    if any(_is_star(target) for target in stmt.targetList) and any(_position(k) for k in stmt.sortClause):
        return None
    keys = []
    for key in stmt.sortClause:
        node = key.node
        position = _position(key)
        if position:
            # ORDER BY 5 of four columns is an error that the server shall raise
            if position > len(stmt.targetList):
                return None
            node = stmt.targetList[position - 1].val
        elif (
            isinstance(node, ast.ColumnRef)
            and len(node.fields) == 1
            and isinstance(node.fields[0], ast.String)
        ):
            # ORDER BY name means the output of that name before a column
            node = outputs.get(node.fields[0].sval, node)
        if isinstance(node, ast.A_Const):  # a constant key orders nothing
            continue
        keys.append(
            ast.SortBy(node=node, sortby_dir=key.sortby_dir, sortby_nulls=key.sortby_nulls, useOp=key.useOp)
        )
    return tuple(keys) if keys else None


def _position(key: Any) -> int:
    node = key.node
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        return int(node.val.ival or 0)
    return 0


def _is_star(target: Any) -> bool:
    return isinstance(target.val, ast.ColumnRef) and isinstance(target.val.fields[-1], ast.A_Star)


def _wrapped(stmt: Any) -> str | None:
    """``select *, rank() over (order by …) from (query) order by …``, keys by output name."""
    keys = []
    names = _output_names(stmt)
    for key in stmt.sortClause:
        position = _position(key)
        if position and names is not None and 0 < position <= len(names):
            name = names[position - 1]
        elif isinstance(key.node, ast.ColumnRef) and isinstance(key.node.fields[-1], ast.String):
            name = key.node.fields[-1].sval
        else:
            return None
        # of two outputs of one name the wrapped query can't say which it sorts by
        if names is not None and names.count(name) != 1:
            return None
        column = ast.ColumnRef(fields=(ast.String("rw_q"), ast.String(name)))
        keys.append(
            ast.SortBy(node=column, sortby_dir=key.sortby_dir, sortby_nulls=key.sortby_nulls, useOp=key.useOp)
        )
    inner = str(RawStream()(stmt))
    order = ", ".join(str(RawStream()(key)) for key in keys)
    return f"select rw_q.*, pg_catalog.rank() over (order by {order}) as rw_tie from ({inner}) rw_q"


def _output_names(stmt: Any) -> list[str] | None:
    # of set operations the leftmost block names the columns
    while stmt.op != enums.SetOperation.SETOP_NONE:
        stmt = stmt.larg
    names = []
    for target in stmt.targetList or ():
        if target.name:
            names.append(target.name)
        elif isinstance(target.val, ast.ColumnRef) and isinstance(target.val.fields[-1], ast.String):
            names.append(target.val.fields[-1].sval)
        else:
            return None
    return names
