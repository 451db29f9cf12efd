"""Changes that only nasty values show: other type modifiers in set operations and USING, aggregates that
nobody reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pglast import ast
from pglast.enums import NullTestType, SetOperation

from bench.mutation_trees import Changed, Names, altered, call, conjunction, integer, strings

_MODIFIED = (("numeric", (12, 4)), ("numeric", (12, 1)), ("bpchar", (9,)), ("numeric", ()))


def _as_type(name: str, modifiers: tuple[int, ...]) -> ast.TypeName:
    typmods = tuple(integer(m) for m in modifiers) or None
    return ast.TypeName(
        names=strings("pg_catalog", name), typmods=typmods, typemod=-1, setof=False, pct_type=False
    )


def _modified(select: Any) -> Iterator[Any]:
    """The SELECT with one output under another modifier."""
    for i, target in enumerate(select.targetList or ()):
        for name, modifiers in _MODIFIED:
            made = altered(target, val=ast.TypeCast(arg=target.val, typeName=_as_type(name, modifiers)))
            targets = (*select.targetList[:i], made, *select.targetList[i + 1 :])
            yield altered(select, targetList=targets)


def _arms(node: Any, _: Names) -> Iterator[Changed]:
    if node.op == SetOperation.SETOP_NONE:
        return
    for slot in ("larg", "rarg"):
        for arm in _modified(getattr(node, slot)):
            yield "modifier of an arm", altered(node, **{slot: arm})


def _merged(node: Any, _: Names) -> Iterator[Changed]:
    """USING and NATURAL over a subquery's columns of another modifier."""
    if not (node.usingClause or node.isNatural):
        return
    for slot in ("larg", "rarg"):
        side = getattr(node, slot)
        if isinstance(side, ast.RangeSubselect):
            for inner in _modified(side.subquery):
                named = _named(side.subquery, inner)
                yield "modifier of a USING side", altered(node, **{slot: altered(side, subquery=named)})


def _named(before: Any, after: Any) -> Any:
    """The outputs under the names that they had."""
    kept = []
    for old, new in zip(before.targetList, after.targetList, strict=True):
        name = old.name
        last = old.val.fields[-1] if name is None and isinstance(old.val, ast.ColumnRef) else None  # type: ignore[index] # a column has a name
        if isinstance(last, ast.String):
            name = last.sval
        kept.append(altered(new, name=name))
    return altered(after, targetList=tuple(kept))


def _unread(node: Any, names: Names) -> Iterator[Changed]:
    """An aggregate whose value decides nothing, but which is computed."""
    if not node.groupClause:
        return
    for column in names.columns:
        for name in ("sum", "avg", "var_pop"):
            made = call(name, column)
            test = ast.NullTest(arg=made, nulltesttype=NullTestType.IS_NOT_NULL)
            yield "unread aggregate", altered(node, havingClause=conjunction(node.havingClause, test))
            target = ast.ResTarget(name="unread", val=made)
            yield "unread aggregate", altered(node, targetList=(*node.targetList, target))


def _ends(node: Any, _: Names) -> Iterator[Changed]:
    for slot in ("limitCount", "limitOffset"):
        if getattr(node, slot) is not None:
            yield "negative LIMIT", altered(node, **{slot: integer(-1)})


CHANGES: dict[type, tuple[Callable[[Any, Names], Iterator[Changed]], ...]] = {
    ast.SelectStmt: (_arms, _unread, _ends),
    ast.JoinExpr: (_merged,),
}
