"""Questions whose answers show what a database exercises in a query: joins, predicates, groups.

Owns reading the blocks of a parse tree and writing the probes, each a SELECT of one boolean array.
A block that needs an outer row gets no probe of its own: its outer predicate has one. Must not know
servers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast.stream import RawStream

from rewright.equivalence.isolation import nodes
from rewright.equivalence.tree import ast, enums

MAX_PROBES = 40
_LABEL = 60


@dataclass(frozen=True, slots=True)
class Probe:
    """``text`` returns one row with one boolean array; ``features`` names its elements."""

    text: str
    features: tuple[str, ...]


def probes_of(tree: Any, side: str) -> tuple[Probe, ...]:
    """Probes for all blocks of a query; ``side`` (``q1``) begins the names of its features."""
    with_clause = _sql(tree.withClause) + " " if getattr(tree, "withClause", None) else ""
    found: list[Probe] = []
    for block in nodes(tree):
        if (
            isinstance(block, ast.SelectStmt)
            and block.op == enums.SetOperation.SETOP_NONE
            and block.fromClause
        ):
            found += _block(block, side, with_clause)
    return tuple(dict.fromkeys(found))[:MAX_PROBES]


def _sql(node: Any) -> str:
    return str(RawStream()(node))


def _label(node: Any) -> str:
    text = " ".join(_sql(node).split())
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _block(block: Any, side: str, prefix: str) -> Iterator[Probe]:
    source = ", ".join(_sql(item) for item in block.fromClause)
    where = f" where {_sql(block.whereClause)}" if block.whereClause else ""
    for item in block.fromClause:
        for join in nodes(item):
            if isinstance(join, ast.JoinExpr) and join.quals is not None:
                yield _join(join, side, prefix)
    for conjunct in _conjuncts(block.whereClause):
        text = _sql(conjunct)
        tests = ", ".join(
            f"coalesce(bool_or(({text}) is {value}), false)" for value in ("true", "false", "null")
        )
        label = f"{side}: {_label(conjunct)}"
        yield Probe(
            f"{prefix}select array[{tests}] from {source}",
            tuple(f"{label} is {value}" for value in ("true", "false", "null")),
        )
    if block.groupClause and not any(isinstance(k, ast.GroupingSet) for k in block.groupClause):
        keys = [key for key in block.groupClause if not isinstance(key, ast.A_Const)]
        if keys:
            groups = ", ".join(_sql(key) for key in keys)
            body = f"{prefix}select from {source}{where} group by {groups}"
            yield Probe(
                f"select array[exists ({body} having count(*) > 1), "
                f"(select count(*) > 1 from ({body}) rw_g)]",
                (f"{side}: group of several rows", f"{side}: several groups"),
            )
    elif _aggregates(block):
        yield Probe(
            f"select array[exists ({prefix}select from {source}{where}), "
            f"not exists ({prefix}select from {source}{where})]",
            (f"{side}: aggregate over rows", f"{side}: aggregate over nothing"),
        )


def _join(join: Any, side: str, prefix: str) -> Probe:
    left, right, on = _sql(join.larg), _sql(join.rarg), _sql(join.quals)
    label = f"{side}: join on {_label(join.quals)}"
    return Probe(
        f"select array[exists ({prefix}select from {left}, {right} where {on}), "
        f"exists ({prefix}select from {left} where not exists (select from {right} where {on})), "
        f"exists ({prefix}select from {right} where not exists (select from {left} where {on}))]",
        (f"{label} matched", f"{label} left unmatched", f"{label} right unmatched"),
    )


def _conjuncts(node: Any) -> Iterator[Any]:
    if node is None:
        return
    if isinstance(node, ast.BoolExpr) and node.boolop == enums.BoolExprType.AND_EXPR:
        for part in node.args:
            yield from _conjuncts(part)
        return
    yield node


_AGGREGATES = frozenset(
    {"count", "sum", "avg", "min", "max", "bool_and", "bool_or", "every", "array_agg", "string_agg"}
)


def _aggregates(block: Any) -> bool:
    """Whether a block without GROUP BY aggregates (its own targets, subqueries not looked into)."""
    stack = [target.val for target in block.targetList or ()]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.SelectStmt):
            continue
        if isinstance(node, ast.FuncCall) and node.over is None and node.funcname[-1].sval in _AGGREGATES:
            return True
        if isinstance(node, ast.Node):
            stack.extend(getattr(node, name) for name in node)
        elif isinstance(node, tuple):
            stack.extend(node)
    return False
