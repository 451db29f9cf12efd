"""Which names a join in a plan has in the query's text.

pg_hint_plan names relations by alias within one query level and knows no query blocks. A plan shows
aliases of all levels mixed, and leaves out subqueries that it could merge or whose scan it elided. Here a
plan node gets the set of aliases that a hint for it must name, or None when that cannot be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pglast
from pglast import ast

from rewright.hints.conditions import last_name
from rewright.sql.builtins import builtins
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.sql.plans import Node

# operators that belong to the level of the join below them
TRANSPARENT = frozenset(
    {"Hash", "Sort", "Incremental Sort", "Materialize", "Memoize", "Gather", "Gather Merge"}
)


@dataclass(frozen=True, slots=True)
class Names:
    """Aliases of a statement: those that occur once, and derived tables by what is inside them."""

    unique: frozenset[str]
    repeated: frozenset[str]
    derived: tuple[tuple[frozenset[str], str], ...]
    functions: frozenset[str]
    relations: int

    def derived_name(self, inside: frozenset[str]) -> str | None:
        found = [name for names, name in self.derived if names == inside]
        # Two derived tables with the same relations inside cannot be told apart in the plan.
        return found[0] if len(found) == 1 else None


# the text of a view's query, by the schema (or nothing) and name under which it is named; None: no view
Views = Callable[[str, str], str | None]
# views in views: deeper ones are not looked into
_DEEPEST = 20


def no_views(_schema: str, _name: str) -> None:
    """Every relation is a table."""


def names_of(text: str, views: Views = no_views) -> Names:
    """The names in one statement, those inside of views included; all empty when it does not parse.

    The planner puts a view's query in its place, and pg_hint_plan finds the relations in it by their aliases
    there.
    """
    found = _Names(views)
    try:
        found.read(parse(text), _DEEPEST)
    except (pglast.Error, TooDeep):
        return Names(frozenset(), frozenset(), (), frozenset(), 0)
    return Names(
        unique=frozenset(name for name, times in found.count.items() if times == 1),
        repeated=frozenset(name for name, times in found.count.items() if times > 1),
        derived=tuple(found.derived),
        functions=frozenset(found.functions),
        relations=sum(found.count.values()),
    )


class _Names:
    """Names as they are met."""

    def __init__(self, views: Views) -> None:
        self.views = views
        self.count: Counter[str] = Counter()
        self.derived: list[tuple[frozenset[str], str]] = []
        self.functions: set[str] = set()

    def read(self, statements: Any, depth: int) -> None:
        ctes = {str(node.ctename) for node in nodes_of(statements) if isinstance(node, ast.CommonTableExpr)}
        for node in nodes_of(statements):
            match node:
                case ast.RangeVar():
                    # the same alias at two levels, and a CTE read twice, count twice
                    self.count[_alias(node)] += 1
                    # a CTE of that name hides the view
                    if node.schemaname or node.relname not in ctes:
                        self._view(node, depth)
                case ast.RangeSubselect() if node.alias:
                    self._derived(node.subquery, _alias(node))
                case ast.RangeFunction() if node.alias:
                    self.count[_alias(node)] += 1
                case ast.FuncCall() if node.funcname:
                    self.functions.add(str(node.funcname[-1].sval))

    def _derived(self, query: Any, alias: str) -> None:
        self.count[alias] += 1
        self.derived.append((frozenset(_from_names(query)), alias))

    def _view(self, node: ast.RangeVar, depth: int) -> None:
        text = self.views(str(node.schemaname or ""), str(node.relname))
        if not text or not depth:
            return
        statements = parse(text)
        self.derived.append((frozenset(_from_names(statements[0].stmt)), _alias(node)))
        self.read(statements, depth - 1)


def is_select(text: str) -> bool:
    """One SELECT (or VALUES, TABLE) that writes nothing; True for what does not parse: the server has the
    word.
    """
    try:
        statements = parse(text)
    except (pglast.Error, TooDeep):
        return True
    writes = (ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt, ast.MergeStmt)
    return (
        len(statements) == 1
        and isinstance(statements[0].stmt, ast.SelectStmt)
        and not any(
            isinstance(node, writes) or getattr(node, "intoClause", None) for node in nodes_of(statements)
        )
    )


def _alias(item: ast.RangeVar | ast.RangeSubselect | ast.RangeFunction) -> str:
    if item.alias is not None:
        return str(item.alias.aliasname)
    return str(item.relname) if isinstance(item, ast.RangeVar) else ""


def _from_names(query: Any) -> Iterator[str]:
    """Aliases in one level's FROM, simple subqueries included as what they hold."""
    stack = list(getattr(query, "fromClause", None) or ())
    while stack:
        item = stack.pop()
        match item:
            case ast.RangeVar():
                yield _alias(item)
            case ast.JoinExpr():
                stack += [item.larg, item.rarg]
            case ast.RangeSubselect(subquery=inner) if item.alias:
                # merged, its relations are of this level; else it is one relation by its alias
                yield from (_from_names(inner) if _merges(inner) else iter([_alias(item)]))
            case ast.RangeFunction() if item.alias:
                yield _alias(item)


def _merges(query: Any) -> bool:
    """Whether the planner pulls this subquery up into the level around it."""
    return isinstance(query, ast.SelectStmt) and not (
        query.groupClause
        or query.havingClause
        or query.distinctClause
        or query.limitCount
        or query.limitOffset
        or query.valuesLists
        or query.larg
        or query.withClause
        or any(isinstance(n, ast.FuncCall) and _keeps_level(n) for n in nodes_of(query.targetList))
    )


def _keeps_level(call: ast.FuncCall) -> bool:
    """Whether a call in a select list keeps its subquery from being pulled up: an aggregate, a window
    function, or a function that returns a set. Of a user's own functions the text does not say what they are.
    """
    if call.agg_star or call.over is not None or call.agg_filter is not None or call.agg_within_group:
        return True
    known = builtins().functions(last_name(call.funcname))
    return any(f.kind == "a" or f.returns_set for f in known)


def level_aliases(node: Node, names: Names) -> frozenset[str] | None:
    """The aliases that a hint for ``node``'s result must name, all of one query level; or None.

    A relation that occurs under several aliases' levels, an aggregate without a name, or an Append is
    not nameable.
    """
    if node.is_join:
        parts = [level_aliases(child, names) for child in node.inputs]
        known = [part for part in parts if part is not None]
        # a join with an input that has no name has none
        return frozenset().union(*known) if len(known) == len(parts) == 2 else None
    # An alias of two levels would hint both of them, or neither.
    if node.alias:
        return frozenset({node.alias}) if node.alias in names.unique else None
    if node.operator in TRANSPARENT and len(node.inputs) == 1:
        return level_aliases(node.inputs[0], names)
    inside = _topmost_join(node)
    if inside is None:
        return None
    aliases = level_aliases(inside, names)
    name = names.derived_name(aliases) if aliases else None
    return frozenset({name}) if name and name in names.unique else None


def _topmost_join(node: Node) -> Node | None:
    """The join or scan at the top of the level that an aggregate, sort or limit closes."""
    while not (node.is_join or node.alias):
        # an Append's inputs are several levels
        if len(node.inputs) != 1:
            return None
        node = node.inputs[0]
    return node
