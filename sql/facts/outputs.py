"""Something known of expressions, carried through subqueries to the columns that show them.

Owns the walk over FROM trees and set operations; what is known, and how it is combined, its users say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from rewright.sql.algebra import (
    Case,
    Coalesce,
    Column,
    CteScan,
    Derived,
    Expr,
    FromItem,
    Join,
    MinMax,
    NullIf,
    Query,
    ScalarSubquery,
    Select,
    SetOp,
    Values,
    ValuesScan,
)
from rewright.sql.facts.strictness import Col
from rewright.sql.walk import free_rels

T = TypeVar("T")


class OutputFacts(ABC, Generic[T]):
    """Answers for one statement; ``cte_query`` finds the query of a CTE by number. None: nothing is known."""

    def __init__(self, cte_query: Callable[[int], Query | None]) -> None:
        self._cte_query = cte_query
        # by identity; the query is kept alive beside its answer
        self._outputs: dict[int, tuple[Query, tuple[T | None, ...]]] = {}

    def outputs(self, query: Query) -> tuple[T | None, ...]:
        """For each output column."""
        known = self._outputs.get(id(query))
        if known is None:
            known = self._outputs[id(query)] = query, self._compute(query, {})
        return known[1]

    def _compute(self, query: Query, outer: Mapping[Col, T]) -> tuple[T | None, ...]:
        """``outer``: what is known of the columns that a correlated query reads of the rows around it."""
        match query:
            case Select():
                columns = {**outer, **self.columns(query)}
                return tuple(self.of(t.expr, columns) for t in query.targets)
            case SetOp():
                pairs = zip(self.outputs(query.left), self.outputs(query.right), strict=True)
                return tuple(self.common(p) for p in pairs)
            case Values():
                return self._of_rows(query.rows)

    def _of_rows(self, rows: tuple[tuple[Expr, ...], ...]) -> tuple[T | None, ...]:
        return tuple(self.common(self.of(e, {}) for e in column) for column in zip(*rows, strict=True))

    def columns(self, block: Select) -> dict[Col, T]:
        """Of the columns that FROM offers; what their types say is left out."""
        found: dict[Col, T] = {}
        for item in block.from_:
            found.update(self._of_from(item))
        return found

    def _of_from(self, item: FromItem) -> dict[Col, T]:
        match item:
            case Join():
                return {**self._of_from(item.left), **self._of_from(item.right)}
            case Derived():
                outputs = self.outputs(item.query)
            case CteScan():
                query = self._cte_query(item.cte)
                outputs = () if query is None else self.outputs(query)
            case ValuesScan():
                outputs = self._of_rows(item.rows)
            case _:
                return {}
        return {(item.rel, i): known for i, known in enumerate(outputs) if known is not None}

    def of(self, expr: Expr, columns: Mapping[Col, T]) -> T | None:
        """Of an expression over ``columns``."""
        by_type = self.of_type(expr)
        if by_type is not None:
            return by_type
        match expr:
            case Column():
                return columns.get((expr.rel, expr.pos))
            case Coalesce() | MinMax():
                return self.common(self.of(x, columns) for x in expr.args)
            case Case():
                results = (expr.default, *(result for _, result in expr.whens))
                return self.common(self.of(x, columns) for x in results)
            case NullIf():
                return self.of(expr.left, columns)
            case ScalarSubquery():
                return self._of_subquery(expr.query, columns)
            case _:
                return self.of_other(expr, columns)

    def _of_subquery(self, query: Query, columns: Mapping[Col, T]) -> T | None:
        """Of a subquery's value; it is NULL where there is no row."""
        outside = free_rels(query)
        if not outside:
            return self.outputs(query)[0]
        # a number that is bound inside, too, means what it means there
        return self._compute(query, {c: known for c, known in columns.items() if c[0] in outside})[0]

    @abstractmethod
    def of_type(self, expr: Expr) -> T | None:
        """What the expression's type, or its being a constant, says."""

    @abstractmethod
    def of_other(self, expr: Expr, columns: Mapping[Col, T]) -> T | None:
        """Of operators, casts, calls and aggregates."""

    @abstractmethod
    def common(self, known: Iterable[T | None]) -> T | None:
        """Of a value that is one of several."""
