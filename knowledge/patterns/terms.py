"""Queries as terms: hashable trees that can be compared, taken apart and put together again.

A query block is one flat node: FROM items and conjuncts without order, inner joins dissolved into both, LEFT
JOINs beside them in their order (an inner join commutes with an outer one on the preserved side). Column
references name their range variable. Must not know patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pglast import ast, enums
from pglast.stream import RawStream

from rewright.sql.parsing import parse

# one block's clauses beside items, lefts, preds and targets, by the parser's names
CLAUSES = (
    "distinctClause",
    "groupClause",
    "groupDistinct",
    "havingClause",
    "windowClause",
    "sortClause",
    "limitCount",
    "limitOffset",
    "limitOption",
    "withClause",
)
_NO_MATTER = {
    "location",
    "rexpr_list_start",
    "rexpr_list_end",
    "subLinkId",
    "stmt_len",
    "list_start",
    "list_end",
}
_INNER = int(enums.JoinType.JOIN_INNER)
_LEFT = int(enums.JoinType.JOIN_LEFT)
_RIGHT = int(enums.JoinType.JOIN_RIGHT)
_PLAIN = int(enums.SetOperation.SETOP_NONE)
_IN = {int(enums.A_Expr_Kind.AEXPR_IN)}


class NotATerm(ValueError):
    """A statement that is no plain query."""


@dataclass(frozen=True, slots=True)
class Var:
    """A metavariable. ``sort``: expr, const, list, alias, table, column, name or clause."""

    sort: str
    key: Any


@dataclass(frozen=True, slots=True)
class Term:
    """A node: its kind and its fields in a fixed order, absent ones left out."""

    kind: str
    fields: tuple[tuple[str, Any], ...]

    def get(self, name: str, default: Any = None) -> Any:
        return next((value for field, value in self.fields if field == name), default)

    def put(self, **changes: Any) -> Term:
        """With fields replaced or added; None takes one away."""
        # None takes a field away
        merged = {**dict(self.fields), **changes}
        return Term(self.kind, tuple((k, v) for k, v in merged.items() if v is not None))


def make(kind: str, **fields: Any) -> Term:
    return Term(kind, tuple((k, v) for k, v in fields.items() if v is not None))


def read(sql: str) -> Term:
    """The term of one SELECT. Raises NotATerm, and what the parser raises."""
    statement = parse(sql)[0].stmt
    # FOR UPDATE locks, INTO makes a table: no terms of plain reading
    if not isinstance(statement, ast.SelectStmt) or statement.lockingClause or statement.intoClause:
        raise NotATerm("not a plain SELECT")
    found: Term = _term(statement)
    return found


def write(term: Term) -> str:
    """The text of a term."""
    text: str = RawStream()(_node(term))
    return text


# --------------------------------------------------------------------------- from and to syntax trees


def _term(node: Any) -> Any:
    match node:
        case tuple():
            return tuple(_term(part) for part in node)
        # set operations and VALUES stay generic nodes
        case ast.SelectStmt() if int(node.op or 0) == _PLAIN and not node.valuesLists:
            return _block(node)
        # qualified columns only: an unqualified one could be any table's
        case ast.ColumnRef(fields=(ast.String(sval=alias), ast.String(sval=name))):
            return make("Col", alias=alias, name=name)
        case ast.RangeVar():
            alias = node.alias.aliasname if node.alias else node.relname
            # inh is True for a table with its children
            only = None if node.inh else True
            return make("Table", name=node.relname, alias=alias, schema=node.schemaname, only=only)
        case ast.RangeSubselect(alias=ast.Alias() as named):
            columns = tuple(c.sval for c in named.colnames or ()) or None
            return make(
                "Sub",
                alias=named.aliasname,
                query=_term(node.subquery),
                lateral=node.lateral or None,
                columns=columns,
            )
        # a constant with its cast is one: date '2024-01-01'
        case ast.A_Const() | ast.TypeCast(arg=ast.A_Const()):
            return make("Const", sql=RawStream()(node))
        case ast.ResTarget():
            return make("Target", name=node.name or _implicit(node.val), expr=_term(node.val))
        # IN's list is a tuple in the tree, which would be taken for a list of fields
        case ast.A_Expr() if int(node.kind or 0) in _IN:
            made = _generic(node)
            return made.put(rexpr=make("List", items=made.get("rexpr")))
        case ast.Node():
            return _generic(node)
        case _:
            return node


def _generic(node: ast.Node) -> Term:
    # places in the text do not matter, fields without value neither
    fields = ((name, getattr(node, name)) for name in node if name not in _NO_MATTER)
    return Term(type(node).__name__, tuple((n, _plain(v)) for n, v in fields if v is not None))


def _plain(value: Any) -> Any:
    # enums are integers: equal trees from different versions of the parser stay equal
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else _term(value)


# as FigureColname of parse_target.c
def _implicit(value: Any) -> str:
    """The name PostgreSQL gives an output column without one."""
    match value:
        case ast.ColumnRef(fields=(*_, ast.String(sval=str(name)))):
            return name
        case ast.FuncCall(funcname=(*_, ast.String(sval=str(name)))):
            return name
        case ast.TypeCast(arg=arg, typeName=ast.TypeName(names=(*_, ast.String(sval=str(name))))):
            inner = _implicit(arg)
            # a cast gives its type's name only where what it is of has none
            return name if inner == "?column?" else inner
        case ast.SubLink(subselect=ast.SelectStmt(targetList=(ast.ResTarget() as target,))):
            return target.name or _implicit(target.val)
        case ast.CoalesceExpr():
            return "coalesce"
        case ast.CaseExpr():
            return "case"
        case _:
            return "?column?"


def _block(node: ast.SelectStmt) -> Term:
    items: list[Term] = []
    lefts: list[Term] = []
    preds: list[Any] = []
    # joins are flattened: a pattern should match whatever order they are written in
    for item in node.fromClause or ():
        _flatten(item, items, lefts, preds)
    preds += conjuncts(_term(node.whereClause))
    # empty lists are the same as none
    rest = {name: _plain(getattr(node, name)) for name in CLAUSES if getattr(node, name) is not None}
    return make(
        "Block",
        items=tuple(items),
        lefts=tuple(lefts),
        # the same condition twice is one
        preds=tuple(dict.fromkeys(preds)),
        targets=_term(node.targetList or ()),
        **{name: value for name, value in rest.items() if value},
    )


def _flatten(item: Any, items: list[Term], lefts: list[Term], preds: list[Any]) -> None:
    # NATURAL and USING make columns of their own; an alias hides the names inside
    plain = isinstance(item, ast.JoinExpr) and not item.isNatural and not item.usingClause and not item.alias
    kind = int(item.jointype or 0) if plain else None
    if kind == _INNER:
        _flatten(item.larg, items, lefts, preds)
        # ON of an inner join is a condition like WHERE's
        _flatten(item.rarg, items, lefts, preds)
        preds += conjuncts(_term(item.quals))
    elif kind in {_LEFT, _RIGHT}:
        # a right join is a left join the other way round
        kept, padded = (item.larg, item.rarg) if kind == _LEFT else (item.rarg, item.larg)
        _flatten(kept, items, lefts, preds)
        lefts.append(make("Left", item=_term(padded), on=tuple(conjuncts(_term(item.quals)))))
    else:
        items.append(_term(item))


def conjuncts(expr: Any) -> list[Any]:
    if expr is None:
        return []
    if isinstance(expr, Term) and expr.kind == "BoolExpr" and expr.get("boolop") == 0:
        return [c for arg in expr.get("args") for c in conjuncts(arg)]
    return [expr]


def _conjoin(preds: tuple[Any, ...]) -> Any:
    if not preds:
        return None
    return preds[0] if len(preds) == 1 else make("BoolExpr", boolop=0, args=preds)


def _node(value: Any) -> Any:
    match value:
        case tuple():
            return tuple(_node(part) for part in value)
        case Term(kind="Block"):
            return _select(value)
        case Term(kind="Col"):
            return ast.ColumnRef(fields=tuple(ast.String(sval=value.get(n)) for n in ("alias", "name")))
        case Term(kind="Table"):
            return ast.RangeVar(
                relname=value.get("name"),
                schemaname=value.get("schema"),
                inh=not value.get("only"),
                relpersistence="p",
                alias=ast.Alias(aliasname=value.get("alias")),
            )
        case Term(kind="Sub"):
            names = tuple(ast.String(sval=c) for c in value.get("columns", ()))
            return ast.RangeSubselect(
                lateral=bool(value.get("lateral")),
                subquery=_node(value.get("query")),
                alias=ast.Alias(aliasname=value.get("alias"), colnames=names or None),
            )
        case Term(kind="Const"):
            return constant(value.get("sql"))
        case Term(kind="Target"):
            return ast.ResTarget(name=value.get("name"), val=_node(value.get("expr")))
        case Term(kind="List"):
            return _node(value.get("items"))
        case Term():
            return getattr(ast, value.kind)(**{name: _node(part) for name, part in value.fields})
        case _:
            return value


def _select(block: Term) -> ast.SelectStmt:
    # LATERAL items last: they refer to those before
    items = sorted(block.get("items"), key=lambda i: bool(i.get("lateral")))
    tables = tuple(_node(item) for item in items)
    lefts = block.get("lefts", ())
    # with outer joins the order counts: inner ones first, then each padded side
    if lefts and tables:
        tree = tables[0]
        for table in tables[1:]:
            tree = ast.JoinExpr(jointype=_INNER, isNatural=False, larg=tree, rarg=table)
        for left in lefts:
            # ON of no condition is true
            on = _node(_conjoin(left.get("on"))) or constant("true")
            tree = ast.JoinExpr(
                jointype=_LEFT, isNatural=False, larg=tree, rarg=_node(left.get("item")), quals=on
            )
        tables = (tree,)
    # only the clauses that a block has
    rest = {name: _node(value) for name, value in block.fields if name in CLAUSES}
    return ast.SelectStmt(
        **{
            "op": _PLAIN,
            "all": False,
            "groupDistinct": False,
            "limitOption": 0,
            **rest,
            "targetList": tuple(_node(t) for t in block.get("targets")),
            "fromClause": tables or None,
            "whereClause": _node(_conjoin(block.get("preds"))),
        }
    )


# parsed for each constant of each match otherwise
@lru_cache(maxsize=4096)
def constant(sql: str) -> Any:
    return parse(f"select {sql}")[0].stmt.targetList[0].val


# --------------------------------------------------------------------------- traversal


def parts(node: Any) -> Iterator[Any]:
    """What stands directly below a node."""
    if isinstance(node, tuple):
        yield from node
    elif isinstance(node, Term):
        for _, value in node.fields:
            yield value


def walk(node: Any) -> Iterator[Term]:
    """Every term below ``node`` and itself, outer ones first."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, Term):
            yield here
        # reversed: the stack gives the first part first
        stack.extend(part for part in reversed(list(parts(here))) if isinstance(part, Term | tuple))


def mapped(node: Any, change: Callable[[Term], Any]) -> Any:
    """``node`` with ``change`` applied to each term, inner ones first."""
    if isinstance(node, tuple):
        return tuple(mapped(part, change) for part in node)
    if not isinstance(node, Term):
        return node
    return change(Term(node.kind, tuple((name, mapped(value, change)) for name, value in node.fields)))


def renamed(node: Any, aliases: Mapping[str, Any]) -> Any:
    """``node`` with range variables called otherwise, where they are defined and where they are used."""
    if not aliases:
        return node

    def change(term: Term) -> Term:
        if term.kind in {"Col", "Table", "Sub"} and term.get("alias") in aliases:
            return term.put(alias=aliases[term.get("alias")])
        if term.kind == "Alias" and term.get("aliasname") in aliases:
            return term.put(aliasname=aliases[term.get("aliasname")])
        return term

    return mapped(node, change)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Term]]:
    """Every term with the path to it, outer ones first."""
    if isinstance(node, Term):
        yield path, node
        for name, value in node.fields:
            yield from places(value, (*path, name))
    elif isinstance(node, tuple):
        for number, value in enumerate(node):
            yield from places(value, (*path, number))


def replaced(node: Any, path: tuple[Any, ...], new: Any) -> Any:
    """``node`` with what stands at ``path`` replaced."""
    if not path:
        return new
    here, rest = path[0], path[1:]
    if isinstance(node, tuple):
        return (*node[:here], replaced(node[here], rest, new), *node[here + 1 :])
    return Term(node.kind, tuple((n, replaced(v, rest, new) if n == here else v) for n, v in node.fields))
