"""Whether the texts in a schema still mean, where they are used, what they meant when they were written.

PostgreSQL stores views and expressions bound: `*` stands for the columns of that time, and a name for what
the search path of that time found. Here they are texts that are bound again later. Those that would mean
something else by then are marked, so that nothing relies on them. Must not know statements.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rewright.sql.algebra import Query, TableRef
from rewright.sql.binder import bind_node
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.ddl_builder import Builder
from rewright.sql.parsing import nodes_of, parse

# under which expressions of tables and types are read
_READ_UNDER = ("public",)


def means_the_same(builder: Builder, node: Any) -> bool:
    """Whether an expression of a table or a type is read as it was meant: where the search path is another
    one, only if it names no function or type that the schema makes.
    """
    if node is None or builder.search_path == _READ_UNDER:
        return True
    made = {f.name for f in builder.functions} | builder.opaque_functions
    made |= {t.name for t in builder.types.values()}
    return not any(_last_name(n) in made for n in nodes_of(node))


def _last_name(node: Any) -> str | None:
    names = getattr(node, {ast.FuncCall: "funcname", ast.TypeName: "names"}.get(type(node), ""), None)
    return names[-1].sval if names else None


def changed_views(builder: Builder) -> set[TableRef]:
    """Views whose texts would be bound to something else now."""
    return {ref for ref, meant in builder.views.items() if _now(builder, ref) != meant}


def mean_anew(builder: Builder, views: Iterable[TableRef]) -> None:
    """Take what views mean now for what they were made of: they follow a view that is replaced."""
    for ref in views:
        found = _now(builder, ref)
        if found is not None:
            builder.views[ref] = found


def without_changed_views(builder: Builder) -> None:
    """Of these only the names are known."""
    for ref in changed_views(builder):
        del builder.tables[ref]
        builder.opaque_relations.add(ref.name)
        builder.changed()


def _now(builder: Builder, ref: TableRef) -> Query | None:
    view = builder.tables.get(ref)
    if view is None:
        return None
    try:
        statement = parse(view.definition)[0].stmt
        return bind_node(statement, builder.catalog(), search_path=view.view_path)
    except (BindError, Unsupported):
        return None
