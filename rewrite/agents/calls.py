"""What a bound query reads and calls: relations, functions, operators, types, as the catalog knows them.

Names hide what they mean: an operator is a function, ``t.f`` may call ``f(t)``, a cast runs the type's
functions, a name in one place is a CTE and in another a table. In a bound tree each is what it is. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.types import SqlType
from rewright.sql.walk import parts

Object = tuple[str, str, tuple[str, ...]]
"""Schema, name, types of arguments."""


@dataclass(frozen=True, slots=True)
class Uses:
    """What a text uses, with or without what its views use."""

    relations: frozenset[str]
    functions: frozenset[Object]
    operators: frozenset[Object]
    """And the functions of casts."""
    types: frozenset[str]
    """Types that a user made, of casts and literals; in ``known_types`` those of columns besides."""
    known_types: frozenset[str]


def uses_of(query: a.Query, *, views: bool = False) -> Uses:
    """Relations, calls and types of the text itself; with ``views`` also those of the views that it reads, as
    far as these do not hide rows (security_barrier).
    """
    relations: set[str] = set()
    functions: set[Object] = set()
    operators: set[Object] = set()
    types: set[SqlType] = set()
    columns: set[SqlType] = set()
    for node in _nodes(query, views=views):
        # whatever calls a function by name
        if isinstance(node, (a.Call, a.Aggregate, a.WindowCall)):
            functions.add(_function(node.func))
        # comparisons, sorts and IN carry their operators in fields of these names
        operators |= {(o.schema, o.name, (o.left, o.right)) for o in _operators_of(node)}
        if isinstance(node, a.Cast) and node.func is not None:
            operators.add(_function(node.func))
        match node:
            case a.Scan():
                relations.add(f"{node.table.schema}.{node.table.name}")
                columns |= {c.type for c in node.columns}
            case a.Derived(view=a.TableRef() as view):
                relations.add(f"{view.schema}.{view.name}")
            case a.Const() | a.Cast() | a.Opaque():
                types.add(node.type)
            case _:
                pass
    made, known = _made(types), _made(types | columns)
    return Uses(frozenset(relations), frozenset(functions), frozenset(operators), made, known)


def _made(types: Iterable[SqlType]) -> frozenset[str]:
    """Those of a user's."""
    return frozenset(f"{t.schema}.{t.name}" for t in types if not t.is_builtin)


def _nodes(query: a.Query, *, views: bool) -> Iterator[a.Node]:
    stack: list[a.Node] = [query]
    while stack:
        here = stack.pop()
        yield here
        # a view's own text is not the query's: it is looked into where asked for, and never behind a barrier
        if not isinstance(here, a.Derived) or here.view is None or (views and not here.security_barrier):
            stack.extend(parts(here))


def _operators_of(node: a.Node) -> Iterator[a.OperatorRef]:
    one = getattr(node, "op", None)
    if isinstance(one, a.OperatorRef):
        yield one
    yield from (o for o in getattr(node, "ops", ()) if isinstance(o, a.OperatorRef))


def _function(func: a.FunctionRef) -> Object:
    return (func.schema, func.name, func.arg_types)
