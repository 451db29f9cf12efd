"""What in a schema reads a table's column, or its name: constraints, indexes, views and heirs.

Must not know statements.
"""

from __future__ import annotations

from typing import Any

from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.ddl_builder import Builder
from rewright.sql.parsing import nodes_of, parse
from rewright.sql.records import Key, Table, TableColumn


def column_of(table: Table, name: str) -> TableColumn:
    found = next((c for c in table.columns if c.name == name), None)
    if found is None:
        raise no_column(table, name)
    return found


def no_column(table: Table, name: str) -> BindError:
    return BindError("42703", f'column "{name}" of relation "{table.ref.name}" does not exist')


def texts_of(table: Table) -> list[str]:
    """Expressions that are kept as texts: of checks, indexes and generated columns."""
    of_keys = [text for k in table.keys for text in (k.predicate, *k.expressions) if text]
    generated = [c.default for c in table.columns if c.generated and c.default]
    return [*(c.text for c in table.checks), *of_keys, *generated]


def key_reads(table: Table, key: Key, name: str) -> bool:
    texts = (key.predicate, *key.expressions)
    return name in key.columns or any(reads(table, text, name) for text in texts if text)


def reads(table: Table, text: str, name: str) -> bool:
    """Whether an expression may read the column: by its name, or with the whole row."""
    said = [_last(n) for n in nodes_of(parse(f"SELECT {text}")[0].stmt) if isinstance(n, ast.ColumnRef)]
    return any(part in {None, name, table.ref.name} for part in said)


def qualifies(text: str) -> bool:
    found = [n for n in nodes_of(parse(f"SELECT {text}")[0].stmt) if isinstance(n, ast.ColumnRef)]
    return any(len(n.fields) > 1 or _last(n) is None for n in found)


def _last(node: Any) -> str | None:
    """The last name of a reference; None for a star."""
    value: str | None = getattr(node.fields[-1], "sval", None)
    return value


def refuse_dependents(builder: Builder, table: Table, what: str) -> None:
    """Views are kept as texts, and heirs change with their parents: neither is followed."""
    refuse_family(builder, table, what)
    name = table.ref.name
    views = [t.definition for t in builder.tables.values() if t.definition]
    # a name in quotation marks is written otherwise in a text
    if any(name in text or '"' in name for text in views):
        raise Unsupported(f"{what} below a view")


def refuse_family(builder: Builder, table: Table, what: str) -> None:
    heirs = any(t.partition_of == table.ref or table.ref in t.parents for t in builder.tables.values())
    if heirs or table.has_children or table.parents or table.partition_of or table.kind != "table":
        raise Unsupported(f"{what} of a parent, an heir or what is no plain table")
