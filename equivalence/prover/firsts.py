"""First rows of which nothing shows but what all rows share that may come first.

``row_number() = 1`` keeps one of the rows that tie for the first place of a partition. They have the
partition's keys and all sort keys in common: where no more is read of it, it does not matter which it is.
Must not know contexts or rules.
"""

from __future__ import annotations

from .bags import subst
from .build import eq, integer
from .positions import read_window
from .symbols import EQ, SAME, identity
from .terms import App, Block, Lit, Nested, Term, free_vars, rows_renamed, walk_shallow


def any_first_will_do(b: Block, number: Nested) -> bool:
    """Whether a block over the rows of a window asks for its row_number() = 1, and reads nothing of the row
    but keys of the window whose equal values are the same.
    """
    window = read_window(number.name)
    if window is None or window.func != "row_number" or len(number.bag) != 1:
        return False
    (rows,) = number.bag
    # the window must number the very rows that the block reads
    if [s for _, s in rows.vars] != [s for _, s in b.vars]:
        return False
    names = {w: v for (w, _), (v, _) in zip(rows.vars, b.vars, strict=True)}
    own = set(names.values())
    goal = eq(number, integer(1))
    ties = [q for q in rows.preds if free_vars(q) & own]
    every = {subst(q, rows_renamed(names)) for q in rows.preds if q not in ties}
    others = [q for q in b.preds if q != goal and q not in every]
    # conditions of the block that the window did not ask leave out the first rows, perhaps
    if goal not in b.preds or not every <= set(b.preds):
        return False
    shared = [_shared(q, names) for q in ties]
    keys = {k for k in (*shared, *number.args[: len(window.keys)]) if k is not None and identity(k.type)}
    # a key of several looks shows which of the tied rows it was
    return None not in shared and all(_reads_only(t, keys, own, number) for t in (*others, *b.outs))


def _shared(tie: Term, names: dict[int, int]) -> Term | None:
    """The current row's side of what a window's rows have in common with it."""
    if isinstance(tie, App) and tie.sym in {EQ, SAME}:
        for x, y in (tie.args, tie.args[::-1]):
            if free_vars(x) <= names.keys() and subst(x, rows_renamed(names)) == y:
                return y
    return None


def _reads_only(term: Term, keys: set[Term], own: set[int], number: Nested) -> bool:
    left = subst(term, lambda t: Lit(None, t.type) if t in keys else None)
    return not free_vars(left) & own and number not in set(walk_shallow(term))
