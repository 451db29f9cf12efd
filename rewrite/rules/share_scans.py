"""A table that several blocks read under the same conditions is filtered once.

    SELECT (SELECT max(amount) FROM sale WHERE qty > 90), (SELECT count(*) FROM sale WHERE qty > 90 AND part = 3)
    -->
    WITH kept AS MATERIALIZED (SELECT amount, part FROM sale WHERE qty > 90)
    SELECT (SELECT max(amount) FROM kept), (SELECT count(*) FROM kept WHERE part = 3)

The conditions that all readers have go into the CTE, the others stay where they are; the columns that any reader needs are kept.
Worth while where a big table is read from end to end each time and the conditions leave little of it. SOUNDNESS 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewrite.rules.base import Context, Rewrite, Rule
from rewrite.rules.shape import cannot_fail, is_volatile
from rewrite.rules.tree import (
    as_product,
    blocks,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    has_subquery,
    map_children,
    references_whole,
    renumber,
    substitute,
    walk,
)
from sql import algebra as a


@dataclass(frozen=True, slots=True)
class _Reader:
    """A scan, and its block's conditions on it alone."""

    scan: a.Scan
    own: tuple[a.Expr, ...]


def apply(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if not ctx.top or any(isinstance(n, a.Cte) and n.recursive for n in walk(block)):
        return
    groups: dict[tuple[a.TableRef, bool], list[_Reader]] = {}
    for reader in _readers(block):
        groups.setdefault((reader.scan.table, reader.scan.only), []).append(reader)
    choices = [c for readers in groups.values() for c in _choices(readers, ctx)]
    for some in ([choices] if len(choices) > 1 else []) + [[c] for c in choices]:
        made = block
        for readers, common in some:
            made = _shared(made, readers, common, ctx)
        names = ", ".join(readers[0].scan.table.name for readers, _ in some)
        yield Rewrite(made, f"{names}: filtered once for all readers")


def _readers(block: a.Query) -> Iterator[_Reader]:
    for _, query in blocks(block):
        if not isinstance(query, a.Select):
            continue
        items, preds = as_product(query)
        for item in items:
            if isinstance(item, a.Scan) and not references_whole(block, item.rel):
                own = [p for p in preds if free_rels(p) == {item.rel} and _movable(p)]
                yield _Reader(item, tuple(own))


def _movable(pred: a.Expr) -> bool:
    return not has_subquery(pred) and not is_volatile(pred) and cannot_fail(pred)


def _choices(readers: Sequence[_Reader], ctx: Context) -> Iterator[tuple[list[_Reader], list[a.Expr]]]:
    """All readers with what they have in common; else those that share conditions with the first that has any."""
    left = [r for r in readers if r.own]
    if len(left) < 2:
        return
    common = _common(left)
    if common:
        yield left, common
        return
    for first in left:
        near = [r for r in left if _common([first, r])]
        if len(near) > 1 and (found := _common(near)):
            yield near, found
            return
    if ctx.holds("all-readers-filter", False):
        yield left, [renumber(p, {left[0].scan.rel: 0}) for p in left[0].own]


def _common(readers: Sequence[_Reader]) -> list[a.Expr]:
    forms = [[renumber(p, {r.scan.rel: 0}) for p in r.own] for r in readers]
    return [p for p in forms[0] if all(p in f for f in forms[1:])]


def _shared(block: a.Query, readers: Sequence[_Reader], common: Sequence[a.Expr], ctx: Context) -> a.Query:
    rels = {r.scan.rel for r in readers}
    kept = _without(block, rels, common)
    needed = sorted({c.pos for c in columns_used((kept,), rels)})
    number, inner = ctx.fresh(), ctx.fresh()
    scan = readers[0].scan
    columns = tuple(scan.columns[p] for p in needed) or scan.columns[:1]
    needed = needed or [0]
    targets = tuple(
        a.Target(c.name, a.Column(inner, p, c.type, c.name)) for p, c in zip(needed, columns, strict=True)
    )
    where = conjoin(renumber(p, {0: inner}) for p in common)
    cte = a.Cte(
        number, "kept", a.Select(targets, (replace(scan, rel=inner),), where), columns, materialized=True
    )
    place = {p: i for i, p in enumerate(needed)}
    moved: dict[tuple[int, int], a.Expr] = {
        (c.rel, c.pos): a.Column(c.rel, place[c.pos], c.type, c.name) for c in columns_used((kept,), rels)
    }

    def visit(n: Any) -> Any:
        if isinstance(n, a.Scan) and n.rel in rels:
            return a.CteScan(n.rel, number, n.alias, columns)
        return map_children(n, visit)

    made: a.Query = visit(substitute(kept, moved))
    return replace(made, ctes=(cte, *made.ctes))


def _without(block: a.Query, rels: set[int], common: Sequence[a.Expr]) -> a.Query:
    """The statement without the common conditions on its readers, wherever they stand."""
    gone = {renumber(p, {0: rel}) for p in common for rel in rels}

    def keep(expr: a.Expr | None) -> a.Expr | None:
        return conjoin(p for p in conjuncts(expr) if p not in gone)

    def visit(n: Any) -> Any:
        n = map_children(n, visit)
        if isinstance(n, a.Select) and n.where is not None:
            return replace(n, where=keep(n.where))
        if isinstance(n, a.Join) and n.kind == "inner":
            return replace(n, on=keep(n.on))
        return n

    made: a.Query = visit(block)
    return made


RULE = Rule("share_scans", apply, ("all-readers-filter",), priority=66, category="cte", blind=True)
