"""In which order the columns of DISTINCT rows stand, so that forms that are alike meet.

Says nothing of rows: any order is as good. Must not know facts.
"""

from __future__ import annotations

from collections.abc import Mapping

from .terms import Distinct, Source, Table, Term, Var


def place_of(term: Term, sources: Mapping[int, Source]) -> tuple[bool, str, int]:
    """Where a column of DISTINCT rows stands among the others: those of tables by the tables' names, which
    both queries have, not by a number; what is made comes after them. ``sources``: by variable.
    """
    source = sources.get(term.var) if isinstance(term, Var) else None
    if isinstance(term, Var) and isinstance(source, Table):
        return False, f"{source.ref.schema}.{source.ref.name}", term.pos
    if isinstance(term, Var) and isinstance(source, Distinct):
        # opened later, it leaves the columns of what it is over
        first = source.bag[0]
        return place_of(first.outs[term.pos], {**sources, **dict(first.vars)})
    return True, "", 0
