"""What a proof needs a column's NOT NULL for, told by what two queries do with the column. Pure.

A proof states that it rests on a NOT NULL, and not at which step: so this is read from the texts, first
from where they differ. Must not know how it is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, SubLinkType
from pglast.error import Error as PglastError

from rewright.sql.parsing import TooDeep, nodes_of, parse

Use = Literal["count", "null test", "not in", "grouped", "compared"]
# the more particular first
_ORDER: tuple[Use, ...] = ("count", "null test", "not in", "grouped", "compared")
_COMPARING = frozenset(
    {
        A_Expr_Kind.AEXPR_OP,
        A_Expr_Kind.AEXPR_OP_ANY,
        A_Expr_Kind.AEXPR_OP_ALL,
        A_Expr_Kind.AEXPR_IN,
        A_Expr_Kind.AEXPR_LIKE,
        A_Expr_Kind.AEXPR_ILIKE,
        A_Expr_Kind.AEXPR_BETWEEN,
        A_Expr_Kind.AEXPR_NOT_BETWEEN,
    }
)


def uses(table: str, column: str, texts: Sequence[str]) -> Sequence[Use]:
    """What the texts do with the column of the table (without its schema) and not equally often; where they
    do the same, all that they do with it. Empty where the column stands in neither, or one does not parse.
    """
    try:
        found = [Counter(_uses(table, column, text)) for text in texts]
    except (PglastError, TooDeep, RecursionError):
        return ()
    changed = [use for use in _ORDER if len({counted[use] for counted in found}) > 1]
    return changed or [use for use in _ORDER if any(counted[use] for counted in found)]


def _uses(table: str, column: str, text: str) -> Iterator[Use]:
    nodes = list(nodes_of([one.stmt for one in parse(text)]))
    others = {name for name, relation in _relations(nodes) if relation != table}
    others -= {name for name, relation in _relations(nodes) if relation == table}
    negated = {id(link) for node in nodes for link in _negated(node)}
    for node in nodes:
        for use, operands in _operands(node, negated):
            if any(_is_column(one, column, others) for one in operands):
                yield use


def _relations(nodes: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Each name that a column can be qualified with, and the relation that it means."""
    for node in nodes:
        if isinstance(node, ast.RangeVar):
            alias = node.alias.aliasname if node.alias else node.relname
            yield alias or "", node.relname or ""


def _negated(node: Any) -> Iterator[Any]:
    """The subqueries of NOT (x IN (SELECT …))."""
    if isinstance(node, ast.BoolExpr) and node.boolop == BoolExprType.NOT_EXPR:
        yield from (one for one in node.args or () if isinstance(one, ast.SubLink))


def _operands(node: Any, negated: set[int]) -> Iterator[tuple[Use, Sequence[Any]]]:
    match node:
        case ast.FuncCall() if _name(node.funcname) == "count":
            yield "count", node.args or ()
        case ast.NullTest():
            yield "null test", (node.arg,)
        case ast.SubLink() if node.testexpr is not None:
            yield _use_of_link(node, negated), (node.testexpr, *_selected(node.subselect))
        case ast.A_Expr() if node.kind in _COMPARING:
            none_of = node.kind == A_Expr_Kind.AEXPR_IN and _name(node.name) == "<>"
            yield ("not in" if none_of else "compared"), (node.lexpr, node.rexpr)
        case ast.JoinExpr() if node.usingClause:
            yield "compared", node.usingClause
        case ast.SelectStmt():
            distinct = _selected(node) if node.distinctClause else ()
            yield "grouped", (*(node.groupClause or ()), *distinct)
        case _:
            pass


def _use_of_link(link: Any, negated: set[int]) -> Use:
    if link.subLinkType == SubLinkType.ALL_SUBLINK:
        return "not in" if _name(link.operName) == "<>" else "compared"
    return "not in" if id(link) in negated else "compared"


def _name(parts: Sequence[Any] | None) -> str:
    """The last part of a name."""
    return str(parts[-1].sval) if parts else ""


def _selected(select: Any) -> Sequence[Any]:
    return tuple(one.val for one in getattr(select, "targetList", None) or ())


def _is_column(node: Any, column: str, others: set[str]) -> bool:
    """Whether it is the column by itself; ``others``: qualifiers that mean another relation."""
    if isinstance(node, ast.String):
        return bool(node.sval == column)
    if not isinstance(node, ast.ColumnRef):
        return False
    names = [getattr(part, "sval", "") for part in node.fields or ()]
    return names[-1] == column and (len(names) < 2 or names[-2] not in others)
