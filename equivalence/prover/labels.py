"""Values of enums by the places of their labels, which is all that the server's comparisons go by.

    status IN ('open', 'held')   -->   status IN (0, 1)

Equal values of an enum are the very same value, and `=`, `<`, `min` and sort orders of `anyenum` are those of
the places. So its columns are integers, of a type that is marked: whatever else is made of them, a text or an
array, stays a function of that type. Which places there are is known only where no label can be added: of a
schema given as DDL. Must not know bags or rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog, TypeInfo
from rewright.sql.types import BY_PLACE, SqlType
from rewright.sql.walk import bottom_up

Labels = Mapping[tuple[str, str], tuple[str, ...]]
N = TypeVar("N", bound=a.Node)


def labels_of(catalog: Catalog) -> Labels:
    """The labels of the catalog's enums, in their order."""
    return {(t.schema, t.name): t.labels for t in catalog.types if t.kind == "e"}


def enum_of(catalog: Catalog, type_: SqlType) -> TypeInfo | None:
    found = (t for t in catalog.types if (t.schema, t.name) == (type_.schema, type_.name))
    return next((t for t in found if t.kind == "e"), None)


def by_place(type_: SqlType) -> SqlType:
    """An enum's type, marked."""
    return replace(type_, typmod=BY_PLACE)


def with_places(node: N, labels: Labels) -> N:
    """A query or expression whose values of enums are of marked types."""
    if not labels:
        return node

    def marked(value: Any) -> Any:
        match value:
            case SqlType() if (value.schema, value.name) in labels:
                return by_place(value)
            case a.OutputColumn():
                return replace(value, type=marked(value.type))
            case tuple():
                made = tuple(marked(v) for v in value)
                return value if all(m is v for m, v in zip(made, value, strict=True)) else made
            case _:
                return value

    def change(part: Any) -> Any:
        old = {f.name: getattr(part, f.name) for f in fields(part)}
        new = {name: made for name, value in old.items() if (made := marked(value)) is not value}
        return replace(part, **new) if new else part

    return bottom_up(node, change)
