"""Expressions of an analysed query in SQL: what both printers share, node by node (primnodes.h); an unknown
node is not translated.

Owns the walk. Which functions may be called and how values and types are spelt is the printers'
(``duckdb_printer``, ``postgres_printer``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from rewright.engines.duckdb.dialect.catalog import Catalog, Function
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import BOOL, NotTranslated

_TRUTH = {"0": "IS NOT DISTINCT FROM TRUE", "1": "IS DISTINCT FROM TRUE", "2": "IS NOT DISTINCT FROM FALSE"}
_TRUTH |= {"3": "IS DISTINCT FROM FALSE", "4": "IS NULL", "5": "IS NOT NULL"}
_TYPE_FIELDS: Mapping[str, str] = {
    "VAR": "vartype",
    "CONST": "consttype",
    "PARAM": "paramtype",
    "AGGREF": "aggtype",
    "WINDOWFUNC": "wintype",
    "SUBSCRIPTINGREF": "refrestype",
    "FUNCEXPR": "funcresulttype",
    "OPEXPR": "opresulttype",
    "NULLIFEXPR": "opresulttype",
    "RELABELTYPE": "resulttype",
    "COERCEVIAIO": "resulttype",
    "ARRAYCOERCEEXPR": "resulttype",
    "CASEEXPR": "casetype",
    "CASETESTEXPR": "typeId",
    "ARRAYEXPR": "array_typeid",
    "COALESCEEXPR": "coalescetype",
    "MINMAXEXPR": "minmaxtype",
    "SQLVALUEFUNCTION": "type",
}
_TRUTHS = frozenset(
    ["DISTINCTEXPR", "SCALARARRAYOPEXPR", "BOOLEXPR", "NULLTEST", "BOOLEANTEST", "ROWCOMPAREEXPR"]
)


def type_of(node: Node) -> int:
    """The OID of an expression's type (as nodeFuncs.c exprType).

    :raises NotTranslated: for kinds that are not known here.
    """
    kind = node["kind"]
    if kind in _TRUTHS:
        return BOOL
    if kind == "COLLATEEXPR":
        return type_of(node["arg"])
    if kind == "SUBLINK":
        # EXPR_SUBLINK: the value of a subquery; all other kinds ask something of it
        if node["subLinkType"] == "4":
            return type_of(node["subselect"]["targetList"][0]["expr"])
        return BOOL
    if kind not in _TYPE_FIELDS:
        raise NotTranslated(kind.lower())
    return int(node[_TYPE_FIELDS[kind]])


class Expressions(ABC):
    """Prints expressions; a subclass says in whose words."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._tested: list[str] = []

    def sql(self, node: Node) -> str:
        """The expression in parentheses where it needs them.

        :raises NotTranslated: it, or a part of it, has no equivalent.
        """
        method = self._kinds.get(node["kind"])
        if method is None:
            raise NotTranslated(f"expressions of the kind {node['kind'].lower()}")
        return method(self, node)

    @abstractmethod
    def call(self, function: Function, node: Node, args: Sequence[Node]) -> str: ...

    @abstractmethod
    def constant(self, node: Node) -> str: ...

    @abstractmethod
    def column(self, node: Node) -> str: ...

    @abstractmethod
    def parameter(self, node: Node) -> str: ...

    @abstractmethod
    def aggregate(self, node: Node) -> str: ...

    @abstractmethod
    def window(self, node: Node) -> str: ...

    @abstractmethod
    def sublink(self, node: Node) -> str: ...

    @abstractmethod
    def relabelled(self, node: Node) -> str: ...

    @abstractmethod
    def through_text(self, node: Node) -> str: ...

    @abstractmethod
    def any_of(self, node: Node) -> str: ...

    @abstractmethod
    def element(self, node: Node) -> str: ...

    @abstractmethod
    def array(self, node: Node) -> str: ...

    @abstractmethod
    def clock(self, node: Node) -> str: ...

    @abstractmethod
    def uniting(self, branches: Sequence[Node], oid: int) -> None:
        """Several expressions become one column: raises NotTranslated where their values would change by
        that.
        """

    def function(self, oid: object) -> Function:
        """:raises NotTranslated: no built-in."""
        found = self.catalog.functions.get(int(str(oid)))
        if found is None:
            raise NotTranslated("functions that are not built in")
        return found

    def operator(self, node: Node) -> Function:
        """The function behind an operator."""
        return self.function(self.catalog.operators[int(node["opno"])].function)

    def _funcexpr(self, node: Node) -> str:
        found = self.function(node["funcid"])
        if node["funcvariadic"] == "true":
            raise NotTranslated(f"{found.name} with VARIADIC")
        return self.call(found, node, node["args"] or [])

    def _opexpr(self, node: Node) -> str:
        return self.call(self.operator(node), node, node["args"])

    def _distinct(self, node: Node) -> str:
        # printed for what it refuses: an operator that has no equivalent has none here either
        self._opexpr(node)
        left, right = (self.sql(arg) for arg in node["args"])
        return f"({left} IS DISTINCT FROM {right})"

    def _nullif(self, node: Node) -> str:
        # the operator that was looked up may be of another type than DuckDB's nullif would take
        equal = self.call(self.operator(node), node, node["args"])
        return f"(CASE WHEN {equal} THEN NULL ELSE {self.sql(node['args'][0])} END)"

    def _bool(self, node: Node) -> str:
        args = [self.sql(arg) for arg in node["args"]]
        if node["boolop"] == "not":
            return f"(NOT {args[0]})"
        return self.conjunction(node["boolop"].upper(), args)

    def conjunction(self, word: str, args: Sequence[str]) -> str:
        """AND or OR."""
        return "(" + f" {word} ".join(args) + ")"

    def _null_test(self, node: Node) -> str:
        if node["argisrow"] == "true":
            raise NotTranslated("IS NULL of a row")
        return f"({self.sql(node['arg'])} IS {'NOT ' if node['nulltesttype'] == '1' else ''}NULL)"

    def _truth_test(self, node: Node) -> str:
        return f"({self.sql(node['arg'])} {_TRUTH[node['booltesttype']]})"

    def _case(self, node: Node) -> str:
        # CASE x WHEN a: each condition is analysed as x = a, with a placeholder (CaseTestExpr) for x
        results = [one["result"] for one in node["args"]] + ([node["defresult"]] if node["defresult"] else [])
        self.uniting(results, int(node["casetype"]))
        if node["arg"] is not None:
            self._tested.append(self.sql(node["arg"]))
        try:
            whens = [(self.sql(one["expr"]), one["result"]) for one in node["args"]]
        finally:
            if node["arg"] is not None:
                self._tested.pop()
        told = " ".join(f"WHEN {condition} THEN {self.sql(result)}" for condition, result in whens)
        rest = f" ELSE {self.sql(node['defresult'])}" if node["defresult"] is not None else ""
        return f"(CASE {told}{rest} END)"

    def _case_test(self, node: Node) -> str:
        del node
        if not self._tested:
            raise NotTranslated("a value under test outside of CASE")
        return self._tested[-1]

    def _coalesce(self, node: Node) -> str:
        self.uniting(node["args"], int(node["coalescetype"]))
        return "coalesce(" + ", ".join(self.sql(arg) for arg in node["args"]) + ")"

    def _min_max(self, node: Node) -> str:
        self.uniting(node["args"], int(node["minmaxtype"]))
        name = "greatest" if node["op"] == "0" else "least"
        return f"{name}(" + ", ".join(self.sql(arg) for arg in node["args"]) + ")"

    _kinds: ClassVar[Mapping[str, Callable[[Any, Node], str]]]


Expressions._kinds = {
    "VAR": lambda p, n: p.column(n),
    "CONST": lambda p, n: p.constant(n),
    "PARAM": lambda p, n: p.parameter(n),
    "AGGREF": lambda p, n: p.aggregate(n),
    "WINDOWFUNC": lambda p, n: p.window(n),
    "SUBLINK": lambda p, n: p.sublink(n),
    "SUBSCRIPTINGREF": lambda p, n: p.element(n),
    "FUNCEXPR": Expressions._funcexpr,
    "OPEXPR": Expressions._opexpr,
    "DISTINCTEXPR": Expressions._distinct,
    "NULLIFEXPR": Expressions._nullif,
    "SCALARARRAYOPEXPR": lambda p, n: p.any_of(n),
    "BOOLEXPR": Expressions._bool,
    "RELABELTYPE": lambda p, n: p.relabelled(n),
    "COERCEVIAIO": lambda p, n: p.through_text(n),
    "CASEEXPR": Expressions._case,
    "CASETESTEXPR": Expressions._case_test,
    "ARRAYEXPR": lambda p, n: p.array(n),
    "COALESCEEXPR": Expressions._coalesce,
    "MINMAXEXPR": Expressions._min_max,
    "SQLVALUEFUNCTION": lambda p, n: p.clock(n),
    "NULLTEST": Expressions._null_test,
    "BOOLEANTEST": Expressions._truth_test,
}
