"""Indexes that a plan asks for: from its conditions, sort keys and extremes to columns of one table each.

A scan may be helped by an index on what its rows are compared with: constants, outer rows, join partners;
after these comes a range, an extreme, or the order in which the rows are wanted. Whether the planner would
take one is another matter (`rewright.hints.hypothetical`). Must not know servers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pglast import ast, enums

from rewright.hints.conditions import conjuncts_of, last_name, text_of, where_of
from rewright.sql.algebra import Volatility
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.facts.effects import volatility_of_query
from rewright.sql.parsing import nodes_of
from rewright.sql.plans import Node, Plan
from rewright.sql.types import SqlType

_ROLES = frozenset({"Filter", "Join Filter", "Hash Cond", "Merge Cond", "Index Cond", "Recheck Cond"})
_SCANS = frozenset({"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan"})
_TURNED = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SUBPLAN = re.compile(
    r"EXISTS\(SubPlan \d+\)"
    r"|\((?:alternatives: |hashed )?(?:Sub|Init)Plan \d+(?: or hashed SubPlan \d+)?\)(?:\.col\d+)?"
)
_QUANTIFIED = re.compile(r"\((?:ANY|ALL) \(")
_NAME = r'(?:"(?:[^"]|"")+"|[\w$]+)'
_SORT_KEY = re.compile(rf"(?:({_NAME})\.)?({_NAME})( DESC)?( NULLS (?:FIRST|LAST))?")
_EXTREME = re.compile(rf"\b(?:min|max)\((?:({_NAME})\.)?({_NAME})\)")
# further columns make an index larger and rarely more selective
_MOST_KEYS = 4
_COLUMN = re.compile(_NAME)
_AS_TEXT = re.compile(rf"\(CAST\(({_NAME}) AS text\)\)")
_VARCHARS = frozenset({"varchar", "name"})
# builtin types without a B-tree operator class
_UNORDERED = frozenset(
    {"json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle", "xid", "cid", "refcursor"}
)
# an index is not for reading a larger share of the rows than one in so many
_FEW = 10


@dataclass(frozen=True, slots=True)
class Index:
    """A B-tree index to consider; ``keys`` as CREATE INDEX takes them, quoted."""

    schema: str
    relation: str
    keys: tuple[str, ...]

    @property
    def table(self) -> str:
        return ".".join(quoted(part) for part in (self.schema, self.relation) if part)

    @property
    def statement(self) -> str:
        return f"CREATE INDEX ON {self.table} ({', '.join(self.keys)})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """``key`` of the rows of ``alias`` is compared; ``others``: aliases of what with, none for constants."""

    alias: str
    key: str
    operator: str
    others: frozenset[str]


def wanted(plan: Plan) -> tuple[Index, ...]:
    """Candidates for all scans of tables, those of fewer columns first."""
    compared = [*itertools.chain.from_iterable(map(comparisons, plan.walk()))]
    orders = [order for node in plan.walk() if (order := _order(node))]
    extremes = [found for node in plan.walk() for found in _extremes(node)]
    made = []
    for node in plan.walk():
        if node.operator in _SCANS and node.relation and node.schema != "pg_catalog":
            # a filter that leaves many rows needs no index; one that was not seen is given the chance
            own = [] if _keeps_few(node) else [c for c in comparisons(node) if not c.others]
            mine = [c for c in compared if c.alias == node.alias and c not in own]
            keys = _key_lists(
                mine,
                [order for alias, order in orders if alias == node.alias],
                [key for alias, key in extremes if alias == node.alias],
            )
            made += [Index(node.schema, node.relation, k) for k in keys]
    return tuple(sorted(dict.fromkeys(made), key=lambda index: len(index.keys)))


def _keeps_few(node: Node) -> bool:
    """Whether the conditions with constants leave few rows, as far as that was seen."""
    return node.actual is None or node.actual.rows * _FEW < node.actual.rows + node.actual.rows_removed


def keys_of_scan(node: Node) -> tuple[str, ...]:
    """Equalities of a scan's own filter first, then one range: what follows a range in a B-tree does not
    narrow the search.
    """
    mine = [c for c in comparisons(node) if c.alias == node.alias]
    equal = [c.key for c in mine if c.operator == "="]
    return _distinct([*equal, *[c.key for c in mine if c.operator != "="][:1]])


def settled(index: Index, catalog: Catalog) -> Index | None:
    """On the column itself where a varchar is compared as text. None where it can't be built: a type without
    an order, an expression that is not immutable.
    """
    table = catalog.find_table(index.relation, (index.schema,))
    # a table of another database, or a temporary one
    if table is None:
        return None
    types = {quoted(column.name): column.type for column in table.columns}
    keys: list[str] = []
    for key in index.keys:
        cast = _AS_TEXT.fullmatch(key)
        bare = cast[1] if cast and cast[1] in types and types[cast[1]].name in _VARCHARS else key
        column = _COLUMN.match(bare)
        # an expression's first letter is a parenthesis, which is no name
        if not (_has_order(types.get(column[0])) if column else _is_fixed(bare, index, catalog)):
            return None
        keys.append(bare)
    return replace(index, keys=tuple(keys))


def whole(index: Index, catalog: Catalog) -> Index:
    """An index of all partitions in place of one of them."""
    table = catalog.find_table(index.relation, (index.schema,))
    while table is not None and table.partition_of is not None:
        index = replace(index, schema=table.partition_of.schema, relation=table.partition_of.name)
        table = catalog.find_table(index.relation, (index.schema,))
    return index


def _has_order(kind: SqlType | None) -> bool:
    return kind is not None and not (kind.schema == "pg_catalog" and kind.name in _UNORDERED)


def _is_fixed(expression: str, index: Index, catalog: Catalog) -> bool:
    """Whether an expression over a table's columns is immutable."""
    try:
        query = bind(f"select {expression} from {index.table}", catalog)
    except (BindError, Unsupported):
        return False
    return volatility_of_query(catalog, query) is Volatility.IMMUTABLE


def is_asked_again(node: Node) -> bool:
    """Whether a scan compares its rows by equality with those of a query outside: it is repeated for them."""
    return any(c.others and c.operator == "=" for c in comparisons(node) if c.alias == node.alias)


def comparisons(node: Node) -> Iterator[Comparison]:
    """What a node's conditions compare, each from both sides."""
    for role, text in node.conditions:
        if role in _ROLES:
            for part in conjuncts_of(where_of(_without_subplans(text))):
                yield from _sides(part, node.alias)


def quoted(name: str) -> str:
    return name if re.fullmatch(r"[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'


def _key_lists(
    compared: Sequence[Comparison], orders: Sequence[tuple[str, ...]], extremes: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    equal = _distinct(c.key for c in compared if c.operator == "=" and not c.others)
    asked = _distinct(c.key for c in compared if c.operator == "=" and c.others)
    ranges = _distinct(c.key for c in compared if c.operator != "=" and not c.others)
    outer_ranges = _distinct(c.key for c in compared if c.operator != "=" and c.others)
    fronts = [(), *((key,) for key in asked), equal, *((key, *equal) for key in asked)]
    tails = [(), *((key,) for key in (*equal, *ranges, *outer_ranges, *extremes)), *orders]
    for front, tail in itertools.product(fronts, tails):
        keys = _distinct((*front, *(key for key in tail if key not in front)))
        # a key of several columns serves a condition on the first ones, too
        if 0 < len(keys) <= _MOST_KEYS:
            yield keys


def _distinct(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(keys))


def _order(node: Node) -> tuple[str, tuple[str, ...]] | None:
    """The alias and columns that a sort is by, where all are of one; descending as
    ascending.
    """
    found = [_SORT_KEY.fullmatch(key) for key in node.sort_key]
    if not found or None in found:
        return None
    parts = [match.groups() for match in found if match is not None]
    aliases = {_unquoted(alias) if alias else _only_scan(node) for alias, *_ in parts}
    alias = next(iter(aliases))
    # sorted by columns of two tables: no index has that order
    if len(aliases) > 1 or not alias:
        return None
    # A B-tree is read from behind as well: all columns descending is the same index as all ascending.
    downwards = all(down and not nulls for _, _, down, nulls in parts)
    return alias, tuple(
        column if downwards else f"{column}{down or ''}{nulls or ''}" for _, column, down, nulls in parts
    )


def _extremes(node: Node) -> Iterator[tuple[str, str]]:
    """Alias and column of each min and max that an aggregate gives."""
    if node.operator == "Aggregate":
        for text in node.output:
            for alias, column in _EXTREME.findall(text):
                yield (_unquoted(alias) if alias else _only_scan(node)), column


def _only_scan(node: Node) -> str:
    """The alias that unqualified columns are of; empty where there are several."""
    aliases = {one.alias for one in node.walk() if one.operator in _SCANS and one.alias}
    return aliases.pop() if len(aliases) == 1 else ""


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


# --------------------------------------------------------------------------- texts of plans


def _without_subplans(text: str) -> str:
    """What plans print for subqueries is no SQL; to an index it is an unknown value."""
    # a parameter in place of the subquery keeps the rest of the condition readable
    return _QUANTIFIED.sub("((", _SUBPLAN.sub("$1", text))


def _sides(node: Any, alias: str) -> Iterator[Comparison]:
    if not isinstance(node, ast.A_Expr) or node.lexpr is None or node.rexpr is None:
        return
    operator = last_name(node.name)
    pairs: list[tuple[Any, Any, str]]
    # `= ANY (array)` is an equality for a B-tree, which looks up each element
    if node.kind == enums.A_Expr_Kind.AEXPR_OP_ANY and operator == "=":
        pairs = [(node.lexpr, node.rexpr, operator)]
    elif node.kind == enums.A_Expr_Kind.AEXPR_OP and operator in _TURNED:
        pairs = [(node.lexpr, node.rexpr, operator), (node.rexpr, node.lexpr, _TURNED[operator])]
    else:
        return
    for this, other, means in pairs:
        mine, others = _aliases(this, alias), _aliases(other, alias)
        # A side with columns of two relations, or of the same one as the other side, is no key of one index.
        if len(mine) == 1 and not mine & others:
            yield Comparison(next(iter(mine)), _key(this), means, others)


def _aliases(node: Any, alias: str) -> frozenset[str]:
    """Of the columns in an expression; an unqualified one is of ``alias``."""
    names: list[Any] = [one.fields for one in nodes_of(node) if isinstance(one, ast.ColumnRef)]
    return frozenset(str(found[0].sval) if len(found) > 1 else alias for found in names)


def _key(node: Any) -> str:
    return quoted(last_name(node.fields)) if isinstance(node, ast.ColumnRef) else f"({text_of(node)})"
