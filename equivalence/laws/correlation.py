"""A correlated subquery taken apart: what is its own, what ties it to the outside, and how.

Shared by the laws of lookups and first rows and by the rules that decorrelate. Must not know what they make
of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.walk import as_product, free_of_all, free_rels, from_rels, has_subquery, used_rels


@dataclass(frozen=True, slots=True)
class Tie:
    """A conjunct ``inner = outer`` of a subquery, either way round in the text."""

    inner: a.Expr
    outer: a.Expr
    op: a.Op
    inner_first: bool

    def with_inner(self, inner: a.Expr) -> a.Op:
        """The same comparison with another expression of the same type on the inner side."""
        args = (inner, self.outer) if self.inner_first else (self.outer, inner)
        return replace(self.op, args=args)

    @property
    def key(self) -> a.Expr:
        """What groups by the inner side go by: a column varchar itself, not as text. It has the same
        equality, and plans and proofs know more of columns.
        """
        return self.inner.arg if isinstance(self.inner, a.Cast) and _is_text(self.inner) else self.inner

    def on_key(self, key: a.Expr) -> a.Op:
        """The same comparison with another expression of the key's type for the key."""
        if isinstance(self.inner, a.Cast) and _is_text(self.inner):
            return self.with_inner(replace(self.inner, arg=key))
        return self.with_inner(key)

    @property
    def symmetric(self) -> bool:
        return self.op.op.left == self.op.op.right


def _is_text(cast: a.Cast) -> bool:
    """A column varchar as text: the same value under the same equality."""
    source, target = cast.arg.type, cast.type
    builtin = source.is_builtin and target.is_builtin and cast.method == "binary"
    # another collation might take two values for one
    names = (source.name, target.name) == ("varchar", "text") and source.collation == target.collation
    return builtin and names and isinstance(cast.arg, a.Column)


@dataclass(frozen=True, slots=True)
class Inner:
    """A subquery's block: FROM as a product, conjuncts over it alone, ties, other correlated conjuncts."""

    select: a.Select
    items: tuple[a.FromItem, ...]
    local: tuple[a.Expr, ...]
    ties: tuple[Tie, ...]
    others: tuple[a.Expr, ...]

    @property
    def rels(self) -> frozenset[int]:
        return from_rels(self.items)


def take_apart(select: a.Select, beside: frozenset[int] = frozenset()) -> Inner | None:
    """The parts of a subquery's block; None where something but WHERE is correlated. ``beside``: range
    variables outside that its FROM may read all the same, as functions of rows do.
    """
    items, preds = as_product(select)
    inside = from_rels(items)
    # LATERAL items and functions that read outside are other rows for each outer row, not only other
    # conditions
    if free_of_all(items) - beside:
        return None
    rest = replace(select, from_=(), where=None)
    # SELECT o.x or GROUP BY o.x in the subquery: what it shows or groups by is correlated
    if free_rels(rest) - inside:
        return None
    local: list[a.Expr] = []
    ties: list[Tie] = []
    others: list[a.Expr] = []
    for pred in preds:
        if free_rels(pred) <= inside:
            local.append(pred)
        elif (tie := as_tie(pred, inside)) is not None:
            ties.append(tie)
        else:
            others.append(pred)
    return Inner(select, tuple(items), tuple(local), tuple(ties), tuple(others))


def as_tie(pred: a.Expr, inside: frozenset[int]) -> Tie | None:
    """``pred`` as an equality between an inner and an outer expression."""
    # two evaluations of a volatile expression, or of a subquery, need not give one value
    if not is_equality(pred) or has_subquery(pred) or is_volatile(pred):
        return None
    assert isinstance(pred, a.Op)
    left, right = pred.args
    # each side of the equation is wholly of one query: `s.k + o.n = 3` is no tie
    if used_rels(left) and used_rels(left) <= inside and not used_rels(right) & inside:
        return Tie(left, right, pred, True)
    if used_rels(right) and used_rels(right) <= inside and not used_rels(left) & inside:
        return Tie(right, left, pred, False)
    return None
