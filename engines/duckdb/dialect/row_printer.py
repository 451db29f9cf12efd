"""Expressions of one row in DuckDB's dialect: what is listed (numbers, texts, times, special), nothing else.

Owns columns, constants, casts, calls and arrays. Aggregates, windows and subqueries are ``duckdb_printer``'s.
Must not know the lake.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.engines.duckdb.dialect.catalog import Catalog, Function
from rewright.engines.duckdb.dialect.constants import duckdb_literal, value_of
from rewright.engines.duckdb.dialect.evaluated import FOLDED, IMMUTABLE_INPUT
from rewright.engines.duckdb.dialect.expressions import Expressions, type_of
from rewright.engines.duckdb.dialect.fates import WORDS
from rewright.engines.duckdb.dialect.levels import Level, Queries
from rewright.engines.duckdb.dialect.read_numbers import integer_of, real_of
from rewright.engines.duckdb.dialect.scales import scale
from rewright.engines.duckdb.dialect.special import SPECIAL
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import (
    ARRAYS,
    BOOL,
    DUCKDB_TYPES,
    HELD,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    UNKNOWN,
    UUID,
    VARCHAR,
    NotTranslated,
    scale_of,
)
from rewright.engines.duckdb.quoting import quoted

LONGEST = 200_000
"""Characters of printed SQL: functions that name an argument several times make it grow."""


# SQLValueFunctionOp (primnodes.h): CURRENT_DATE, CURRENT_TIMESTAMP, LOCALTIMESTAMP; forms with a precision
# would need rounding as PostgreSQL's, and the rest names users and schemas
_CLOCKS = {"0": "current_date", "3": "now()", "7": "CAST(now() AS TIMESTAMP)"}


_TEXTS = frozenset({TEXT, VARCHAR, UNKNOWN})


# types whose = is that of DuckDB's values, by which list_contains compares; numerics of a list share one
# scale
_ANY_OF = frozenset({INT2, INT4, INT8, TEXT, VARCHAR, UUID, BOOL, 1082})


C_COLLATIONS = frozenset({0, 100, 950, 951})
"""No collation, the database's (builtin C.UTF-8), C and POSIX: all order texts by code points."""


class RowPrinter(Expressions):
    """Prints within ``levels``, the innermost last."""

    def __init__(self, catalog: Catalog, levels: Sequence[Level], queries: Queries) -> None:
        super().__init__(catalog)
        self.levels = levels
        self.queries = queries

    # --- columns and constants ------------------------------------------------------------------------

    def column(self, node: Node) -> str:
        up, number, attribute = int(node["varlevelsup"]), int(node["varno"]), int(node["varattno"])
        levels = self.levels[: len(self.levels) - up]
        # 0 is the whole row, negative numbers are ctid, xmin and the like, which a lake's rows don't have
        if attribute <= 0:
            raise NotTranslated("a whole row, or a system column,")
        entry = levels[-1].rtable[number - 1]
        # RTE_JOIN lists what its columns are; since PostgreSQL 18 RTE_GROUP does the same for grouped
        # expressions
        inner = entry.get("joinaliasvars") if entry["rtekind"] == "2" else entry.get("groupexprs")
        if inner is not None:
            return type(self)(self.catalog, levels, self.queries).sql(inner[attribute - 1])
        self._held(int(node["vartype"]), int(node["vartypmod"]), in_table=entry["rtekind"] == "0")
        alias, columns = levels[-1].names[number]
        named = f"{alias}.{quoted(columns[attribute - 1])}"
        return self._as_held(named, node) if entry["rtekind"] == "0" else named

    def _held(self, oid: int, typmod: int, *, in_table: bool) -> None:
        if oid not in HELD:
            raise NotTranslated(f"values of type {self.catalog.types.get(oid, oid)}")
        # DuckDB's DECIMAL without a precision is DECIMAL(18,3), which would round
        if oid == NUMERIC and in_table and scale_of(typmod) is None:
            raise NotTranslated("numeric without a precision")

    def _as_held(self, named: str, node: Node) -> str:
        """The lake's own types that PostgreSQL does not have become those that it was told they are."""
        oid = int(node["vartype"])
        if oid in ARRAYS:
            return f"CAST({named} AS {DUCKDB_TYPES[ARRAYS[oid]]}[])"
        if oid == NUMERIC:
            precision, scale = scale_of(int(node["vartypmod"])) or (38, 0)
            return f"CAST({named} AS DECIMAL({precision},{scale}))"
        return f"CAST({named} AS {DUCKDB_TYPES[oid]})"

    def constant(self, node: Node) -> str:
        oid = int(node["consttype"])
        value = None if node["constisnull"] == "true" else value_of(node["constvalue"], oid)
        return duckdb_literal(value, oid)

    def parameter(self, node: Node) -> str:
        oid = int(node["paramtype"])
        # 0 is PARAM_EXTERN, a client's $n; the others stand for executor state. A numeric's scale comes with
        # its value
        if node["paramkind"] != "0" or oid == NUMERIC:
            raise NotTranslated("a parameter of this type")
        if oid in ARRAYS:
            return f"CAST(${node['paramid']} AS {DUCKDB_TYPES[ARRAYS[oid]]}[])"
        if oid not in DUCKDB_TYPES:
            raise NotTranslated(f"parameters of type {self.catalog.types.get(oid, oid)}")
        return f"CAST(${node['paramid']} AS {DUCKDB_TYPES[oid]})"

    def text_of(self, node: Node) -> str:
        value = self._constant(node)
        if not isinstance(value, str):
            raise NotTranslated("NULL for a pattern, format or field")
        return value

    def number_of(self, node: Node) -> int:
        value = self._constant(node)
        if isinstance(value, str):
            value = int(value)
        if not isinstance(value, int):
            raise NotTranslated("NULL for a number")
        return value

    def _constant(self, node: Node) -> Any:
        if node["kind"] == "CONST":
            return (
                None
                if node["constisnull"] == "true"
                else value_of(node["constvalue"], int(node["consttype"]))
            )
        if node["kind"] == "RELABELTYPE":
            return self._constant(node["arg"])
        return self.queries.folded(node)

    # --- calls ----------------------------------------------------------------------------------------

    def call(self, function: Function, node: Node, args: Sequence[Node]) -> str:
        try:
            return self._called(function, node, args)
        except NotTranslated:
            # a function of sets gives rows, and a constant holds one value
            if function.returns_set or not self.is_constant(node):
                raise
            return self._folded(node)

    def _called(self, function: Function, node: Node, args: Sequence[Node]) -> str:
        self.collated(node)
        signature = function.signature
        if (special := SPECIAL.get(signature)) is not None:
            return special(self, args)
        if (words := WORDS.get(signature)) is None:
            raise NotTranslated(signature)
        return self._filled(words, args)

    def _filled(self, words: str, args: Sequence[Node]) -> str:
        made = words.format(*(self.sql(arg) for arg in args))
        if len(made) > LONGEST:
            raise NotTranslated("an expression of this size")
        return made

    def collated(self, node: Node) -> None:
        # another collation sorts and compares otherwise than by code points, as DuckDB does
        if int(node.get("inputcollid", 0)) not in C_COLLATIONS:
            raise NotTranslated("a collation")

    def is_constant(self, node: Node) -> bool:
        """Does the value of an expression depend on nothing?"""
        match node["kind"]:
            case "CONST":
                return True
            case "FUNCEXPR" | "OPEXPR":
                # stable functions read settings of the session that runs the query, not of the one that folds
                # here
                called = self.function(node["funcid"]) if "funcid" in node else self.operator(node)
                return called.volatility == "i" and all(self.is_constant(one) for one in node["args"] or [])
            case "RELABELTYPE":
                return self.is_constant(node["arg"])
            case "COERCEVIAIO":
                # input functions of dates and times are stable: they read DateStyle and TimeZone
                return int(node["resulttype"]) in IMMUTABLE_INPUT and self.is_constant(node["arg"])
        return False

    def _folded(self, node: Node) -> str:
        oid = type_of(node)
        if oid not in FOLDED:
            raise NotTranslated("constants of this type")
        text = self.queries.folded(node)
        return duckdb_literal(None if text is None else FOLDED[oid](text), oid)

    def relabelled(self, node: Node) -> str:
        if int(node["resultcollid"]) not in C_COLLATIONS:
            raise NotTranslated("a collation")
        source, target = type_of(node["arg"]), int(node["resulttype"])
        # binary-coercible in PostgreSQL need not be one type in DuckDB
        if DUCKDB_TYPES.get(source) != DUCKDB_TYPES.get(target) or target not in DUCKDB_TYPES:
            raise NotTranslated(f"a cast to {self.catalog.types.get(target, target)}")
        return self.sql(node["arg"])

    def through_text(self, node: Node) -> str:
        try:
            return self._through_text(node)
        except NotTranslated:
            if not self.is_constant(node):
                raise
            return self._folded(node)

    def _through_text(self, node: Node) -> str:
        source, target = type_of(node["arg"]), int(node["resulttype"])
        # these print alike in both engines; floats do not: 100000.0 and 100000
        if target in _TEXTS and source in {INT2, INT4, INT8, UUID, NUMERIC}:
            return f"CAST({self.sql(node['arg'])} AS VARCHAR)"
        if source in _TEXTS and target in {INT2, INT4, INT8}:
            return integer_of(self.sql(node["arg"]), DUCKDB_TYPES[target], self.catalog.types[target])
        if source in _TEXTS and target == 701:
            return real_of(self.sql(node["arg"]))
        names = self.catalog.types
        raise NotTranslated(f"a cast from {names.get(source, source)} to {names.get(target, target)}")

    # --- arrays ---------------------------------------------------------------------------------------

    def any_of(self, node: Node) -> str:
        self.collated(node)
        operator = self.operator(node)
        words = WORDS.get(operator.signature)
        left, right = node["args"]
        is_any = node["useOr"] == "true"
        # only operators that are plain words may be repeated for each element
        if words is None:
            raise NotTranslated(f"{operator.signature} with ANY or ALL")
        symbol = self.catalog.operators[int(node["opno"])].name
        if right["kind"] == "ARRAYEXPR" and right["multidims"] == "false" and right["elements"]:
            items = [self.sql(one) for one in right["elements"]]
            x = self.sql(left)
            # IN and NOT IN have the same three truth values as = ANY and <> ALL
            if (symbol, is_any) in {("=", True), ("<>", False)}:
                return f"({x} {'IN' if is_any else 'NOT IN'} ({', '.join(items)}))"
            return "(" + (" OR " if is_any else " AND ").join(words.format(x, item) for item in items) + ")"
        if (
            (symbol, is_any) == ("=", True)
            and type_of(left) in _ANY_OF
            and ARRAYS.get(type_of(right)) in _ANY_OF
        ):
            x, items_ = self.sql(left), self.sql(right)
            # empty first: 9.25.3, no element makes ANY false even for NULL; then a NULL element leaves it
            # open
            return (
                f"(CASE WHEN len({items_}) = 0 THEN FALSE WHEN {items_} IS NULL OR {x} IS NULL THEN NULL "
                f"WHEN list_contains({items_}, {x}) THEN TRUE"
                f" WHEN len(list_filter({items_}, lambda one: one IS NULL)) = 0 THEN FALSE END)"
            )
        raise NotTranslated(f"{symbol} with ANY or ALL of an array")

    def element(self, node: Node) -> str:
        lower, upper = node["reflowerindexpr"], node["refupperindexpr"]
        # a slice has a lower bound too; several subscripts mean several dimensions; an assignment is none of
        # a query's
        if lower or not upper or len(upper) != 1 or upper[0] is None or node["refassgnexpr"] is not None:
            raise NotTranslated("slices of arrays")
        if int(node["refcontainertype"]) not in ARRAYS:
            raise NotTranslated("subscripts of this type")
        # DuckDB counts a negative subscript from the end, PostgreSQL gives NULL
        at = self.sql(upper[0])
        return f"(CASE WHEN {at} > 0 THEN list_extract({self.sql(node['refexpr'])}, {at}) END)"

    def array(self, node: Node) -> str:
        oid = int(node["array_typeid"])
        if node["multidims"] == "true" or oid not in ARRAYS:
            raise NotTranslated("arrays of this type")
        inside = ", ".join(self.sql(one) for one in node["elements"] or ())
        # the cast gives an empty list its type
        return f"CAST([{inside}] AS {DUCKDB_TYPES[ARRAYS[oid]]}[])"

    def conjunction(self, word: str, args: Sequence[str]) -> str:
        """What may raise is looked at only where what stands before it lets PostgreSQL look: DuckDB reorders
        conditions.
        """
        told: list[str] = []
        for arg in args:
            before = f"({f' {word} '.join(told)})"
            # only what raises() wrote can raise on purpose; the rest stays as it was, which is shorter
            if told and "error(" in arg:
                decided = ("TRUE", "NOT ") if word == "OR" else ("FALSE", "")
                ends = f"WHEN NOT {before}" if word == "AND" else f"WHEN {before}"
                told.append(
                    f"(CASE WHEN {decided[1]}{before} THEN {arg} {ends} THEN {decided[0]} ELSE ({arg} "
                    f"{word} NULL) END)"
                )
            else:
                told.append(arg)
        if sum(map(len, told)) > LONGEST:
            raise NotTranslated("conditions of this size")
        return f"({f' {word} '.join(told)})"

    def clock(self, node: Node) -> str:
        if node["op"] not in _CLOCKS:
            raise NotTranslated("this function of the time or the session")
        return _CLOCKS[node["op"]]

    def scale(self, node: Node) -> int | None:
        """The scale that all values of a numeric expression have; None: not known."""
        return scale(self, node)

    def uniting(self, branches: Sequence[Node], oid: int) -> None:
        """Numerics keep their own scales in PostgreSQL; a DECIMAL column has one."""
        if oid != NUMERIC:
            return
        # NULL has no digits to keep
        scales = {self.scale(one) for one in branches if not _is_null(one)}
        if None in scales or len(scales) != 1:
            raise NotTranslated("numerics of different scales in one column")


def _is_null(node: Node) -> bool:
    return bool(node["kind"] == "CONST" and node["constisnull"] == "true")
