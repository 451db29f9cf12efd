"""Queries as text: clauses, FROM, set operations, WITH; where each name is decided.

Owns aliases and the choice between bare and qualified column names. Expressions are
`rewright.sql.printer.scalars`' business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import assert_never

from rewright.sql.algebra import (
    Aggregate,
    And,
    Call,
    Cast,
    Column,
    Const,
    Cte,
    CteScan,
    Derived,
    Expr,
    FromItem,
    FunctionScan,
    Grouping,
    InList,
    IsNull,
    Join,
    Not,
    Op,
    Or,
    Query,
    Scan,
    Select,
    SetOp,
    TableRef,
    Target,
    ValueFunction,
    Values,
    ValuesScan,
    WholeRow,
    WindowCall,
    output_columns,
)
from rewright.sql.binder.scope import Context
from rewright.sql.catalog import Catalog
from rewright.sql.printer.levels import ATOM
from rewright.sql.printer.names import Aliases, quote_ident, quote_literal, unique_names
from rewright.sql.printer.scalars import Scalars, direction
from rewright.sql.types import INT8
from rewright.sql.walk import all_exprs, all_exprs_of_query, all_queries, block_exprs, from_tree

_JOINS = {"inner": "JOIN", "left": "LEFT JOIN", "right": "RIGHT JOIN", "full": "FULL JOIN"}


def print_query(
    query: Query, catalog: Catalog, search_path: tuple[str, ...], *, pretty: bool, qualified: bool = False
) -> str:
    return _Printer(query, catalog, search_path, pretty=pretty, qualified=qualified).top(query)


@dataclass
class _Relation:
    """How a range variable and its columns are called."""

    alias: str
    columns: tuple[str, ...]


class _Printer:
    def __init__(
        self, query: Query, catalog: Catalog, search_path: tuple[str, ...], *, pretty: bool, qualified: bool
    ) -> None:
        self.context = Context(catalog, search_path)
        self.pretty = pretty
        self.qualified = qualified
        self.scalars = Scalars(self)
        self.relations: dict[int, _Relation] = {}
        self.ctes: dict[int, _Relation] = {}
        self.indent = 0
        self.bare: int | None = None  # the range variable whose columns need no qualifier here
        self._name_everything(query)

    # ------------------------------------------------------------------ names

    def _name_everything(self, query: Query) -> None:
        # a CTE of a table's name would hide the table
        tables = {leaf.table.name for leaf in _leaves(query) if isinstance(leaf, Scan)}
        cte_names = Aliases(tables)
        for q in all_queries(query):
            for cte in q.ctes:
                self.ctes[cte.cte] = _Relation(
                    # two columns may have one name; CTE(c, c) would not
                    cte_names.take(cte.name, f"cte{cte.cte}"),
                    unique_names([c.name for c in cte.columns]),
                )
        aliases = Aliases()
        # a row as one value is called by its alias, which must not be the name of a column
        # t.* as one value is written t, and t may also be a column t
        whole = {e.rel for e in all_exprs_of_query(query) if isinstance(e, WholeRow)}
        names = (
            {n for leaf in _leaves(query) if not isinstance(leaf, Join) for n in _names(leaf)}
            if whole
            else set()
        )
        for leaf in _leaves(query):
            if not isinstance(leaf, Join) and leaf.rel not in self.relations:
                # captured: t would be read as the column of that name
                captured = leaf.rel in whole and (leaf.alias or f"q{leaf.rel}") in names
                alias = aliases.take(
                    "" if captured else leaf.alias, f"row_q{leaf.rel}" if captured else f"q{leaf.rel}"
                )
                self.relations[leaf.rel] = _Relation(alias, _names(leaf))

    def column(self, rel: int, pos: int) -> str:
        relation = self.relations[rel]
        name = quote_ident(relation.columns[pos])
        bare = rel == self.bare and not self.qualified
        return name if bare else f"{quote_ident(relation.alias)}.{name}"

    def relation(self, rel: int) -> str:
        return quote_ident(self.relations[rel].alias)

    def subquery(self, query: Query, *, keep_unknown: bool = False) -> str:
        del keep_unknown
        return self._nested(query, None)

    def _table(self, ref: TableRef) -> str:
        """A relation's name, qualified unless the search path surely leads to it."""
        path = self.context.search_path
        name = quote_ident(ref.name)
        # a later table of the name may stand before ours on the path
        found = self.context.catalog.find_table(ref.name, path)
        # a table that the catalog does not know: bare where its schema is the first of the path
        first = bool(path) and path[0] == ref.schema
        bare = found.ref == ref if found is not None else first
        return name if bare else f"{quote_ident(ref.schema)}.{name}"

    # ------------------------------------------------------------------ layout

    def _join_clauses(self, clauses: Sequence[str]) -> str:
        return (f"\n{'  ' * self.indent}" if self.pretty else " ").join(clauses)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        # names of an enclosing query need their qualifier inside
        before, self.bare = self.bare, None
        self.indent += 1
        try:
            yield
        finally:
            self.indent -= 1
            self.bare = before

    def _nested(self, query: Query, names: Sequence[str] | None) -> str:
        with self._deeper():
            text = self._query(query, names)
            inner = f"\n{'  ' * self.indent}{text}" if self.pretty else text
        return f"({inner}\n{'  ' * self.indent})" if self.pretty else f"({inner})"

    def top(self, query: Query) -> str:
        return self._query(query, None, is_top=True)

    # ------------------------------------------------------------------ queries

    def _query(
        self, query: Query, names: Sequence[str] | None, *, is_top: bool = False, arm: bool = False
    ) -> str:
        """``names``: output names to use instead of the query's own. ``arm``: of a set operation."""
        del is_top
        match query:
            case Select():
                clauses = self._select(query, names, arm=arm)
            case SetOp():
                clauses = self._set_op(query, names)
            case Values():
                clauses = self._values(query)
            case _:
                assert_never(query)
        with_ = self._with(query.ctes)
        return self._join_clauses([*with_, *clauses])

    def _with(self, ctes: Sequence[Cte]) -> list[str]:
        if not ctes:
            return []
        parts = []
        # with names of its own a CTE's query is printed with them; others get a column list
        for cte in ctes:
            named = self.ctes[cte.cte]
            hint = {True: "MATERIALIZED ", False: "NOT MATERIALIZED ", None: ""}[cte.materialized]
            # VALUES names its columns column1, column2, …; a recursive CTE's arms disagree on names
            own = not cte.recursive and not isinstance(_leftmost(cte.query), Values)
            columns = "" if own else f"({', '.join(map(quote_ident, named.columns))})"
            body = self._nested(cte.query, named.columns if own else None)
            parts.append(f"{quote_ident(named.alias)}{columns} AS {hint}{body}")
        # RECURSIVE once for the whole list, as the grammar has it
        word = "WITH RECURSIVE" if any(c.recursive for c in ctes) else "WITH"
        return [f"{word} {', '.join(parts)}"]

    def _select(self, query: Select, names: Sequence[str] | None, *, arm: bool) -> list[str]:
        rels = [leaf.rel for item in query.from_ for leaf in from_tree(item) if not isinstance(leaf, Join)]
        before, self.bare = self.bare, rels[0] if len(rels) == 1 else None
        try:
            return self._select_clauses(query, names, arm=arm)
        finally:
            self.bare = before

    def _select_clauses(self, query: Select, names: Sequence[str] | None, *, arm: bool) -> list[str]:
        # output names given by a CTE or derived table win over the block's own
        shown = [self._target(t, names[i] if names else t.name, arm=arm) for i, t in enumerate(query.targets)]
        clauses = [f"SELECT{self._distinct(query)}{' ' if shown else ''}{', '.join(shown)}"]
        if query.from_:
            clauses.append("FROM " + ", ".join(self._from(item) for item in query.from_))
        if query.where is not None:
            clauses.append("WHERE " + self._condition(query.where))
        clauses += self._group_by(query)
        if query.having is not None:
            clauses.append("HAVING " + self._condition(query.having))
        if query.order_by:
            keys = ", ".join(self._sort_expr(k.expr) + direction(k) for k in query.order_by)
            clauses.append(f"ORDER BY {keys}")
        return clauses + self._limits(query)

    def _condition(self, expr: Expr) -> str:
        return self.scalars.text(expr)

    def _sort_expr(self, expr: Expr) -> str:
        """A bare name here could mean an output column: qualify it."""
        # ORDER BY x prefers an output column of the name, unlike WHERE (manual, SELECT: ORDER BY)
        if isinstance(expr, Column):
            before, self.bare = self.bare, None
            try:
                return self.scalars.text(expr)
            finally:
                self.bare = before
        return self.scalars.key(expr)

    def _distinct(self, query: Select) -> str:
        if query.distinct is None:
            return ""
        if not query.distinct:
            return " DISTINCT"
        return f" DISTINCT ON ({', '.join(self._sort_expr(e) for e in query.distinct)})"

    def _target(self, target: Target, name: str, *, arm: bool) -> str:
        expr = target.expr
        # a text constant in a select list is a quoted literal: an unknown literal there becomes text
        # in an arm of a set operation its type would still be open
        if isinstance(expr, Const) and expr.type.name == "text" and expr.value is not None and not arm:
            shown = quote_literal(expr.value)
        else:
            shown = self.scalars.text(expr)
        return (
            shown
            # a cast gives its own name: x::int8 is called int8
            if self._names_itself(expr, name, bare="::" not in shown[-20:])
            else f"{shown} AS {quote_ident(name)}"
        )

    def _names_itself(self, expr: Expr, name: str, *, bare: bool) -> bool:
        """Whether the server would give the printed expression this name."""
        match expr:
            case Column():
                return self.relations[expr.rel].columns[expr.pos] == name
            # operators and tests have no name
            case Op() | And() | Or() | Not() | IsNull() | InList():
                return name == "?column?"
            case Const():
                return name == "?column?" and expr.type.name in {"int4", "int8", "numeric", "text"} and bare
            case Call() | Aggregate() | WindowCall():
                # a call is called as its function
                return expr.func.name == name
            case ValueFunction():
                return expr.name == name
            case _:
                return False

    def _group_by(self, query: Select) -> list[str]:
        sets = query.group_by
        if sets is None:
            return []
        # GROUP BY () without a clause: an aggregate in the block says so
        if sets == ((),):
            return [] if _is_aggregated(query) else ["GROUP BY ()"]
        if len(sets) == 1:
            return ["GROUP BY " + ", ".join(self.scalars.key(e) for e in sets[0])]
        shown = ", ".join(f"({', '.join(self.scalars.key(e) for e in s)})" for s in sets)
        return [f"GROUP BY GROUPING SETS ({shown})"]

    def _limits(self, query: Query) -> list[str]:
        clauses = []
        with_ties = not isinstance(query, Values) and query.with_ties
        if query.offset is not None:
            # OFFSET before FETCH, LIMIT before OFFSET: either order is allowed
            clauses.append(f"OFFSET {self._count(query.offset)}")
        if query.limit is not None and with_ties:
            # in parentheses: FETCH FIRST takes a constant or a parenthesised expression
            clauses.append(f"FETCH FIRST ({self._count(query.limit)}) ROWS WITH TIES")
        elif query.limit is not None:
            clauses.insert(0, f"LIMIT {self._count(query.limit)}")
        return clauses

    def _count(self, expr: Expr) -> str:
        if isinstance(expr, Const) and expr.type == INT8 and expr.value is not None:
            # LIMIT 10 is 10::int8 in the tree
            return expr.value
        # the grammar's own conversion to bigint
        while isinstance(expr, Cast) and expr.implicit:
            expr = expr.arg
        return self.scalars.text(expr, ATOM)

    # ------------------------------------------------------------------ set operations, VALUES

    def _set_op(self, query: SetOp, names: Sequence[str] | None) -> list[str]:
        word = query.op.upper() + (" ALL" if query.all else "")
        given = list(names) if names else [c.name for c in query.columns]
        # names come from the left arm alone
        clauses = [self._arm(query.left, given), word, self._arm(query.right, None)]
        if query.order_by:
            # ORDER BY of a set operation names output columns, here by position
            clauses.append("ORDER BY " + ", ".join(f"{k.pos + 1}{direction(k)}" for k in query.order_by))
        return clauses + self._limits(query)

    def _arm(self, query: Query, names: Sequence[str] | None) -> str:
        # ORDER BY, LIMIT and WITH of an arm need parentheses; so do nested set operations
        plain = isinstance(query, Select) and not (
            query.order_by or query.limit or query.offset or query.ctes
        )
        if plain:
            return self._query(query, names, arm=True)
        with self._deeper():
            text = self._query(query, names, arm=True)
        return f"({text})"

    def _values(self, query: Values) -> list[str]:
        clauses = [f"VALUES {self._rows(query.rows)}"]
        if query.order_by:
            clauses.append("ORDER BY " + ", ".join(f"{k.pos + 1}{direction(k)}" for k in query.order_by))
        return clauses + self._limits(query)

    def _rows(self, rows: Sequence[Sequence[Expr]]) -> str:
        return ", ".join(f"({self.scalars.items(row)})" for row in rows)

    # ------------------------------------------------------------------ FROM

    def _from(self, item: FromItem) -> str:
        match item:
            case Scan():
                only = "ONLY " if item.only else ""
                return only + self._aliased(self._table(item.table), item.rel, item.table.name)
            case Derived():
                return self._derived(item)
            case CteScan():
                return self._cte_scan(item)
            case ValuesScan():
                relation = self.relations[item.rel]
                lateral = "LATERAL " if item.lateral else ""
                body = f"{lateral}(VALUES {self._in_from(item.rows)})"
                return f"{body} AS {_with_columns(relation)}"
            case FunctionScan():
                return self._function_scan(item)
            case Join():
                return self._join(item)
            case _:
                assert_never(item)

    def _in_from(self, rows: Sequence[Sequence[Expr]]) -> str:
        # inside of VALUES nothing of this FROM may be named unless LATERAL
        before, self.bare = self.bare, None
        try:
            return self._rows(rows)
        finally:
            self.bare = before

    def _aliased(self, text: str, rel: int, own: str) -> str:
        alias = self.relations[rel].alias
        return text if alias == own else f"{text} AS {quote_ident(alias)}"

    def _derived(self, item: Derived) -> str:
        relation = self.relations[item.rel]
        lateral = "LATERAL " if item.lateral else ""
        # VALUES in FROM needs its column list
        if isinstance(_leftmost(item.query), Values):
            return f"{lateral}{self._nested(item.query, None)} AS {_with_columns(relation)}"
        return f"{lateral}{self._nested(item.query, relation.columns)} AS {quote_ident(relation.alias)}"

    def _cte_scan(self, item: CteScan) -> str:
        relation, cte = self.relations[item.rel], self.ctes.get(item.cte)
        # a caller's mistake: trees are printed whole
        if cte is None:
            raise ValueError(f"reference to CTE {item.cte}, which is not defined in the statement")
        if relation.columns != cte.columns:
            # other names than the CTE's own: given behind the alias
            return f"{quote_ident(cte.alias)} AS {_with_columns(relation)}"
        return self._aliased(quote_ident(cte.alias), item.rel, cte.alias)

    def _function_scan(self, item: FunctionScan) -> str:
        relation = self.relations[item.rel]
        before, self.bare = self.bare, None
        call = self.scalars.text(item.call)
        if isinstance(item.call, Cast):
            # f::t is no function call; CAST(f AS t) may stand in FROM
            call = f"CAST({self.scalars.text(item.call.arg)} AS {self.scalars.type(item.call.type)})"
        self.bare = before
        ordinality = " WITH ORDINALITY" if item.ordinality else ""
        return f"{call}{ordinality} AS {_with_columns(relation)}"

    def _join(self, item: Join) -> str:
        left = self._from(item.left)
        # a join on the right side is nested; on the left side it is how joins are read
        right = f"({self._from(item.right)})" if isinstance(item.right, Join) else self._from(item.right)
        gap = f"\n{'  ' * self.indent}  " if self.pretty else " "
        if item.on is None and item.kind == "inner":
            return f"{left}{gap}CROSS JOIN {right}"
        on = "TRUE" if item.on is None else self._condition(item.on)
        return f"{left}{gap}{_JOINS[item.kind]} {right} ON {on}"


def _with_columns(relation: _Relation) -> str:
    return f"{quote_ident(relation.alias)}({', '.join(map(quote_ident, relation.columns))})"


def _names(leaf: FromItem) -> tuple[str, ...]:
    match leaf:
        case Scan():
            return tuple(c.name for c in leaf.columns)
        case Derived():
            return unique_names(leaf.names)
        case CteScan() | ValuesScan() | FunctionScan():
            return unique_names([c.name for c in leaf.columns])
        case Join():
            return ()


def _leaves(query: Query) -> Iterator[FromItem]:
    for q in all_queries(query):
        if isinstance(q, Select):
            for item in q.from_:
                yield from from_tree(item)


def _leftmost(query: Query) -> Query:
    while isinstance(query, SetOp):
        query = query.left
    return query


def _is_aggregated(query: Select) -> bool:
    """Whether the block is grouped without a GROUP BY clause saying so."""
    if query.having is not None:
        return True
    return any(isinstance(e, Aggregate | Grouping) for x in block_exprs(query) for e in all_exprs(x))


__all__ = ["output_columns", "print_query"]
