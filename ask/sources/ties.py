"""`FETCH FIRST n ROWS WITH TIES`, which DuckDB does not know, as the places that a window function gives.

Owns that one change. Must not know what is asked.
"""

from __future__ import annotations

import pglast
from pglast.enums import LimitOption, SetOperation
from pglast.stream import RawStream

from rewright.sql.binder.syntax import ast

_PLACE = "ask_place"


def places_for_ties(sql: str) -> str:
    """The same rows in the same order; behind an offset places are those of different values. A text that has
    no ties at its outermost, keeps each row once, joins queries or does not name its columns stays as it is.

    >>> places_for_ties("select a from t order by b fetch first 2 rows with ties")
    'SELECT a FROM (SELECT a, rank() OVER (ORDER BY b) AS ask_place FROM t) AS ranked WHERE ask_place <= 2 ORDER BY ask_place'
    """  # noqa: E501 - the line of a doctest is one line
    statement = pglast.parse_sql(sql)[0].stmt
    if not isinstance(statement, ast.SelectStmt) or statement.distinctClause or not statement.sortClause:
        return sql
    first, skipped = _number(statement.limitCount), _number(statement.limitOffset)
    if statement.limitOption != LimitOption.LIMIT_OPTION_WITH_TIES or not first or skipped is None:
        # without a number of rows, or with one that is worked out, the places are not known here
        return sql
    if statement.op != SetOperation.SETOP_NONE or statement.valuesLists or _has_star(statement.targetList):
        return sql
    names = _names(statement.targetList)
    ranked = "dense_rank" if skipped else "rank"
    placed = _select(f"select {ranked}() over (order by 1) as {_PLACE}").targetList[0]
    placed.val.over.orderClause = tuple(_sorted_by(key, statement.targetList) for key in statement.sortClause)
    # an output needs a name by which the outer query shows it; a plain column has its own
    for target, name in zip(statement.targetList, names, strict=True):
        if not isinstance(target.val, ast.ColumnRef) or target.name or _last(target.val) != name:
            target.name = name
    statement.targetList = (*statement.targetList, placed)
    statement.sortClause = statement.limitCount = statement.limitOffset = None
    statement.limitOption = LimitOption.LIMIT_OPTION_DEFAULT
    shown = ", ".join(f'"{name}"' for name in names)
    wanted = (
        f"{_PLACE} <= {first}" if not skipped else f"{_PLACE} between {skipped + 1} and {skipped + first}"
    )
    text = f"select {shown} from (select 1) as ranked where {wanted} order by {_PLACE}"
    outer = _select(text)
    outer.fromClause[0].subquery = statement
    return str(RawStream()(outer))


def _select(text: str) -> ast.SelectStmt:
    statement = pglast.parse_sql(text)[0].stmt
    assert isinstance(statement, ast.SelectStmt)
    return statement


def _has_star(targets: tuple[ast.ResTarget, ...]) -> bool:
    refs = (t.val for t in targets if isinstance(t.val, ast.ColumnRef))
    return any(isinstance(ref.fields[-1], ast.A_Star) for ref in refs)


def _sorted_by(key: ast.SortBy, targets: tuple[ast.ResTarget, ...]) -> ast.SortBy:
    """A sort key with what it means: the number or the name of a column of the result is no expression, which
    is all that a window sorts by.
    """
    node = key.node
    meant: object | None = None
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        # `order by 2` inside a window would sort by the constant 2
        meant = targets[node.val.ival - 1].val if 1 <= node.val.ival <= len(targets) else None
    elif isinstance(node, ast.ColumnRef) and len(node.fields) == 1:
        # an output's name hides a column of the table in ORDER BY, though not inside a window
        meant = next((t.val for t in targets if t.name and t.name == _last(node)), None)
    if meant is not None:
        key.node = meant
    return key


def _number(node: object) -> int | None:
    """What a bound says, 0 where there is none, None where it is no plain number."""
    if node is None:
        return 0
    value = node.val if isinstance(node, ast.A_Const) else None
    return value.ival if isinstance(value, ast.Integer) else None


def _names(targets: tuple[ast.ResTarget, ...]) -> list[str]:
    found: list[str] = []
    for number, target in enumerate(targets, 1):
        own = target.name or (_last(target.val) if isinstance(target.val, ast.ColumnRef) else "")
        name = (own or "measure").replace('"', "")
        found.append(name if name not in {*found, _PLACE} else f"{name}_{number}")
    return found


def _last(column: ast.ColumnRef) -> str:
    last = column.fields[-1]
    return last.sval if isinstance(last, ast.String) else ""
