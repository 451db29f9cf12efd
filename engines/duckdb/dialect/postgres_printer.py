"""Expressions of an analysed query in PostgreSQL's own words: for what is evaluated there, over columns that
were fetched.

Owns the spelling: every name with its schema, every constant with its type, so that nothing is resolved anew.
Must not know DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rewright.engines.duckdb.dialect.catalog import Catalog, Function
from rewright.engines.duckdb.dialect.constants import Interval, value_of
from rewright.engines.duckdb.dialect.expressions import Expressions
from rewright.engines.duckdb.dialect.fates import Fate, fate_of
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import (
    TIMESTAMP,
    UNKNOWN,
    NotTranslated,
)
from rewright.engines.duckdb.quoting import literal, quoted

# char and bit without a length are char(1) and bit(1) in SQL (manual, 8.3 and 8.10)
_BARE = {1042: "pg_catalog.bpchar", 1560: 'pg_catalog."bit"'}
"""Types whose usual names mean a length of one."""
_CLOCKS = {"0": "CURRENT_DATE", "3": "CURRENT_TIMESTAMP", "7": "LOCALTIMESTAMP"}


class PostgresPrinter(Expressions):
    """``leaf``: the name of the column that holds an expression that was fetched; None: it is none, its parts
    are printed.
    """

    def __init__(self, catalog: Catalog, leaf: Callable[[Node], str | None]) -> None:
        super().__init__(catalog)
        self._leaf = leaf

    def sql(self, node: Node) -> str:
        found = self._leaf(node)
        return found if found is not None else super().sql(node)

    def call(self, function: Function, node: Node, args: Sequence[Node]) -> str:
        # a text of the client's could not be looked at once more: every function is checked by its OID
        if fate_of(function) is Fate.REFUSED:
            raise NotTranslated(function.signature)
        printed = [self.sql(arg) for arg in args]
        if "opno" in node:
            name = self.catalog.operators[int(node["opno"])].name
            # prefix operators have one operand
            left = f"{printed[0]} " if len(printed) > 1 else ""
            return f"({left}OPERATOR(pg_catalog.{name}) {printed[-1]})"
        # CoercionForm (primnodes.h): 1 and 2 are explicit and implicit casts
        if node.get("funcformat") in {"1", "2"} and len(args) == 1:
            # a cast: its function may not be found by that name alone
            return f"CAST({printed[0]} AS {self._type(node['funcresulttype'])})"
        return f"pg_catalog.{quoted(function.name)}({', '.join(printed)})"

    def constant(self, node: Node) -> str:
        oid = int(node["consttype"])
        # an unknown literal has no type of its own left in a bound expression
        type_ = "pg_catalog.text" if oid == UNKNOWN else self._type(oid)
        if node["constisnull"] == "true":
            return f"CAST(NULL AS {type_})"
        value = value_of(node["constvalue"], oid)
        match oid:
            case 1082:
                told = f"(DATE '2000-01-01' + {value})"
            case 1114 | 1184 | 1083:
                # seconds since 2000 would lose digits: the internal count is told exactly
                if oid != TIMESTAMP:
                    raise NotTranslated("constants of times with time zones or of day times")
                told = f"(TIMESTAMP '2000-01-01' + INTERVAL '{value} microseconds')"
            # intervals keep months, days and microseconds apart: each is told as it is stored
            case 1186:
                assert isinstance(value, Interval)
                told = f"INTERVAL '{value.months} months {value.days} days {value.micros} microseconds'"
            case 17:
                told = f"'\\x{value.hex()}'::bytea"
            case _:
                told = f"CAST({_escaped(value)} AS {type_})"
        return told

    def column(self, node: Node) -> str:
        del node
        raise NotTranslated("a column that was not fetched")

    def uniting(self, branches: Sequence[Node], oid: int) -> None:
        """PostgreSQL's values keep their own scales."""

    # these must all have been fetched: their sources do not exist here
    aggregate = window = sublink = element = column

    def parameter(self, node: Node) -> str:
        if node["paramkind"] != "0":
            raise NotTranslated("parameters of subqueries")
        return f"CAST(${node['paramid']} AS {self._type(node['paramtype'])})"

    # a binary-coercible cast, or one through text: CAST finds the same by the two types
    def relabelled(self, node: Node) -> str:
        return f"CAST({self.sql(node['arg'])} AS {self._type(node['resulttype'])})"

    through_text = relabelled

    def any_of(self, node: Node) -> str:
        name = self.catalog.operators[int(node["opno"])].name
        left, right = (self.sql(arg) for arg in node["args"])
        word = "ANY" if node["useOr"] == "true" else "ALL"
        return f"({left} OPERATOR(pg_catalog.{name}) {word} ({right}))"

    def array(self, node: Node) -> str:
        if node["multidims"] == "true":
            raise NotTranslated("arrays of several dimensions")
        inside = ", ".join(self.sql(one) for one in node["elements"] or ())
        return f"CAST(ARRAY[{inside}] AS {self._type(node['array_typeid'])})"

    def clock(self, node: Node) -> str:
        if node["op"] not in _CLOCKS:
            raise NotTranslated("this function of the time or the session")
        return _CLOCKS[node["op"]]

    def _type(self, oid: object) -> str:
        return _BARE.get(int(str(oid))) or self.catalog.types[int(str(oid))]


def _escaped(value: object) -> str:
    """A text constant whatever standard_conforming_strings says."""
    if isinstance(value, bool):
        return "'true'" if value else "'false'"
    text = str(value)
    # E'' makes backslashes mean the same whatever the setting
    return "E" + literal(text.replace("\\", "\\\\")) if "\\" in text else literal(text)
