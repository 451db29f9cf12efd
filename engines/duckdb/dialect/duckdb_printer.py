"""Expressions of an analysed query in DuckDB's words: what is listed (numbers, texts, times, aggregates,
special), nothing else.

Owns columns, constants, casts and calls. Queries inside expressions are printed by who owns queries. Must not
know the lake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rewright.engines.duckdb.dialect.aggregates import AGGREGATES, WINDOWS
from rewright.engines.duckdb.dialect.catalog import Catalog, Function
from rewright.engines.duckdb.dialect.constants import duckdb_literal, value_of
from rewright.engines.duckdb.dialect.expressions import Expressions, type_of
from rewright.engines.duckdb.dialect.fates import WORDS
from rewright.engines.duckdb.dialect.numbers import raising
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
# what pg_strtoint32_safe (numutils.c) takes as decimal: blanks of isspace() around, one sign
_INTEGER = r"[ \t\n\r\f\x0b]*[+-]?[0-9]+[ \t\n\r\f\x0b]*"
# at most four digits of exponent: with more, float8in and DuckDB need not agree on zero, infinity or an error
_REAL = r"[ \t\n\r\f\x0b]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?[ \t\n\r\f\x0b]*"
# trim() of DuckDB takes spaces alone where nothing is named
_BLANKS = r"' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"
C_COLLATIONS = frozenset({0, 100, 950, 951})
"""No collation, the database's (builtin C.UTF-8), C and POSIX: all order texts by code points."""


@dataclass(slots=True)
class Level:
    """One query around an expression: its range table, what each entry is called here, and its CTEs."""

    rtable: Sequence[Node]
    names: dict[int, tuple[str, Sequence[str]]] = field(default_factory=dict)
    ctes: dict[str, tuple[str, Node]] = field(default_factory=dict)
    windows: Mapping[str, str] = field(default_factory=dict)


class Queries(Protocol):
    """What is needed of who prints queries."""

    def subquery(self, query: Node, levels: Sequence[Level]) -> str: ...

    def folded(self, node: Node) -> Any:
        """A constant expression's value, worked out by PostgreSQL, as its text; None: NULL. Raises
        NotTranslated.
        """


class DuckdbPrinter(Expressions):
    """Prints within ``levels``, the innermost last."""

    def __init__(self, catalog: Catalog, levels: Sequence[Level], queries: Queries) -> None:
        super().__init__(catalog)
        self._levels = levels
        self._queries = queries

    # --- columns and constants ------------------------------------------------------------------------

    def column(self, node: Node) -> str:
        up, number, attribute = int(node["varlevelsup"]), int(node["varno"]), int(node["varattno"])
        levels = self._levels[: len(self._levels) - up]
        # 0 is the whole row, negative numbers are ctid, xmin and the like, which a lake's rows don't have
        if attribute <= 0:
            raise NotTranslated("a whole row, or a system column,")
        entry = levels[-1].rtable[number - 1]
        # RTE_JOIN lists what its columns are; since PostgreSQL 18 RTE_GROUP does the same for grouped
        # expressions
        inner = entry.get("joinaliasvars") if entry["rtekind"] == "2" else entry.get("groupexprs")
        if inner is not None:
            return type(self)(self.catalog, levels, self._queries).sql(inner[attribute - 1])
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
        return self._queries.folded(node)

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
        self._collated(node)
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

    def _collated(self, node: Node) -> None:
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
                return int(node["resulttype"]) in _IMMUTABLE_INPUT and self.is_constant(node["arg"])
        return False

    def _folded(self, node: Node) -> str:
        oid = type_of(node)
        if oid not in _FOLDED:
            raise NotTranslated("constants of this type")
        text = self._queries.folded(node)
        return duckdb_literal(None if text is None else _FOLDED[oid](text), oid)

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
            return self._integer_of(self.sql(node["arg"]), target)
        if source in _TEXTS and target == 701:
            return self._real_of(self.sql(node["arg"]))
        names = self.catalog.types
        raise NotTranslated(f"a cast from {names.get(source, source)} to {names.get(target, target)}")

    def _integer_of(self, x: str, target: int) -> str:
        wrong = raising("22P02", f"invalid input syntax for type {self.catalog.types[target]}")
        unread = raising("0A000", "integers in this notation are not read on a lake")
        # by way of HUGEINT: a direct cast rounds '1.5' and calls a number out of range a text that can't be
        # read
        return (
            f"(CASE WHEN regexp_full_match({x}, '{_INTEGER}') THEN CAST(CAST(trim({x}, {_BLANKS}) AS "
            f"HUGEINT) AS {DUCKDB_TYPES[target]})"
            # 0x10, 0b1 and 1_000 are integers since PostgreSQL 16
            f" WHEN regexp_matches({x}, '[0-9]_|0[xXoObB]') THEN {unread} WHEN {x} IS NOT NULL THEN {wrong} "
            f"END)"
        )

    def _real_of(self, x: str) -> str:
        wrong = raising("22P02", "invalid input syntax for type double precision")
        high = raising("22003", "value is out of range for type double precision")
        unread = raising("0A000", "numbers in this notation are not read on a lake")
        trimmed = f"trim({x}, {_BLANKS})"
        made = f"CAST({trimmed} AS DOUBLE)"
        words = "'nan', 'inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity'"
        # DuckDB gives inf and 0 where PostgreSQL raises; digits other than 0 before the exponent tell 0 from
        # underflow
        return (
            f"(CASE WHEN regexp_full_match({x}, '{_REAL}') THEN (CASE WHEN isinf({made}) OR ({made} = 0 AND "
            f"regexp_matches(split_part(lower({x}), 'e', 1),"
            f" '[1-9]')) THEN {high} ELSE {made} END)"
            f" WHEN lower({trimmed}) IN ({words}) THEN CAST(lower({trimmed}) AS DOUBLE)"
            f" WHEN regexp_matches({x}, '0[xX]|[eE][+-]?[0-9]{{5}}|[nN][aA][nN]\\(') THEN {unread} WHEN {x} "
            f"IS NOT NULL THEN {wrong} END)"
        )

    # --- arrays ---------------------------------------------------------------------------------------

    def any_of(self, node: Node) -> str:
        self._collated(node)
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

    # --- aggregates, windows, queries -----------------------------------------------------------------

    def aggregate(self, node: Node) -> str:
        function = self.function(node["aggfnoid"])
        self._collated(node)
        # an outer query's aggregate, an ordered-set or hypothetical one (aggkind o, h), or VARIADIC
        if node["agglevelsup"] != "0" or node["aggkind"] != "n" or node["aggvariadic"] == "true":
            raise NotTranslated(function.signature)
        words = AGGREGATES.get(function.signature)
        if words is None:
            raise NotTranslated(function.signature)
        if function.signature == "array_agg(anynonarray)" and int(node["aggtype"]) not in ARRAYS:
            raise NotTranslated("arrays of this type")
        return self.aggregated(node, words)

    def aggregated(self, node: Node, words: str) -> str:
        """A call of an aggregate with its DISTINCT, ORDER BY and FILTER, in these words."""
        # resjunk arguments stand only for ORDER BY inside of the call
        arguments = [one for one in node["args"] or [] if one["resjunk"] == "false"]
        args = [self.sql(one["expr"]) for one in arguments]
        # DuckDB takes one separator for the whole query; PostgreSQL reads it from each row
        if "string_agg" in words and arguments[1]["expr"]["kind"] != "CONST":
            raise NotTranslated("string_agg with a delimiter that changes")
        if args:
            # DISTINCT belongs to the first argument, ORDER BY behind the last
            distinct = "DISTINCT " if node["aggdistinct"] else ""
            args[0] = distinct + args[0]
            if node["aggorder"]:
                args[-1] += " ORDER BY " + self.ordering(node["aggorder"], node["args"])
        made = words.format(*args)
        if node["aggfilter"] is None:
            return made
        condition = f" FILTER (WHERE {self.sql(node['aggfilter'])})"
        # the filter stands behind the aggregate itself, inside of what is made of its result
        return (
            f"CAST({made[5 : made.rindex(' AS ')]}{condition}{made[made.rindex(' AS ') :]}"
            if made.startswith("CAST(")
            else made + condition
        )

    def window(self, node: Node) -> str:
        function = self.function(node["winfnoid"])
        self._collated(node)
        words = WINDOWS.get(function.signature) or AGGREGATES.get(function.signature)
        if words is None or "string_agg" in words or "array_agg" in words:
            raise NotTranslated(function.signature)
        over = self._levels[-1].windows.get(node["winref"])
        if over is None:
            raise NotTranslated("this window")
        call = words.format(*(self.sql(one) for one in node["args"] or []))
        condition = f" FILTER (WHERE {self.sql(node['aggfilter'])})" if node["aggfilter"] is not None else ""
        if call.startswith("CAST("):
            inner, cast = call[5 : call.rindex(" AS ")], call[call.rindex(" AS ") :]
            return f"CAST({inner}{condition} OVER ({over}){cast}"
        return f"{call}{condition} OVER ({over})"

    def ordering(self, clauses: Sequence[Node], targets: Sequence[Node]) -> str:
        # both are told: NULLs sort last by default in DuckDB, and as the largest values in PostgreSQL
        """ORDER BY items: expressions, directions and where NULLs go, all told."""
        by_reference = {one["ressortgroupref"]: one["expr"] for one in targets}
        return ", ".join(
            f"{self.sql(by_reference[one['tleSortGroupRef']])} "
            f"{self.direction(one, by_reference[one['tleSortGroupRef']])}"
            for one in clauses
        )

    def direction(self, clause: Node, expression: Node) -> str:
        symbol = self.catalog.operators[int(clause["sortop"])].name
        # ORDER BY ... USING with another operator; arrays, whose NULL elements the engines place differently
        if symbol not in {"<", ">"} or type_of(expression) in ARRAYS:
            raise NotTranslated("this order")
        return (
            f"{'ASC' if symbol == '<' else 'DESC'} NULLS "
            f"{'FIRST' if clause['nulls_first'] == 'true' else 'LAST'}"
        )

    def sublink(self, node: Node) -> str:
        kind, query = node["subLinkType"], self._queries.subquery(node["subselect"], self._levels)
        # SubLinkType (primnodes.h): 0 EXISTS, 1 ALL, 2 ANY, 4 a single value
        if kind == "0":
            return f"EXISTS ({query})"
        if kind == "4":
            return f"({query})"
        test = node["testexpr"]
        # the test compares rows where it is no OPEXPR
        if kind not in {"1", "2"} or test["kind"] != "OPEXPR" or test["args"][1]["kind"] != "PARAM":
            raise NotTranslated("this kind of subquery")
        symbol = self.catalog.operators[int(test["opno"])].name
        # DuckDB's ANY and ALL take symbols alone: what needs other words than the symbol can't stand there
        if WORDS.get(self.operator(test).signature) != f"({{0}} {symbol} {{1}})" and symbol not in {
            "=",
            "<>",
        }:
            raise NotTranslated("this kind of subquery")
        self._collated(test)
        # DuckDB would cast one side implicitly, perhaps the other one than PostgreSQL
        if type_of(test["args"][0]) != int(test["args"][1]["paramtype"]):
            raise NotTranslated("a comparison of different types with a subquery")
        left = self.sql(test["args"][0])
        if (symbol, kind) == ("=", "2"):
            return f"({left} IN ({query}))"
        return f"({left} {symbol} {'ANY' if kind == '2' else 'ALL'} ({query}))"

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
            raise NotTranslated("this word for the time or the session")
        return _CLOCKS[node["op"]]

    def uniting(self, branches: Sequence[Node], oid: int) -> None:
        """Numerics keep their own scales in PostgreSQL; a DECIMAL column has one."""
        if oid != NUMERIC:
            return
        # NULL has no digits to keep
        scales = {self.scale(one) for one in branches if not _is_null(one)}
        if None in scales or len(scales) != 1:
            raise NotTranslated("numerics of different scales in one column")

    def scale(self, node: Node) -> int | None:
        """The scale that all values of a numeric expression have; None: not known."""
        if node["kind"] == "CONST":
            exponent = value_of(node["constvalue"], NUMERIC).as_tuple().exponent
            return -exponent if isinstance(exponent, int) else None
        if node["kind"] == "VAR":
            found = scale_of(int(node["vartypmod"]))
            return found[1] if found else None
        if node["kind"] in {"FUNCEXPR", "OPEXPR"}:
            called = self.function(node["funcid"]) if "funcid" in node else self.operator(node)
            return self._scale_of_call(called.signature, node["args"])
        if node["kind"] == "AGGREF" and self.function(node["aggfnoid"]).signature in _SAME_SCALE:
            return self.scale(node["args"][0]["expr"])
        return None

    def _scale_of_call(self, signature: str, args: Sequence[Node]) -> int | None:
        if signature in {
            "numeric(smallint)",
            "numeric(integer)",
            "numeric(bigint)",
            "ceil(numeric)",
            "ceiling(numeric)",
            "floor(numeric)",
        }:
            return 0
        if signature in _SAME_SCALE:
            return self.scale(args[0])
        if signature in {
            "numeric_add(numeric, numeric)",
            "numeric_sub(numeric, numeric)",
            "numeric_mul(numeric, numeric)",
        }:
            left, right = (self.scale(one) for one in args)
            # numeric.c: a product has the scales added, a sum the larger one
            if left is None or right is None:
                return None
            return left + right if "mul" in signature else max(left, right)
        if signature == "round(numeric, integer)":
            return self.number_of(args[1])
        if signature == "numeric(numeric, integer)":
            found = scale_of(self.number_of(args[1]))
            return found[1] if found else None
        return None


_SAME_SCALE = frozenset(
    [
        "numeric_uminus(numeric)",
        "numeric_uplus(numeric)",
        "numeric_abs(numeric)",
        "abs(numeric)",
        "sum(numeric)",
        "min(numeric)",
        "max(numeric)",
    ]
)


def _is_null(node: Node) -> bool:
    return bool(node["kind"] == "CONST" and node["constisnull"] == "true")


def _numeric(text: str) -> Any:
    from decimal import Decimal

    return Decimal(text)


def _days(text: str) -> int:
    from datetime import date

    return date.fromisoformat(text).toordinal() - date(2000, 1, 1).toordinal()


_IMMUTABLE_INPUT = frozenset({BOOL, INT2, INT4, INT8, TEXT, VARCHAR, 701, NUMERIC})
_FOLDED: Mapping[int, Callable[[str], Any]] = {
    BOOL: lambda text: text in {"t", "true"},
    INT2: int,
    INT4: int,
    INT8: int,
    TEXT: str,
    VARCHAR: str,
    701: float,
    NUMERIC: _numeric,
    1082: _days,
}
