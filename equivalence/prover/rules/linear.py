"""Rules on sums of what is computed: of sums, differences, opposites and products with a number.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate
from rewright.equivalence.prover.build import (
    app,
    integer,
    not_null,
)
from rewright.equivalence.prover.commuting import sorted_operands
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.symbols import (
    INTS,
    TO_NUMERIC,
    arithmetic,
    exact_integer,
    is_bounded,
)
from rewright.equivalence.prover.terms import (
    App,
    Bag,
    Lit,
    Nested,
    Sym,
    Term,
    Var,
    free_vars,
)
from rewright.sql.facts.looks import WHOLE_NUMBER

from .base import At, Place

_FINITE = re.compile(r"-?\d+(\.\d+)?")


def linear_sum(p: Place, at: At) -> Bag | None:
    """6b: the sum of x + y is the sum of x and that of y over the same rows, where neither is NULL; so are
    differences, opposites, and products with a number that is the same for all rows. Exact numbers alone.
    ``at``: block, term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    # floats are rounded in the order in which they are added
    if not is_exact_sum(term):
        return None
    outs = [x.outs[0] for x in term.bag]
    new = _of_a_number(term, outs) if isinstance(outs[0], Lit) else _part_by_part(term, outs)
    return None if new is None else p.with_block(i, replace_term(b, term, new))


def is_exact_sum(term: Nested) -> bool:
    """Whether a term is a sum of integers or numerics: the order in which these are added does not matter."""
    return term.kind == "agg" and term.name in {"isum", "sum numeric"} and bool(term.bag)


def _of_a_number(term: Nested, outs: list[Term]) -> Term | None:
    """A whole number added again and again: that many ones."""
    number = outs[0]
    # numerics keep decimals of their own; one added again and again is no product here
    if term.name != "isum" or len(set(outs)) != 1 or not _is_whole(number) or number == integer(1):
        return None
    ones = _showing(term, [integer(1)] * len(outs))
    return app(_on_sums("*", "int8"), (number, ones), term.type)


def _part_by_part(term: Nested, outs: list[Term]) -> Term | None:
    """The operator that makes what is added, of the sums of its operands."""
    found = [o for o in outs if isinstance(o, App)]
    # of several blocks each must add by the same operator
    if len(found) < len(outs) or len({o.sym for o in found}) > 1:
        return None
    op, _, type_name = found[0].sym.name.partition(" ")
    kind = "isum" if type_name in INTS else f"sum {type_name}"
    # a sum of int4 + int4 is an isum, of numerics a numeric sum
    if kind != term.name or op not in {"+", "-", "*"}:
        return None
    columns = list(zip(*(o.args for o in found), strict=True))
    of = _on_sums(op, "int8" if kind == "isum" else type_name)
    if op == "*":
        return _multiplied(term, of, columns)
    return app(of, tuple(_showing(term, c) for c in columns), term.type)


def _multiplied(term: Nested, of: Sym, columns: list[tuple[Term, ...]]) -> Term | None:
    """What is multiplied with one number, added up first."""
    factors = [len(set(c)) == 1 and _is_factor(c[0], term) for c in columns]
    # both factors constant, or neither: nothing to take out
    if sum(factors) != 1:
        return None
    numbers, values = columns if factors[0] else columns[::-1]
    number = numbers[0]
    # of more decimals than a numeric keeps each product would be rounded, and not the sum
    products = (x.outs[0] for x in term.bag)
    if not (_is_whole(number) or exact_integer(number.type) or all(map(is_bounded, products))):
        return None
    # where the number is NULL the product is, whatever is added up
    there = not_null(number)
    rows = tuple(replace(x, preds=tuple(q for q in x.preds if q != there)) for x in term.bag)
    total = _showing(replace(term, bag=rows), values)
    return app(of, sorted_operands(of, (number, total)), term.type)


def _is_whole(term: Term) -> bool:
    """Whether a term is a constant that has no decimals to show."""
    return isinstance(term, Lit) and term.value is not None and term.value.lstrip("-").isdigit()


def _is_factor(x: Term, total: Nested) -> bool:
    """Whether a term is one finite number for all rows that are added up: of 2 and -1 times Infinity the sum
    is NaN, and the sum of 2 and -1 times Infinity is not.
    """
    # NaN and Infinity as constants are refused by their spelling
    if isinstance(x, Lit):
        return x.value is not None and _FINITE.fullmatch(x.value) is not None
    number = x.args[0] if isinstance(x, App) and x.sym == TO_NUMERIC else x
    # a year of an infinite date is infinite
    declared = number.type.name == "numeric" and number.type.typmod != -1 and number.type != WHOLE_NUMBER
    finite = exact_integer(number.type) or declared
    own = {v for b in total.bag for v, _ in b.vars}
    return finite and isinstance(number, Var | Nested) and not free_vars(x) & own


def _on_sums(op: str, type_name: str) -> Sym:
    """The operator on whole sums: what it may raise is said of what is written."""
    return replace(arithmetic(op, type_name, type_name, type_name), fails="")


def _showing(term: Nested, column: Sequence[Term]) -> Term:
    """The sum of another value of the same rows."""
    rows = tuple(replace(x, outs=(o,)) for x, o in zip(term.bag, column, strict=True))
    return aggregate(term.name, fresh_copy(rows), term.type)
