"""PostgreSQL 18's own types, casts, functions and operators, read from packaged data when first asked for.

Owns the decoding of ``sql/data/builtins.json.gz`` (written by ``bench/extract_builtins.py``). Records of
functions and operators are built per name, on demand.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache, cached_property
from importlib import resources
from typing import Any

from rewright.sql.algebra import FunctionRef, TableRef, Volatility
from rewright.sql.records import (
    CastInfo,
    CollationInfo,
    FunctionInfo,
    OperatorInfo,
    Table,
    TableColumn,
    TypeInfo,
)
from rewright.sql.types import SqlType

_SCHEMA = "pg_catalog"


class Builtins:
    """Everything in pg_catalog, by name."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._function_cache: dict[str, tuple[FunctionInfo, ...]] = {}
        self._operator_cache: dict[str, tuple[OperatorInfo, ...]] = {}

    @cached_property
    def version(self) -> int:
        return int(self._data["version"])

    @cached_property
    def types(self) -> Mapping[str, TypeInfo]:
        return {t.name: t for t in map(_type, self._data["types"])}

    @cached_property
    def casts(self) -> Mapping[tuple[str, str], CastInfo]:
        return {(c.source, c.target): c for c in map(self._cast, self._data["casts"])}

    @cached_property
    def collations(self) -> tuple[CollationInfo, ...]:
        return tuple(CollationInfo(_SCHEMA, name, det) for name, det in self._data["collations"])

    @cached_property
    def relations(self) -> Mapping[str, Table]:
        return {name: _relation(name, kind, columns) for name, kind, columns in self._data["relations"]}

    def functions(self, name: str) -> tuple[FunctionInfo, ...]:
        found = self._function_cache.get(name)
        if found is None:
            found = tuple(map(_function, self._function_rows.get(name, ())))
            self._function_cache[name] = found
        return found

    def operators(self, name: str) -> tuple[OperatorInfo, ...]:
        found = self._operator_cache.get(name)
        if found is None:
            found = tuple(map(self._operator, self._operator_rows.get(name, ())))
            self._operator_cache[name] = found
        return found

    def function_ref(self, name: str, args: tuple[str, ...]) -> FunctionRef:
        """The function with exactly these argument types; KeyError when there is none."""
        for f in self.functions(name):
            if f.args == args:
                return f.to_ref()
        raise KeyError((name, args))

    @cached_property
    def function_names(self) -> frozenset[str]:
        return frozenset(self._function_rows)

    @cached_property
    def _function_rows(self) -> dict[str, list[Any]]:
        return _by_name(self._data["functions"])

    @cached_property
    def _operator_rows(self) -> dict[str, list[Any]]:
        return _by_name(self._data["operators"])

    def _cast(self, row: list[Any]) -> CastInfo:
        source, target, context, method, name, args = row
        function = self.function_ref(name, tuple(args)) if name else None
        return CastInfo(source, target, context, method, function)

    def _operator(self, row: list[Any]) -> OperatorInfo:
        name, left, right, result, fname, fargs, commutator, negator, btree, _hash, _merge = row
        strategy, _, family = btree.partition(" ")
        function = self.function_ref(fname, tuple(fargs))
        return OperatorInfo(
            _SCHEMA, name, left, right, result, function, commutator, negator, strategy, family
        )


@cache
def builtins() -> Builtins:
    """The built-in objects (decoded once, about 15 ms)."""
    packed = resources.files("rewright.sql").joinpath("data/builtins.json.gz").read_bytes()
    return Builtins(json.loads(gzip.decompress(packed)))


def _by_name(rows: list[list[Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return found


def _type(row: list[Any]) -> TypeInfo:
    name, kind, category, preferred, element, array, collation, in_vol, out_vol, subtype, _len = row
    return TypeInfo(
        _SCHEMA,
        name,
        kind,
        category,
        preferred,
        element,
        array,
        collation,
        subtype=subtype,
        input_volatility=Volatility(in_vol or "s"),
        output_volatility=Volatility(out_vol or "s"),
    )


def _function(row: list[Any]) -> FunctionInfo:
    (name, args, result, kind, volatility, strict, retset, leakproof, variadic, defaults) = row[:10]
    (modes, names, all_types, agg_kind, direct) = row[10:15]
    out: tuple[tuple[str, str], ...] = ()
    if modes and all_types:  # where all are arguments, types are not listed again
        out = tuple(
            (n, t) for m, n, t in zip(modes, names or [""] * len(modes), all_types, strict=True) if m in "obt"
        )
    return FunctionInfo(
        _SCHEMA,
        name,
        tuple(args),
        result,
        kind,
        Volatility(volatility),
        strict,
        retset,
        leakproof,
        variadic,
        defaults,
        tuple(names or ()),
        out,
        agg_kind,
        direct,
        default_text=row[18],
    )


def _relation(name: str, kind: str, columns: list[list[str]]) -> Table:
    made = tuple(
        TableColumn(
            column, SqlType(type_, _SCHEMA, int(typmod), collation), not_null in {"t", "true"}, attnum=i + 1
        )
        for i, (column, type_, typmod, not_null, collation) in enumerate(columns)
    )
    return Table(TableRef(_SCHEMA, name), made, "view" if kind == "v" else "table")
