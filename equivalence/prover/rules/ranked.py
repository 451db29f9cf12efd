"""The value of the rows of one dense rank, as the extreme beyond that of the rank before.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, subst
from rewright.equivalence.prover.build import app, not_null
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.positions import extreme_name, read_window
from rewright.equivalence.prover.symbols import EQ, LT, domain, identity
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Lit,
    Nested,
    Term,
    free_vars,
    rows_renamed,
)
from rewright.sql.types import BOOL

from .base import At, Place

_MOST_RANKS = 6


def nth_extreme(p: Place, at: At) -> Bag | None:
    """14: rows of the n-th dense rank by a value without NULLs, among the very rows, hold the n-th greatest
    (or least) of the different values: the greatest below the greatest below …, NULL where there are fewer.
    ``at``: block, term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    found = ranked(term)
    if found is None:
        return None
    rows, rank, name = found
    value = rows.outs[0]
    if not p.engine.entails(p.beside(b, term).within(replace(rows, outs=())), not_null(value)):
        return None
    made = aggregate(name, fresh_copy((rows,)), term.type)
    for _ in range(rank - 1):
        pair = (value, made) if name.startswith("max ") else (made, value)
        beyond = block(rows.vars, (*rows.preds, app(LT, pair, BOOL)), rows.outs)
        made = aggregate(name, fresh_copy(beyond), term.type)
    return p.with_block(i, replace_term(b, term, made))


def ranked(term: Nested) -> tuple[Block, int, str] | None:
    """The rows of which an extreme takes those of one dense rank by the value that it shows, which rank, and
    the extreme that the first rank is.
    """
    if term.kind != "agg" or not term.name.startswith(("min ", "max ")) or len(term.bag) != 1:
        return None
    (inner,) = term.bag
    if len(inner.outs) != 1 or not domain(inner.outs[0].type) or not identity(inner.outs[0].type):
        return None
    for k, q in enumerate(inner.preds):
        rows = replace(inner, preds=(*inner.preds[:k], *inner.preds[k + 1 :]))
        for window, number in (q.args, q.args[::-1]) if isinstance(q, App) and q.sym == EQ else ():
            name = _first_rank(window, rows)
            rank = int(number.value or 0) if isinstance(number, Lit) and number.type == INTEGER else 0
            if name is not None and 0 < rank <= _MOST_RANKS and name[3:] == term.name[3:]:
                return rows, rank, name
    return None


def _first_rank(window: Term, rows: Block) -> str | None:
    """The extreme that rows of a dense rank's first place hold, where it ranks just these rows by the value
    that they show; NULLs aside, wherever they come.
    """
    name = read_window(window.name) if isinstance(window, Nested) and window.kind == "win" else None
    if not isinstance(window, Nested) or name is None or name.func != "dense_rank" or len(name.keys) != 1:
        return None
    if window.args[:1] != rows.outs or len(window.bag) != 1 or not _same_rows(window.bag[0], rows):
        return None
    return extreme_name(name.keys[0].replace(" nulls first ", " nulls last "), rows.outs[0].type)


def _same_rows(ranks: Block, rows: Block) -> bool:
    """Whether a window ranks these rows by the value that they show."""
    if [s for _, s in ranks.vars] != [s for _, s in rows.vars]:
        return False
    own = {v for v, _ in rows.vars}
    if any(free_vars(q) & own for q in ranks.preds):
        return False  # of the row's own partition
    names = rows_renamed({v: w for (v, _), (w, _) in zip(ranks.vars, rows.vars, strict=True)})
    return {subst(q, names) for q in ranks.preds} == set(rows.preds) and (
        subst(ranks.outs[0], names) == rows.outs[0]
    )
