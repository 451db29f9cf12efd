"""Arithmetic that cannot fail for the rows that are stored, as long as their columns keep some promises
(`promises`): dates and moments are far from the ends of their type, divisors are above 0.

    lent_on + 90                      is a date for a `lent_on` between the years 1000 and 9000
    at AT TIME ZONE 'Europe/Paris'    is a moment for an `at` between them
    total / parts                     is a number for `parts` above 0

What is computed of such columns, wherever in a query, is written as a call of a function that fails for no
value: proofs then need not care where and of which rows it is computed (hazards M6, M7), and know nothing of
it but that equal arguments give equal results. It is for whoever makes sure that the rows keep the promises
(`gates`), and for proofs alone: the calls stand in no text. Must not know provers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from rewright.equivalence.promises import Promise, is_looked_at, of_divisor, of_moment
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts.effects import SURE, own_errors, own_volatility
from rewright.sql.facts.guards import Known, division, is_division
from rewright.sql.facts.moments import is_near
from rewright.sql.facts.taken import takes
from rewright.sql.records import Table
from rewright.sql.walk import all_queries, children, map_parts, walk

# which show one of the values that they are of, or nothing
_PASSING = frozenset({"min", "max", "any_value", "lag", "lead", "first_value", "last_value", "nth_value"})
# types of units, zones and formats
_WORDS = frozenset({"text", "unknown"})
# which say of a near moment what they are told to by constants, for each that is
_SAID_OF_MOMENTS = frozenset({"date_trunc", "timezone", "to_char"})
# fields of a day between the years 1000 and 9000: small whole numbers
_FIELDS = frozenset({"year", "month", "day", "quarter", "week", "dow", "doy", "isodow", "isoyear", "decade"})
# subqueries and the like that are looked through. One that moves a moment (24 centuries at most: `moments`)
# counts for two: two such and one more step are less than the 57 between the year 1000 and the first moment
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Settled:
    """A query so written, and what its rows have to keep for that."""

    query: a.Query
    promises: frozenset[Promise]


def settled(query: a.Query, catalog: Catalog, kept: Collection[Promise] | None = None) -> Settled:
    """The query for proofs, by what the tables' columns could promise, or by what is ``kept`` alone."""
    found = _Settling(query, catalog, kept)
    return Settled(found.visit(query), frozenset(found.needed))


@dataclass(slots=True)
class _Settling:
    query: a.Query
    catalog: Catalog
    kept: Collection[Promise] | None
    needed: set[Promise] = field(default_factory=set)
    _shown: dict[int, a.Query] = field(init=False)
    _tables: dict[int, Table] = field(init=False)

    def __post_init__(self) -> None:
        ctes = {c.cte: c.query for q in all_queries(self.query) for c in q.ctes if not c.recursive}
        self._shown, self._tables = {}, {}
        for node in walk(self.query):
            match node:
                case a.Derived():
                    self._shown[node.rel] = node.query
                case a.CteScan() if node.cte in ctes:
                    self._shown[node.rel] = ctes[node.cte]
                case a.ValuesScan():
                    self._shown[node.rel] = a.Values(node.rows, node.columns)
                case a.FunctionScan(rel, a.Call(func, (first, last, *_))) if (
                    func.is_builtin and func.name == "generate_series"
                ):
                    # whatever its steps are, they lie between its ends
                    self._shown[rel] = a.Values(((first,), (last,)), node.columns[:1])
                case a.Scan() if self.catalog.has_table(node.table):
                    table = self.catalog.table(node.table)
                    if is_looked_at(table):
                        self._tables[node.rel] = table
                case _:
                    pass

    def visit(self, node: Any) -> Any:
        """The node, with calls that fail for no value in place of what cannot fail in it."""
        made = map_parts(node, self.visit)
        if not isinstance(node, a.Op | a.Call | a.Cast) or not own_errors(node, _one_row):
            return made
        asked: set[Promise] = set()
        # what it is of is told by the query, not by what stands for that now
        func = _function(node) if self._cannot_fail(node, made, asked) else None
        if func is None:
            return made
        self.needed |= asked
        return a.Call(func, tuple(children(made)), node.type)

    def _cannot_fail(self, node: a.Op | a.Call | a.Cast, made: a.Expr, asked: set[Promise]) -> bool:
        if isinstance(node, a.Op) and is_division(node):
            # whatever is divided
            divisor = _parts(node.args[1])
            positive = frozenset(p for p in divisor if self._keeps(p, of_divisor, asked, _DEEPEST))
            return division(node, Known(positive=positive)) == {"nonzero", "fits"}
        parts = [p for p in _parts(node) if p is not node]
        near = frozenset(p for p in parts if self._keeps(p, of_moment, asked, _DEEPEST))
        if (moment := _of_whose_field(node)) is not None:
            # what is settled already is a finite moment, or a span between two
            settled_already = isinstance(x := _of_whose_field(made), a.Call) and x.func.schema == SURE
            return settled_already or is_near(moment, Known(near=near))
        if isinstance(node, a.Call) and _reads_moments(node):
            return all(is_near(x, Known(near=near)) for x in node.args if x.type.name not in _WORDS)
        return not own_errors(node, _one_row, Known(near=near))

    def _keeps(self, expr: a.Expr, what: Any, asked: set[Promise], depth: int) -> bool:
        """Whether a value is one of a column's that could promise it, or one that a subquery shows."""
        match expr:
            case a.Column(rel, pos) if rel in self._tables:
                table = self._tables[rel]
                promise = what(table, table.columns[pos]) if pos < len(table.columns) else None
                if promise is None or (self.kept is not None and promise not in self.kept):
                    return False
                asked.add(promise)
                return True
            case a.Column(rel, pos) if rel in self._shown and depth:
                return self._keep_all(self._shown[rel], pos, what, asked, depth - 1)
            case a.ScalarSubquery(query) if depth:
                return self._keep_all(query, 0, what, asked, depth - 1)
            case a.Aggregate(func, args) | a.WindowCall(func, args) if args and depth:
                passes = func.is_builtin and func.name in _PASSING
                # lag(x, 1, y) shows y where there is no such row
                shown = (args[0], *args[2:]) if func.name in {"lag", "lead"} else args[:1]
                return passes and all(self._shows(x, what, asked, depth - 1) for x in shown)
            case a.Coalesce(args) | a.MinMax(_, args) if depth:
                return all(self._shows(x, what, asked, depth - 1) for x in args)
            case a.Case(whens, default) if depth:
                results = (*(r for _, r in whens), default)
                return all(self._shows(x, what, asked, depth - 1) for x in results)
            case _:
                return False

    def _keep_all(self, query: a.Query, pos: int, what: Any, asked: set[Promise], depth: int) -> bool:
        match query:
            case a.Select():
                return self._shows(query.targets[pos].expr, what, asked, depth)
            case a.SetOp():
                return all(self._keep_all(q, pos, what, asked, depth) for q in (query.left, query.right))
            case a.Values():
                rows = [row for row in query.rows if pos < len(row)]
                return bool(rows) and all(self._shows(row[pos], what, asked, depth) for row in rows)

    def _shows(self, expr: a.Expr, what: Any, asked: set[Promise], depth: int) -> bool:
        """Whether an expression keeps it, itself or, of moments, moved by a little."""
        if isinstance(expr, a.Const) and expr.value is None:
            return True
        if self._keeps(expr, what, asked, depth):
            return True
        if what is not of_moment or not depth:
            return False
        near = frozenset(p for p in _parts(expr) if p is not expr and self._keeps(p, what, asked, depth - 1))
        return is_near(expr, Known(near=near))


def _parts(expr: a.Expr) -> list[a.Expr]:
    """An expression and what is in it, subqueries not entered."""
    found, left = list[a.Expr](), [expr]
    while left:
        here = left.pop()
        found.append(here)
        left += children(here)
    return found


def _of_whose_field(node: a.Expr) -> a.Expr | None:
    """The day of which a field becomes an integer, which of an infinite one is none."""
    match node:
        case a.Cast(a.Call(func, (a.Const(value=unit), moment)), type_):
            reads = func.is_builtin and func.name in {"extract", "date_part"} and unit in _FIELDS
            return moment if reads and type_.is_builtin and type_.name in {"int4", "int8"} else None
        case _:
            return None


def _reads_moments(call: a.Call) -> bool:
    """Whether it is an age, or something that every server can say of a moment: in a zone, by a format."""
    if not call.func.is_builtin:
        return False
    said = [x.value if isinstance(x, a.Const) else None for x in call.args]
    return call.func.name == "age" or (
        call.func.name in _SAID_OF_MOMENTS and takes(call.func.name, said, [x.type for x in call.args])
    )


def _function(node: a.Op | a.Call | a.Cast) -> a.FunctionRef | None:
    """A function of its own for what the node does; None where that is not said by its arguments alone."""
    match node:
        case a.Op():
            name, strict = node.op.name, node.op.function.strict
            builtin = node.op.is_builtin
        case a.Call():
            name, strict = node.func.name, node.func.strict
            builtin = node.func.is_builtin
        case a.Cast():
            name, strict = f"cast {node.method}", True
            builtin = node.type.is_builtin and node.arg.type.is_builtin
    if not (strict and builtin):
        return None
    types = tuple(map(_told, children(node)))
    volatility = own_volatility(None, node)
    return a.FunctionRef(
        SURE, f"{type(node).__name__} {name} to {_told(node)}", types, volatility, strict=True
    )


def _told(expr: a.Expr) -> str:
    return f"{expr.type.schema}.{expr.type.name}({expr.type.typmod}) {expr.type.collation}"


def _one_row(_query: a.Query) -> bool:
    return True
