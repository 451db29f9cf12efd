"""What the items of FROM are called in a rule's note, which a person reads: by the tables they are made of.

An alias says nothing to somebody who did not write it, least of all one that another rule made up. Pure. Must
not know any particular rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.sql import algebra as a
from rewright.sql.walk import walk

# of a subquery over more tables than these, the first are named
_NAMED = 3


def named(item: a.FromItem) -> str:
    """A table or view by its name, a subquery by what it does to which tables."""
    match item:
        case a.Scan():
            return item.table.name
        case a.CteScan():
            return f"the CTE {item.alias}"
        case a.Derived(view=a.TableRef() as view):
            return f"the view {view.name}"
        case a.Derived():
            return _subquery(item.query)
        case a.Join():
            return f"a join of {listed(_tables(item))}"
        case _:
            return "a list of rows"


def all_named(items: Sequence[a.FromItem]) -> str:
    """Several items, each named once."""
    return listed(list(dict.fromkeys(named(item) for item in items)))


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _subquery(query: a.Query) -> str:
    kind = "the subquery"
    if isinstance(query, a.SetOp):
        kind = "the union" if query.op == "union" else "the subquery"
    elif isinstance(query, a.Select) and query.group_by is not None:
        kind = "the grouping"
    elif isinstance(query, a.Select) and query.distinct is not None:
        kind = "the list of different values"
    tables = _tables(query)
    return f"{kind} of {listed(tables)}" if tables else kind


def _tables(tree: a.Node) -> list[str]:
    found = list(dict.fromkeys(n.table.name for n in walk(tree) if isinstance(n, a.Scan)))
    return found if len(found) <= _NAMED else [*found[:_NAMED], "others"]
