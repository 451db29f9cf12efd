"""Changes of SELECTs: joins, grouping, order, limits, set operations, windows, relations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from pglast import ast
from pglast.enums import (
    CTEMaterialize,
    GroupingSetKind,
    JoinType,
    LimitOption,
    SetOperation,
    SortByDir,
    SortByNulls,
)

from bench.mutation_trees import (
    Changed,
    Names,
    altered,
    conjunction,
    conjuncts,
    integer,
    nodes,
    strings,
    without,
)

INTEGER = ast.TypeName(names=strings("pg_catalog", "int4"), typemod=-1, setof=False, pct_type=False)


def _distinct(node: Any, _: Names) -> Iterator[Changed]:
    if node.op != SetOperation.SETOP_NONE or node.valuesLists:
        return
    if node.distinctClause is None:
        yield "add DISTINCT", altered(node, distinctClause=(None,))
    else:
        yield "drop DISTINCT", altered(node, distinctClause=None)
        for i, key in enumerate(node.distinctClause):
            if key is not None:
                yield (
                    "DISTINCT ON keys",
                    altered(node, distinctClause=without(node.distinctClause, i) or (None,)),
                )
    if node.groupClause and not node.distinctClause and node.targetList:
        yield "GROUP BY to DISTINCT", altered(node, groupClause=None, distinctClause=(None,))


def _operations(node: Any, _: Names) -> Iterator[Changed]:
    if node.op == SetOperation.SETOP_NONE:
        return
    yield "set operation ALL", altered(node, all=not node.all)
    for op in (SetOperation.SETOP_UNION, SetOperation.SETOP_INTERSECT, SetOperation.SETOP_EXCEPT):
        if op != node.op:
            yield "set operation", altered(node, op=op)
    yield "set operation arms swapped", altered(node, larg=node.rarg, rarg=node.larg)
    if node.sortClause is None and node.limitCount is None and node.withClause is None:
        yield "set operation arm dropped", node.larg


def _grouping(node: Any, names: Names) -> Iterator[Changed]:
    where, having, keys = node.whereClause, node.havingClause, node.groupClause
    if having is not None:
        yield "HAVING dropped", altered(node, havingClause=None)
        yield "HAVING to WHERE", altered(node, havingClause=None, whereClause=conjunction(where, having))
    if where is not None and keys:
        yield "WHERE to HAVING", altered(node, whereClause=None, havingClause=conjunction(having, where))
    empty = ast.GroupingSet(kind=GroupingSetKind.GROUPING_SET_EMPTY)
    for i in range(len(keys or ())):
        yield "GROUP BY key dropped", altered(node, groupClause=without(keys, i))
    if keys:
        yield "GROUP BY to ()", altered(node, groupClause=(empty,))
        for kind in (GroupingSetKind.GROUPING_SET_ROLLUP, GroupingSetKind.GROUPING_SET_CUBE):
            if not any(isinstance(k, ast.GroupingSet) for k in keys):
                yield "GROUPING SETS", altered(node, groupClause=(ast.GroupingSet(kind=kind, content=keys),))
        sets = ast.GroupingSet(kind=GroupingSetKind.GROUPING_SET_SETS, content=(*keys, empty))
        yield "GROUPING SETS", altered(node, groupClause=(sets,))
        for column in names.columns:
            yield "GROUP BY key added", altered(node, groupClause=(*keys, column))
    elif any(isinstance(n, ast.FuncCall) for t in node.targetList or () for _, n in nodes(t)):
        yield "GROUP BY () added", altered(node, groupClause=(empty,))
        yield (
            "GROUP BY a constant",
            altered(node, groupClause=(ast.TypeCast(arg=ast.A_Const(isnull=True), typeName=INTEGER),)),
        )
        for column in names.columns:
            yield "GROUP BY key added", altered(node, groupClause=(column,))


def _limits(node: Any, _: Names) -> Iterator[Changed]:
    for slot, word in (("limitCount", "LIMIT"), ("limitOffset", "OFFSET")):
        if getattr(node, slot) is not None:
            yield f"{word} dropped", altered(node, **{slot: None})
    if node.limitCount is not None and node.limitOffset is None:
        yield "OFFSET added", altered(node, limitOffset=integer(1))
    if node.limitCount is not None and node.sortClause and node.limitOption == LimitOption.LIMIT_OPTION_COUNT:
        yield "WITH TIES", altered(node, limitOption=LimitOption.LIMIT_OPTION_WITH_TIES)
    elif node.limitCount is not None:
        yield "WITH TIES dropped", altered(node, limitOption=LimitOption.LIMIT_OPTION_COUNT)
    for i, item in enumerate(node.fromClause or ()):
        if node.limitCount is not None and isinstance(item, ast.RangeSubselect):
            moved = altered(
                item, subquery=altered(item.subquery, limitCount=node.limitCount, sortClause=node.sortClause)
            )
            rest = (*node.fromClause[:i], moved, *node.fromClause[i + 1 :])
            yield "LIMIT moved in", altered(node, limitCount=None, sortClause=None, fromClause=rest)
        if (
            isinstance(item, ast.RangeSubselect)
            and (inner := cast("Any", item.subquery)).limitCount is not None
            and not node.limitCount
        ):
            moved = altered(item, subquery=altered(inner, limitCount=None, limitOffset=None))
            rest = (*node.fromClause[:i], moved, *node.fromClause[i + 1 :])
            yield "LIMIT moved out", altered(node, limitCount=inner.limitCount, fromClause=rest)


def _sorting(node: Any, _: Names) -> Iterator[Changed]:
    keys = node.sortClause
    for i in range(len(keys or ())):
        yield "ORDER BY key dropped", altered(node, sortClause=without(keys, i))
    if keys and len(keys) > 1:
        yield "ORDER BY keys swapped", altered(node, sortClause=tuple(reversed(keys)))
        yield "ORDER BY dropped", altered(node, sortClause=None)


def _where(node: Any, _: Names) -> Iterator[Changed]:
    if node.whereClause is not None:
        yield "WHERE dropped", altered(node, whereClause=None)
        for part in conjuncts(node.whereClause):
            rest = tuple(p for p in conjuncts(node.whereClause) if p is not part)
            for i, item in enumerate(node.fromClause or ()):
                if isinstance(item, ast.JoinExpr) and item.quals is not None:
                    moved = altered(item, quals=conjunction(item.quals, part))
                    items = (*node.fromClause[:i], moved, *node.fromClause[i + 1 :])
                    yield "WHERE to ON", altered(node, whereClause=conjunction(*rest), fromClause=items)
    for i, item in enumerate(node.fromClause or ()):
        if not isinstance(item, ast.JoinExpr) or item.quals is None:
            continue
        parts = conjuncts(item.quals)
        for part in parts:
            kept = conjunction(*(p for p in parts if p is not part))
            moved = altered(item, quals=kept or ast.A_Const(isnull=False, val=ast.Boolean(boolval=True)))
            items = (*node.fromClause[:i], moved, *node.fromClause[i + 1 :])
            yield (
                "ON to WHERE",
                altered(node, whereClause=conjunction(node.whereClause, part), fromClause=items),
            )


def _from(node: Any, _: Names) -> Iterator[Changed]:
    items = node.fromClause or ()
    for i, item in enumerate(items):
        if isinstance(item, ast.RangeVar):
            star = ast.ResTarget(val=ast.ColumnRef(fields=(ast.A_Star(),)))
            plain = ast.SelectStmt(
                targetList=(star,), fromClause=(altered(item, alias=None),), distinctClause=(None,),
                limitOption=LimitOption.LIMIT_OPTION_DEFAULT, op=SetOperation.SETOP_NONE,
            )  # fmt: skip
            named = item.alias or ast.Alias(aliasname=item.relname)
            wrapped = ast.RangeSubselect(subquery=plain, alias=named, lateral=False)
            yield "FROM DISTINCT", altered(node, fromClause=(*items[:i], wrapped, *items[i + 1 :]))
        if len(items) > 1:
            yield "FROM item dropped", altered(node, fromClause=without(items, i))
    targets = node.targetList or ()
    for i in range(len(targets) - 1):
        swapped = (
            altered(targets[i], val=targets[i + 1].val),
            altered(targets[i + 1], val=targets[i].val),
        )
        yield "outputs swapped", altered(node, targetList=(*targets[:i], *swapped, *targets[i + 2 :]))


def _join(node: Any, _: Names) -> Iterator[Changed]:
    if node.isNatural:
        return
    for kind in (JoinType.JOIN_INNER, JoinType.JOIN_LEFT, JoinType.JOIN_RIGHT, JoinType.JOIN_FULL):
        if kind != node.jointype and (node.quals is not None or node.usingClause):
            yield "join kind", altered(node, jointype=kind)
    if node.quals is not None:
        yes = ast.A_Const(isnull=False, val=ast.Boolean(boolval=True))
        yield "ON dropped", altered(node, quals=yes)
        if node.jointype != JoinType.JOIN_INNER:
            yield "join arms swapped", altered(node, larg=node.rarg, rarg=node.larg)
        if node.jointype == JoinType.JOIN_INNER:
            yield "join arm dropped", node.larg


def _cte(node: Any, _: Names) -> Iterator[Changed]:
    fence = CTEMaterialize.CTEMaterializeAlways
    other = CTEMaterialize.CTEMaterializeNever if node.ctematerialized == fence else fence
    yield "CTE MATERIALIZED", altered(node, ctematerialized=other)


def _table(node: Any, names: Names) -> Iterator[Changed]:
    for other in names.relations:
        if other != node.relname:
            alias = node.alias or ast.Alias(aliasname=node.relname)
            yield "other relation", altered(node, relname=other, alias=alias)
    yield "ONLY", altered(node, inh=not node.inh)


def _order_key(node: Any, _: Names) -> Iterator[Changed]:
    down = node.sortby_dir == SortByDir.SORTBY_DESC
    if node.sortby_dir != SortByDir.SORTBY_USING:
        yield (
            "ORDER BY direction",
            altered(node, sortby_dir=SortByDir.SORTBY_ASC if down else SortByDir.SORTBY_DESC),
        )
    first = node.sortby_nulls == SortByNulls.SORTBY_NULLS_FIRST or (
        node.sortby_nulls == SortByNulls.SORTBY_NULLS_DEFAULT and down
    )
    other = SortByNulls.SORTBY_NULLS_LAST if first else SortByNulls.SORTBY_NULLS_FIRST
    yield "ORDER BY NULLS", altered(node, sortby_nulls=other)
    if not isinstance(node.node, ast.A_Const):
        collated = ast.CollateClause(arg=node.node, collname=strings("C"))
        yield "ORDER BY COLLATE", altered(node, node=collated)


_ROWS, _RANGE, _GROUPS = 4, 2, 8
_DEFAULT_FRAME = 0x00002 | 0x00020 | 0x00400
_FRAMES = (
    _DEFAULT_FRAME,
    0x00001 | _ROWS | 0x00010 | 0x00020 | 0x00400,
    0x00001 | _RANGE | 0x00010 | 0x00020 | 0x00400,
    0x00001 | _GROUPS | 0x00010 | 0x00020 | 0x00400,
    0x00001 | _RANGE | 0x00010 | 0x00020 | 0x00100,
    0x00001 | _ROWS | 0x00010 | 0x00200 | 0x00400,
)
_EXCLUDED = (0x08000, 0x10000, 0x20000)


def _window(node: Any, names: Names) -> Iterator[Changed]:
    for slot, word in (("partitionClause", "PARTITION BY"), ("orderClause", "window ORDER BY")):
        keys = getattr(node, slot)
        for i in range(len(keys or ())):
            yield f"{word} key dropped", altered(node, **{slot: without(keys, i)})
    for column in names.columns:
        yield "PARTITION BY key added", altered(node, partitionClause=(*(node.partitionClause or ()), column))
    for options in _FRAMES:
        if options != node.frameOptions and node.startOffset is None and node.endOffset is None:
            yield "window frame", altered(node, frameOptions=options)
    for bit in _EXCLUDED:
        kept = node.frameOptions & ~sum(_EXCLUDED)
        if not node.frameOptions & bit and node.orderClause:
            yield "window EXCLUDE", altered(node, frameOptions=kept | 1 | bit)


def _lateral(node: Any, _: Names) -> Iterator[Changed]:
    yield "LATERAL", altered(node, lateral=not node.lateral)


CHANGES: dict[type, tuple[Callable[[Any, Names], Iterator[Changed]], ...]] = {
    ast.SelectStmt: (_distinct, _operations, _grouping, _limits, _sorting, _where, _from),
    ast.JoinExpr: (_join,),
    ast.CommonTableExpr: (_cte,),
    ast.RangeVar: (_table,),
    ast.RangeSubselect: (_lateral,),
    ast.SortBy: (_order_key,),
    ast.WindowDef: (_window,),
}
