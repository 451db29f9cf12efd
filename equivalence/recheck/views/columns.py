"""Pairs of blocks as several pairs: their rows, which of their groups are kept, and each column that differs.

What a block shows or sorts by is made of columns of a row, or of the rows of a group. Both blocks having the
same rows of these columns, a value that is the same beside the columns it is made of, or beside the keys of
its group, over all these rows is the same in each of them. It is taken over the first block's rows. What is
left to chance above the rows is left open. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.recheck.views.stating import Queries, View, stated
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT4
from rewright.sql.walk import (
    canonical,
    columns_used,
    conjoin,
    conjuncts,
    defined_rels,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    highest_number,
    leaves,
    references_whole,
    renumber,
    returns_set,
    walk,
)

_ROW = a.Target("one", a.Const("1", INT4))


def columns(view: View) -> View:
    """The law: every pair that is made of rows and columns taken apart."""
    made: list[Queries] = []
    modulo, facts = set(view.modulo), set(view.facts)
    for first, second in view.pairs:
        parts = list(_parts(first, second))
        made += parts or [(first, second)]
        for query in (first, second) if parts else ():
            loose, basis = left_to_chance(query, view.catalog)
            modulo |= loose
            facts |= {stated(c, view.catalog) for c in basis}
    return replace(view, pairs=tuple(made), modulo=frozenset(modulo), facts=frozenset(facts))


def _parts(first: a.Query, second: a.Query) -> Iterator[Queries]:
    if not isinstance(first, a.Select) or not isinstance(second, a.Select):
        return
    if not _is_of_rows(first) or not _is_of_rows(second):
        return
    second = _named_alike(first, second)
    if not _is_alike_but_for_values(first, second):
        return
    read = _read(first, second)
    if read is None:
        return
    found: list[Queries] = []
    if first.group_by:
        found.append((_kept(first, first.having), _kept(first, second.having)))
    for one, other in zip(_values(first), _values(second), strict=True):
        found.append((_beside(first, one, (one, other)), _beside(first, other, (one, other))))
    differing = [p for p in found if not _is_one(p)]
    if differing:
        shown = tuple(a.Target(c.name, c) for c in read) or (_ROW,)
        yield a.Select(shown, first.from_, first.where), a.Select(shown, second.from_, second.where)
        yield from dict.fromkeys(differing)


def _above(block: a.Select) -> a.Select:
    return replace(block, from_=(), where=None)


def _is_of_rows(block: a.Select) -> bool:
    """Whether its values are functions of rows, or of the rows of groups made in one way."""
    if block.ctes or block.distinct or (block.group_by is not None and len(block.group_by) != 1):
        return False
    above = _above(block)
    strange = any(isinstance(n, a.Grouping | a.Opaque | a.SystemColumn | a.WholeRow) for n in walk(above))
    cut = any(has_subquery(x) for x in (block.limit, block.offset) if x is not None)
    return not (strange or cut or is_volatile(block) or has_window(above) or returns_set(above))


def _named_alike(first: a.Select, second: a.Select) -> a.Select:
    """The second block with the first one's numbers for what both read under one alias."""

    def names(block: a.Select) -> dict[tuple[object, str], list[int]]:
        found: dict[tuple[object, str], list[int]] = {}
        for item in leaves(block.from_):
            if isinstance(item, a.Scan):
                found.setdefault(((item.table, item.only), item.alias), []).append(item.rel)
        return found

    mine, theirs = names(first), names(second)
    same = {r[0]: mine[n][0] for n, r in theirs.items() if len(r) == len(mine.get(n, ())) == 1}
    above = max(highest_number(first), highest_number(second)) + 1
    rest = sorted(set(defined_rels(second)) - set(same))
    made: a.Select = renumber(second, {**same, **{r: above + i for i, r in enumerate(rest)}})
    return made


def _is_alike_but_for_values(first: a.Select, second: a.Select) -> bool:
    if (first.group_by is None) != (second.group_by is None):
        return False
    if set(group_keys(first)) != set(group_keys(second)) or len(first.targets) != len(second.targets):
        return False
    if [e.type for e in _values(first)] != [e.type for e in _values(second)]:
        return False

    def bare(block: a.Select) -> a.Select:
        order = tuple(replace(k, expr=_ROW.expr) for k in block.order_by)
        return replace(_above(block), targets=(), order_by=order, group_by=None, having=None)

    return bare(first) == bare(second)


def _values(block: a.Select) -> list[a.Expr]:
    return [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]


def _read(first: a.Select, second: a.Select) -> list[a.Column] | None:
    """What both look at above their rows; None where one looks at what the other does not have."""
    mine, theirs = from_rels(first.from_), from_rels(second.from_)
    if any(references_whole(_above(b), r) for b in (first, second) for r in mine | theirs):
        return None
    found = columns_used((_above(first), _above(second)), mine | theirs)
    return found if all(c.rel in mine & theirs for c in found) else None


def _kept(block: a.Select, having: a.Expr | None) -> a.Select:
    keys = tuple(a.Target("k", e) for e in group_keys(block)) or (_ROW,)
    return replace(a.Select(keys, block.from_, block.where), group_by=block.group_by, having=having)


def _beside(block: a.Select, value: a.Expr, both: tuple[a.Expr, a.Expr]) -> a.Select:
    """A value of each group with its keys; or of each row, or of more of them, with the columns that it is
    made of.
    """
    if block.group_by is not None:
        kept = _kept(block, None)
        return replace(kept, targets=(*kept.targets, a.Target("v", value)))
    read = tuple(a.Target(c.name, c) for c in columns_used(both, from_rels(block.from_)))
    asked = (p for p in conjuncts(block.where) if not has_subquery(p) or isinstance(p, a.Exists))
    return a.Select((*read, a.Target("v", value)), block.from_, conjoin(asked))


def _is_one(pair: Queries) -> bool:
    first, second = (canonical(q, keep_names=False) for q in pair)
    return first == second
