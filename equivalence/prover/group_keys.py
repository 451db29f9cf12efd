"""What an aggregate's rows have from their group: the conditions by which they are the group's rows, and
those that the group meets already.

Must not know rules or search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .symbols import EQ, identity
from .terms import App, Block, Distinct, Nested, Row, Term, Var, alike, substitute
from .terms import walk as walk_term


def less_what_is_known(term: Term, around: Block) -> Term:
    """The term whose aggregates are without conditions on a key of their group that the group meets already:
    HAVING and WHERE on a key leave the same rows of each group.
    """
    if isinstance(term, App):
        return replace(term, args=tuple(less_what_is_known(t, around) for t in term.args))
    if not isinstance(term, Nested) or term.kind != "agg":
        return term
    return replace(term, bag=tuple(replace(b, preds=_not_known(b, around)) for b in term.bag))


def _not_known(inner: Block, around: Block) -> tuple[Term, ...]:
    """The conditions of an aggregate's rows that are not asked of its group's keys."""
    rows = {v for v, _ in inner.vars}
    groups = {v: s for v, s in around.vars if isinstance(s, Distinct) and len(s.bag) == 1}
    equal = [p.args for p in inner.preds if isinstance(p, App) and p.sym == EQ and identity(p.args[0].type)]
    # equal columns under an equality that is no identity have looks of their own
    keys: dict[Term, Var] = {
        x: y
        for first, second in equal
        for x, y in ((first, second), (second, first))
        if isinstance(x, Var) and isinstance(y, Var) and x.var in rows and y.var in groups
    }
    known = {q for key in keys.values() for q in _met_by(key, around, groups[key.var])}
    return tuple(p for p in inner.preds if not keys or substitute(p, keys.get) not in known)


def _met_by(key: Var, around: Block, group: Distinct) -> Iterator[Term]:
    """The conditions that are asked of nothing but this key of a group."""
    yield from (p for p in around.preds if _read(p) == {key})
    # a condition that the group's rows meet, if it is on the key alone, holds of the key
    (b,) = group.bag
    shown = b.outs[key.pos]
    for p in b.preds:
        if _read(p) == {shown}:
            yield substitute(p, lambda x: key if x == shown else None)


def _read(condition: Term) -> set[Term]:
    return {x for x in walk_term(condition) if isinstance(x, Var | Row | Nested)}


def without_belonging(aggregate: Nested, around: Block) -> tuple[Nested, tuple[Term, ...]]:
    """The aggregate without the conditions by which its rows are those of a group in the block around, and
    what its rows have equal to the group's keys in them. The group was made by computing just this of just
    these rows: it fails there, whatever else is asked of the rows.
    """
    groups = {v: s.bag[0] for v, s in around.vars if isinstance(s, Distinct) and len(s.bag) == 1}
    keys: list[Term] = []
    bag = []
    for b in aggregate.bag:
        found = {p: key for p in b.preds for key in _belonging(p, b, groups)}
        keys += found.values()
        bag.append(replace(b, preds=tuple(p for p in b.preds if p not in found)))
    return (replace(aggregate, bag=tuple(bag)) if keys else aggregate), tuple(keys)


def _belonging(condition: Term, rows: Block, groups: dict[int, Block]) -> Iterator[Term]:
    """What a condition asks to be the key of a group, if the rows are of those that the group was made of."""
    if not (isinstance(condition, App) and condition.sym == EQ):
        return
    for key, column in (condition.args, condition.args[::-1]):
        if not isinstance(column, Var) or column.var not in groups:
            continue
        if _is_of_group(key, column.pos, rows, groups[column.var]):
            yield key
            return


def _is_of_group(key: Term, column: int, rows: Block, group: Block) -> bool:
    """Whether the rows are read as the group's are, meet what those meet, and the key is what was grouped
    by.
    """
    if [s for _, s in rows.vars] != [s for _, s in group.vars]:
        return False
    own = {v: w for (v, _), (w, _) in zip(group.vars, rows.vars, strict=True)}

    def here(x: Var | Row) -> Term | None:
        return replace(x, var=own[x.var]) if x.var in own else None

    asked = [substitute(p, here) for p in group.preds]
    return alike(substitute(group.outs[column], here), key) and all(
        any(alike(p, q) for q in rows.preds) for p in asked
    )
