"""What a statement's subqueries compute, in words: "the average of l_quantity in lineitem".

Read from the syntax tree, without a schema. Pure. Must not know plans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pglast
from pglast import ast, enums
from pglast.visitors import Visitor

from rewright.sql.placeholders import HOLE

# longer texts are not read for the sake of a sentence
_LONGEST = 50_000
_AGGREGATES = {
    "avg": "the average of {}",
    "sum": "the sum of {}",
    "min": "the least {}",
    "max": "the greatest {}",
    "count": "the number of {} values",
    "string_agg": "the joined text of {}",
    "array_agg": "the list of {}",
    "bool_or": "whether any {}",
    "bool_and": "whether every {}",
}
_TESTS = frozenset(
    {enums.SubLinkType.EXISTS_SUBLINK, enums.SubLinkType.ANY_SUBLINK, enums.SubLinkType.ALL_SUBLINK}
)


@dataclass(frozen=True, slots=True)
class Subquery:
    """``relations``: the names it reads, sorted, also of subqueries in it; ``computes``: what it is asked
    for, as the subject of a sentence; ``tests``: of EXISTS, IN, ANY and ALL, which a join can answer.
    """

    relations: tuple[str, ...]
    computes: str
    tests: bool = False


def subqueries(text: str) -> Sequence[Subquery]:
    """Of the subqueries in expressions of a statement or template, outer ones first; none where the text
    can't be parsed.
    """
    if len(text) > _LONGEST:
        return ()
    try:
        tree = pglast.parse_sql(HOLE.sub(lambda hole: f"${hole[1]}", text))
    except pglast.Error:
        return ()
    links = _Found.of(tree, ast.SubLink)
    return [
        Subquery(relations := _relations(one.subselect), _computes(one, relations), one.subLinkType in _TESTS)
        for one in links
    ]


class _Found(Visitor):
    """Collects the nodes of one class."""

    def __init__(self, kind: type) -> None:
        super().__init__()
        self.kind, self.nodes = kind, list[Any]()

    def visit(self, _ancestors: Any, node: Any) -> None:
        if isinstance(node, self.kind):
            self.nodes.append(node)

    @classmethod
    def of(cls, tree: Any, kind: type) -> Sequence[Any]:
        found = cls(kind)
        found(tree)
        return found.nodes


def _relations(tree: Any) -> tuple[str, ...]:
    return tuple(sorted({node.relname for node in _Found.of(tree, ast.RangeVar)}))


def _computes(link: Any, relations: Sequence[str]) -> str:
    tables = " and ".join(filter(None, (", ".join(relations[:-1]), *relations[-1:])))
    within = f" in {tables}" if relations else ""
    if link.subLinkType == enums.SubLinkType.EXISTS_SUBLINK:
        return f"whether a matching row of {tables} exists" if relations else "whether a row exists"
    said = list(dict.fromkeys(_aggregates(link.subselect)))
    if said:
        return " and ".join(said[:2]) + within
    if link.subLinkType in _TESTS:
        return f"the list of values{within}"
    columns = [_column(target.val) for target in link.subselect.targetList or ()]
    if len(columns) == 1 and columns[0]:
        return f"the value of {columns[0]}{within}"
    return f"a subquery over {tables}" if relations else "a subquery"


def _aggregates(select: Any) -> Iterator[str]:
    for call in _Found.of(select.targetList, ast.FuncCall) if select.targetList else ():
        said = _AGGREGATES.get(str(call.funcname[-1].sval))
        if said is None:
            continue
        if call.agg_star:
            yield "the number of rows"
        elif call.args:
            distinct = "different " if call.agg_distinct else ""
            # an expression would be as long as the query
            column = _column(call.args[0])
            computed = (
                "of computed values" if said.endswith(("least {}", "greatest {}")) else "computed values"
            )
            yield said.format(f"{distinct}{column}" if column else computed)


def _column(node: Any) -> str:
    """The name of a column, or nothing where it is another expression."""
    fields = node.fields or () if isinstance(node, ast.ColumnRef) else ()
    return str(fields[-1].sval) if fields and isinstance(fields[-1], ast.String) else ""
